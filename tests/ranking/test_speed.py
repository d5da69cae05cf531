"""Measuring speed: what is computed from the times and what is measured on; never how fast it is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from anselm.cli.bench import parse_sizes
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.ranking import speed as benching
from anselm.ranking.ranker import Ranker
from anselm.ranking.speed import Bench, bundled_texts, cut_texts, gather, latency, make_lists, resident_megabytes, timed
from tests.cli.commands import anselm


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benching, "SECONDS", 0.0)


def test_percentiles_are_numpys() -> None:
    times = np.random.default_rng(1).gamma(2, 0.05, size=37)
    found = latency(10, list(times))
    assert found.p50_ms == pytest.approx(1000 * np.quantile(times, 0.5), abs=0.005)
    assert found.p99_ms == pytest.approx(1000 * np.quantile(times, 0.99), abs=0.005)
    assert (found.candidates, found.calls) == (10, 37)


def test_percentiles_by_hand() -> None:
    found = latency(3, [0.004, 0.001, 0.002, 0.003])  # p99 stands at place 0.99 * 3 = 2.97 of 0 to 3
    assert (found.p50_ms, found.p99_ms) == (2.5, 3.97)


def test_calls_have_a_least_and_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benching, "MOST", 7)
    calls = []
    assert len(timed(lambda: calls.append(1), seconds=0)) == benching.LEAST
    assert len(calls) == benching.LEAST + 1  # one to warm up is not counted
    assert len(timed(lambda: None, seconds=3600)) == 7


@pytest.mark.parametrize("tokens", [1, 5, 64, 3000])
@pytest.mark.parametrize("count", [1, 30, 2000])
def test_texts_are_distinct_and_about_as_long_as_wished(count: int, tokens: int) -> None:
    texts = cut_texts(bundled_texts()[1], count, tokens)
    assert len(texts) == len(set(texts)) == count
    assert {len(benching._PIECE.findall(text)) for text in texts} <= {tokens}


def test_one_word_is_enough_to_make_texts_from() -> None:
    assert cut_texts(["oak"], 3, 2) == ["oak oak", "x1 oak", "x2 oak"]
    with pytest.raises(InputError, match="no words"):
        cut_texts(["", " "], 3, 2)


def test_no_candidate_comes_twice_in_any_list() -> None:
    lists = make_lists(["Who?"], ["An oak is a tree."], size=30, tokens=8)
    texts = [candidate.text for question in lists for candidate in question.candidates]
    assert [len(question.candidates) for question in lists] == [30] * benching.BULK
    assert len(set(texts)) == len(texts)


def test_texts_of_ones_own() -> None:
    lists = [Question("1", "oak?", (Candidate("a", "elm"), Candidate("b", "oak"))), Question("2", "oak?", ())]
    assert gather(lists) == (["oak?"], ["elm", "oak"])


def test_pairs_per_second_count_the_pairs_that_were_ranked(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that goes on by one second whenever it is read, each call takes one."""
    ticks = iter(range(10**6))
    monkeypatch.setattr(benching.time, "perf_counter", lambda: float(next(ticks)))
    found = benching.bench("bm25", [5, 20, 10], tokens=8)
    assert found.pairs_per_second == 10 * benching.BULK
    assert [(row.candidates, row.p50_ms, row.p99_ms) for row in found.latencies] == [
        (size, 1000.0, 1000.0) for size in (5, 20, 10)
    ]


def test_each_list_has_the_wished_length(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    rank_lists = Ranker.rank_lists

    def spy(ranker: Ranker, questions):
        seen.append([len(question.candidates) for question in questions])
        return rank_lists(ranker, questions)

    monkeypatch.setattr(Ranker, "rank_lists", spy)
    benching.bench("bm25", [4, 9], tokens=8)
    calls = benching.LEAST + 1
    assert seen == [[4], *[[4]] * calls, *[[9]] * calls, *[[9] * benching.BULK] * calls]


def test_memory_is_read_where_the_system_says_it(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("VmPeak:\t 900 kB\nVmRSS:\t  250000 kB\n")
    assert resident_megabytes(tmp_path / "status") == 256.0
    (tmp_path / "status").write_text("Name:\tpython\n")
    assert resident_megabytes(tmp_path / "status") is None
    assert (resident_megabytes() or 10) > 1


def test_sizes() -> None:
    assert parse_sizes("30, 10,30") == [30, 10]
    with pytest.raises(InputError, match="such as 10,30,100, not '10,,30'"):
        parse_sizes("10,,30")


def test_json(short: None) -> None:
    done = anselm("bench", "bm25", "--candidates", "2,3", "--tokens", "4", "--json")
    found = json.loads(done.stdout)
    assert list(found) == list(Bench.__dataclass_fields__)
    assert (found["model"], found["engine"], found["threads"], found["tokens"]) == ("bm25", "python", 1, 4)
    assert [set(row) for row in found["latencies"]] == [{"candidates", "calls", "p50_ms", "p99_ms"}] * 2
    assert [row["candidates"] for row in found["latencies"]] == [2, 3]


def test_a_table_of_ones_own_texts(short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "lists.jsonl").write_text('{"question": "oak?", "candidates": ["elm", "oak"]}\n')
    done = anselm("bench", "bm25", "--candidates", "2", "--data", tmp_path / "lists.jsonl")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    assert shown.startswith("bm25 on python, 1 thread: ")
    assert all(heading in shown for heading in ("candidates", "p50", "p99", "calls"))


def test_several_models_side_by_side(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = anselm("bench", "bm25", "jaccard", "--candidates", "2,3", "--json")
    assert [row["model"] for row in json.loads(done.stdout)] == ["bm25", "jaccard"]
    table = anselm("bench", "bm25", "jaccard", "--candidates", "2").stdout.decode()
    assert all(heading in table for heading in ("model", "engine", "pairs/s", "p50@2"))
    assert len(table.strip().splitlines()) == 4


BAD = {
    "one of two": (["bm25", "bm52"], "Did you mean 'bm25'?"),
    "no number": (["--candidates", "ten"], "whole numbers with commas between"),
    "none": (["--candidates", "0"], "candidates must be from 1 to 10,000, not 0"),
    "too many": (["--candidates", "10,10001"], "not 10001"),
    "no tokens": (["--tokens", "0"], "tokens must be from 1 to 10,000, not 0"),
    "a model": (["bm52"], "Did you mean 'bm25'?"),
    "a file": (["--data", "nowhere.jsonl"], "nowhere.jsonl does not exist"),
}


def test_a_mistyped_name_does_not_cost_the_measuring_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.cli.bench.apart", lambda *_: pytest.fail("it was measured"))
    assert "Did you mean 'bm25'?" in anselm("bench", "jaccard", "bm52").stderr.decode()


@pytest.mark.parametrize(("arguments", "problem"), BAD.values(), ids=BAD)
def test_bad_arguments_get_one_sentence(arguments: list[str], problem: str) -> None:
    done = anselm("bench", *arguments)
    assert done.returncode == 2
    told = done.stderr.decode()
    assert problem in told
    assert told.startswith("anselm: ")
    assert len(told.strip().splitlines()) == 1
    assert done.stdout == b""
