"""What is handed on, whatever the framework."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from anselm.errors import InputError
from anselm.integrations.selection import Selection, name_of, open_ranker, verdict
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED


def test_all_of_it_unless_asked_otherwise(ranker: Ranker, expected: Ranking[Result]) -> None:
    ranking = Selection().of(ranker, QUESTION, TEXTS)
    assert [one.index for one in ranking] == [one.index for one in expected]
    assert [one.item for one in ranking] == [TEXTS[one.index] for one in expected]
    assert [verdict(ranking, one)["probability"] for one in ranking] == [one.probability for one in expected]


def test_top_and_thresholds(ranker: Ranker, expected: Ranking[Result]) -> None:
    first, second = expected.results[0].probability, expected.results[1].probability
    assert first is not None
    assert second is not None
    assert len(Selection(2).of(ranker, QUESTION, TEXTS)) == 2
    assert len(Selection(2, (first + second) / 2).of(ranker, QUESTION, TEXTS)) == 1
    assert len(Selection(answerability_threshold=0.1).of(ranker, QUESTION, TEXTS)) == len(TEXTS)
    nothing = Selection(answerability_threshold=0.1).of(ranker, UNANSWERED, TEXTS)
    assert (len(nothing), nothing.answerable) == (0, False)


def test_without_a_calibration_scores_are_sigmoids_and_nothing_is_refused(ranker: Ranker) -> None:
    bare = Ranker(Ranker.load("bm25").scorer)
    ranking = Selection(answerability_threshold=1.0).of(bare, QUESTION, TEXTS)
    assert ranking.best.relevance == pytest.approx(1 / (1 + math.exp(-ranking.best.score)))
    assert verdict(ranking, ranking.best) == {"probability": None, "answerable": None, "answerability": None}
    assert ranking.results[-1].relevance == pytest.approx(0)  # the empty one


def test_a_document_that_was_found_twice_and_documents_without_text(ranker: Ranker) -> None:
    twice = [{"id": "a", "text": TEXTS[1]}, {"id": "a", "text": TEXTS[1]}]
    assert [one.item["id"] for one in Selection().of(ranker, QUESTION, twice)] == ["a", "a"]
    empty = Selection().of(ranker, QUESTION, ["", " "])
    assert [verdict(empty, one) for one in empty] == [
        {"probability": 0.0, "answerable": False, "answerability": 0.0}
    ] * 2
    assert len(Selection().of(ranker, QUESTION, [])) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"top": 0}, "at least 1 document must be asked for, not 0"),
        ({"score_threshold": 5.0}, "score_threshold is a probability, from 0 to 1, not 5.0"),
        ({"answerability_threshold": math.nan}, "answerability_threshold is a probability, from 0 to 1, not nan"),
    ],
)
def test_bad_settings(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Selection(**wrong)  # type: ignore[arg-type]


def test_a_model_is_a_name_or_loaded_already(ranker: Ranker) -> None:
    assert open_ranker(ranker) is ranker
    assert (open_ranker("bm25").name, name_of(ranker), name_of("bm25")) == ("bm25", "default", "bm25")


@pytest.mark.parametrize("name", ["langchain", "llama_index", "haystack", "rerankers", "mteb", "mcp_server"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(name: str) -> None:
    extra = {"llama_index": "llama-index", "mcp_server": "mcp"}.get(name, name)
    hidden = {"langchain": "langchain_core", "mcp_server": "mcp"}.get(name, name)
    code = f"import sys; sys.modules[{hidden!r}] = None; import anselm.integrations.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install 'anselm[{extra}]'" in done.stderr.splitlines()[-1]
