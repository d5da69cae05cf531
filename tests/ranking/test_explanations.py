"""Explanations against a naive loop: every word left out by hand, every variant scored by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.data.question import Candidate, Question
from anselm.models.lexical import Lexical
from anselm.ranking.explanations import MOST, Word, explain, leading, marked, stretches, word_spans
from anselm.ranking.scorers import load_scorer
from anselm.scorer import Scores

TEXTS = ["Bees make honey, honey from nectar.", "The hive is made of wood.", "Honey bees dance.", "Nectar is sweet."]
LIST = Question(
    "q", "How do bees make honey?", tuple(Candidate(str(i), text, meta={"place": i}) for i, text in enumerate(TEXTS))
)


class Letters:
    """Letters shared with the question; divided, where it looks around, by those that the whole list shares."""

    name, capacity, language = "letters", None, None

    def __init__(self, pairwise: bool) -> None:
        self.pairwise = pairwise
        self.calls: list[int] = []

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.calls.append(sum(len(question.candidates) for question in questions))
        assert all(candidate.meta for question in questions for candidate in question.candidates)
        rows = [
            np.array([sum(c.text.count(letter) for letter in question.text) for c in question.candidates], dtype=float)
            for question in questions
        ]
        return rows if self.pairwise else [row / row.sum() for row in rows]

    def save(self, folder: Path) -> None: ...


def without(text: str, word: Word) -> str:
    return text[: word.start] + text[word.end :]


def naive(scorer, question: Question, place: int, word: Word, asked: bool) -> float:
    """The score with the word less the score without it, each within the whole list."""
    if asked:
        changed = replace(question, text=without(question.text, word))
    else:
        candidates = list(question.candidates)
        candidates[place] = replace(candidates[place], text=without(candidates[place].text, word))
        changed = replace(question, candidates=tuple(candidates))
    before, after = (scorer.score([one])[0][place] for one in (question, changed))
    return float(before - after)


def check_against_naive(scorer, reference, tolerance: float = 1e-12) -> None:
    chosen = [2, 0]
    for place, found in zip(chosen, explain(scorer, LIST, chosen), strict=True):
        assert [word.text for word in found.question] == ["How", "do", "bees", "make", "honey"]
        assert [word.text for word in found.answer] == [w.strip(",.") for w in TEXTS[place].split()]
        for words, asked in ((found.question, True), (found.answer, False)):
            expected = [naive(reference, LIST, place, word, asked) for word in words]
            np.testing.assert_allclose([word.weight for word in words], expected, atol=tolerance)


FAQ = [("How is honey made?", "By bees."), ("Hive", "It is made of wood."), ("", "Bees dance.")]


@pytest.mark.parametrize("name", ["bm25", "default"])
def test_both_halves_of_an_entry_are_explained(name: str) -> None:
    """Against each word left out by hand; one that is left without a question stays an entry."""
    listed = Question("q", "Who makes honey?", tuple(Candidate(q, a, question=q) for q, a in FAQ))
    scorer = load_scorer(name)
    settled = scorer.settled(listed) if isinstance(scorer, Lexical) else scorer
    found = explain(scorer, listed, [0, 1, 2])
    assert found[2].entry_question is None
    assert found[2].to_dict().keys() == {"question", "answer"}
    for place, why in enumerate(found[:2]):
        text = FAQ[place][0]
        assert [word.text for word in why.entry_question or ()] == text.strip("?").split()
        for word in why.entry_question or ():
            own = replace(listed.candidates[place], question=without(text, word) or " ")
            changed = replace(listed, candidates=(*listed.candidates[:place], own, *listed.candidates[place + 1 :]))
            before, after = (settled.score([one])[0][place] for one in (listed, changed))
            assert word.weight == pytest.approx(before - after, abs=1e-4)
    assert max(word.weight for word in found[0].entry_question or ()) > 0


@pytest.mark.parametrize("alone", [True, False])
def test_weights_are_what_the_score_falls_by(alone: bool) -> None:
    check_against_naive(Letters(alone), Letters(alone))


@pytest.mark.parametrize("name", ["bm25", "tfidf", "jaccard", "overlap"])
def test_a_lexical_model_keeps_the_statistics_of_the_list_as_it_was(name: str) -> None:
    """Which it then has in common with one that was fitted to these candidates."""
    scorer = Lexical(name)
    check_against_naive(scorer, scorer.fit(TEXTS))
    np.testing.assert_array_equal(scorer.score([LIST])[0], scorer.fit(TEXTS).score([LIST])[0])


def test_a_fitted_model_keeps_its_own() -> None:
    fitted = Lexical("bm25").fit(["honey honey", "wood"])
    check_against_naive(fitted, fitted)


@pytest.mark.parametrize("settings", [{}, {"list_layers": 1}, {"neighbours": 1}], ids=["alone", "list", "neighbours"])
def test_a_cross_encoder_is_explained_within_its_list(settings: dict[str, int], tiny_encoder: Path) -> None:
    import torch

    from anselm.models.crossencoder import build

    torch.manual_seed(1)
    model = build("cross-encoder", {"base": str(tiny_encoder), "max_length": 64, "max_question": 16, **settings}).eval()
    assert model.pairwise is not bool(settings)
    check_against_naive(model, model, tolerance=1e-5)
    explain(model, Question("q", "Who?", (Candidate("0", "Ann"),)), [0])  # nothing is left of either


def test_pairs_alone_are_scored_in_one_call() -> None:
    """4 + 5 words in the two answers; the 2 as they are, and once for each of the 5 words of the question."""
    scorer = Letters(pairwise=True)
    explain(scorer, LIST, [2, 0])
    words = len(TEXTS[2].split()) + len(TEXTS[0].split())
    assert scorer.calls == [2 + words + 5 * 2]


def test_a_word_that_is_not_in_the_question_weighs_next_to_nothing() -> None:
    """Without it the answer is shorter, which BM25 likes a little; what is shared weighs many times more."""
    texts = ["You can pay by card, by bank transfer or in cash when you collect your order.", *TEXTS]
    question = Question("q", "Can I pay by card?", tuple(Candidate(str(i), text) for i, text in enumerate(texts)))
    answer = explain(Lexical("bm25"), question, [0])[0].answer
    weights = {word.text: word.weight for word in answer}
    strange = {weights[name] for name in ("bank", "transfer", "or", "in", "cash", "when", "collect", "your", "order")}
    assert len(strange) == 1
    assert -0.1 * weights["pay"] < strange.pop() < 0
    assert [word.text for word in leading(answer)] == ["pay", "card"]


def test_a_rare_word_of_the_list_weighs_more_than_a_common_one() -> None:
    """In a list that held nothing but variants of the answer, the two would be equally common."""
    texts = ["rare common", *(f"common {i}" for i in range(20))]
    question = Question("q", "common rare", tuple(Candidate(str(i), text) for i, text in enumerate(texts)))
    rare, common = explain(Lexical("bm25"), question, [0])[0].answer
    assert rare.weight > 0.5
    assert abs(common.weight) < 0.1 * rare.weight
    variants = replace(question, candidates=tuple(Candidate(text, text) for text in ("rare common", "rare", "common")))
    _, without_common, without_rare = Lexical("bm25").score([variants])[0]
    assert without_common == without_rare


def test_a_long_text_is_taken_in_stretches() -> None:
    text = " ".join(f"word{i}" for i in range(150))
    spans = stretches(text)
    assert len(spans) == MOST
    assert {len(text[start:end].split()) for start, end in spans} == {2, 3}
    assert " ".join(text[start:end] for start, end in spans) == text
    assert len(stretches(" ".join(["word"] * MOST))) == MOST


@given(st.text(max_size=40), st.integers(1, 5))
def test_stretches_are_apart_and_hold_every_word(text: str, most: int) -> None:
    words, spans = list(word_spans(text)), stretches(text, most)
    assert len(spans) == min(len(words), most)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(any(start <= word[0] < word[1] <= end for start, end in spans) for word in words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Don\'t," he said - twice.', ["Don't", "he", "said", "twice"]),
        ("C++ costs $5 (well-known).", ["C++", "costs", "$5", "well-known"]),
        ("U.S. and 1,000.5%", ["U.S", "and", "1,000.5"]),
        ("日本は。ok", ["日", "本", "は", "ok"]),
        ("हिन्दी में?", ["हिन्दी", "में"]),
        (" \n...!?", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == expected


def test_the_leading_words_are_those_within_a_third_of_the_largest() -> None:
    words = [Word(name, 0, 1, weight) for name, weight in (("a", 3.0), ("b", 1.0), ("c", 0.99), ("d", -5.0))]
    assert [word.text for word in leading(words)] == ["a", "b"]
    assert leading([Word("a", 0, 1, 0.0), Word("b", 0, 1, -1.0)]) == []
    assert leading([]) == []


def test_neighbours_are_marked_as_one() -> None:
    text = "It lasts three  years, we think."
    words = [Word("years", 16, 21, 1.0), Word("three", 9, 14, 1.0), Word("think", 26, 31, 1.0)]
    assert marked(text, words) == [
        ("It lasts ", False), ("three  years", True), (", we ", False), ("think", True), (".", False),
    ]  # fmt: skip
    assert marked(text, []) == [(text, False)]
