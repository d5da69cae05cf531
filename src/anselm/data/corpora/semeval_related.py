"""SemEval 2016 Task 3, subtasks B and C: rank the related questions, or their comments, for an original question.

Source, terms and the meaning of a thread are those of subtask A (`semeval.py`); the files are those without
`-subtaskA` in their names.

Format: XML. An `OrgQuestion` is written once for each of its ten related questions, the ten copies in a row; they are
joined here. Subtask B ranks the ten related questions: PerfectMatch and Relevant are relevant, Irrelevant is not.
Subtask C ranks the hundred comments under them against the original question (RELC_RELEVANCE2ORGQ): only Good is
relevant. Candidates stay in the file's order, which is that of the search engine, so the order itself is a strong
baseline.

Traps: 47 of the 70 original questions of the test carry stray quotation marks, left by a conversion from CSV; they are
kept as published. One of them has two wordings among its ten copies; the first is taken.

Splits (lists / pairs / relevant; all questions): B dev 50 / 500 / 214, test 70 / 700 / 233, train (part 2)
67 / 670 / 296; C dev 50 / 5,000 / 345, test 70 / 7,000 / 654, train 67 / 6,700 / 849. Part 1 of the training data is
left out: its early release contains the dev set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from xml.etree.ElementTree import Element

from anselm.data.corpora.semeval import TO_ORIGINAL, gold_file, read_comments, related_question
from anselm.data.corpus import CLEAN, RAW, Corpus, Counts, Split
from anselm.data.elements import attribute, child, child_text, claim, stream_elements
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

RELEVANCE = {"PerfectMatch": 1.0, "Relevant": 1.0, "Irrelevant": 0.0, "?": None}

Candidates = Callable[[Element, Path, int], tuple[Candidate, ...]]  # of one copy of an original question
Reader = Callable[[Path], Iterator[Question]]


def read_subtask_b(path: Path) -> Iterator[Question]:
    """Original questions with their related questions."""
    return _read_originals(path, _related)


def read_subtask_c(path: Path) -> Iterator[Question]:
    """Original questions with the comments of all their related questions."""
    return _read_originals(path, lambda original, path, line: read_comments(original, TO_ORIGINAL, path, line))


def _read_originals(path: Path, candidates: Candidates) -> Iterator[Question]:
    for _, group in groupby(_copies(path, candidates), key=lambda copy: copy.id):
        copies = list(group)
        yield replace(copies[0], candidates=tuple(chain.from_iterable(copy.candidates for copy in copies)))


def _copies(path: Path, candidates: Candidates) -> Iterator[Question]:
    """Each copy of an original question, with the candidates of one thread."""
    seen: set[str] = set()
    previous = None
    for line, element in stream_elements(path, "OrgQuestion"):
        id = attribute(element, "ORGQ_ID", path, line)
        if id != previous:
            claim(id, seen, path, line)
        previous = id
        found = candidates(element, path, line)
        for candidate in found:
            claim(candidate.id, seen, path, line)
        subject, body = child_text(element, "OrgQSubject", path, line), child_text(element, "OrgQBody", path, line)
        yield Question(id, f"{subject}\n{body}".strip(), found, {"subject": subject, "body": body})


def _related(original: Element, path: Path, line: int) -> tuple[Candidate, ...]:
    question = related_question(child(original, "Thread/RelQuestion", path, line), path, line)
    relevance = question.meta["relevance"]
    if relevance not in RELEVANCE:
        choices = ", ".join(RELEVANCE)
        raise FormatError(path, f"{question.id} has RELQ_RELEVANCE2ORGQ={relevance!r}; there is {choices}", line)
    return (Candidate(question.id, question.text, RELEVANCE[relevance], {**question.meta, "gold": relevance}),)


_FILES = {
    "train": "2016/train/SemEval2016-Task3-CQA-QL-train-part2.xml",
    "dev": "2016/dev/SemEval2016-Task3-CQA-QL-dev.xml",
    "test": "2016/test/SemEval2016-Task3-CQA-QL-test.xml",
}


def _corpus(subtask: str, what: str, read: Reader, clean: dict[str, Counts], official: dict[str, Counts]) -> Corpus:
    def split(name: str) -> Split:
        file = _FILES[name]
        return Split((file,), lambda folder: read(folder / file), {"clean": clean[name], "official": official[name]})

    return Corpus(
        name=f"semeval-2016-{subtask.lower()}",
        summary=f"{what} (SemEval-2016 Task 3, subtask {subtask})",
        folder="semeval_cqa",
        source="https://alt.qcri.org/semeval2016/task3/index.php?id=data-and-tools",
        terms="free for research",
        citation="Nakov et al., SemEval-2016 Task 3: Community Question Answering, SemEval 2016",
        splits={name: split(name) for name in _FILES},
        protocols={"clean": CLEAN, "official": RAW},
        resources=(gold_file(f"test.xml.subtask{subtask}.relevancy", official["test"]),),
    )


CORPORA: tuple[Corpus, ...] = (
    _corpus(
        "B",
        "related forum questions for an original question, ten per list",
        read_subtask_b,
        clean={"train": Counts(61, 610, 296), "dev": Counts(43, 430, 214), "test": Counts(62, 620, 233)},
        official={"train": Counts(67, 670, 296), "dev": Counts(50, 500, 214), "test": Counts(70, 700, 233)},
    ),
    _corpus(
        "C",
        "comments of related threads for an original question, a hundred per list",
        read_subtask_c,
        clean={"train": Counts(64, 6_400, 849), "dev": Counts(40, 4_000, 345), "test": Counts(55, 5_500, 654)},
        official={"train": Counts(67, 6_700, 849), "dev": Counts(50, 5_000, 345), "test": Counts(70, 7_000, 654)},
    ),
)
