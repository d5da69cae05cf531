"""Ranking files: streamed, resumed, never half-written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from anselm.bulk import rank_file
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
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


@pytest.mark.parametrize("change", ["input", "model", "top", "shorter"])
def test_another_runs_leftovers_are_not_mixed_in(change: str, ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    other = {"input": LISTS[::-1], "shorter": LISTS[:5]}.get(change, LISTS)
    model = Ranker.load("tfidf") if change == "model" else ranker
    before = (tmp_path / "out.jsonl.partial").read_bytes()
    with pytest.raises(InputError, match="begun with another input, model or --top"):
        rank_file(model, other, output, top=1 if change == "top" else None)
    assert (tmp_path / "out.jsonl.partial").read_bytes() == before


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
