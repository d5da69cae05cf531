"""BEIR folders."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from anselm.data.formats.beir import is_beir, read_beir, write_beir
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError

LISTS = [
    Question("q1", "Who?", (Candidate("d1", "Ann", 1.0), Candidate("d2", "Bob", 0.0))),
    Question("q2", "Why?", (Candidate("d1", "Ann", 0.0), Candidate("d3", "Because", 2.0))),
]


def test_round_trip_shares_documents(tmp_path: Path) -> None:
    assert write_beir(LISTS, tmp_path / "set", "dev") == 2
    assert len((tmp_path / "set" / "corpus.jsonl").read_text().splitlines()) == 3
    assert list(read_beir(tmp_path / "set", "dev")) == LISTS


def test_an_id_with_two_texts_is_kept_apart(tmp_path: Path) -> None:
    lists = [Question(q, q, (Candidate("0", f"answer of {q}", 1.0),)) for q in ("q1", "q2")]
    write_beir(lists, tmp_path / "set")
    assert [[c.id for c in q.candidates] for q in read_beir(tmp_path / "set")] == [["0"], ["q2/0"]]
    assert [q.candidates[0].text for q in read_beir(tmp_path / "set")] == ["answer of q1", "answer of q2"]


def test_packed_files_and_exact_labels(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    lists = [Question("q1", "Who?", (Candidate("d1", "Ann", 0.1234567), Candidate("d2", "Bob", 1234567.0)))]
    write_beir(lists, folder)
    for file in [path for path in folder.rglob("*") if path.is_file()]:
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert is_beir(folder)
    assert list(read_beir(folder)) == lists
    with pytest.raises(InputError, match="splits in this BEIR folder: test"):
        list(read_beir(folder, "dev"))


def test_titles_belong_to_the_text(tmp_path: Path) -> None:
    write_beir(LISTS, tmp_path / "set")
    record = {"_id": "d1", "title": "People", "text": "Ann"}
    corpus = tmp_path / "set" / "corpus.jsonl"
    corpus.write_text("\n".join([json.dumps(record), *corpus.read_text().splitlines()[1:]]))
    assert next(read_beir(tmp_path / "set")).candidates[0].text == "People\nAnn"


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing() -> Iterator[Question]:
        yield LISTS[0]
        raise InputError("broken input")

    with pytest.raises(InputError, match="broken input"):
        write_beir(failing(), tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_mistakes_are_named(tmp_path: Path) -> None:
    write_beir(LISTS, tmp_path / "set", "dev")
    with pytest.raises(InputError, match=r"test\.tsv does not exist; splits in this BEIR folder: dev"):
        list(read_beir(tmp_path / "set"))
    with pytest.raises(InputError, match="exists already"):
        write_beir(LISTS, tmp_path / "set")
    qrels = tmp_path / "set" / "qrels" / "dev.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\tlost\t1\n")
    with pytest.raises(FormatError, match="the document 'lost' of query 'q1' is not there"):
        list(read_beir(tmp_path / "set", "dev"))
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\td1\n")
    with pytest.raises(FormatError, match=r"dev\.tsv, line 2: 2 columns where 3 are needed"):
        list(read_beir(tmp_path / "set", "dev"))
    (tmp_path / "set" / "corpus.jsonl").write_text('{"text": "no id"}\n')
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with pytest.raises(FormatError, match=r'corpus\.jsonl, line 1: an object with "_id"'):
        list(read_beir(tmp_path / "set", "dev"))
