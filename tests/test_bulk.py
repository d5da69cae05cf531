"""Ranking files: streamed, resumed, never half-written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anselm.bulk import rank_file
from anselm.data.formats.trec import read_run
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.files import read_lines
from anselm.ranker import Ranker

LISTS = [
    Question(f"q{i}", f"oak {i}?", tuple(Candidate(f"c{j}", text) for j, text in enumerate(["elm", "oak"])))
    for i in range(200)
]


@pytest.fixture(scope="module")
def ranker() -> Ranker:
    return Ranker.load("bm25")


def stop_after(count: int) -> Iterator[Question]:
    yield from LISTS[:count]
    raise KeyboardInterrupt


def test_lines_follow_the_machine_contract(ranker: Ranker, tmp_path: Path) -> None:
    assert rank_file(ranker, LISTS, tmp_path / "out.jsonl") == 200
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [question.id for question in LISTS]
    assert lines[0].keys() == {"id", "question", "model", "answerable", "threshold", "results"}
    assert [(result["id"], result["index"]) for result in lines[0]["results"]] == [("c1", 1), ("c0", 0)]
    assert lines[0]["results"][0].keys() == {"id", "index", "text", "score", "probability"}


def test_a_stopped_run_goes_on_where_it_ended(ranker: Ranker, tmp_path: Path) -> None:
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    rank_file(ranker, LISTS, whole, top=1)
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output, top=1)
    assert not output.exists()
    partial = tmp_path / "out.jsonl.partial"
    done = partial.read_text().count("\n")
    assert 0 < done < 150
    partial.write_text(partial.read_text() + '{"id": "q1')  # torn in the middle of a line, as by a kill
    ranked: list[Question] = []

    def watch(questions):
        for question in questions:
            ranked.append(question)
            yield question

    assert rank_file(ranker, LISTS, output, top=1, progress=watch) == 200
    assert output.read_bytes() == whole.read_bytes()
    assert not partial.exists()
    assert len(ranked) == 200


def other_texts(questions: list[Question]) -> list[Question]:
    return [replace(q, candidates=tuple(replace(c, text=c.text.upper()) for c in q.candidates)) for q in questions]


def other_ids(questions: list[Question]) -> list[Question]:
    return [replace(q, candidates=tuple(replace(c, id=c.id + "x") for c in q.candidates)) for q in questions]


@pytest.mark.parametrize(
    "change", ["input", "shorter", "texts", "ids", "model", "a retrained folder", "another folder", "top"]
)
def test_another_runs_leftovers_are_not_mixed_in(change: str, ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    other = {
        "input": LISTS[::-1], "shorter": LISTS[:5], "texts": other_texts(LISTS), "ids": other_ids(LISTS),
    }.get(change, LISTS)  # fmt: skip
    model = {
        "model": Ranker.load("tfidf"),
        "a retrained folder": Ranker(ranker.scorer, replace(ranker.calibration, threshold=0.5), ranker.name),
        "another folder": Ranker(ranker.scorer, ranker.calibration, "my-bm25"),
    }.get(change, ranker)
    before = (tmp_path / "out.jsonl.partial").read_bytes()
    with pytest.raises(InputError, match="not begun with this input, model and --top"):
        rank_file(model, other, output, top=1 if change == "top" else None)
    assert (tmp_path / "out.jsonl.partial").read_bytes() == before
    assert not output.exists()


@pytest.mark.parametrize(
    "line", ["garbage", "{}", "[1]", "7", '{"results": [1]}', '{"results": [{"index": []}]}', "\xff", "[" * 100_000]
)
def test_a_corrupt_leftover_is_named(line: str, ranker: Ranker, tmp_path: Path) -> None:
    partial = tmp_path / "out.jsonl.partial"
    partial.write_bytes(line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"out\.jsonl\.partial was not begun with .* \(see its line 1\); remove it"):
        rank_file(ranker, LISTS, tmp_path / "out.jsonl")
    assert partial.exists()


def test_top_is_checked_before_anything_is_written(ranker: Ranker, tmp_path: Path) -> None:
    for top in (0, -1):
        with pytest.raises(InputError, match=f"top must be at least 1, not {top}"):
            rank_file(ranker, LISTS, tmp_path / "out.jsonl", top=top)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.run"])
def test_nothing_to_rank_is_refused(name: str, ranker: Ranker, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"there are no questions to rank into .*{name}"):
        rank_file(ranker, [], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_name_that_says_so_is_packed_also_after_a_stop(ranker: Ranker, tmp_path: Path) -> None:
    plain, output = tmp_path / "plain.jsonl", tmp_path / "out.jsonl.gz"
    rank_file(ranker, LISTS, plain)
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    assert not output.exists()
    assert rank_file(ranker, LISTS, output) == 200
    assert gzip.decompress(output.read_bytes()) == plain.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"plain.jsonl", "out.jsonl.gz"}


@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_a_run_for_trec_eval(name: str, ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / name
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    assert not list(tmp_path.iterdir())  # whole or not at all
    assert rank_file(ranker, LISTS, output) == 200
    run = read_run(output)
    assert list(run) == [question.id for question in LISTS]
    best = ranker.rank(LISTS[0].text, LISTS[0].candidates).results[0]
    assert run["q0"] == {"c1": best.score, "c0": 0.0}
    _, line = next(read_lines(output))
    assert line.split() == ["q0", "Q0", "c1", "1", repr(best.score), "bm25"]


def test_existing_output_is_kept(ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        rank_file(ranker, LISTS, output)
    assert output.read_text() == "precious"
    rank_file(ranker, LISTS, output, overwrite=True)
    assert len(output.read_text().splitlines()) == 200
    with pytest.raises(InputError, match="is a folder"):
        rank_file(ranker, LISTS, tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        rank_file(ranker, LISTS, tmp_path / "nowhere" / "out.jsonl")
