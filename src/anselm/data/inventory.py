"""What is here: listing, counting, checking and converting corpora and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anselm.data.corpus import Corpus, Counts
from anselm.data.datasets import all_corpora, find_corpus, find_data_dir, is_corpus_name, open_dataset
from anselm.data.formats import FORMATS, find_format
from anselm.data.formats.beir import write_beir
from anselm.data.question import Question
from anselm.errors import DataError, FormatError, InputError, MissingDataError
from anselm.files import write_atomically

Row = dict[str, Any]


def list_corpora(data_dir: str | Path | None = None) -> list[Row]:
    """Every corpus, its protocols, and which of its splits are here (none where no data folder is known)."""
    try:
        folder: Path | None = find_data_dir(data_dir)
    except MissingDataError:
        folder = None
    return [
        {
            "name": corpus.name,
            "here": ", ".join(split for split in corpus.splits if folder and not corpus.missing(split, folder)) or "-",
            "splits": ", ".join(corpus.splits),
            "protocols": ", ".join(corpus.protocols),
            "summary": corpus.summary,
            "terms": corpus.terms,
            "source": corpus.source,
        }
        for corpus in all_corpora().values()
    ]


def statistics(
    name: str, split: str | None = None, protocol: str | None = None, data_dir: str | Path | None = None
) -> list[Row]:
    """One row per split and protocol: those named, or all that are here."""
    if not is_corpus_name(name):
        return [describe(open_dataset(name, split, protocol))]
    corpus, folder = find_corpus(name), find_data_dir(data_dir)
    splits = [split] if split else [part for part in corpus.splits if not corpus.missing(part, folder)]
    if not splits:
        splits = [corpus.default_split]  # nothing is here: reading it says what to get
    protocols = [protocol] if protocol else list(corpus.protocols)
    return [describe(open_dataset(corpus.name, part, rule, folder)) for part in splits for rule in protocols]


def describe(source: Any) -> Row:
    questions = pairs = relevant = unanswered = question_words = answer_words = 0
    for question in source:
        found = sum(candidate.relevant for candidate in question.candidates)
        questions += 1
        pairs += len(question.candidates)
        relevant += found
        unanswered += not found
        question_words += len(question.text.split())
        answer_words += sum(len(candidate.text.split()) for candidate in question.candidates)
    return {
        "data": source.name,
        "split": source.split,
        "protocol": source.protocol,
        "questions": questions,
        "pairs": pairs,
        "relevant": relevant,
        "without answer": unanswered,
        "words per question": round(question_words / max(questions, 1), 1),
        "words per answer": round(answer_words / max(pairs, 1), 1),
    }


def check(names: Iterable[str] = (), data_dir: str | Path | None = None) -> Iterator[Row]:
    """Read every split that is here and compare its counts. A corpus asked for by name must be here whole."""
    folder = find_data_dir(data_dir)
    asked = [find_corpus(name) for name in names]
    for corpus in asked or all_corpora().values():
        for split in corpus.splits:
            yield from _check_split(corpus, split, folder, bool(asked))


def _check_split(corpus: Corpus, split: str, folder: Path, needed: bool) -> Iterator[Row]:
    found: dict[str, Counts] = {}
    failure = ""
    missing = corpus.missing(split, folder)
    if not missing:
        try:
            found = corpus.count(split, folder)
        except (DataError, FormatError) as error:
            failure = str(error)
    for protocol in corpus.protocols:
        expected = corpus.splits[split].counts.get(protocol, Counts())
        if missing:
            problem = f"{missing[0]} does not exist (expected {_spell(expected)}, found no file)"
        else:
            problem = failure or corpus.problem(split, protocol, found[protocol], folder) or ""
        yield {
            "corpus": corpus.name,
            "split": split,
            "protocol": protocol,
            "status": ("missing" if missing and not needed else "wrong") if problem else "ok",
            "found": _spell(found[protocol]) if found else "-",
            "expected": _spell(expected),
            "problem": problem,
        }


def _spell(counts: Counts) -> str:
    known = [f"{value:,} {name}" for name, value in asdict(counts).items() if value is not None]
    return ", ".join(known) or "no published count"


def convert(
    source: str,
    target: Path,
    split: str | None = None,
    protocol: str | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    data_dir: str | Path | None = None,
) -> int:
    """Write a corpus or file in another format; returns the number of lists."""
    questions: Iterable[Question] = open_dataset(source, split, protocol, data_dir, source_format)
    if target_format is None and not target.suffix:
        target_format = "beir"
    form = find_format(target, target_format)
    if form == "beir":
        return write_beir(questions, target, split or "test")
    if target.exists():
        raise InputError(f"{target} exists already; give another name")
    write = FORMATS[form].write
    if write is None:
        raise InputError(f"the format {form!r} can be read but not written")
    with write_atomically(target) as file:
        return write(questions, file)
