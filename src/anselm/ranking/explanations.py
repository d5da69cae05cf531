"""Which words of a question and of an answer carried the score: leave each of them out and see how far it falls.

    weight(word) = score(question, answer) - score without the word

A positive weight speaks for the answer, a negative one against it, in the units of the model's scores. This asks
nothing of a model but scores, so it works with every scorer. Two words that say the same stand in for each other, and
then neither weighs much.

Everything else stays as it was when a word is left out, the other candidates too:

    a model that scores pairs alone (`Scorer.pairwise`)   only the pairs that change are scored, all in one call
    a lexical model that takes statistics from its list   these are kept as they were with the word, whereupon it is
                                                          one of the former: no weight is a change of idf
    any other model                                       each variant is scored within its whole list

A text of more than `MOST` words is taken in so many stretches of neighbouring words of about the same number, rather
than word by word: a long answer costs no more than one of 60 words, and what is marked in it is a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from anselm.abilities import Settles
from anselm.data.question import Candidate, Question
from anselm.metrics.ties import FloatArray
from anselm.scorer import Scorer, score_lists
from anselm.text.tokens import UNSPACED

MOST = 60  # words, or stretches of words, that are left out of one text
LEADING = 1 / 3  # of the largest weight: from there on a word is one of those that carried most

Span = tuple[int, int]

# What stands between spaces, or one character of a script that has none, with what is attached to it.
_CHUNK = re.compile(rf"[{UNSPACED}][^\w\s]*|[^\s{UNSPACED}]+")


@dataclass(frozen=True)
class Word:
    """A word, or a stretch of them, at its characters in the text, and how far the score falls without it."""

    text: str
    start: int
    end: int
    weight: float


@dataclass(frozen=True)
class Explanation:
    """The words of one question and of one of its answers; of an entry of a FAQ also those that it is filed under."""

    question: tuple[Word, ...]
    answer: tuple[Word, ...]
    entry_question: tuple[Word, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: without what there is not."""
        return {side: words for side, words in asdict(self).items() if words is not None}


def explain(scorer: Scorer, question: Question, chosen: Sequence[int]) -> list[Explanation]:
    """Explain the scores of some candidates, named by their places in the list."""
    scorer = scorer.settled(question) if isinstance(scorer, Settles) else scorer
    asked = stretches(question.text)
    said = [list(shortened(question.candidates[place])) for place in chosen]
    score = score_pairs if scorer.pairwise else score_whole_lists
    whole, without_asked, without_said = score(scorer, question, chosen, asked, said)
    return [
        make_explanation(
            weigh(question.text, asked, whole[i] - without_asked[:, i]),
            question.candidates[place],
            whole[i] - without_said[i],
        )
        for i, place in enumerate(chosen)
    ]


def make_explanation(asked: tuple[Word, ...], candidate: Candidate, falls: FloatArray) -> Explanation:
    """`falls` are of the variants in the order of `shortened`."""
    own, filed = stretches(candidate.text), stretches(candidate.question)
    return Explanation(
        asked,
        weigh(candidate.text, own, falls[: len(own)]),
        weigh(candidate.question, filed, falls[len(own) :]) if candidate.question else None,
    )


# The scores of the chosen as they are (chosen,), without each stretch of the question (stretches, chosen), and without
# each stretch of their own (chosen times variants).
Parts = tuple[FloatArray, FloatArray, list[FloatArray]]
Variants = Sequence[Sequence[Candidate]]  # of each of the chosen


def score_pairs(
    scorer: Scorer, question: Question, chosen: Sequence[int], asked: Sequence[Span], said: Variants
) -> Parts:
    """One list with all variants of the answers, and for each variant of the question one with the answers."""
    answers = [question.candidates[place] for place in chosen]
    lists = [replace(question, candidates=(*answers, *chain.from_iterable(said)))]
    lists += [replace(question, text=cut(question.text, span), candidates=tuple(answers)) for span in asked]
    first, *rest = scorer.score(lists)
    borders = list(accumulate(map(len, said), initial=len(answers)))[:-1]
    whole, *without_said = np.split(first, borders)
    return whole, np.array(rest).reshape(len(asked), len(chosen)), without_said


def score_whole_lists(
    scorer: Scorer, question: Question, chosen: Sequence[int], asked: Sequence[Span], said: Variants
) -> Parts:
    """The list as it is, and once more for each variant: all of its candidates, one text changed."""
    lists = [question, *(replace(question, text=cut(question.text, span)) for span in asked)]
    for place, variants in zip(chosen, said, strict=True):
        lists += [exchange(question, place, variant) for variant in variants]
    scores = score_lists(scorer, lists)
    ahead, places = len(asked) + 1, list(chosen)
    own = iter(scores[ahead:])
    without_said = [
        np.array([next(own)[place] for _ in variants], dtype=np.float64)
        for place, variants in zip(chosen, said, strict=True)
    ]
    return scores[0][places], np.array([row[places] for row in scores[1:ahead]]).reshape(-1, len(places)), without_said


def exchange(question: Question, place: int, candidate: Candidate) -> Question:
    before, after = question.candidates[:place], question.candidates[place + 1 :]
    return replace(question, candidates=(*before, candidate, *after))


def shortened(candidate: Candidate) -> Iterator[Candidate]:
    """Without each stretch of its text, then without each of the question that it is filed under."""
    for span in stretches(candidate.text):
        yield replace(candidate, text=cut(candidate.text, span))
    for span in stretches(candidate.question):  # it stays an entry, of whose question nothing may be left
        yield replace(candidate, question=cut(candidate.question, span) or " ")


def cut(text: str, span: Span) -> str:
    return text[: span[0]] + text[span[1] :]


def weigh(text: str, spans: Sequence[Span], weights: FloatArray) -> tuple[Word, ...]:
    return tuple(
        Word(text[start:end], start, end, float(weight)) for (start, end), weight in zip(spans, weights, strict=True)
    )


def stretches(text: str, most: int = MOST) -> list[Span]:
    """The words of a text, or, where there are more than `most`, so many runs of neighbours."""
    found = list(word_spans(text))
    count = min(len(found), most)
    borders = [len(found) * place // count for place in range(count + 1)] if count else []
    return [(found[first][0], found[last - 1][1]) for first, last in pairwise(borders)]


def word_spans(text: str) -> Iterator[Span]:
    """Where the words are, without the punctuation around them: `"don't,` is don't, and C++ and $5 stay whole."""
    for chunk in _CHUNK.finditer(text):
        start, end = chunk.span()
        while start < end and is_edge(text[start]):
            start += 1
        while end > start and is_edge(text[end - 1]):
            end -= 1
        if any(character.isalnum() for character in text[start:end]):
            yield start, end


def is_edge(character: str) -> bool:
    return unicodedata.category(character)[0] in "PCZ"  # punctuation, control characters, spaces


def leading(words: Sequence[Word]) -> list[Word]:
    """Those of one text that carried most; none where none speaks for the answer.

    A question's weights and an answer's are not compared: a model may divide by what the question asks for.
    """
    most = max((word.weight for word in words), default=0.0)
    return [word for word in words if word.weight >= LEADING * most] if most > 0 else []


def marked(text: str, words: Sequence[Word]) -> list[tuple[str, bool]]:
    """A text in pieces: those that are words to be marked, and what is between. Neighbours are one piece."""
    pieces, place = [], 0
    for start, end in joined(text, words):
        pieces += [(text[place:start], False), (text[start:end], True)]
        place = end
    return [(piece, mark) for piece, mark in (*pieces, (text[place:], False)) if piece]


def joined(text: str, words: Sequence[Word]) -> list[Span]:
    """Spans in order; two with nothing but spaces between are one."""
    spans: list[Span] = []
    for word in sorted(words, key=lambda word: word.start):
        if spans and not text[spans[-1][1] : word.start].strip():
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    return spans
