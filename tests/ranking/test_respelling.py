"""A model of English reads what was meant; everybody is told what that is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.report import assess, evaluate
from anselm.evaluation.systems import open_system
from anselm.ranking.bulk import rank_file
from anselm.ranking.pool_answers import ask_pool
from anselm.ranking.ranker import Ranker
from anselm.retrieval.pool import Pool
from anselm.scorer import Scores

TYPED, MEANT = "when is the libary open", "when is the library open"
SAID = ["The library opens at nine.", "Parking is free.", "Members get a card."]


class Reader:
    """Counts shared words, and remembers what it was asked."""

    name, capacity, pairwise = "reader", None, True

    def __init__(self, language: str | None = "English", capacity: int | None = None) -> None:
        self.language, self.capacity, self.asked = language, capacity, list[str]()

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.asked += [question.text for question in questions]
        return [np.array([shared(one.text, other.content) for other in one.candidates]) for one in questions]

    def save(self, folder: Path) -> None:
        raise AssertionError


def shared(one: str, other: str) -> float:
    return float(len({*one.lower().split()} & {*other.lower().replace(".", "").split()}))


def test_a_question_is_read_as_it_was_meant() -> None:
    scorer = Reader()
    ranking = Ranker(scorer).rank(TYPED, SAID)
    assert (scorer.asked, ranking.question, ranking.read_as) == ([MEANT], TYPED, MEANT)
    assert ranking.best.text == SAID[0]
    assert list(ranking.to_dict())[:2] == ["question", "read_as"]


@pytest.mark.parametrize("scorer", [Reader(None), Reader("German")])
def test_only_a_model_of_english_does_so(scorer: Reader) -> None:
    ranking = Ranker(scorer).rank(TYPED, SAID)
    assert (scorer.asked, ranking.read_as) == ([TYPED], None)
    assert "read_as" not in ranking.to_dict()


def test_it_can_be_left_alone() -> None:
    scorer = Reader()
    assert Ranker(scorer, respell=False).rank(TYPED, SAID).read_as is None
    assert scorer.asked == [TYPED]


def test_many_lists_each_by_the_words_of_its_own() -> None:
    scorer = Reader()
    found = Ranker(scorer).rank_many(["the kefyr?", "the kefyr?"], [["Kefir is sour."], ["Kefyr is sour."]])
    assert [one.read_as for one in found] == ["the kefir?", None]
    assert scorer.asked == ["the kefir?", "the kefyr?"]


def test_documents_are_asked_by_the_words_of_all_their_sentences() -> None:
    """Also where only a few of them are read."""
    scorer = Reader(capacity=1)
    answers = Ranker(scorer).ask("where do we keep the kefyrs", ["We keep kefirs in the cellar. Cheese is upstairs."])
    assert (answers.question, answers.read_as) == ("where do we keep the kefyrs", "where do we keep the kefirs")
    assert scorer.asked == ["where do we keep the kefirs"]
    assert "cellar" in answers.best.text


def test_explanations_are_of_what_was_read() -> None:
    ranking = Ranker(Reader()).rank(TYPED, SAID, explain=True)
    assert ranking.best.explanation
    assert [word.text for word in ranking.best.explanation.question if word.weight > 0] == ["the", "library"]


def test_evaluation_measures_what_a_ranker_does() -> None:
    candidates = tuple(Candidate(str(n), text, float(n == 2)) for n, text in enumerate(["Open.", "Late.", "Library."]))
    data = Dataset("made", "test", "raw", (Question("1", "the open libary", candidates),))
    ranker = Ranker(Reader())
    assert evaluate(ranker, data).metrics["map"] == pytest.approx(1 / 2)  # beside "Open.", which stands before
    assert evaluate(Ranker(Reader(), respell=False), data).metrics["map"] == pytest.approx(1 / 3)
    for given in (ranker, Reader()):
        typed = open_system(given, respell=False)
        assert assess(typed, data, ["map"], "pessimistic").metrics["map"] == pytest.approx(1 / 3)


def test_a_file_is_gone_on_with_as_it_was_begun(tmp_path: Path) -> None:
    """Lists without a misspelt word are the same either way, and so are empty ones."""
    asked = [TYPED, "when is it open", "wherre is it"]
    lists = [
        Question(str(n), text, tuple(Candidate(one, one) for one in SAID[: 3 - n])) for n, text in enumerate(asked)
    ]
    lists += [Question("3", "wherre is it", ())]
    ranker, output = Ranker(Reader()), tmp_path / "out.jsonl"
    assert rank_file(ranker, lists, output) == 4
    whole = output.read_text()
    assert [json.loads(line).get("read_as") for line in whole.splitlines()] == [MEANT, None, "where is it", None]
    output.rename(tmp_path / "out.jsonl.partial")
    with pytest.raises(InputError, match="was not begun with this input, model and --top"):
        rank_file(Ranker(Reader(), respell=False), lists, output)
    assert rank_file(ranker, lists, output) == 4
    assert output.read_text() == whole


def test_a_pool_is_searched_for_both(tmp_path: Path) -> None:
    """Its words are not known before something is found."""
    with Pool.open(tmp_path / "words.pool") as pool:
        pool.add(
            [{"id": str(n), "text": text} for n, text in enumerate([*SAID, *(f"Number {n}." for n in range(300))])]
        )
        answers = ask_pool(Ranker(Reader()), TYPED, pool)
    assert answers.best.text == SAID[0]
    assert answers.read_as == MEANT
