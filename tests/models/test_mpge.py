"""The graph encoder on a pretrained encoder: windows, places, documents, and lists of odd kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from anselm.checkpoints.catalogue import build_model  # noqa: E402
from anselm.encoding.lists import POSITIONS, window_candidates  # noqa: E402
from anselm.models.frames.relations import DOCUMENTS, NAMED, SHARED, batch_relations  # noqa: E402
from anselm.models.mpge import TINY  # noqa: E402

SENTENCES = (
    "The hive of Anna Bell stands in the garden.",
    "it is made of nectar",
    "Anna Bell sold honey in 1912.",
    "the wood is sweet",
    "In 1912 the garden was made.",
)


def question(*texts: str, **more: Any) -> Question:
    return Question(
        "q", "Who made honey?", tuple(Candidate(str(i), text, float(i == 0), **more) for i, text in enumerate(texts))
    )


def model(folder: Path, name: str = "br-mpge-as", **settings: Any) -> Any:
    torch.manual_seed(2)
    return build_model(name, {**TINY, "base": str(folder), **settings}, []).eval()


def test_columns_are_of_the_candidates(tiny_encoder: Path) -> None:
    lists = model(tiny_encoder).featurize([question(*SENTENCES), question("the", "wood")])
    shared, named = lists.pairs[SHARED][:5], lists.pairs[NAMED]
    together = (shared[:, None] & shared[None]).any(axis=-1)
    assert together[0, 2]
    assert together[2, 4]
    assert not together[0, 4]
    assert not together[1].any()
    assert named.tolist() == [True, False, True, False, True, False, False]
    assert lists.pairs[POSITIONS].tolist() == [0, 1, 2, 3, 4, 0, 1]


def test_order_counts_only_through_distance_and_gru(tiny_encoder: Path) -> None:
    given = question(*SENTENCES)
    order = [3, 0, 4, 2, 1]  # not from the end to the beginning, which leaves all distances as they are
    moved = replace(given, candidates=tuple(given.candidates[i] for i in order))
    graphs = ["entity", "similarity", "dynamic"]
    unordered = model(tiny_encoder, graphs=graphs, fusion="linear")
    assert not unordered.ordered
    scores = unordered.score([given, moved])
    np.testing.assert_allclose(scores[1], scores[0][order], atol=1e-5)
    for settings in ({}, {"graphs": graphs}, {"fusion": "linear"}):
        ordered = model(tiny_encoder, **settings)
        scores = ordered.score([given, moved])
        assert ordered.ordered
        assert np.abs(scores[1] - scores[0][order]).max() > 1e-4


def test_a_part_of_a_list_keeps_its_places(tiny_encoder: Path) -> None:
    """As training does that samples candidates: their distance is the one in the source."""
    ours = model(tiny_encoder, graphs=["distance"], fusion="linear")
    lists = ours.featurize([question(*SENTENCES)])
    kept = lists.keep(np.array([True, False, False, False, True]))
    batch = ours.collate(ours.place(kept, torch.device("cpu")), kept)
    assert batch_relations(batch.columns, batch.layout).positions.tolist() == [[0, 4]]
    near = replace(question(*SENTENCES), candidates=question(*SENTENCES).candidates[::4])
    told = replace(
        near, candidates=tuple(replace(one, place=place) for one, place in zip(near.candidates, (0, 4), strict=True))
    )
    sampled = ours(batch).detach().numpy()
    np.testing.assert_allclose(ours.score([told])[0], sampled, atol=1e-5)
    assert np.abs(ours.score([near])[0] - sampled).max() > 1e-4  # side by side


def test_documents_are_no_distance_apart(tiny_encoder: Path) -> None:
    ours = model(tiny_encoder, graphs=["distance"], fusion="linear")
    one = question(*SENTENCES)
    places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    two = tuple(replace(c, document=d, place=p) for c, (d, p) in zip(one.candidates, places, strict=True))
    together = ours.score([replace(one, candidates=two)])[0]
    apart = ours.score([replace(one, candidates=two[:3]), replace(one, candidates=two[3:])])
    np.testing.assert_allclose(together, np.concatenate(apart), atol=1e-5)
    assert ours.featurize([replace(one, candidates=two)]).pairs[DOCUMENTS].tolist() == [0, 0, 0, 1, 1]


def test_windows_are_pooled_before_the_graphs(tiny_encoder: Path) -> None:
    """A long candidate is one of the graph's: what is beside it is told the same by all its windows."""
    ours, long = model(tiny_encoder), " ".join(["the hive stands in the garden of wood"] * 12)
    scores = ours.score([question("Bees make honey.", long, "the wood")])[0]
    lists = ours.featurize([question("Bees make honey.", long, "the wood")])
    windowed, owner = window_candidates(lists, ours.room(lists))
    assert len(owner) > 4
    batch = ours.collate(ours.place(windowed, torch.device("cpu")), windowed)
    assert batch_relations(batch.columns, batch.windows.layout, batch.windows.first).mask.shape == (1, 3)
    with torch.no_grad():
        per_window = ours(batch).numpy()
    np.testing.assert_allclose([per_window[owner == i].max() for i in range(3)], scores, atol=1e-5)
    assert np.ptp(per_window[owner == 1]) < 1e-6


@pytest.mark.parametrize(
    "texts",
    [
        ("alone",),
        ("the same",) * 6,
        ("", "the"),
        ("蜜蜂 做 蜜", "どこ"),
        tuple(f"number {i} of the garden" for i in range(300)),
    ],
    ids=["one", "identical", "empty", "script", "long list"],
)
@pytest.mark.parametrize("name", ["br-mpge-as", "br-gru-as"])
def test_odd_lists_have_scores(tiny_encoder: Path, name: str, texts: tuple[str, ...]) -> None:
    scores = model(tiny_encoder, name).score([question(*texts)])[0]
    assert len(scores) == len(texts)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"graphs": ["entity", "time"]}, "time"),
        ({"graphs": []}, "graphs"),
        ({"graphs": ["entity", "entity"]}, "once"),
        ({"sigma": 0.0}, "sigma"),
        ({"fusion": "sum"}, "sum"),
        ({"activation": "step"}, "step"),
        ({"graph_layers": 0}, "graph_layers"),
        ({"graph_dropout": 1.0}, "graph_dropout"),
        ({"entities": "somebody"}, "somebody"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tiny_encoder: Path, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(AnselmError, match=problem):
        model(tiny_encoder, **settings).score([question(*SENTENCES)])


def test_a_model_in_context_has_no_runtime_without_torch(tiny_encoder: Path) -> None:
    assert model(tiny_encoder).exports_to is None
    assert model(tiny_encoder, "br-as").exports_to is not None


def windowed_batch(ours: Any, given: Question) -> tuple[Any, Any]:
    lists = ours.featurize([given])
    windowed, owner = window_candidates(lists, ours.room(lists))
    return ours.collate(ours.place(windowed, torch.device("cpu")), windowed), owner


def test_the_vector_of_a_long_candidate_is_the_mean_of_its_windows(tiny_encoder: Path) -> None:
    ours = model(tiny_encoder)
    batch, owner = windowed_batch(
        ours, question("Bees make honey.", " ".join(["the hive of wood stands"] * 20), "wood")
    )
    pooled = ours.pooled(batch)
    expected = torch.stack([pooled[torch.from_numpy(owner == i)].mean(dim=0) for i in range(3)])
    seen: list[Any] = []
    ours.graph.register_forward_pre_hook(lambda _, given: seen.append(given))
    ours(batch)
    torch.testing.assert_close(seen[0][0][0], expected)


def test_what_is_known_of_candidates_behind_a_long_one_is_theirs(tiny_encoder: Path) -> None:
    ours, long = model(tiny_encoder), " ".join(["the hive of Anna Bell stands in the garden of wood"] * 12)
    short, cut = question("Bees make honey.", "wood", "Anna Bell"), question("Bees make honey.", long, "Anna Bell")
    batches = [windowed_batch(ours, given)[0] for given in (short, cut)]
    known = [batch_relations(one.columns, one.windows.layout, one.windows.first) for one in batches]
    assert known[1].positions.tolist() == [[0, 1, 2]]
    assert known[1].shared[0, 2].any()
    assert not known[0].shared[0, 2].any()
    torch.testing.assert_close(known[1].vectors[0, 2], known[0].vectors[0, 2])


def test_candidates_of_other_lists_share_nothing_with_these(tiny_encoder: Path) -> None:
    """Their entities are numbered by their own list."""
    ours = model(tiny_encoder)
    lists = ours.featurize(
        [question("Anna Bell came.", "Anna Bell left."), question("In 1912 it was.", "It was 1912.")]
    )
    drawn = lists.insert(np.array([0]), np.array([2]), np.ones(1))
    batch = ours.collate(ours.place(drawn, torch.device("cpu")), drawn.pick(np.array([0])))
    known = batch_relations(batch.columns, batch.layout)
    assert known.positions.tolist() == [[0, 1, -1]]
    graph = dict(ours.graph.graphs(torch.zeros(1, 3, ours.width), known))["entity"][0]
    assert graph.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_a_part_of_a_name_is_the_name_where_that_is_wanted(tiny_encoder: Path) -> None:
    given = question("Anna Bell came to Oslo.", "Bell left.", "wood")
    for partial in (False, True):
        entities = model(tiny_encoder, graphs=["entity"], partial_names=partial).relations(given)[0]
        assert entities.edges[0, 1] == partial
        assert entities.notes == ({(0, 1): "anna bell"} if partial else {})
        assert entities.edges[0, 0] == 1  # Oslo, which nobody shares
        assert entities.edges[2].sum() == 0
