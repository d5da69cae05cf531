"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/<split>.tsv.

A list is a query with its judged documents. Most BEIR qrels judge only relevant documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from anselm.data.formats.jsonl import parse_record
from anselm.data.formats.records import RecordError, as_label, spell_label
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.files import find_file, read_lines, write_folder_atomically

HEADER = ("query-id", "corpus-id", "score")


def is_beir(folder: Path) -> bool:
    return find_file(folder / "corpus.jsonl").exists()


def read_beir(folder: Path, split: str = "test") -> Iterator[Question]:
    """Stream the lists of a split, in the order of the qrels. Only the documents that lists need are held."""
    labels = _read_labels(_qrels_path(folder, split))
    documents = _texts(folder / "corpus.jsonl", {key for judged in labels.values() for key in judged})
    queries = _texts(folder / "queries.jsonl", set(labels))
    for query, judged in labels.items():
        if query not in queries:
            raise FormatError(folder / "queries.jsonl", f"the query {query!r} of the qrels is not there")
        if lost := next((key for key in judged if key not in documents), None):
            raise FormatError(folder / "corpus.jsonl", f"the document {lost!r} of query {query!r} is not there")
        yield Question(query, queries[query], tuple(Candidate(key, documents[key], judged[key]) for key in judged))


def _qrels_path(folder: Path, split: str) -> Path:
    path = folder / "qrels" / f"{split}.tsv"
    if not find_file(path).exists():
        splits = ", ".join(sorted({file.name.partition(".tsv")[0] for file in folder.glob("qrels/*.tsv*")})) or "none"
        raise InputError(f"{path} does not exist; splits in this BEIR folder: {splits}")
    return path


def _read_labels(path: Path) -> dict[str, dict[str, float]]:
    labels: dict[str, dict[str, float]] = {}
    for number, line in read_lines(path):
        fields = line.split("\t")
        if number == 1 and fields[0] == HEADER[0]:
            continue
        if len(fields) != len(HEADER):
            raise FormatError(path, f"{len(fields)} columns where 3 are needed ({', '.join(HEADER)})", number)
        try:
            labels.setdefault(fields[0], {})[fields[1]] = as_label(fields[2], f"document {fields[1]!r}") or 0.0
        except RecordError as error:
            raise FormatError(path, str(error), number) from None
    return labels


def _texts(path: Path, wanted: set[str]) -> dict[str, str]:
    """Title and text of the wanted records."""
    texts: dict[str, str] = {}
    for number, line in read_lines(path):
        try:
            record = parse_record(line) if line.strip() else {"_id": None}
            key = record["_id"]
            if key in wanted:
                texts[key] = "\n".join(part for part in (record.get("title"), record["text"]) if part)
        except (RecordError, KeyError, TypeError) as error:
            problem = error if isinstance(error, RecordError) else 'an object with "_id" and "text" is needed'
            raise FormatError(path, str(problem), number) from None
    return texts


def write_beir(questions: Iterable[Question], folder: Path, split: str = "test") -> int:
    """Write a new folder, whole or not at all. An id that two texts share is prefixed by its question's."""
    with write_folder_atomically(folder) as partial:
        (partial / "qrels").mkdir()
        return _write_parts(questions, partial, split)


def _write_parts(questions: Iterable[Question], folder: Path, split: str) -> int:
    texts: dict[str, int] = {}  # document id -> hash of its text: the texts themselves need not be held
    count = 0
    with (
        (folder / "corpus.jsonl").open("w", encoding="utf-8") as corpus,
        (folder / "queries.jsonl").open("w", encoding="utf-8") as queries,
        (folder / "qrels" / f"{split}.tsv").open("w", encoding="utf-8") as qrels,
    ):
        qrels.write("\t".join(HEADER) + "\n")
        for count, question in enumerate(questions, start=1):
            queries.write(_line({"_id": question.id, "text": question.text}))
            for candidate in question.candidates:
                key, text = candidate.id, hash(candidate.text)
                if texts.get(key, text) != text:
                    key = f"{question.id}/{key}"
                if key not in texts:
                    corpus.write(_line({"_id": key, "title": "", "text": candidate.text}))
                    texts[key] = text
                qrels.write(f"{question.id}\t{key}\t{spell_label(candidate.label or 0.0)}\n")
    return count


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
