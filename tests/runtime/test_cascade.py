"""Two rankers in a row, against a naive reading of the rule: the first so many are read, the others stay below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.ranking.ranker import Ranker
from anselm.runtime.cascade import Cascade, Settings
from anselm.scorer import Scores

SETTINGS = Settings(3, (0.5, 2.0), (-1.0, 0.5))


@dataclass
class Table:
    """Scores by a candidate's text."""

    scores: dict[str, float]
    name: str = "table"
    seen: list[list[str]] = field(default_factory=list)

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.seen += [[candidate.text for candidate in question.candidates] for question in questions]
        return [np.array([self.scores[one.text] for one in question.candidates]) for question in questions]


def make(first: dict[str, float], second: dict[str, float], settings: Settings = SETTINGS) -> Any:
    one, two = Table(first), Table(second)
    models: Any = (one, two)
    return Cascade(*models, settings), one, two


def ask(texts: str, question: str = "") -> Question:
    return Question("q", "Where?", tuple(Candidate(text, text, question=question) for text in texts))


FIRST = {"a": 0.0, "b": 4.0, "c": 1.0, "d": 3.0, "e": 2.0, "f": -5.0}
SECOND = {"a": 9.0, "b": -3.0, "c": 8.0, "d": 7.0, "e": 6.0, "f": 5.0}


def test_the_larger_one_reads_the_first_of_the_other() -> None:
    cascade, one, two = make(FIRST, SECOND)
    ((scores, read),) = cascade.score_in_turn([ask("abcdef")])
    assert one.seen == [list("abcdef")]
    assert two.seen == [list("bde")]  # in the order of the list
    assert read.tolist() == [False, True, False, True, True, False]
    assert scores[read].tolist() == [-3.0, 7.0, 6.0]


def test_what_was_not_read_stays_below_in_the_order_of_the_first() -> None:
    cascade, *_ = make(FIRST, SECOND)
    (scores,) = cascade.score([ask("abcdef")])
    order = ["abcdef"[place] for place in np.argsort(-scores)]
    assert order == ["d", "e", "b", "c", "a", "f"]
    assert scores[0] < -3.0
    assert scores[2] < -3.0
    np.testing.assert_allclose(scores[[0, 2]], -3.0, atol=1e-5)  # 0.5 and 2.5 by the line, which is too much
    np.testing.assert_allclose(scores[5], 0.5 + 2.0 * -5.0, atol=1e-5)


def test_entries_have_a_line_of_their_own() -> None:
    cascade, *_ = make(FIRST, {**SECOND, "b": 6.5})
    ((scores, _),) = cascade.score_in_turn([ask("abcdef", "What is asked often?")])
    np.testing.assert_allclose(scores[[0, 2, 5]], [-1.0, -0.5, -3.5], atol=1e-5)


def test_a_short_list_is_read_by_the_larger_one_alone() -> None:
    cascade, one, _ = make(FIRST, SECOND)
    found = cascade.score_in_turn([ask("abc"), ask(""), ask("abcdef"), ask("fed")])
    assert one.seen == [list("abcdef")]
    assert [read.all() for _, read in found] == [True, True, False, True]
    assert found[0][0].tolist() == [9.0, -3.0, 8.0]
    assert found[3][0].tolist() == [5.0, 6.0, 7.0]


def test_a_list_scores_the_same_alone_and_among_others() -> None:
    rng = np.random.default_rng(0)
    texts = "abcdefghijklmnop"
    cascade, *_ = make(
        *({text: float(score) for text, score in zip(texts, rng.normal(size=16), strict=True)} for _ in "12")
    )
    lists = [ask(texts[:size]) for size in (1, 3, 4, 9, 16)]
    for question, scores in zip(lists, cascade.score(lists), strict=True):
        np.testing.assert_array_equal(cascade.score([question])[0], scores)


def test_results_say_what_was_read_and_why() -> None:
    cascade, _, two = make(FIRST, SECOND)
    ranking = Ranker(cascade).rank("Where?", list("abcdef"))
    assert {result.text: result.read for result in ranking} == dict.fromkeys("bde", True) | dict.fromkeys("acf", False)
    assert ranking.to_dict()["results"][0]["read"] is True
    assert cascade.settled(ask("abc")) is two  # explanations are the larger one's


@pytest.mark.parametrize(
    "record",
    [None, [], {"read": 0, "texts": [0, 1], "entries": [0, 1]}, {"read": 5, "texts": [0, 1], "entries": [0, "1"]},
     {"read": 5, "texts": [0], "entries": [0, 1]}, {"read": True, "texts": [0, 1], "entries": [0, 1]}],
)  # fmt: skip
def test_bad_settings(record: Any, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cascade"):
        Settings.of(Checkpoint(tmp_path, "general", {}, {"cascade": record}))


def test_its_vectors_and_what_made_them_are_those_of_the_first() -> None:
    """A pool that was filled by the default is searched by both, and its encoder is not loaded twice."""
    cascade, one, _ = make(FIRST, SECOND)
    one.text_vectors, one.text_fingerprint, one.texts_at_once = lambda texts: np.ones((len(texts), 2)), "first", 7
    assert cascade.text_vectors(["a", "b"]).shape == (2, 2)
    assert (cascade.text_fingerprint, cascade.texts_at_once) == ("first", 7)
