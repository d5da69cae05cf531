"""The pair frame as a model uses it: columns, windows, token states, against each pair read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from torch import Tensor, nn  # noqa: E402

from anselm.data.question import Question  # noqa: E402
from anselm.encoding.lists import POSITIONS, Lists  # noqa: E402
from anselm.models.frames.pair_batches import Batch, Windows  # noqa: E402
from anselm.models.frames.pair_model import PairModel  # noqa: E402
from anselm.train.sampling import Sampling, sample  # noqa: E402
from tests.models.readers import LISTS, ask, collate, make  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


class Annotated(PairModel):
    """Counts the letters of each text, keeps each text whole, and numbers the pairs."""

    variants = {"annotated": {}}  # noqa: RUF012

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.head = nn.Linear(self.width, 1)
        self.seen: list[Batch] = []

    def featurize(self, questions: Sequence[Question]) -> Lists:
        lists = super().featurize(questions)
        strings = lists.texts.strings
        return lists.add(
            texts={"letters": np.array([len(text) for text in strings]), "text": np.array(strings, dtype=object)},
            pairs={"number": np.arange(len(lists.labels), dtype=np.float32)},
        )

    def forward(self, batch: Batch) -> Tensor:
        """The mean vector of a candidate's windows counts."""
        self.seen.append(batch)
        return self.score_vectors(batch.windows.mean(self.pooled(batch)))[batch.windows.owners]


@pytest.fixture
def annotated(tiny_encoder: Path) -> Annotated:
    torch.manual_seed(1)
    return Annotated.build("annotated", {"base": str(tiny_encoder), "max_length": 40, "max_question": 10}).eval()


LONG = ask("where is the honey", "the hive", "wood " * 70, "sweet", "garden " * 50)


def test_a_model_that_names_no_runtime_is_not_exported(annotated: Annotated) -> None:
    """A graph would have the score of a pair by itself, which is not what this one has."""
    assert annotated.exports_to is None


def test_what_a_featurizer_adds_is_in_the_batch(annotated: Annotated) -> None:
    columns = collate(annotated, LISTS).columns
    texts = [candidate.text for question in LISTS for candidate in question.candidates]
    assert columns.candidates["letters"].tolist() == [len(text) for text in texts]
    assert columns.candidates["text"].tolist() == texts
    assert columns.questions["letters"].tolist() == [len(question.text) for question in LISTS]
    assert columns.questions["text"].tolist() == [question.text for question in LISTS]
    assert columns.pairs["number"].tolist() == list(range(8))
    assert columns.pairs[POSITIONS].tolist() == [0, 1, 2, 3, 0, 0, 1, 2]


def test_what_is_sampled_has_its_columns(annotated: Annotated) -> None:
    lists = annotated.featurize(LISTS)
    sampled = sample(lists, Sampling("pool", 4), np.random.default_rng(0))
    batch = annotated.collate(annotated.place(lists, torch.device("cpu")), sampled.pick(np.array([2, 0])))
    texts = [candidate.text for question in LISTS for candidate in question.candidates]
    numbers = batch.columns.pairs["number"].long()
    assert batch.columns.candidates["text"].tolist() == [texts[i] for i in numbers]
    assert batch.columns.candidates["letters"].tolist() == [len(texts[i]) for i in numbers]
    foreign = batch.columns.pairs[POSITIONS] < 0
    assert foreign.any()
    assert not batch.labels[foreign].any()


def test_windows_have_the_columns_and_the_position_of_their_candidate(annotated: Annotated) -> None:
    annotated.score([LISTS[1], LONG])
    [batch] = annotated.seen
    windows, columns = batch.windows, batch.columns
    assert len(batch.labels) > 7
    whole = [*LISTS[1].candidates, *LONG.candidates]
    assert columns.candidates["text"].tolist() == [whole[i].text for i in windows.owners]
    assert columns.pairs[POSITIONS].tolist() == [[0, 0, 1, 2, 3][i] for i in windows.owners]
    assert columns.pairs["number"][windows.first].tolist() == [0, 1, 2, 3, 4]
    assert windows.layout.sizes.tolist() == [1, 4]


def test_a_model_can_pool_windows_before_it_scores(annotated: Annotated) -> None:
    found = annotated.score([LONG])[0]
    batch = annotated.seen[-1]
    with torch.no_grad():
        pooled = annotated.pooled(batch)
        expected = [annotated.head(pooled[batch.windows.owners == i].mean(dim=0)).item() for i in range(4)]
        best = annotated.head(pooled[batch.windows.owners == 1]).max().item()
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
    assert abs(best - expected[1]) > 1e-4  # which is something else


def test_the_mean_of_windows_by_hand() -> None:
    lists = make_windows([0, 0, 1, 2, 2, 2], [3, 3])
    windows = Windows.of(lists, torch.device("cpu"))
    values = torch.tensor([[1.0, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 15]])
    assert windows.mean(values).tolist() == [[2, 3], [5, 6], [9, 11]]
    assert windows.mean(values[:, 0]).tolist() == [2, 5, 9]
    assert windows.layout.sizes.tolist() == [2, 1]


def make_windows(owners: list[int], sizes: list[int]) -> Lists:
    bounds = np.array([0, *np.cumsum(sizes)])
    pairs = {"labels": np.zeros(len(owners), dtype=np.float32), "owners": np.array(owners)}
    return Lists(None, np.zeros(len(sizes), dtype=np.int64), bounds, pairs)  # type: ignore[arg-type]


@torch.no_grad()
def test_token_states_are_the_encoders(folder: Path) -> None:
    model = make(folder)
    batch = collate(model, [*LISTS, LONG])
    states = model.states(batch)
    assert states.shape == (*batch.ids.shape, 32)
    for row, mask, kinds, found in zip(batch.ids, batch.mask, batch.types, states, strict=True):
        alone = model.encoder(row[mask][None], token_type_ids=kinds[mask][None]).last_hidden_state[0]
        torch.testing.assert_close(found[mask], alone, atol=1e-5, rtol=1e-4)


def test_groups_of_different_lengths_come_back_in_order(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(tiny_encoder)
    batch = collate(model, [*LISTS, LONG])
    monkeypatch.setattr("anselm.encoding.packing.GROUP_TOKENS", 100)
    apart = collate(model, [*LISTS, LONG])
    assert len(apart.groups) > len(batch.groups) == 1
    with torch.no_grad():
        torch.testing.assert_close(model.pooled(apart), model.pooled(batch), atol=1e-5, rtol=1e-4)
        whole, parts = model.states(batch), model.states(apart)
    torch.testing.assert_close(parts[batch.mask], whole[batch.mask], atol=1e-5, rtol=1e-4)
    shortest = apart.groups[0]
    assert not parts[shortest.rows, shortest.width :].any()
