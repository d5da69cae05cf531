"""Finding and loading data by name or path, and the inventory commands over it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.data.datasets import find_corpus, find_data_dir, load_dataset
from anselm.data.inventory import check, convert, list_corpora, statistics
from anselm.errors import InputError, MissingDataError, UnknownNameError

ROWS = [
    {
        "id": "q1",
        "question": "Who?",
        "candidates": [{"id": "a", "text": "Ann", "label": 1}, {"id": "b", "text": "Bob"}],
    },
    {"id": "q2", "question": "Why not?", "candidates": [{"id": "a", "text": "No reason", "label": 0}]},
    {"id": "q3", "question": "When?", "candidates": [{"id": "a", "text": "Now", "label": 1}]},
]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize(("protocol", "kept"), [("raw", "q1 q2 q3"), ("clean", "q1 q3"), ("filtered", "q1")])
def test_files_know_protocols_too(protocol: str, kept: str, lists: Path) -> None:
    assert " ".join(question.id for question in load_dataset(lists, protocol=protocol)) == kept


def test_the_fingerprint_depends_on_texts_and_labels_alone(lists: Path, tmp_path: Path) -> None:
    first = load_dataset(lists)
    assert first.sha256 == load_dataset(lists).sha256
    (tmp_path / "copy.jsonl").write_text(lists.read_text().replace("\n", "\n\n"))
    assert load_dataset(tmp_path / "copy.jsonl").sha256 == first.sha256
    (tmp_path / "other.jsonl").write_text(lists.read_text().replace('"label": 0', '"label": 1'))
    assert load_dataset(tmp_path / "other.jsonl").sha256 != first.sha256


@pytest.mark.parametrize("name", ["semeval-2016", "SemEval2016", "semeval_2016"])
def test_names_are_found_however_they_are_written(name: str) -> None:
    assert find_corpus(name).name == "semeval-2016"


def test_mistakes_are_named(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    with pytest.raises(MissingDataError, match=r"Set ANSELM_DATA.*wikiqa comes from https"):
        load_dataset("wikiqa")
    with pytest.raises(MissingDataError, match="does not exist"):
        find_data_dir(tmp_path / "nowhere")
    with pytest.raises(UnknownNameError, match=r"unknown split of wikiqa 'tets'.*Did you mean 'test'"):
        load_dataset("wikiqa", "tets", data_dir=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown protocol of wikiqa 'dirty'; there is clean, filtered, raw"):
        load_dataset("wikiqa", "test", "dirty", data_dir=tmp_path)
    with pytest.raises(InputError, match="has no split 'dev'"):
        load_dataset(lists, "dev")
    lists.write_text(json.dumps(ROWS[2]))
    with pytest.raises(InputError, match="has no questions under the protocol 'filtered'"):
        load_dataset(lists, protocol="filtered")
    with pytest.raises(InputError, match="not clear from its name"):
        load_dataset(tmp_path / "lists.parquet")
    with pytest.raises(InputError, match=r"folder without a corpus\.jsonl"):
        load_dataset(tmp_path)


def test_statistics_of_a_file(lists: Path) -> None:
    assert statistics(str(lists)) == [
        {
            "data": str(lists), "split": "all", "protocol": "raw", "questions": 3, "pairs": 4, "relevant": 2,
            "without answer": 1, "words per question": 1.3, "words per answer": 1.2,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["out.csv", "out.tsv.gz", "out.jsonl.gz", "folder"])
def test_convert_there_and_back(target: str, lists: Path, tmp_path: Path) -> None:
    assert convert(str(lists), tmp_path / target) == 3
    convert(str(tmp_path / target), tmp_path / "back.jsonl")
    before, after = load_dataset(lists), load_dataset(tmp_path / "back.jsonl")
    assert [q.labels for q in after] == [q.labels for q in before]
    assert [[c.text for c in q.candidates] for q in after] == [[c.text for c in q.candidates] for q in before]


def test_a_failed_conversion_leaves_nothing(lists: Path, tmp_path: Path) -> None:
    lists.write_text(lists.read_text() + "broken\n")
    before = sorted(tmp_path.iterdir())
    for target in ("out.csv", "out.jsonl.gz", "folder"):
        with pytest.raises(InputError, match="line 4: not valid JSON"):
            convert(str(lists), tmp_path / target)
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(InputError, match="exists already"):
        convert(str(lists), lists)
    with pytest.raises(InputError, match="can be read but not written"):
        convert(str(lists), tmp_path / "out.json")


def test_check_tells_missing_from_wrong(tmp_path: Path) -> None:
    assert {row["status"] for row in check(data_dir=tmp_path)} == {"missing"}
    rows = list(check(["wikiqa"], tmp_path))
    assert {row["status"] for row in rows} == {"wrong"}
    assert "WikiQA-train.tsv does not exist (expected 873 questions, 8,672 pairs" in rows[0]["problem"]
    (tmp_path / "wikiqa").mkdir()
    (tmp_path / "wikiqa" / "WikiQA-dev.tsv").write_text("QuestionID\tQuestion\n")
    (row,) = [row for row in check(data_dir=tmp_path) if row["status"] == "wrong" and row["protocol"] == "clean"]
    assert "WikiQA-dev.tsv, line 1: the header must be" in row["problem"]
    here = {row["name"]: row["here"] for row in list_corpora(tmp_path)}
    assert (here["wikiqa"], here["trecqa"]) == ("dev", "-")


def test_everything_that_is_here_is_as_published(real_data: Path) -> None:
    rows = list(check(data_dir=real_data))
    assert [row["problem"] for row in rows if row["status"] == "wrong"] == []
    assert sum(row["status"] == "ok" for row in rows) > 40
