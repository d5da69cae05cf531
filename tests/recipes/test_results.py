"""Recorded results: written, read, merged and rendered."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.recipes.overlap import find_overlap
from anselm.recipes.results import Result, merge, read_results, summary, tables, write_result

VALUES = {1: 0.5, 2: 0.75, 3: 0.7}


def result(*seeds: int, **changes: object) -> Result:
    numbers = summary([VALUES[seed] for seed in seeds])
    made = Result(
        paper="p", table="table-1", row="r", corpus="wikiqa", protocol="clean", split="test", model="cross-encoder",
        seeds=list(seeds), metrics={"map": numbers}, published={"map": 0.8}, parameters=22_600_000, device="CPU",
        seconds=1.5, data_sha256="abc", commit="", dev={"data": "wikiqa", "map": numbers},
    )  # fmt: skip
    return replace(made, **changes)


def test_mean_and_deviation() -> None:
    found = summary(list(VALUES.values()))
    assert found["mean"] == pytest.approx(statistics.fmean(VALUES.values()))
    assert found["sd"] == pytest.approx(statistics.stdev(VALUES.values()), abs=1e-6)
    assert summary([0.5])["sd"] == 0.0


def test_written_and_read(tmp_path: Path) -> None:
    path = write_result(result(1, 2), tmp_path)
    assert path == tmp_path / "p" / "table-1" / "r--wikiqa.json"
    assert read_results(tmp_path) == [result(1, 2)]
    official = write_result(result(1, protocol="official"), tmp_path)
    assert official.name == "r--wikiqa-official.json"  # two protocols never share a file
    path.write_text('{"paper": "p"}')
    with pytest.raises(FormatError, match="not a recorded result"):
        read_results(tmp_path)


def test_seeds_run_apart_are_one_result() -> None:
    together = merge([result(1), result(2, 3)])
    assert together.seeds == [1, 2, 3]
    assert together.metrics == result(1, 2, 3).metrics
    assert together.dev == result(1, 2, 3).dev
    assert together.seconds == 3.0
    with pytest.raises(InputError, match="not seeds of one result"):
        merge([result(1), result(2, data_sha256="other")])


def test_the_table_has_ours_beside_theirs() -> None:
    shown = tables([result(1, 2, 3)])
    assert "## p, table-1" in shown
    assert "| r | wikiqa, test (clean) | 0.650 ± 0.132 | 3 | MAP 0.800 | 22.6M |" in shown


def test_overlap_is_by_words() -> None:
    def asked(text: str) -> Question:
        return Question("q", text, (Candidate("a", "x"),))

    found = find_overlap([asked("Who is Ann?"), asked("Why?")], "test", [asked("who is  ann")])
    assert str(found) == "1 training questions are also in test, such as 'Who is Ann?'"
    assert find_overlap([asked("Why?")], "test", [asked("Why not?")]) is None
