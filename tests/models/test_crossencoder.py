"""Cross-encoders: against transformers pair by pair, and training. What holds for every model is in the contract."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.checkpoints.checkpoint import Checkpoint  # noqa: E402
from anselm.data.question import Question  # noqa: E402
from anselm.encoding.lists import WINDOW_OVERLAP  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.models.crossencoder import Config, CrossEncoder, FrozenConfig, build, configure, load  # noqa: E402
from anselm.models.frames.pair_model import PairModel  # noqa: E402
from anselm.models.frames.pretrained import load_saved  # noqa: E402
from anselm.train.losses import make_loss  # noqa: E402
from tests.models.readers import LISTS, VARIANTS, ask, collate, make, pairs, scores  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def reference(folder: Path, model: PairModel, questions: list[Question]) -> list[float]:
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


def alone(model: PairModel, question: Question) -> Tensor:
    """The pooled vectors of a list, each pair encoded by itself, with no padding anywhere."""
    vectors = []
    for row, kinds, mask in zip(*(lambda b: (b.ids, b.types, b.mask))(collate(model, [question])), strict=True):
        states = model.encoder(input_ids=row[mask][None], token_type_ids=kinds[mask][None]).last_hidden_state
        for layer in getattr(model, "token_layers", ()):
            states = layer(states)
        vectors.append(states.mean(dim=1))
    return torch.cat(vectors)


@pytest.mark.parametrize("options", [{"name": "frozen-attention", "token_layers": 2}, {"list_layers": 2}])
def test_layers_on_top_see_what_is_there_and_no_padding(folder: Path, options: dict[str, Any]) -> None:
    model = make(folder, **options)
    list_layers = getattr(model, "list_layers", [])
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        vectors = alone(model, question)[None]
        if list_layers:
            vectors = vectors + model.places.weight[: len(question.candidates)]
        for layer in list_layers:
            vectors = layer(vectors)
        assert found.tolist() == pytest.approx(model.head(vectors)[0, :, 0].tolist(), abs=1e-5)


def turned(question: Question) -> Question:
    return replace(question, candidates=question.candidates[::-1])


@pytest.mark.parametrize("options", [{"list_layers": 1}, {"neighbours": 1}])
def test_neighbours_and_their_order_matter_to_a_list_model(folder: Path, options: dict[str, int]) -> None:
    model = make(folder, **options)
    whole = model.score([LISTS[0]])[0]
    fewer = replace(LISTS[0], candidates=LISTS[0].candidates[:-1])
    assert abs(model.score([fewer])[0] - whole[:-1]).max() > 1e-3
    assert abs(model.score([turned(LISTS[0])])[0][::-1] - whole).max() > 1e-3


def test_a_frozen_model_is_still_frozen_when_loaded(tiny_encoder: Path, tmp_path: Path) -> None:
    build("frozen-attention", {"base": str(tiny_encoder)}).save(tmp_path)
    loaded = load(Checkpoint(tmp_path, "frozen-attention"))  # what a config does not say is the default
    assert loaded.config == FrozenConfig()
    assert not any(parameter.requires_grad for parameter in loaded.encoder.parameters())


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


def test_what_was_sampled_stands_at_its_place_in_the_source(tiny_encoder: Path) -> None:
    """As when it is scored; what was drawn from another list is told apart from none of those far behind."""
    model = make(tiny_encoder, list_layers=1)
    places: list[list[int]] = []
    model.places.register_forward_pre_hook(lambda module, given: places.append(given[0].tolist()))
    lists = model.featurize([ask("who", *"abcdefgh", right=5), ask("what", "x" * 3, *["y"] * 69, right=69)])
    placed = model.place(lists, torch.device("cpu"))
    for sampled in (
        lists.keep(np.isin(lists.positions, [2, 5, 69])),
        lists.insert(np.array([0]), np.array([8]), np.ones(1)),
    ):
        model(model.collate(placed, sampled.pick(np.arange(2))))
    assert places[0] == [2, 5, 2, 5, 63]
    assert places[1] == [*range(8), 63, *range(64), *[63] * 6]


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
    once, again = (model.encode(batch.ids, batch.mask, batch.types) for _ in range(2))
    assert torch.equal(once, again)
    assert not once.requires_grad
    assert not torch.equal(model(batch), model(batch))
    assert not model.encoder.training
    assert model.token_layers.training


def test_dropout_is_on_in_an_encoder_that_is_trained(tiny_encoder: Path) -> None:
    model = build("cross-encoder", {"base": str(tiny_encoder)}).train()
    batch = collate(model, LISTS)
    once, again = (model.encode(batch.ids, batch.mask, batch.types) for _ in range(2))
    assert not torch.equal(once, again)


# Other encoders


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
    model = CrossEncoder("cross-encoder", Config(), *load_saved(Checkpoint(tmp_path, "cross-encoder"))).eval()
    together = model.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(model.score([question])[0], expected, atol=1e-5)
    model.train()(collate(model, LISTS)).square().sum().backward()
    assert [name for name, parameter in model.named_parameters() if parameter.grad is None] == []
    model.save(tmp_path)
    np.testing.assert_array_equal(scores(load(Checkpoint(tmp_path, "cross-encoder")), LISTS), np.concatenate(together))


def test_each_of_the_two_has_settings_of_its_own() -> None:
    """What a recipe says is checked by the model that it is about."""
    assert configure("frozen-attention", {"token_layers": 2}).token_layers == 2
    with pytest.raises(InputError, match="token_layers"):
        configure("cross-encoder", {"token_layers": 2})
    with pytest.raises(InputError, match="list_layers"):
        configure("frozen-attention", {"list_layers": 2})
