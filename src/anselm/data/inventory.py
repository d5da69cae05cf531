"""What is here: listing, counting, checking and converting corpora and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from anselm.data.checks import check_resource, check_split
from anselm.data.corpus import Corpus
from anselm.data.datasets import Source, all_corpora, find_corpus, find_data_dir, is_corpus_name, open_dataset
from anselm.data.formats.beir import write_beir
from anselm.data.formats.known_formats import FORMATS, find_format
from anselm.data.question import Question
from anselm.data.resources import WITHOUT_CORPUS
from anselm.errors import InputError, MissingDataError
from anselm.files import write_atomically
from anselm.outputs import is_stream

Row = dict[str, Any]  # one of the dataclasses here and in `checks`, for tables and JSON


@dataclass(frozen=True)
class Summary:
    """A corpus, and which of its splits are here."""

    name: str
    here: str
    splits: str
    protocols: str
    summary: str
    terms: str
    source: str


@dataclass(frozen=True)
class Statistics:
    """The size of a split under a protocol."""

    data: str
    split: str
    protocol: str
    questions: int
    pairs: int
    relevant: int
    without_answer: int
    words_per_question: float
    words_per_answer: float


def list_corpora(data_dir: str | Path | None = None) -> list[Row]:
    """Every corpus, its protocols, and which of its splits are here (none where no data folder is known)."""
    try:
        folder: Path | None = find_data_dir(data_dir)
    except MissingDataError:
        folder = None
    return [asdict(summarise(corpus, folder)) for corpus in all_corpora().values()]


def summarise(corpus: Corpus, folder: Path | None) -> Summary:
    here = [split for split in corpus.splits if folder and not corpus.missing(split, folder)]
    return Summary(
        name=corpus.name,
        here=", ".join(here) or "-",
        splits=", ".join(corpus.splits),
        protocols=", ".join(corpus.protocols),
        summary=corpus.summary,
        terms=corpus.terms,
        source=corpus.source,
    )


def statistics(
    name: str, split: str | None = None, protocol: str | None = None, data_dir: str | Path | None = None
) -> list[Row]:
    """One row per split and protocol: those named, or all that are here."""
    if not is_corpus_name(name):
        return [asdict(describe(open_dataset(name, split, protocol)))]
    corpus, folder = find_corpus(name), find_data_dir(data_dir)
    splits = [split] if split else [part for part in corpus.splits if not corpus.missing(part, folder)]
    if not splits:
        splits = [corpus.default_split]  # nothing is here: reading it says what to get
    protocols = [protocol] if protocol else list(corpus.protocols)
    sources = (open_dataset(corpus.name, part, rule, folder) for part in splits for rule in protocols)
    return [asdict(describe(source)) for source in sources]


def describe(source: Source) -> Statistics:
    questions = pairs = relevant = unanswered = question_words = answer_words = 0
    for question in source:
        found = sum(candidate.relevant for candidate in question.candidates)
        questions += 1
        pairs += len(question.candidates)
        relevant += found
        unanswered += not found
        question_words += count_words(question.text)
        answer_words += sum(count_words(candidate.text) for candidate in question.candidates)
    return Statistics(
        data=source.name,
        split=source.split,
        protocol=source.protocol,
        questions=questions,
        pairs=pairs,
        relevant=relevant,
        without_answer=unanswered,
        words_per_question=round(question_words / max(questions, 1), 1),
        words_per_answer=round(answer_words / max(pairs, 1), 1),
    )


@lru_cache(maxsize=100_000)
def count_words(text: str) -> int:
    """Remembered: pools repeat the same answers."""
    return len(text.split())


def check(names: Iterable[str] = (), data_dir: str | Path | None = None) -> Iterator[Row]:
    """Read everything that is here and compare its counts. A corpus asked for by name must be here whole.

    One corpus that cannot be read does not keep the others from being checked.
    """
    folder = find_data_dir(data_dir)
    asked = {corpus.name: corpus for corpus in map(find_corpus, names)}
    for corpus in (asked or all_corpora()).values():
        for split in corpus.splits:
            for found in check_split(corpus, split, folder, needed=bool(asked)):
                yield asdict(found)
        for resource in corpus.resources:
            yield asdict(check_resource(corpus.name, resource, folder / corpus.folder))
    for owner, resource in ({} if asked else WITHOUT_CORPUS).items():
        yield asdict(check_resource(owner, resource, folder))


WITH_ENTRIES = ("jsonl", "qrels")  # formats; the latter has no texts at all


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
    found = open_dataset(source, split, protocol, data_dir, source_format)
    if target_format is None and not target.suffix:
        target_format = "beir"
    form = find_format(target, target_format, "--to FORMAT names another")
    if form == "beir":
        return write_beir(checked(found, form), target, split or "test")
    if target.exists() and not is_stream(target):
        raise InputError(f"{target} exists already; give another name")
    write = FORMATS[form].write
    if write is None:
        raise InputError(f"the format {form!r} can be read but not written")
    with write_atomically(target) as file:
        return write(checked(found, form), file)


def checked(source: Source, form: str) -> Iterator[Question]:
    """Pass lists on to a writer, but only what the format can hold, and not nothing."""
    count = 0
    for count, question in enumerate(source, start=1):
        texts = (question.text, *(candidate.text for candidate in question.candidates))
        if form != "qrels" and not all(text.strip() for text in texts):
            raise InputError(
                f"{source.name} has no text for question {question.id!r} or one of its candidates, which {form} needs; "
                "judgements without texts can be converted to .qrels"
            )
        if form not in WITH_ENTRIES and any(candidate.question for candidate in question.candidates):
            raise InputError(
                f"{source.name} has entries of FAQs, question and answer in one, which {form} has no place for; "
                "they can be converted to .jsonl"
            )
        yield question
    if not count:
        raise InputError(f"{source.name} has no lists under the protocol {source.protocol!r}; nothing was written")
