"""Windows of answers, passages around the right sentence, and what WordNet says of a word."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("scipy")

from anselm.data.question import Candidate, Question
from tools.default_model.short_texts import LONGEST, gloss_pool, read_glosses, short_answers, short_passages, windows

SENTENCES = [f"Sentence number {number} has a few words." for number in range(12)]


def test_windows_are_sentences_in_a_row_from_the_beginning_on() -> None:
    for seed in range(20):
        found = list(windows(SENTENCES, random.Random(seed)))
        starts = [SENTENCES.index(some[0]) for some in found]
        assert starts[0] == 0
        assert len(set(starts)) == 3
        assert all(some == SENTENCES[start : start + len(some)] for start, some in zip(starts, found, strict=True))
        assert all(1 <= len(some) <= 4 for some in found)
    assert not list(windows([], random.Random(1)))


def test_a_window_is_not_too_long() -> None:
    for seed in range(10):
        [some] = windows(["word " * 200, "and more " * 40], random.Random(seed))
        assert sum(len(one.split()) for one in some) <= LONGEST


def test_a_passage_holds_the_right_sentence() -> None:
    candidates = tuple(Candidate(str(n), text, float(n == 7)) for n, text in enumerate(SENTENCES))
    for seed in range(10):
        pool = short_passages("squad", [Question("q", "Which is seven?", candidates)], random.Random(seed))
        [query] = pool.queries
        above, text = pool.units[query.own[0]]
        assert SENTENCES[7] in text
        assert not above
        assert pool.name == "squad windows"


def test_answers_alone_and_as_entries_are_the_same_texts() -> None:
    entry = Question("e", "How do I pay?", (Candidate("0", " ".join(SENTENCES), 1.0),))
    alone, filed = short_answers([entry], random.Random(3))
    assert [text for _, text in alone.units] == [text for _, text in filed.units]
    assert {above for above, _ in filed.units} == {"How do I pay?"}
    assert all(query.own for query in [*alone.queries, *filed.queries])


def test_glosses(tmp_path: Path) -> None:
    path = tmp_path / "data.noun"
    path.write_text(
        "  1 a line of the licence\n"
        '03643737 06 n 01 laser_printer 0 001 @ 03280644 n 0000 | printer that focuses a laser beam; "it is fast"  \n'
        "09000000 15 n 01 Princeton 0 001 @ 03280644 n 0000 | a university town in New Jersey  \n"
    )
    found = list(read_glosses([path], random.Random(1)))
    assert found == [("laser printer", "printer that focuses a laser beam", ["it is fast"])]
    pool = gloss_pool(found, random.Random(1))
    assert [query.own for query in pool.queries] == [(0,), (0,)]
    assert "laser printer" in pool.queries[0].text
