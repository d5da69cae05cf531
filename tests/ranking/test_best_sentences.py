"""Which sentences of long candidates answer, against asking the same sentences as documents."""

from __future__ import annotations

import anselm
from anselm.ranking.best_sentences import LIKELY, find_spans
from anselm.ranking.ranker import Ranker

QUESTION = "When does the shop open in the morning?"
FILL = "The street was paved long ago. Nobody knows by whom. "
LONG = [FILL * 5, FILL * 3 + "The shop opens at nine in the morning. " + FILL * 2, "", "Parking is free."]


def test_the_sentence_that_answers_comes_first() -> None:
    ranking = Ranker.load("default").rank(QUESTION, LONG, spans=True)
    best = ranking.best
    assert best.index == 1
    assert best.spans
    assert best.text[best.spans[0].start : best.spans[0].end] == "The shop opens at nine in the morning."
    assert all(span.score > LIKELY for span in best.spans)
    others = {one.index: one.spans for one in ranking.results[1:]}
    assert others[2] == ()
    assert [len(others[index] or ()) for index in (0, 3)] == [1, 1]  # the best of each, be it as unlikely as it is
    first = ranking.to_dict()["results"][0]["spans"][0]
    assert (first["start"], first["end"]) == (best.spans[0].start, best.spans[0].end)


def test_only_of_the_first_and_only_if_asked() -> None:
    ranker = Ranker.load("bm25")
    assert [
        one.spans is not None for one in ranker.rank(QUESTION, [f"{n}. It is so." for n in range(12)], spans=True)
    ] == [True] * 10 + [False] * 2
    assert [len(one.spans or ()) for one in anselm.rank(QUESTION, LONG, "bm25", 2, spans=True)] == [1, 1]
    assert "spans" not in ranker.rank(QUESTION, LONG).to_dict()["results"][0]


def test_the_scores_are_those_of_the_sentences_of_all_candidates() -> None:
    ranker = Ranker.load("default")
    asked = {
        (one.source, one.start): one.relevance for one in ranker.ask(QUESTION, ["A red one. A blue.", LONG[1]], 99)
    }
    found = find_spans(ranker, QUESTION, ["A red one. A blue.", LONG[1]])
    assert {
        (f"document {place}", span.start): span.score for place, spans in enumerate(found) for span in spans
    } == asked
    assert all([one.score for one in spans] == sorted((one.score for one in spans), reverse=True) for spans in found)
    assert find_spans(ranker, QUESTION, ["", " \n"]) == [(), ()]
