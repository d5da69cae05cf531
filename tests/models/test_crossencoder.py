"""Cross-encoders: against transformers pair by pair, the contract of every model, and what can be wrong on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402
from torch import Tensor  # noqa: E402

from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.files import write_folder_atomically  # noqa: E402
from anselm.models.collating import Batch  # noqa: E402
from anselm.models.crossencoder import Config, CrossEncoder, build, load  # noqa: E402
from anselm.models.encoders import load_saved  # noqa: E402
from anselm.models.features import WINDOW_OVERLAP  # noqa: E402
from anselm.models.registry import load_model  # noqa: E402
from anselm.train.loop import Loop  # noqa: E402
from anselm.train.losses import make_loss  # noqa: E402
from anselm.train.sampling import Sampling, sample  # noqa: E402
from anselm.train.training import Training  # noqa: E402


def ask(text: str, *candidates: str, right: int = 0, title: str = "Bees") -> Question:
    rows = (Candidate(str(i), candidate, float(i == right)) for i, candidate in enumerate(candidates))
    return Question(text, text, tuple(rows), {"title": title})


LISTS = [
    ask("How do bees make honey?", "From nectar.", "The hive is made of wood.", "Honey bees dance.", "Sweet!", right=0),
    ask("Where is the hive?", "The hive stands in the garden, behind the house, where it is warm.", title="Garden"),
    ask("what is this", "the", "wood", "the", right=1),
]
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "first": {"pooling": "first"},
    "title": {"title": True, "neighbours": 1},
    "list": {"list_layers": 2},
    "frozen": {"frozen": True, "token_layers": 1},
}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """So small a model is faster on one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.getfixturevalue("tiny_encoder" if request.param == "bert" else "tiny_roberta"))


def make(folder: Path, **options: Any) -> CrossEncoder:
    torch.manual_seed(3)
    return build("cross-encoder", {"base": str(folder)} | options).eval()


def collate(model: CrossEncoder, questions: list[Question]) -> Batch:
    lists = model.featurize(questions)
    return model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(len(lists))))


def pairs(questions: list[Question]) -> list[tuple[str, str]]:
    return [(question.text, candidate.text) for question in questions for candidate in question.candidates]


def scores(model: CrossEncoder, questions: list[Question]) -> list[float]:
    return np.concatenate(model.score(questions)).tolist()


# What goes in


def test_a_batch_is_what_transformers_makes_of_the_pairs(folder: Path) -> None:
    batch = collate(make(folder), LISTS)
    asked, said = zip(*pairs(LISTS), strict=True)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    expected = theirs(list(asked), list(said), padding=True, return_token_type_ids=True, return_tensors="pt")
    assert torch.equal(batch.ids, expected["input_ids"])
    assert torch.equal(batch.mask, expected["attention_mask"].bool())
    assert torch.equal(batch.types, expected["token_type_ids"])
    assert batch.labels.tolist() == [1, 0, 0, 0, 1, 0, 1, 0]
    assert batch.layout.sizes.tolist() == [4, 1, 3]


def test_a_long_candidate_is_cut_as_transformers_cuts_it(folder: Path) -> None:
    lists = [ask("a b c?", "wood " * 90, "the hive", "x" * 70)]
    batch = collate(make(folder, max_length=40, max_question=20), lists)
    asked, said = zip(*pairs(lists), strict=True)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    expected = theirs(
        list(asked), list(said), truncation="only_second", max_length=40, padding=True, return_tensors="pt"
    )
    assert batch.ids.shape == (3, 40)
    assert torch.equal(batch.ids, expected["input_ids"])
    assert torch.equal(batch.mask, expected["attention_mask"].bool())


def rows(batch: Batch) -> list[list[int]]:
    return [row[mask].tolist() for row, mask in zip(batch.ids, batch.mask, strict=True)]


def test_a_long_question_is_cut_before_the_candidate(folder: Path) -> None:
    model = make(folder, max_length=40, max_question=8)
    question, candidate = model.tokenizer(["w" * 30, "the hive is in the garden"])
    parts = model.tokenizer
    expected = [*parts.before, *question[:8], *parts.between, *candidate, *parts.after]
    assert rows(collate(model, [ask("w" * 30, "the hive is in the garden")])) == [expected]


@pytest.mark.parametrize("limit", [192, 40])
def test_a_context_follows_the_candidate_and_is_cut_first(folder: Path, limit: int) -> None:
    model = make(folder, title=True, neighbours=1, max_length=limit, max_question=24)
    parts = model.tokenizer
    batch = collate(model, LISTS)
    for row, kinds, mask, (asked, said), around in zip(
        batch.ids, batch.types, batch.mask, pairs(LISTS), contexts(), strict=True
    ):
        question, candidate, context = parts([asked, said, around])
        room = limit - len(parts.before) - len(parts.between) - 2 * len(parts.after)
        question = question[:24]
        candidate = candidate[: room - len(question)]
        context = context[: room - len(question) - len(candidate)]
        first = [*parts.before, *question, *parts.between]
        second = [*candidate, *parts.after, *context, *(parts.after if context else ())]
        assert row[mask].tolist() == first + second
        assert kinds[mask].tolist() == [parts.types[0]] * len(first) + [parts.types[1]] * len(second)
        assert int(mask.sum()) <= limit


def contexts() -> list[str]:
    first = [candidate.text for candidate in LISTS[0].candidates]
    return [
        f"Bees {first[1]}", f"Bees {first[0]} {first[2]}", f"Bees {first[1]} {first[3]}", f"Bees {first[2]}",
        "Garden", "Bees wood", "Bees the the", "Bees wood",
    ]  # fmt: skip


def test_a_batch_is_no_wider_than_its_longest_pair(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, max_length=40, max_question=20)
    lists = model.featurize([*LISTS, ask("who", "a " * 70)])
    placed = model.place(lists, torch.device("cpu"))
    for numbers in ([0], [1], [2], [3], [2, 0]):
        batch = model.collate(placed, lists.pick(np.array(numbers)))
        assert batch.mask.any(dim=0).all()
        assert batch.ids.shape[1] == model.widths(lists)[numbers].max() <= 40


def test_sampled_lists_need_no_new_tokens(tiny_encoder: Path) -> None:
    """The loop places all texts once, and samples for every epoch."""
    model = make(tiny_encoder, neighbours=1)
    lists = model.featurize(LISTS)
    placed = model.place(lists, torch.device("cpu"))
    sampled = sample(lists, Sampling("pool", 4), np.random.default_rng(0))
    batch = model.collate(placed, sampled.pick(np.arange(3)))
    own = rows(collate(model, LISTS))
    taken = [row for row, label in zip(rows(batch), batch.labels, strict=True) if label > 0]
    assert taken == [own[0], own[4], own[6]]
    assert batch.mask.any(dim=0)[:-1].all()  # the last column is for what would close a context


# What comes out


def reference(folder: Path, model: CrossEncoder, questions: list[Question]) -> list[float]:
    """Pair by pair, with nothing of ours but the weights of the head."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoder = transformers.AutoModel.from_pretrained(folder).eval()
    found = []
    for asked, said in pairs(questions):
        with torch.no_grad():
            states = encoder(**tokenizer(asked, said, return_tensors="pt")).last_hidden_state[0]
        pooled = states[0] if model.config.pooling == "first" else states.mean(dim=0)
        found.append(float(pooled @ model.head.weight[0].detach() + model.head.bias.detach()))
    return found


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_scores_are_those_of_transformers_and_a_line(folder: Path, pooling: str) -> None:
    model = make(folder, pooling=pooling)
    expected = reference(folder, model, LISTS)
    assert scores(model, LISTS) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0.1  # else there would be nothing to tell apart


def alone(model: CrossEncoder, question: Question) -> Tensor:
    """The pooled vectors of a list, each pair encoded by itself, with no padding anywhere."""
    vectors = []
    for row, kinds, mask in zip(*(lambda b: (b.ids, b.types, b.mask))(collate(model, [question])), strict=True):
        states = model.encoder(input_ids=row[mask][None], token_type_ids=kinds[mask][None]).last_hidden_state
        for layer in model.token_layers:
            states = layer(states)
        vectors.append(states.mean(dim=1))
    return torch.cat(vectors)


@pytest.mark.parametrize("options", [{"token_layers": 2}, {"list_layers": 2}, {"token_layers": 1, "list_layers": 1}])
def test_layers_on_top_see_what_is_there_and_no_padding(folder: Path, options: dict[str, int]) -> None:
    model = make(folder, **options)
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        vectors = alone(model, question)[None]
        if model.list_layers:
            vectors = vectors + model.places.weight[: len(question.candidates)]
        for layer in model.list_layers:
            vectors = layer(vectors)
        assert found.tolist() == pytest.approx(model.head(vectors)[0, :, 0].tolist(), abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_padding_changes_no_score(folder: Path, variant: str) -> None:
    model = make(folder, **VARIANTS[variant])
    lists = model.featurize(LISTS)
    placed, picked = model.place(lists, torch.device("cpu")), lists.pick(np.arange(3))
    with torch.no_grad():
        narrow, wide = (model(model.collate(placed, replace(picked, lengths=picked.lengths + n))) for n in (0, 23))
    torch.testing.assert_close(narrow, wide, rtol=0, atol=1e-5)
    assert narrow.tolist() == pytest.approx(scores(model, LISTS), abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_list_alone_or_among_others_gets_the_same_scores(folder: Path, variant: str) -> None:
    model = make(folder, **VARIANTS[variant])
    together = model.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(model.score([question])[0], expected, atol=1e-5)
    for small in (1, 100):  # tokens in a batch
        for found, expected in zip(model.score(LISTS[::-1], budget=small), together[::-1], strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)


def turned(question: Question) -> Question:
    return replace(question, candidates=question.candidates[::-1])


@pytest.mark.parametrize("variant", ["plain", "first", "frozen"])
def test_the_order_of_candidates_does_not_matter_to_a_pair_model(folder: Path, variant: str) -> None:
    model = make(folder, **VARIANTS[variant])
    np.testing.assert_allclose(model.score([turned(LISTS[0])])[0][::-1], model.score([LISTS[0]])[0], atol=1e-5)
    fewer = replace(LISTS[0], candidates=LISTS[0].candidates[1:])
    np.testing.assert_allclose(model.score([fewer])[0], model.score([LISTS[0]])[0][1:], atol=1e-5)


@pytest.mark.parametrize("options", [{"list_layers": 1}, {"neighbours": 1}])
def test_neighbours_and_their_order_matter_to_a_list_model(folder: Path, options: dict[str, int]) -> None:
    model = make(folder, **options)
    whole = model.score([LISTS[0]])[0]
    fewer = replace(LISTS[0], candidates=LISTS[0].candidates[:-1])
    assert abs(model.score([fewer])[0] - whole[:-1]).max() > 1e-3
    assert abs(model.score([turned(LISTS[0])])[0][::-1] - whole).max() > 1e-3


@pytest.mark.parametrize("variant", VARIANTS)
def test_saved_and_loaded_it_scores_the_same(folder: Path, variant: str, tmp_path: Path) -> None:
    model = make(folder, **VARIANTS[variant])
    model.save(tmp_path)
    loaded = load_model(tmp_path)
    assert isinstance(loaded, CrossEncoder)
    assert loaded.config == model.config
    assert not loaded.training
    assert scores(loaded, LISTS) == scores(model, LISTS)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "config.json", "encoder.json", "model.safetensors", "tokenizer.json"
    ]  # fmt: skip


def test_a_frozen_model_is_still_frozen_when_loaded(tiny_encoder: Path, tmp_path: Path) -> None:
    build("frozen-attention", {"base": str(tiny_encoder)}).save(tmp_path)
    loaded = load("frozen-attention", {}, tmp_path)  # what a config does not say is the variant's
    assert (loaded.config.frozen, loaded.config.token_layers) == (True, 1)
    assert not any(parameter.requires_grad for parameter in loaded.encoder.parameters())


def test_lists_of_nothing_have_no_scores(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, list_layers=1)
    nothing = Question("q", "who?", ())
    assert model.score([]) == []
    assert [len(row) for row in model.score([nothing])] == [0]
    holed = model.score([nothing, LISTS[0], nothing, LISTS[1], nothing])
    assert [len(row) for row in holed] == [0, 4, 0, 1, 0]
    np.testing.assert_allclose(holed[1], model.score([LISTS[0]])[0], atol=1e-5)


def test_empty_texts_have_a_score(folder: Path) -> None:
    assert np.isfinite(scores(make(folder), [ask("", "", "the"), ask("who", "")])).all()


# Long candidates


@pytest.mark.parametrize("options", [{}, {"title": True}])
def test_a_long_candidate_is_as_good_as_its_best_window(folder: Path, options: dict[str, bool]) -> None:
    model = make(folder, max_length=60, max_question=10, **options)
    long = " ".join(np.random.default_rng(1).choice(list("abcdefgh"), 150))
    question = ask("bees", "the hive", long, "wood")
    asked, said, title = model.tokenizer(["bees", long, "Bees"])
    room = 60 - model.overhead - len(asked)
    step = room - min(WINDOW_OVERLAP, room // 2)
    starts = range(0, len(said) - room + step, step)
    expected = [score_of(model, asked, said[start : start + room], title) for start in starts]
    assert starts[-1] + room >= len(said)
    assert len(expected) > 2
    found = model.score([question])[0]
    assert found[1] == pytest.approx(max(expected), abs=1e-5)
    assert np.ptp(expected) > 0.01
    short = make(folder, max_length=60, max_question=10, **options).score([ask("bees", "the hive", "wood")])[0]
    assert found[[0, 2]].tolist() == pytest.approx(short.tolist(), abs=1e-5)


def score_of(model: CrossEncoder, asked: list[int], said: list[int], title: list[int]) -> float:
    parts = model.tokenizer
    around = title[: model.config.max_length - model.overhead - len(asked) - len(said)]
    first = [*parts.before, *asked, *parts.between]
    second = [*said, *parts.after, *((*around, *parts.after) if model.config.title and around else ())]
    types = [parts.types[0]] * len(first) + [parts.types[1]] * len(second)
    with torch.no_grad():
        states = model.encoder(torch.tensor([first + second]), token_type_ids=torch.tensor([types])).last_hidden_state
        return model.head(states[0].mean(dim=0)).item()


def test_windows_of_a_candidate_stand_at_its_place_in_the_list(tiny_encoder: Path) -> None:
    """Else a long candidate would move all that come after it."""
    model = make(tiny_encoder, max_length=40, max_question=10, list_layers=1)
    places: list[list[int]] = []
    model.places.register_forward_pre_hook(lambda module, given: places.append(given[0].tolist()))
    lengths = [len(row) for row in model.score([ask("who", "a", "a " * 60, "b"), ask("where", "a " * 40)])]
    assert lengths == [3, 1]
    [found] = places
    first = found[: found.index(2) + 1]
    assert first == [0] + [1] * (len(first) - 2) + [2]
    assert len(first) > 4
    assert set(found[len(first) :]) == {0}


# Training


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_gradient_reaches_every_parameter_that_is_trained(folder: Path, variant: str) -> None:
    model = make(folder, **VARIANTS[variant]).train()
    batch = collate(model, LISTS)
    make_loss("listwise")(model(batch), batch.labels, batch.layout)[0].backward()
    frozen = variant == "frozen"
    for name, parameter in model.named_parameters():
        assert parameter.requires_grad != (frozen and name.startswith("encoder."))
        assert (parameter.grad is not None) == parameter.requires_grad, name
        assert parameter.grad is None or torch.isfinite(parameter.grad).all(), name
    names = {name for name, p in model.named_parameters() if p.grad is not None and p.grad.any()}
    flat = {name for name in dict(model.named_parameters()) if "key.bias" in name}  # softmax does not see a shift
    shifts = {"head.bias"}  # nor does the listwise loss
    wanted = {name for name, p in model.named_parameters() if p.requires_grad}
    assert wanted - names <= flat | shifts


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("loss", ["listwise", "pairwise", "pointwise"])
def test_a_tiny_corpus_can_be_overfitted(tiny_encoder: Path, variant: str, loss: str) -> None:
    model = make(tiny_encoder, dropout=0.0, **VARIANTS[variant]).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    questions = [LISTS[0], ask("what is this", "the", "wood", "sweet", right=1), ask("where", "a", "b", "c", right=2)]
    batch, measure = collate(model, questions), make_loss(loss, margin=1.0)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    for _ in range(80):
        optimizer.zero_grad()
        total, count = measure(model(batch), batch.labels, batch.layout)
        (total / count).backward()
        optimizer.step()
        if total.item() / count.item() < 0.05:
            break
    assert total.item() / count.item() < 0.3
    for question, found in zip(questions, model.eval().score(questions), strict=True):
        assert found.argmax() == np.argmax(question.labels)


def test_frozen_attention_trains_its_own_layer_alone(tiny_encoder: Path) -> None:
    model = build("frozen-attention", {"base": str(tiny_encoder)}).train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    batch = collate(model, LISTS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    make_loss("listwise", 0.1)(model(batch), batch.labels, batch.layout)[0].backward()
    optimizer.step()
    changed = {name for name, tensor in model.state_dict().items() if not torch.equal(tensor, before[name])}
    assert {name.partition(".")[0] for name in changed} == {"token_layers", "head"}
    assert len(changed) >= 12


def test_dropout_is_off_in_a_frozen_encoder_and_on_above_it(tiny_encoder: Path) -> None:
    model = build("frozen-attention", {"base": str(tiny_encoder), "dropout": 0.5}).train()
    batch = collate(model, LISTS)
    once, again = (model._encode(batch.ids, batch.mask, batch.types) for _ in range(2))
    assert torch.equal(once, again)
    assert not once.requires_grad
    assert not torch.equal(model(batch), model(batch))
    assert not model.encoder.training
    assert model.token_layers.training


def test_dropout_is_on_in_an_encoder_that_is_trained(tiny_encoder: Path) -> None:
    model = build("cross-encoder", {"base": str(tiny_encoder)}).train()
    batch = collate(model, LISTS)
    once, again = (model._encode(batch.ids, batch.mask, batch.types) for _ in range(2))
    assert not torch.equal(once, again)


@pytest.mark.parametrize("mode", [True, False])
def test_scoring_leaves_the_model_as_it_was(tiny_encoder: Path, mode: bool) -> None:
    model = make(tiny_encoder).train(mode)
    assert scores(model, LISTS) == scores(model, LISTS)  # no dropout while scoring
    assert model.training == model.encoder.training == mode


# The similarity head, for the encoder that tells two token types apart


def untaught(batch: Batch) -> Batch:
    return replace(batch, similarities=None)


def similarities_of(folder: Path, questions: list[Question]) -> list[float]:
    """The cosine of two texts' mean vectors, one text at a time, with nothing of ours."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoder = transformers.AutoModel.from_pretrained(folder).eval()

    def vector(text: str) -> Tensor:
        with torch.no_grad():
            return encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)

    return [torch.cosine_similarity(vector(a), vector(b), dim=0).item() for a, b in pairs(questions)]


def test_the_taught_similarity_is_the_cosine_of_mean_vectors(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    assert batch.similarities is not None
    expected = similarities_of(tiny_encoder, LISTS)
    assert batch.similarities.tolist() == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0.05
    assert collate(make(tiny_encoder), LISTS).similarities is None


def test_it_is_that_of_the_encoder_as_it_was(tiny_encoder: Path) -> None:
    """However far the encoder has been trained since, also across a kill: the second head is taught the same."""
    model = make(tiny_encoder, similarity=True)
    before = collate(model, LISTS).similarities
    with torch.no_grad():
        for parameter in model.encoder.parameters():
            parameter.add_(torch.randn_like(parameter))
    after = collate(model, LISTS).similarities
    assert before is not None
    assert torch.equal(before, after)


def test_signals_are_the_score_and_a_similarity_from_the_same_pass(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    with torch.no_grad():
        found = model.signals(batch.ids, batch.mask, batch.types)
        assert found.shape == (8, 2)
        for row, (ids, mask, types) in zip(found, zip(batch.ids, batch.mask, batch.types, strict=True), strict=True):
            states = model.encoder(ids[mask][None], token_type_ids=types[mask][None]).last_hidden_state[0]
            asked, said = states[types[mask] == 0].mean(dim=0), states[types[mask] == 1].mean(dim=0)
            pooled = states.mean(dim=0)
            first, _, last = model.similarity
            hidden = torch.nn.functional.gelu(first(torch.cat([asked * said, (asked - said).abs(), pooled])))
            expected = [model.head(pooled).item(), last(hidden).item()]
            assert row.tolist() == pytest.approx(expected, abs=1e-5)
    assert found[:, 0].tolist() == pytest.approx(scores(model, LISTS), abs=1e-5)
    assert make(tiny_encoder).signals(batch.ids, batch.mask, batch.types).shape == (8, 1)


def test_without_something_to_teach_it_gives_scores_alone(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    given, penalty = model(batch)
    assert torch.equal(model(untaught(batch)), given)
    similar = model.signals(batch.ids, batch.mask, batch.types)[:, 1]
    errors = [(a - b) ** 2 for a, b in zip(similar.tolist(), similarities_of(tiny_encoder, LISTS), strict=True)]
    assert penalty.item() == pytest.approx(50 * sum(errors) / 8, rel=1e-4)


def test_the_gradient_of_the_penalty_reaches_the_second_head_and_the_encoder(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True).train()
    _, penalty = model(collate(model, LISTS))
    penalty.backward()
    reached = {name for name, p in model.named_parameters() if p.grad is not None and p.grad.any()}
    assert {name for name, _ in model.named_parameters() if name.startswith("similarity.")} <= reached
    assert "encoder.embeddings.word_embeddings.weight" in reached
    assert not any(name.startswith("head.") for name in reached)


def test_the_loop_drives_the_error_of_the_similarity_down(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder, similarity=True)

    def error() -> float:
        with torch.no_grad():
            return model.eval()(collate(model, LISTS))[1].item()

    before = error()
    Loop(model, LISTS, Training(epochs=60, rate=1e-3, batch_lists=3), tmp_path).run()
    assert error() < 0.2 * before
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        assert found.argmax() == np.argmax(question.labels)  # and the lists are still learned


def test_frozen_word_embeddings_stay_as_they_are(tiny_encoder: Path, tmp_path: Path) -> None:
    """So the default ranker is trained, and the running mean must leave them alone too."""
    model = make(tiny_encoder, similarity=True)
    words = model.encoder.get_input_embeddings().requires_grad_(False).weight.clone()
    places = model.encoder.embeddings.position_embeddings.weight.clone()
    Loop(model, LISTS, Training(epochs=2, rate=1e-3, average=0.9), tmp_path).run()
    assert torch.equal(model.encoder.get_input_embeddings().weight, words)
    assert not torch.equal(model.encoder.embeddings.position_embeddings.weight, places)


def test_the_second_head_needs_two_token_types(tiny_roberta: Path) -> None:
    with pytest.raises(InputError, match="has no token types, which the similarity head needs"):
        make(tiny_roberta, similarity=True)


def test_with_a_second_head_saved_and_loaded_gives_the_same_signals(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    model.save(tmp_path)
    loaded = load_model(tmp_path)
    assert isinstance(loaded, CrossEncoder)
    assert loaded.config == model.config
    batch = collate(model, LISTS)
    ours, theirs = (m.signals(batch.ids, batch.mask, batch.types) for m in (model, loaded))
    assert torch.equal(ours, theirs)
    assert scores(loaded, LISTS) == scores(model, LISTS)


KINDS = ["electra", "distilbert", "mpnet", "albert", "deberta-v2", "modernbert"]
SIZES = {"vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # of DeBERTa
@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_of_encoders_will_do(kind: str, tiny_encoder: Path, tmp_path: Path) -> None:
    """Some take no token types, some have other poolers or none, some count positions otherwise."""
    sizes = SIZES | {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "intermediate_size": 32}
    config = transformers.AutoConfig.for_model(kind, **sizes, embedding_size=16, pad_token_id=0, initializer_range=0.2)
    (tmp_path / "encoder.json").write_text(config.to_json_string(use_diff=False))
    shutil.copy(tiny_encoder / "tokenizer.json", tmp_path)
    torch.manual_seed(1)
    model = CrossEncoder("cross-encoder", Config(), *load_saved(tmp_path)).eval()
    together = model.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(model.score([question])[0], expected, atol=1e-5)
    model.train()(collate(model, LISTS)).square().sum().backward()
    assert [name for name, parameter in model.named_parameters() if parameter.grad is None] == []
    model.save(tmp_path)
    np.testing.assert_array_equal(scores(load("cross-encoder", {}, tmp_path), LISTS), np.concatenate(together))


# What can be wrong


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"poolin": "mean"}, r"unknown setting of the model 'cross-encoder': 'poolin'; .*Did you mean 'pooling'"),
        ({"pooling": "max"}, "unknown pooling 'max'; there is first, mean"),
        ({"max_length": "192"}, "max_length is '192', but must be like 192"),
        ({"max_length": True}, "max_length is True, but must be like 192"),
        ({"title": 1}, "title is 1, but must be like False"),
        ({"neighbours": -1}, "neighbours is -1, but must be 0 or more"),
        ({"list_layers": -1}, "list_layers is -1, but must be 0 or more"),
        ({"max_question": 0}, "max_question is 0, but must be 1 or more"),
        ({"similarity": True, "list_layers": 1}, "a model with list_layers cannot have the similarity head"),
        ({"similarity": 1}, "similarity is 1, but must be like False"),
        ({"dropout": 1.0}, "dropout is 1.0, but must be from 0 to below 1"),
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"max_length": 64}, "max_length 64 leaves no room .* max_question 64 and 3 special tokens"),
        ({"max_length": 68, "title": True}, "max_length 68 leaves no room .* max_question 64 and 4 special tokens"),
        ({"max_length": 257}, "max_length 257 is more than the encoder .* reads, which is 256"),
    ],
)
def test_settings_that_cannot_be_are_named(options: dict[str, Any], problem: str, tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match=problem):
        build("cross-encoder", {"base": str(tiny_encoder)} | options)


def test_the_tightest_settings_still_work(folder: Path) -> None:
    overhead = make(folder).overhead
    model = make(folder, max_length=overhead + 6, max_question=5)
    assert np.isfinite(scores(model, [ask("x " * 20, "x " * 5, "", "x " * 300)])).all()
    longest = make(folder, max_length=256)
    assert np.isfinite(scores(longest, [ask("x " * 90, "y " * 400)])).all()


@pytest.fixture
def saved(tiny_encoder: Path, tmp_path: Path) -> Path:
    make(tiny_encoder, list_layers=1).save(tmp_path)
    return tmp_path


def edit(name: str, **values: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        record = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(record | values))

    return change


def configure(**values: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        record = json.loads((folder / "config.json").read_text())
        edit("config.json", config=record["config"] | values)(folder)

    return change


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def cut(name: str, end: int) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end]) and None


def weights(change: Callable[[dict[str, Tensor]], Any]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return rewrite


def other_words(folder: Path) -> None:
    """As many as before, and all of them known to the encoder: two have changed places."""
    text = (folder / "tokenizer.json").read_text()
    swapped = text.replace('"honey":', '"~~":').replace('"nectar":', '"honey":').replace('"~~":', '"nectar":')
    assert swapped != text
    (folder / "tokenizer.json").write_text(swapped)


DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "unknown setting": (configure(depth=3), "config.json", "unknown setting of the model 'cross-encoder': 'depth'"),
    "unknown pooling": (configure(pooling="max"), "config.json", "unknown pooling 'max'"),
    "text for a number": (configure(dropout="much"), "config.json", "dropout is 'much', but must be like 0.1"),
    "too long": (configure(max_length=999), "config.json", "max_length 999 is more than"),
    "unknown model": (edit("config.json", model="cros-encoder"), "config.json", "unknown model"),
    "no encoder": (remove("encoder.json"), "encoder.json", "does not exist"),
    "cut encoder": (cut("encoder.json", 100), "encoder.json", "not whole JSON"),
    "other encoder": (edit("encoder.json", hidden_size=64), "model.safetensors", r"the shape \(.*32\), not \(.*64\)"),
    "impossible encoder": (edit("encoder.json", hidden_size=33), "encoder.json", "not the configuration of an encoder"),
    "unknown encoder": (edit("encoder.json", model_type="brt"), "encoder.json", "not the configuration of an encoder"),
    "few words": (edit("encoder.json", vocab_size=50), "tokenizer.json", r"ids up to \d+, but the encoder knows 50"),
    "other words": (other_words, "tokenizer.json", "not the tokenizer that the model was trained with"),
    "no tokenizer": (remove("tokenizer.json"), "tokenizer.json", "not a tokenizer"),
    "cut tokenizer": (cut("tokenizer.json", 300), "tokenizer.json", "not a tokenizer"),
    "no weights": (remove("model.safetensors"), "model.safetensors", "the file with the weights is missing"),
    "empty weights": (write("model.safetensors", b""), "model.safetensors", "not whole safetensors"),
    "cut header": (cut("model.safetensors", 500), "model.safetensors", "not whole safetensors"),
    "cut weights": (cut("model.safetensors", -1), "model.safetensors", "not whole safetensors"),
    "pickled weights": (write("model.safetensors", b"\x80\x04N."), "model.safetensors", "not whole safetensors"),
    "missing head": (weights(lambda t: t.pop("head.bias")), "model.safetensors", "the weights 'head.bias' are missing"),
    "other head": (
        weights(lambda t: t.update({"head.bias": torch.zeros(2)})), "model.safetensors",
        r"the weights 'head.bias' have the shape \(2,\), not \(1,\)",
    ),
    "one too many": (
        weights(lambda t: t.update(tail=torch.zeros(2))), "model.safetensors", "'tail' that the model does not have",
    ),
    "fewer layers": (configure(list_layers=0), "model.safetensors", "weights '.*' that the model does not have"),
    "a second head": (configure(similarity=True), "config.json", "list_layers cannot have the similarity head"),
    "more layers": (configure(list_layers=2), "model.safetensors", r"the weights 'list_layers\.1\..*' are missing"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named(damage: str, saved: Path) -> None:
    harm, file, problem = DAMAGES[damage]
    harm(saved)
    with pytest.raises(InputError, match=problem) as caught:
        load_model(saved)
    assert str(saved / file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_that_are_missing_are_the_defaults(tiny_encoder: Path, tmp_path: Path) -> None:
    make(tiny_encoder).save(tmp_path)
    edit("config.json", config={})(tmp_path)
    assert load_model(tmp_path).config == Config()  # type: ignore[attr-defined]


def test_untrained_it_is_no_ranker() -> None:
    with pytest.raises(InputError, match="'cross-encoder' has to be trained first"):
        load_model("cross-encoder")


def save_where_nothing_fits(model: CrossEncoder, folder: Path) -> None:
    (folder / "model.safetensors").mkdir()  # as good as a full disk: the file cannot be made
    model.save(folder)


def test_a_disk_that_takes_no_more_leaves_nothing_behind(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder)
    with pytest.raises(InputError, match="cannot be written"), write_folder_atomically(tmp_path / "out") as folder:
        save_where_nothing_fits(model, folder)
    assert list(tmp_path.iterdir()) == []
