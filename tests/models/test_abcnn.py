"""The SwissAlps networks against loops written from the paper's equations."""

# ruff: noqa: E402

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor

from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError
from anselm.models.abcnn import ABCNN, build, similarities

D, FILTERS = 4, 8
WORDS = ["bees", "honey", "hive", "nectar", "garden", "wood", "where", "is", "the", "sweet"]
QUESTION, ANSWERS = "where is the honey", ("honey", "the hive is in the garden wood", "sweet nectar the bees")
LISTS = [Question("q", QUESTION, tuple(Candidate(str(i), text) for i, text in enumerate(ANSWERS)))]


@pytest.fixture
def vectors(vector_file: Callable[[int], Path]) -> Path:
    return vector_file(D)


def make(name: str, vectors: Path, **settings: object) -> ABCNN:
    torch.manual_seed(3)
    config = {
        "vectors": str(vectors),
        "embedding": D,
        "width": D,
        "filters": FILTERS,
        "max_length": 9,
        "max_question": 6,
    }
    return build(name, {**config, **settings}, LISTS).eval()


def words_of(model: ABCNN, text: str) -> list[list[float]]:
    return [model.embedding.weight[number].tolist() for number in model.vocabulary([text])[0]]


def convolved(model: ABCNN, s: list[list[float]]) -> list[list[float]]:
    """Columns c_1 .. c_{s + h - 1} of relu(wide convolution), by (1): h - 1 zero vectors on both sides."""
    h, width = model.config.window, len(s[0])
    padded = [[0.0] * width] * (h - 1) + s + [[0.0] * width] * (h - 1)
    weight, bias = model.convolution.weight.tolist(), model.convolution.bias.tolist()
    return [
        [
            max(0.0, bias[f] + sum(weight[f][j][k] * padded[i + k][j] for k in range(h) for j in range(width)))
            for f in range(FILTERS)
        ]
        for i in range(len(s) + h - 1)
    ]


def attention(q: list[list[float]], a: list[list[float]]) -> list[list[float]]:
    return [[1 / (1 + math.dist(x, y)) for y in a] for x in q]


def times(matrix: list[list[float]], weight: Tensor) -> list[list[float]]:
    rows = weight.tolist()
    return [[sum(row[k] * rows[k][j] for k in range(len(row))) for j in range(D)] for row in matrix]


def largest(columns: list[list[float]]) -> list[float]:
    return [max(column[f] for column in columns) for f in range(FILTERS)]


def weighted(model: ABCNN, s: list[list[float]], weights: list[float], mean: bool) -> list[list[float]]:
    c, h = convolved(model, s), model.config.window
    scale = 1 / h if mean else 1
    return [[weights[i] * scale * sum(c[i + k][f] for k in range(h)) for f in range(FILTERS)] for i in range(len(s))]


def naive(model: ABCNN, question: str, answer: str) -> float:
    q, a = words_of(model, question), words_of(model, answer)
    matrix = attention(q, a)
    turned = [list(column) for column in zip(*matrix, strict=True)]
    if model.config.attention == "none":
        x = largest(convolved(model, q)) + largest(convolved(model, a))
    elif model.config.attention == "input":
        two_q = [s + f for s, f in zip(q, times(matrix, model.w_q), strict=True)]
        two_a = [s + f for s, f in zip(a, times(turned, model.w_a), strict=True)]
        x = largest(convolved(model, two_q)) + largest(convolved(model, two_a))
    else:
        mean = model.config.window_mean
        over_q, over_a = (len(a), len(q)) if model.config.attention_mean else (1, 1)
        x = largest(weighted(model, q, [sum(row) / over_q for row in matrix], mean))
        x += largest(weighted(model, a, [sum(row) / over_a for row in turned], mean))
    hidden = torch.relu(model.hidden(torch.tensor(x)))
    no, yes = model.out(hidden).softmax(dim=0).tolist()
    return math.log(yes / no)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("scnn", {}), ("abcnn1", {}), ("abcnn2", {}), ("abcnn2", {"window_mean": True}), ("abcnn2", {"window": 2}),
        ("abcnn2", {"attention_mean": True}),
    ],
)  # fmt: skip
def test_scores_follow_the_equations(name: str, settings: dict[str, object], vectors: Path) -> None:
    model = make(name, vectors, **settings)
    expected = [naive(model, QUESTION, answer) for answer in ANSWERS]
    np.testing.assert_allclose(model.score(LISTS)[0], expected, atol=1e-5)
    assert np.ptp(expected) > 1e-3


@pytest.mark.parametrize("name", ["scnn", "abcnn1", "abcnn2"])
def test_padding_does_not_matter(name: str, vectors: Path) -> None:
    model = make(name, vectors)
    together = model.score(LISTS)[0]
    for candidate, expected in zip(LISTS[0].candidates, together, strict=True):
        alone = model.score([Question("q", QUESTION, (candidate,))])[0]
        np.testing.assert_allclose(alone, [expected], atol=1e-6)


def test_a_word_is_at_no_distance_from_itself() -> None:
    words = torch.randn(1, 30, 200) * 10
    mask = torch.ones(1, 30, dtype=torch.bool)
    found = similarities(words, mask, words, mask)
    assert (found[0].diagonal() == 1).all()
    assert found[0, 0, 1] == pytest.approx(1 / (1 + (words[0, 0] - words[0, 1]).norm().item()), rel=1e-5)


def test_equal_words_have_a_gradient() -> None:
    words = torch.randn(1, 3, 4, requires_grad=True)
    mask = torch.ones(1, 3, dtype=torch.bool)
    similarities(words, mask, words.detach().clone(), mask).sum().backward()
    assert torch.isfinite(words.grad).all()


def test_wrong_settings_are_refused(vectors: Path) -> None:
    with pytest.raises(AnselmError, match="unknown attention 'both'"):
        make("abcnn2", vectors, attention="both")
    with pytest.raises(AnselmError, match="filters is 0"):
        make("scnn", vectors, filters=0)
