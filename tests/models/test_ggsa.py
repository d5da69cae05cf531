"""GGSA and iGGSA against equations 1 to 7 of the paper, word by word, head by head and group by group."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from anselm.checkpoints.catalogue import build_model  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.models.ggsa import GGSA  # noqa: E402
from anselm.text.tokens import words  # noqa: E402

TEXTS = (
    "the hive is in the garden",
    "bees",
    "bees make the sweet honey in the hive of the garden wood",
    "nectar is what bees make honey of",
)
ANSWERS = tuple(Candidate(str(i), text) for i, text in enumerate(TEXTS))
LISTS = [
    Question("q1", "how is the sweet honey make bees hive", ANSWERS),
    Question("q2", "where is nectar", ANSWERS[1:]),
]
Vector = Any  # a numpy array of 64 bits, as long as a word is wide
Vectors = list[Vector]


@pytest.fixture
def build(vector_file: Callable[[int], Path]) -> Callable[..., GGSA]:
    """A small model, all of whose weights are random: a layer norm that is left out, or another's, then shows."""

    def make(name: str = "iggsa", embedding: int = 12, **settings: Any) -> GGSA:
        torch.manual_seed(1)
        own = {"width": 12, "heads": 2, "group": 3, "offsets": [0, 2], "embedding": embedding}
        model = build_model(name, own | {"vectors": str(vector_file(embedding))} | settings, LISTS)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
        return model.eval()

    return make


def array(tensor: Any) -> Any:
    return tensor.detach().double().numpy()


def linear(layer: Any, x: Vector) -> Vector:
    return array(layer.weight) @ x + (0 if layer.bias is None else array(layer.bias))


def layer_norm(layer: Any, x: Vector) -> Vector:
    return (x - x.mean()) / math.sqrt(x.var() + 1e-5) * array(layer.weight) + array(layer.bias)


def feed_forward(layer: Any, x: Vector) -> Vector:
    return linear(layer[2], np.maximum(linear(layer[0], x), 0))


def sigmoid(x: Vector) -> Vector:
    return 1 / (1 + np.exp(-x))


def mean(vectors: Vectors) -> Vector:
    return sum(vectors) / len(vectors)


def read(model: GGSA, text: str) -> Vectors:
    """X: each word's vector times the model's scale, plus its position (2.2)."""
    width, found = model.config.width, []
    for i, word in enumerate(words(text)):
        x = array(model.embedding.weight)[model.vocabulary.numbers[word]]
        if model.config.embedding != width:
            x = linear(model.projection, x)
        angles = [i / 10_000 ** ((j - j % 2) / width) for j in range(width)]
        place = [math.cos(angle) if j % 2 else math.sin(angle) for j, angle in enumerate(angles)]
        found.append(x * model.config.input_scale + np.array(place))
    return found


def gates(block: Any, x: Vectors) -> Vectors:
    """Equation 1 and the line below it."""
    context = mean(x)
    return [sigmoid(linear(block.gate.linear, x_i * context)) for x_i in x]


def group_attention(attention: Any, x: Vectors, size: int, offsets: tuple[int, ...]) -> Vectors:
    """GroupMultiHeadAttention: within head h, words look at those of their group."""
    q, k, v = ([linear(w, x_i) for x_i in x] for w in (attention.w_q, attention.w_k, attention.w_v))
    d = len(x[0]) // len(offsets)
    joined: Vectors = [np.zeros_like(x_i) for x_i in x]
    for head, offset in enumerate(offsets):
        own = slice(head * d, (head + 1) * d)
        for i in range(len(x)):
            group = [j for j in range(len(x)) if (j - offset) // size == (i - offset) // size]
            weights = [math.exp(q[i][own] @ k[j][own] / math.sqrt(d)) for j in group]
            for weight, j in zip(weights, group, strict=True):
                joined[i][own] += weight / sum(weights) * v[j][own]
    return [linear(attention.w_o, s) for s in joined]


def intermediate(model: GGSA, block: Any, text: str) -> Vectors:
    """Y, up to equation 2."""
    x = read(model, text)
    gated = [x_i * g_i for x_i, g_i in zip(x, gates(block, x), strict=True)] if model.config.gate else x
    c = group_attention(block.attention, gated, model.config.group, model.config.offsets)
    return [layer_norm(block.norm, x_i + c_i) for x_i, c_i in zip(x, c, strict=True)]


def final(block: Any, y: Vectors) -> Vectors:
    """Equations 3 and 4, and 6 and 7: there is no layer norm at the end."""
    return [y_i + feed_forward(block.feed_forward, y_i) for y_i in y]


def naive_score(model: GGSA, question: str, answer: str) -> float:
    encoder: Any = model.encoder
    own = encoder.block if model.config.shared else encoder.own_block
    h_q = final(encoder.block, intermediate(model, encoder.block, question))
    y = intermediate(model, own, answer)
    if model.config.interaction:
        context = mean(h_q)  # (5)
        y = [layer_norm(encoder.norm, y_i + feed_forward(encoder.residual, y_i * context)) for y_i in y]
    v_q, v_a = np.max(h_q, axis=0), np.max(final(own, y), axis=0)
    return float(v_q @ v_a / (np.linalg.norm(v_q) * np.linalg.norm(v_a)))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"shared": False},
        {"gate": False},
        {"embedding": 24},  # projected
        {"heads": 3, "offsets": [5, 0, 1], "group": 4},
        {"input_scale": 3.5},
        {"group": 20, "offsets": [0, 0]},  # one group: global self-attention with a gate
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["ggsa", "iggsa"])
def test_the_equations_word_by_word(name: str, settings: dict[str, Any], build: Callable[..., GGSA]) -> None:
    model = build(name, **settings)
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        expected = [naive_score(model, question.text, candidate.text) for candidate in question.candidates]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)
        assert np.ptp(expected) > 0.01  # else anything would agree


@pytest.mark.parametrize(("name", "meets"), [("ggsa", False), ("iggsa", True)])
def test_answers_see_the_question_in_iggsa_alone(name: str, meets: bool, build: Callable[..., GGSA]) -> None:
    model = build(name)
    asked = [Question("q", text, LISTS[0].candidates) for text in ("where is nectar", "how is the garden wood")]
    model.similarity = lambda v_q, v_a: v_a.sum(dim=1)  # what is said of the answer alone
    first, second = model.score(asked)
    assert (np.abs(first - second) > 1e-3).all() == meets
    assert (first == second).all() != meets


def test_questions_never_see_the_answer(build: Callable[..., GGSA]) -> None:
    model = build("iggsa")
    model.similarity = lambda v_q, v_a: v_q.sum(dim=1)
    assert len(set(model.score(LISTS)[0].tolist())) == 1


def test_a_block_of_its_own_for_the_answer(build: Callable[..., GGSA]) -> None:
    model = build("iggsa", shared=False)
    model.similarity = lambda v_q, v_a: v_a.sum(dim=1)
    before = model.score(LISTS[:1])[0]
    with torch.no_grad():
        model.encoder.own_block.norm.bias.add_(1.0)
    assert (np.abs(model.score(LISTS[:1])[0] - before) > 1e-3).all()


EMBEDDING = 12 * (len({word for q in LISTS for text in (q.text, *TEXTS) for word in words(text)}) + 2)
BLOCK = 4 * 12 * 12 + (12 * 12 + 12) + 2 * 12 + (12 * 48 + 48) + (48 * 12 + 12)  # heads, gate, norm, feed-forward
RESIDUAL = (12 * 48 + 48) + (48 * 12 + 12) + 2 * 12  # feed-forward, norm


@pytest.mark.parametrize(
    ("name", "settings", "count"),
    [
        ("ggsa", {}, BLOCK),
        ("ggsa", {"gate": False}, BLOCK - (12 * 12 + 12)),
        ("ggsa", {"shared": False}, 2 * BLOCK),
        ("iggsa", {}, BLOCK + RESIDUAL),
        ("iggsa", {"shared": False}, 2 * BLOCK + RESIDUAL),
        ("iggsa", {"composition": "attention"}, BLOCK + RESIDUAL + 2 * 12 * 12 + 12),
    ],
)
def test_the_number_of_parameters(name: str, settings: dict[str, Any], count: int, build: Callable[..., GGSA]) -> None:
    assert BLOCK == 1_968
    assert sum(p.numel() for p in build(name, **settings).parameters()) == EMBEDDING + count
