"""WikiQA: questions from Bing's query log, with the sentences of one Wikipedia summary as candidates.

Format: WikiQA-{train,dev,test}.tsv, UTF-8 with CRLF, a header and seven columns; the rows of a question follow each
other. Fields are not quoted: a quotation mark is text, so a CSV reader would merge rows.

Traps. Three of five questions have no correct sentence, and papers differ in what they drop:
- clean drops questions without a correct sentence; most papers, and the default here;
- filtered also drops questions whose sentences are all correct; the corpus's own paper and its *-filtered.ref files;
- raw keeps all; the answer-triggering task.

    questions/pairs/correct        train                dev              test
    clean                   873/8,672/1,040    126/1,130/140    243/2,351/293
    filtered                857/8,651/1,019    122/1,126/136    237/2,341/283
    raw                  2,118/20,360/1,040    296/2,733/140    633/6,165/293

The download also holds references (*.ref, qrels) and the paper's runs (emnlp-table/*.rank). Both number the questions
of the TSV from 1 and the sentences of a question from 0, in file order, and know nothing of the TSV's ids. They are in
TREC's formats: `anselm evaluate WikiQA.CNN.test.rank --data WikiQA-test-filtered.ref` scores a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anselm.data.corpus import CLEAN, MIXED, RAW, Corpus, Counts, Split, count_lists
from anselm.data.formats.trec import read_qrels
from anselm.data.question import Candidate, Question
from anselm.data.resources import Resource
from anselm.errors import FormatError
from anselm.files import read_lines

COLUMNS = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
LABELS = {"0": 0.0, "1": 1.0}


class Row(NamedTuple):
    """One line of the TSV, in the order of `COLUMNS`."""

    question_id: str
    question: str
    document_id: str
    title: str
    sentence_id: str
    sentence: str
    label: str


def read_tsv(path: Path) -> Iterator[Question]:
    """Stream the lists of a WikiQA file."""
    seen: set[str] = set()
    for question_id, group in groupby(_rows(path), key=lambda item: item[1].question_id):
        rows = list(group)
        line, first = rows[0]
        if question_id in seen:
            raise FormatError(path, f"question {question_id} comes back; the rows of a question must be together", line)
        seen.add(question_id)
        candidates = tuple(Candidate(row.sentence_id, row.sentence, LABELS[row.label], heading="") for _, row in rows)
        yield Question(question_id, first.question, candidates, {"title": first.title, "document": first.document_id})


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    lines = read_lines(path)
    header = next(lines, (1, ""))[1]
    if header.split("\t") != list(COLUMNS):
        raise FormatError(path, f"the header must be {', '.join(COLUMNS)} (tab-separated), not {header[:100]!r}", 1)
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(COLUMNS):
            problem = f"{len(fields)} columns where {len(COLUMNS)} are needed ({', '.join(COLUMNS)})"
            raise FormatError(path, problem, number)
        row = Row(*fields)
        if row.label not in LABELS:
            raise FormatError(path, f"the label of {row.sentence_id} must be 0 or 1, not {row.label!r}", number)
        yield number, row


def _split(name: str, **counts: Counts) -> Split:
    file = f"WikiQA-{name}.tsv"
    return Split((file,), lambda folder: read_tsv(folder / file), counts)


def _reference(name: str, counts: Counts) -> Resource:
    file = f"WikiQA-{name}.ref"
    return Resource(file, (file,), lambda path: count_lists(read_qrels(path)), counts.numbers())


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="wikiqa",
        summary="Bing questions with the sentences of a Wikipedia summary",
        folder="wikiqa",
        source="https://www.microsoft.com/en-us/download/details.aspx?id=52419",
        terms="Microsoft Research data licence, research only",
        citation="Yang, Yih and Meek. WikiQA: A Challenge Dataset for Open-Domain Question Answering. EMNLP 2015.",
        splits={
            "train": _split(
                "train", clean=Counts(873, 8672, 1040), filtered=Counts(857, 8651, 1019), raw=Counts(2118, 20360, 1040)
            ),
            "dev": _split(
                "dev", clean=Counts(126, 1130, 140), filtered=Counts(122, 1126, 136), raw=Counts(296, 2733, 140)
            ),
            "test": _split(
                "test", clean=Counts(243, 2351, 293), filtered=Counts(237, 2341, 283), raw=Counts(633, 6165, 293)
            ),
        },
        protocols={"clean": CLEAN, "filtered": MIXED, "raw": RAW},
        resources=(
            _reference("train", Counts(2118, 20360, 1040)),
            _reference("dev", Counts(296, 2733, 140)),
            _reference("test", Counts(633, 6165, 293)),
            _reference("dev-filtered", Counts(122, 1126, 136)),
            _reference("test-filtered", Counts(237, 2341, 283)),
        ),
    ),
)
