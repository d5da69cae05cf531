"""The Document Reader against loops over words, written from its equations."""

# ruff: noqa: E402

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn

from anselm.annotations.tags import ENTITY_TYPES, PARTS_OF_SPEECH, entity_types, tag_words
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError
from anselm.models.document_reader import build
from anselm.text.lemmas import lemma

D, HIDDEN = 6, 3
QUESTION = "Where do bees make honey"
ANSWERS = ("Bees", "The Garden where honey is made by 2 bees of the hive", "a bee made the Honey in 1901")
LISTS = [Question("q", QUESTION, tuple(Candidate(str(i), text) for i, text in enumerate(ANSWERS)))]


@pytest.fixture(autouse=True)
def lemmatiser() -> None:
    pytest.importorskip("simplemma")


@pytest.fixture
def vectors(vector_file: Callable[[int], Path]) -> Path:
    return vector_file(D)


def make(vectors: Path, name: str = "tr-as", **settings: object) -> Any:
    torch.manual_seed(3)
    config = {"vectors": str(vectors), "embedding": D, "width": D, "hidden": HIDDEN, "tuned": 4}
    model = build(name, {**config, **settings}, LISTS).eval()
    with torch.no_grad():
        model.changes[1:].normal_()
    return model


def vector(model: Any, word: str) -> Tensor:
    """Those of the first words of the vocabulary have been changed."""
    number = model.vocabulary.numbers.get(word, 1)
    found = model.embedding.weight[number]
    return found + model.changes[number] if number < 2 + 4 else found


def lstm_loop(lstm: nn.LSTM, words: list[Tensor]) -> list[Tensor]:
    h = c = torch.zeros(HIDDEN)
    states = []
    for x in words:
        i, f, g, o = (lstm.weight_ih_l0 @ x + lstm.bias_ih_l0 + lstm.weight_hh_l0 @ h + lstm.bias_hh_l0).view(4, HIDDEN)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return states


def read(stack: Any, words: list[Tensor]) -> list[Tensor]:
    """Three layers, each over the states of the one below; a word's states of all of them."""
    every: list[list[Tensor]] = [[] for _ in words]
    for layer in stack.layers:
        ahead, back = lstm_loop(layer.forwards, words), lstm_loop(layer.backwards, words[::-1])[::-1]
        words = [torch.cat(both) for both in zip(ahead, back, strict=True)]
        for states, word in zip(every, words, strict=True):
            states.append(word)
    return [torch.cat(states) for states in every]


def pool(pooling: Any, states: list[Tensor], phi: Callable[[float], float]) -> Tensor:
    """(9) and (10)."""
    weights = [math.exp(phi(float(pooling.w_p.weight[0] @ state))) for state in states]
    return sum((w / sum(weights) * state for w, state in zip(weights, states, strict=True)), torch.zeros(6 * HIDDEN))


def aligned(model: Any, p: Tensor, q: list[Tensor]) -> Tensor:
    def alpha(x: Tensor) -> Tensor:
        return (model.align.alpha.weight @ x + model.align.alpha.bias).clamp(min=0)

    weights = [math.exp(float(alpha(p) @ alpha(other))) for other in q]
    return sum((w / sum(weights) * other for w, other in zip(weights, q, strict=True)), torch.zeros(D))


def features(written: list[str], place: int, asked: list[str]) -> Tensor:
    word, folded = written[place], [one.lower() for one in written]
    low = [one.lower() for one in asked]
    matches = [word in asked, folded[place] in low, lemma(folded[place]) in [lemma(one) for one in low]]
    parts = [part == tag_words(written)[place] for part in PARTS_OF_SPEECH]
    types = [kind == entity_types(written)[place] for kind in ENTITY_TYPES]
    return torch.tensor([*matches, *parts, *types, folded.count(folded[place]) / len(folded)], dtype=torch.float32)


def score(model: Any, answer: str, phi: Callable[[float], float] = lambda x: max(0.0, x)) -> float:
    asked, written = QUESTION.split(), answer.split()
    q = [vector(model, word.lower()) for word in asked]
    p = [vector(model, word.lower()) for word in written]
    known = [torch.cat([x, aligned(model, x, q), features(written, i, asked)]) for i, x in enumerate(p)]
    h = pool(model.pool_candidate, read(model.of_candidate, known), phi)
    h_q = pool(model.pool_question, read(model.of_question, q), phi)
    return float(h_q @ model.match.M.weight @ h)  # (11)


@torch.no_grad()
@pytest.mark.parametrize(("activation", "phi"), [("relu", lambda x: max(0.0, x)), ("tanh", math.tanh)])
def test_a_score_is_that_of_the_equations(vectors: Path, activation: str, phi: Callable[[float], float]) -> None:
    model = make(vectors, activation=activation)
    expected = [score(model, answer, phi) for answer in ANSWERS]
    np.testing.assert_allclose(model.score(LISTS)[0], expected, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("feature", range(3))
def test_a_match_of_each_kind_is_seen(vectors: Path, feature: int) -> None:
    """As written, folded, as a lemma: with the weights of all other features away, where does a score change?"""
    model = make(vectors)
    for layer in (model.of_candidate.layers[0].forwards, model.of_candidate.layers[0].backwards):
        kept = layer.weight_ih_l0[:, 2 * D + feature].clone()
        layer.weight_ih_l0.zero_()
        layer.weight_ih_l0[:, 2 * D + feature] = kept
    texts = ("Hive", "hive", "hives", "wood")
    asked = Question("q", "Hive", tuple(Candidate(str(i), text) for i, text in enumerate(texts)))
    scores = model.score([asked])[0]
    same = np.isclose(scores, scores[3], atol=1e-6)
    assert (
        same.tolist() == [[False, True, True, True], [False, False, True, True], [False, False, False, True]][feature]
    )


@torch.no_grad()
def test_a_candidate_without_words_matches_no_padding(vectors: Path) -> None:
    model, short = make(vectors), Question("short", "Where", (Candidate("0", ""), Candidate("1", "bees")))
    np.testing.assert_allclose(model.score([short, *LISTS])[0], model.score([short])[0], atol=1e-6)


def test_vectors_of_frequent_words_alone_are_learned(vectors: Path) -> None:
    model = make(vectors).train()
    lists = model.featurize(LISTS)
    before = model.changes.detach().clone()
    scores = model(model.collate(model.place(lists, torch.device("cpu")), lists))
    scores.square().sum().backward()
    assert model.embedding.weight.grad is None
    moved = model.changes.grad.abs().sum(dim=1) > 0
    assert not moved[0]
    assert moved[2:].all()
    assert len(before) == 2 + 4


@torch.no_grad()
def test_the_graphs_and_the_gru_are_between_pooling_and_match(vectors: Path) -> None:
    """What they make of H^0 is what is matched: where they give it back, scores are those of tr-as."""
    plain = make(vectors)
    for name in ("tr-mpge-as", "tr-gru-as"):
        model = make(vectors, name)
        model.load_state_dict(plain.state_dict(), strict=False)
        seen: list[Tensor] = []
        part = model.graph if name == "tr-mpge-as" else model.sentences

        def give_back(module: Any, given: Any, found: Tensor, seen: list[Tensor] = seen) -> Tensor:
            seen.append(found)
            return given[0]

        part.register_forward_hook(give_back)
        np.testing.assert_allclose(model.score(LISTS)[0], plain.score(LISTS)[0], atol=1e-6)
        assert seen[0].shape == (1, 3, 6 * HIDDEN)
        assert not model.pairwise


@torch.no_grad()
@pytest.mark.parametrize(
    ("settings", "ordered"),
    [
        ({}, True),
        ({"fusion": "linear"}, True),
        ({"fusion": "linear", "graphs": ("entity", "similarity", "dynamic")}, False),
    ],
)
def test_order_counts_by_distance_and_by_the_gru_alone(
    vectors: Path, settings: dict[str, object], ordered: bool
) -> None:
    model = make(vectors, "tr-mpge-as", **settings)
    turned = [Question("q", QUESTION, (LISTS[0].candidates[2], *LISTS[0].candidates[:2]))]
    apart = np.abs(model.score(turned)[0][[1, 2, 0]] - model.score(LISTS)[0]).max()
    assert model.ordered == ordered
    assert apart > 1e-6 if ordered else apart < 1e-6


def test_phrases_are_refused(vectors: Path) -> None:
    with pytest.raises(AnselmError, match="phrases is true, but a Document Reader knows features of single words only"):
        make(vectors, phrases=True)
