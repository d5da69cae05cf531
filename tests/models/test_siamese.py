"""What must hold for every model that reads question and answer apart, as word vectors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from anselm.checkpoints.catalogue import all_models, build_model, load_model  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.errors import FormatError, InputError, MissingDataError, UnknownNameError  # noqa: E402
from anselm.models.frames.word_model import WordModel  # noqa: E402
from anselm.models.siamese import Siamese  # noqa: E402
from anselm.text.vocabulary import UNKNOWN  # noqa: E402
from anselm.text.word_vectors import read_vectors  # noqa: E402
from anselm.train.fit import dev_metric, train_model  # noqa: E402
from anselm.train.hyperparameters import make_training  # noqa: E402
from anselm.train.loop import Loop  # noqa: E402

NAMES = [name for name, entry in all_models().items() if entry.kind == "siamese"]
SMALL = {
    "embedding": 24, "width": 24, "hidden": 10, "filters": 12, "group": 4, "reach": 3, "dropout": 0.0,
    "max_length": 12, "max_question": 8,
}  # fmt: skip
ASKED = ("how do bees make honey", "where is the hive", "what is sweet")
SAID = (
    "bees make honey of the nectar",
    "the hive is of wood and stands in the garden",
    "the sweet nectar is sweet",
    "wood",
)
FRAME = [name for name in NAMES if all_models()[name].module.endswith((".siamese", ".ggsa"))]
models = pytest.mark.parametrize("name", NAMES)
framed = pytest.mark.parametrize("name", FRAME)  # encoder, composition and similarity
Build = Callable[..., Siamese]


def ask(text: str, *answers: str, right: int = 0, id: str = "q") -> Question:
    rows = (Candidate(str(i), answer, float(i == right)) for i, answer in enumerate(answers))
    return Question(id, text, tuple(rows))


LISTS = [ask(text, *SAID, right=i, id=f"q{i}") for i, text in enumerate(ASKED)]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def build(vector_file: Callable[[int], Path]) -> Build:
    def make(name: str, **settings: Any) -> Siamese:
        torch.manual_seed(1)
        known = {field.name for field in fields(import_module(all_models()[name].module).Config)}
        own = {key: value for key, value in SMALL.items() if key in known}
        return build_model(name, {**own, "vectors": str(vector_file(24)), **settings}, LISTS).eval()

    return make


def together(model: Siamese, questions: list[Question] = LISTS) -> Any:
    """A batch of all of them, as in training."""
    lists = model.featurize(questions)
    return model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(len(lists))))


def score(model: Siamese, question: str, *answers: str) -> Any:
    return model.score([ask(question, *answers)])[0]


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


def test_no_two_names_are_the_same_model(build: Build) -> None:
    assert len(NAMES) >= 21
    assert len({str(asdict(build(name).config)) for name in NAMES}) == len(NAMES)


@framed
@torch.no_grad()
def test_vectors_of_texts_apart_give_what_forward_gives(name: str, build: Build) -> None:
    model = build(name)
    questions = [*LISTS, Question("none", "what", ())]
    lists = model.featurize(questions)
    expected = model(together(model, questions)).numpy()
    for budget in (1, 30, 10_000):
        for found in (model.score_lists, super(Siamese, model).score_lists):
            assert_same(found(lists, torch.device("cpu"), budget), expected)
    apart = {"averaged", "qa-cnn", "qa-lstm", "sm-cnn", "ggsa", "global-attention", "ntn-lstm", "hd-lstm"}
    assert model.apart or name not in apart
    assert not (model.apart and name in {"iggsa", "ctrn", "iarnn-gate", "ap-cnn", "qa-lstm-attention"})


# Whose vectors of an answer depend on the question, and whose vectors of a question on the answer.
TOLD_THE_QUESTION = {
    "iggsa", "iarnn-gate", "ctrn", "qa-lstm-attention", "ap-cnn", "ap-bilstm", "multihop-mlp-lstm", "multihop-lstm"
}  # fmt: skip
TOLD_THE_ANSWER = {"ctrn", "ap-cnn", "ap-bilstm"}


@framed
@pytest.mark.parametrize(("side", "told"), [(0, TOLD_THE_ANSWER), (1, TOLD_THE_QUESTION)])
def test_who_sees_the_other_side(side: int, told: set[str], name: str, build: Build) -> None:
    model = build(name)
    del model.similarity
    model.similarity = lambda *vectors: vectors[side].flatten(1).sum(dim=1)
    other = np.ptp(model.score(LISTS), axis=1 - side)  # over the texts of the other side
    assert (other.max() > 1e-5) == (name in told)  # not all: attention to one word has no choice


@models
@pytest.mark.parametrize("fixed", [False, True])
def test_the_gradient_reaches_every_parameter(name: str, fixed: bool, build: Build) -> None:
    model = build(name, fixed=fixed).train()
    scores = model(together(model))
    (scores * torch.linspace(-1, 1, len(scores))).sum().backward()
    still = [key for key, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == (["embedding.weight"] if fixed else [])


# Which answer is right has to be learned: it shares no word with its question.
LEARNED = [
    ask(text, "the garden wood", "is sweet", "make nectar", "wood is the comb", right=i, id=f"q{i}")
    for i, text in enumerate(("how bees", "where honey", "what hive", "what bees where"))
]
FAST = {"epochs": 40, "evaluations": 0.1, "learning_rate": 3e-2, "schedule": "constant", "loss": "listwise"}


@models
def test_a_tiny_corpus_can_be_learned_by_heart(name: str, build: Build, tmp_path: Path) -> None:
    model = build(name)
    assert dev_metric(model, LEARNED)() < 0.9
    assert train_model(model, LEARNED, LEARNED, make_training(FAST), tmp_path).best == 1.0
    assert [int(np.argmax(row)) for row in model.score(LEARNED)] == [0, 1, 2, 3]


@models
def test_texts_that_are_unknown_or_empty_are_one_unknown_word(name: str, build: Build) -> None:
    model = build(name)
    assert_same(score(model, "", "", "xyzzy", "?!", "plugh"), [score(model, "xyzzy", "plugh")[0]] * 4)
    assert_same(score(model, "the xyzzy", "the plugh is"), score(model, "the frobs", "the grue is"))
    assert abs(score(model, "the xyzzy", "the hive is") - score(model, "the xyzzy", "the plugh is")) > 1e-6


@models
def test_the_end_of_a_long_text_does_not_count(name: str, build: Build) -> None:
    model = build(name, max_question=3, max_length=4)
    expected = score(model, "where is the", "bees make honey of")
    assert_same(score(model, "where is the hive", "bees make honey of the nectar"), expected)
    assert abs(score(model, "where is hive", "bees make honey of") - expected) > 1e-6
    assert abs(score(model, "where is the", "bees make honey the") - expected) > 1e-6


def test_averaged_word_vectors_by_hand(build: Build, vector_file: Callable[[int], Path]) -> None:
    vectors = read_vectors(vector_file(24))
    of = dict(zip(vectors.words, vectors.table.astype(float), strict=True))
    v_q, v_a = ((of["the"] + of["hive"]) / 2, (of["bees"] + of["make"] + of["honey"]) / 3)
    cosine = v_q @ v_a / math.sqrt((v_q @ v_q) * (v_a @ v_a))
    assert score(build("averaged"), "the hive", "bees make honey")[0] == pytest.approx(cosine, abs=1e-6)


def test_qa_cnn_by_hand(build: Build) -> None:
    """Window by window over the words, zeros beyond the ends."""
    model = build("qa-cnn")
    layer = model.encoder.encoder
    weight, bias = (p.detach().double().numpy() for p in (layer.windows.weight, layer.windows.bias))  # (filters, in, 3)

    def vector(text: str) -> Any:
        numbers = model.vocabulary([text])[0]
        words = torch.tanh(layer.hidden(model.embedding.weight[numbers])).detach().double().numpy()
        states = []
        for i in range(len(words)):
            near = [(k, i + k - 1) for k in range(3) if 0 <= i + k - 1 < len(words)]
            states.append(np.tanh(bias + sum(weight[:, :, k] @ words[j] for k, j in near)))
        return np.max(states, axis=0)

    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        v_q = vector(question.text)
        for candidate, one in zip(question.candidates, found, strict=True):
            v_a = vector(candidate.text)
            assert one == pytest.approx(v_q @ v_a / (np.linalg.norm(v_q) * np.linalg.norm(v_a)), abs=1e-5)


def train_a_little(model: Siamese, folder: Path) -> None:
    Loop(model, LISTS, make_training({**FAST, "epochs": 2}), folder).run()


def test_fixed_vectors_stay_and_others_move(build: Build, vector_file: Callable[[int], Path], tmp_path: Path) -> None:
    vectors = read_vectors(vector_file(24))
    for fixed in (True, False):
        model = build("qa-cnn", fixed=fixed)
        before = {key: tensor.clone() for key, tensor in model.state_dict().items()}
        for word in ("bees", "honey"):
            row = before["embedding.weight"][model.vocabulary.numbers[word]]
            np.testing.assert_array_equal(row, vectors.table[vectors.words.index(word)])
        train_a_little(model, tmp_path / str(fixed))
        moved = {key for key, tensor in model.state_dict().items() if not tensor.equal(before[key])}
        assert ("embedding.weight" in moved) != fixed
        assert moved | {"embedding.weight"} == before.keys()
        assert not model.embedding.weight[0].any()  # padding


def test_words_that_only_fixed_vectors_have_are_known(build: Build, vector_file: Callable[[int], Path]) -> None:
    """A text may bring them later; "Honey" is folded, so that none can."""
    vectors = read_vectors(vector_file(24))
    fixed, trained = build("averaged", fixed=True), build("averaged")
    assert set(fixed.vocabulary.words) - set(trained.vocabulary.words) == {"flower", "comb"}
    row = fixed.embedding.weight[fixed.vocabulary.numbers["flower"]]
    np.testing.assert_array_equal(row.detach(), vectors.table[vectors.words.index("flower")])
    assert fixed.vocabulary(["flower"]) != [[UNKNOWN]] == trained.vocabulary(["flower"])
    rare = build("averaged", fixed=True, min_count=2)  # too rare in the texts, but with a vector
    assert "how" in rare.vocabulary.words
    assert "how" not in build("averaged", min_count=2).vocabulary.words


def test_the_same_seed_gives_the_same_model(build: Build, vector_file: Callable[[int], Path]) -> None:
    first, second = build("qa-lstm"), build("qa-lstm")
    assert all(a.equal(b) for a, b in zip(first.state_dict().values(), second.state_dict().values(), strict=True))
    torch.manual_seed(2)
    other = build_model("qa-lstm", first.config.__dict__, LISTS)
    assert not other.embedding.weight[UNKNOWN].equal(first.embedding.weight[UNKNOWN])


def test_vectors_of_the_texts_themselves(build: Build) -> None:
    pytest.importorskip("gensim")
    model = build("averaged", vectors="corpus", embedding=6, width=6)
    assert model.embedding.weight.shape == (len(model.vocabulary), 6)
    assert set(model.vocabulary.words) == {word for text in (*ASKED, *SAID) for word in text.split()}
    assert np.isfinite(model.score(LISTS)).all()


@pytest.mark.parametrize(
    ("name", "settings", "problem"),
    [
        ("qa-lstm", {"hiden": 3}, r"unknown setting of the model 'qa-lstm': 'hiden'; .* Did you mean 'hidden'\?"),
        ("qa-lstm", {"interaction": True}, "unknown setting of the model 'qa-lstm': 'interaction'"),
        ("qa-lstm", {"encoder": "lstn"}, r"unknown encoder 'lstn'; .* Did you mean 'lstm'\?"),
        ("qa-lstm", {"composition": "min"}, "unknown composition 'min'; there is attention,"),
        ("ggsa", {"similarity": "sine"}, r"unknown similarity 'sine'; .* Did you mean 'cosine'\?"),
    ],
)
def test_unknown_names_of_settings(name: str, settings: Mapping[str, Any], problem: str, build: Build) -> None:
    with pytest.raises(UnknownNameError, match=problem):
        build(name, **settings)


@pytest.mark.parametrize(
    ("name", "settings", "problem"),
    [
        ("qa-lstm", {"hidden": "10"}, "hidden is '10', but must be like 141"),
        ("qa-lstm", {"hidden": 10.5}, "hidden is 10.5, but must be like 141"),
        ("qa-lstm", {"fixed": 1}, "fixed is 1, but must be like False"),
        ("qa-lstm", {"hops": True}, "hops is True, but must be like 2"),
        ("qa-lstm", {"hidden": 0}, "hidden is 0, but must be 1 or more"),
        ("qa-lstm", {"max_length": -1}, "max_length is -1, but must be 1 or more"),
        ("qa-lstm", {"dropout": 1.0}, "dropout is 1.0, but must be from 0 to below 1"),
        ("qa-lstm", {"dropout": math.nan}, "dropout is nan, but must be from 0 to below 1"),
        ("local-attention", {"reach": 4}, "a window of 4 words; it needs an odd number"),
        ("ggsa", {"heads": 5, "offsets": [0]}, "a width of 24 does not divide into 5 heads"),
        ("ggsa", {"encoder": "lstm"}, "encoder is 'lstm', but GGSA's is 'group'"),
        ("iggsa", {"offsets": [0, 1]}, "there are 2 offsets for 6 heads; give one for each"),
        ("iggsa", {"offsets": 3}, r"offsets is 3, but must be like \(0, 0, 0, 5, 5, 5\)"),
        ("iggsa", {"offsets": ["a"] * 6}, r"offsets is \('a', .*\), but must be like \(0, 0, 0, 5, 5, 5\)"),
        ("averaged", {"embedding": 25}, r"24.txt has vectors of width 24, but embedding is 25"),
        ("averaged", {"min_count": 1000}, "no word occurs 1000 times or more"),
    ],
)
def test_settings_that_cannot_be(name: str, settings: Mapping[str, Any], problem: str, build: Build) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        build(name, **settings)
    assert "\n" not in str(caught.value)


def test_a_whole_number_will_do_for_another(build: Build) -> None:
    assert build("qa-lstm", dropout=0).config.dropout == 0


def test_vectors_that_are_not_there(build: Build) -> None:
    with pytest.raises(MissingDataError, match=r"nowhere\.txt is no file of word vectors"):
        build("qa-lstm", vectors="nowhere.txt")


@models
def test_a_name_alone_is_no_ranker(name: str) -> None:
    with pytest.raises(InputError, match=f"'{name}' has to be trained first: anselm train --base {name}"):
        load_model(name)


def spoil_settings(folder: Path, **changes: Any) -> None:
    record = json.loads((folder / "config.json").read_text())
    record["config"] |= changes
    (folder / "config.json").write_text(json.dumps(record))


def shorten(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("spoil", "file", "problem"),
    [
        (lambda f: (f / "vocabulary.txt").unlink(), "vocabulary.txt", "missing"),
        (lambda f: (f / "vocabulary.txt").write_text(""), "vocabulary.txt", "at least one word is needed"),
        (lambda f: shorten(f / "vocabulary.txt"), "vocabulary.txt", "not the words that the model was trained with"),
        (lambda f: (f / "model.safetensors").unlink(), "model.safetensors", "missing"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x" * 99), "model.safetensors", "not whole safetensors"),
        (lambda f: spoil_settings(f, filters=13), "model.safetensors", "'encoder.encoder.windows.weight' have the"),
        (lambda f: spoil_settings(f, filters="13"), "config.json", "filters is '13', but must be like 400"),
        (lambda f: spoil_settings(f, filtres=13), "config.json", "unknown setting of the model 'qa-cnn': 'filtres'"),
        (lambda f: spoil_settings(f, encoder="global", heads=7), "config.json", "does not divide into 7 heads"),
    ],
)
def test_a_damaged_checkpoint_is_named(
    spoil: Callable[[Path], None], file: str, problem: str, build: Build, tmp_path: Path
) -> None:
    build("qa-cnn").save(tmp_path)
    load_model(tmp_path)
    spoil(tmp_path)
    with pytest.raises(FormatError) as caught:
        load_model(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / file}")
    assert problem in str(caught.value)


def test_what_a_batch_costs_is_known_beforehand(build: Build) -> None:
    """Packing and the plan of a training ask for it."""
    model: WordModel = build("qa-cnn", max_question=3, max_length=4)
    lists = model.featurize([ask("the hive", "wood"), ask("the hive is the hive", "wood " * 9), Question("n", "x", ())])
    assert model.widths(lists).tolist() == [3, 7, 0]
    assert model.room(lists).tolist() == [4, 4]


def varied_vectors(path: Path, length: float, width: int = 50) -> Path:
    """Random vectors for a hundred words, of lengths around the given one, as GloVe's are around five."""
    rng = np.random.default_rng(1)
    table = rng.standard_normal((100, width))
    table *= rng.uniform(0.6, 1.4, (100, 1)) * length / np.linalg.norm(table, axis=1, keepdims=True)
    path.write_text("".join(f"w{i} {' '.join(f'{x:.5f}' for x in row)}\n" for i, row in enumerate(table)))
    return path


def saturation(model: Siamese) -> tuple[float, float]:
    """Before any training: the share of the gate's units beyond 0.02 or 0.98, and the mean of the largest weights."""
    seen: dict[str, Any] = {}
    block = getattr(model.encoder, "block", None) or model.encoder.encoder.block
    for name in ("w_q", "w_k"):
        getattr(block.attention, name).register_forward_hook(lambda *given, name=name: seen.update({name: given[2]}))
    if block.gate is not None:
        block.gate.linear.register_forward_hook(lambda *given: seen.update(gate=given[2].sigmoid()))
    texts = [" ".join(f"w{i * 7 % 100}" for i in range(start, start + 40)) for start in range(3)]
    model.score([ask(texts[0], *texts[1:])])
    q, k = (seen[name].unflatten(2, (model.config.heads, -1)).transpose(1, 2) for name in ("w_q", "w_k"))
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)  # (texts, heads, words, words)
    gate = seen.get("gate", torch.tensor(0.5))
    return ((gate - 0.5).abs() > 0.48).float().mean().item(), weights.amax(dim=-1).mean().item()


ATTENDING = [name for name in FRAME if ("attention" in name and "lstm" not in name) or "ggsa" in name]


@pytest.mark.parametrize("name", ATTENDING)
@pytest.mark.parametrize(("length", "width"), [(0.5, 300), (1.4, 300), (5.2, 50), (20.0, 50)])
def test_at_the_start_no_gate_and_no_attention_is_saturated(
    name: str, length: float, width: int, tmp_path: Path
) -> None:
    """With the scale that a new model finds from its vectors: one's own, GloVe's, projected, and louder ones."""
    vectors = str(varied_vectors(tmp_path / "v.txt", length, width))
    texts = [ask(f"w{i}", *(f"w{j}" for j in range(i, i + 9))) for i in range(0, 91, 9)]
    torch.manual_seed(1)
    model = build_model(name, {"vectors": vectors, "embedding": width, "max_question": 50}, texts).eval()
    gate, largest = saturation(model)
    assert gate < 0.01
    assert largest < 0.15  # of forty words


@pytest.mark.parametrize(("scale", "saturated"), [(math.sqrt(300), True), (2.0, False)])
def test_the_root_of_the_width_saturates_on_vectors_as_long_as_gloves(
    scale: float, saturated: bool, tmp_path: Path
) -> None:
    vectors = str(varied_vectors(tmp_path / "v.txt", 5.2))
    torch.manual_seed(1)
    settings = {"vectors": vectors, "embedding": 50, "max_question": 50, "input_scale": scale}
    gate, largest = saturation(build_model("ggsa", settings, [ask("w1 w2", "w3", "w4")]).eval())
    assert (gate > 0.3, largest > 0.5) == (saturated, saturated)


def test_a_checkpoint_from_before_there_was_a_scale_scores_as_it_did(build: Build, tmp_path: Path) -> None:
    model = build("ggsa", input_scale=math.sqrt(24))
    model.save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["config"]["input_scale"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert load_model(tmp_path).config.input_scale is None
    assert_same(load_model(tmp_path).score(LISTS), model.score(LISTS))
    assert not np.allclose(build("ggsa", input_scale=1.0).score(LISTS)[0], model.score(LISTS)[0])


@pytest.mark.parametrize("value", [0, -1.0, "root", math.inf, math.nan])
def test_a_scale_is_a_number_above_zero(value: object, build: Build) -> None:
    with pytest.raises(InputError, match=r"input_scale is .*, but must be a number above 0"):
        build("ggsa", input_scale=value)
