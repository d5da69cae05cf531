"""anselm data."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import anselm, anselm_process, as_json


def test_data_commands(lists: Path, tmp_path: Path) -> None:
    listed = as_json("data", "list")
    assert {"wikiqa", "trecqa", "semeval-2016", "squad"} <= {row["name"] for row in listed}
    stats = as_json("data", "stats", lists)
    assert (stats[0]["questions"], stats[0]["pairs"], stats[0]["relevant"]) == (5, 10, 5)
    as_json("data", "convert", lists, tmp_path / "pairs.csv")
    as_json("data", "convert", tmp_path / "pairs.csv", tmp_path / "beir")
    as_json("data", "convert", tmp_path / "beir", tmp_path / "again.jsonl")
    again = as_json("evaluate", "bm25", "--data", tmp_path / "again.jsonl")
    assert again["metrics"] == as_json("evaluate", "bm25", "--data", lists)["metrics"]


def test_lists_are_converted_into_a_stream(lists: Path, tmp_path: Path) -> None:
    assert anselm("data", "convert", lists, tmp_path / "lists.csv").returncode == 0
    done = anselm_process("data", "convert", lists, "/dev/stdout", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, (tmp_path / "lists.csv").read_bytes())
    assert done.stderr == b"anselm: 5 lists written\n"
