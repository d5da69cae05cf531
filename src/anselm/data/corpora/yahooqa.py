"""YahooQA: "how" questions of Yahoo! Answers with five short answers, one of them chosen as best by the asker.

Source: the splits of Tay et al. (2017), https://github.com/vanzytay/YahooQA_Splits, made from the Webscope L5 corpus,
which is given to researchers on request (https://webscope.sandbox.yahoo.com). Questions and answers have 5 to 50
words; the four wrong answers were sampled from the top 1000 hits of a search engine. P@1 and MRR are the measures.

Format. The splits are released as pickled dictionaries, `{question: [[answer, label], ...]}`. Unpickling runs whatever
code a file contains, so Anselm does not do it. What is read here is a text file for each split (train.txt, dev.txt,
test.txt), one pair per line, which a few lines of Python write from those dictionaries in a place where that is safe:

    question<TAB>answer<TAB>label (0 or 1)

Grouping. A dictionary has one entry for each question text, and texts repeat: 253,440 training pairs are 50,688 groups
of five, but the published 50,112 questions are the distinct texts. So a list is a run of lines with the same question
text, whatever its length (5, 10, ...), and a text that comes back later is an error, not a second question. Ids are
positions: Q1, Q1-A1.

Counts (questions / pairs): train 50,112 / 253,440, dev 6,289 / 31,680, test 6,283 / 31,680. The number of right pairs
was not published; one in five would be 50,688 and 6,336.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from anselm.data.corpus import RAW, Corpus, Counts, Split
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import read_lines

LABELS = {"0": 0.0, "1": 1.0}


def read_pairs(path: Path) -> Iterator[Question]:
    """Stream the lists of a file: one for each run of lines with the same question."""
    first_line: dict[str, int] = {}
    for position, (text, lines) in enumerate(groupby(_rows(path), key=lambda row: row[1]), start=1):
        rows = list(lines)
        if text in first_line:
            problem = f"the question of line {first_line[text]} comes back; its lines must stand together"
            raise FormatError(path, problem, rows[0][0])
        first_line[text] = rows[0][0]
        id = f"Q{position}"
        answers = (Candidate(f"{id}-A{place}", row[2], row[3]) for place, row in enumerate(rows, start=1))
        yield Question(id, text, tuple(answers))


def _rows(path: Path) -> Iterator[tuple[int, str, str, float]]:
    for line, text in read_lines(path):
        fields = text.split("\t")
        if len(fields) != 3:
            raise FormatError(path, f"has {len(fields)} columns, not 3 (question, answer, label)", line)
        question, answer, label = (field.strip() for field in fields)
        if label not in LABELS:
            raise FormatError(path, f"the label is {label!r}; there is 0, 1", line)
        if not question or not answer:
            raise FormatError(path, "the question or the answer is empty", line)
        yield line, question, answer, LABELS[label]


def _split(name: str, counts: Counts) -> Split:
    file = f"{name}.txt"
    return Split((file,), lambda folder: read_pairs(folder / file), {"raw": counts})


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="yahooqa",
        summary="Yahoo! Answers questions with five short answers each, one of them right",
        folder="yahooqa",
        source="https://github.com/vanzytay/YahooQA_Splits, as text files (see anselm/data/corpora/yahooqa.py)",
        terms="Yahoo! Webscope: research only, on request",
        citation="Tay et al., Learning to Rank Question Answer Pairs with Holographic Dual LSTM, SIGIR 2017",
        splits={
            "train": _split("train", Counts(50_112, 253_440)),
            "dev": _split("dev", Counts(6_289, 31_680)),
            "test": _split("test", Counts(6_283, 31_680)),
        },
        protocols={"raw": RAW},
    ),
)
