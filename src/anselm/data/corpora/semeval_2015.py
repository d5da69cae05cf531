"""SemEval 2015 Task 3, subtask A: rank the comments under a question of the Qatar Living forum.

Source: https://alt.qcri.org/semeval2015/task3, English. Free for research.

Format: XML. A `Question` (subject, body) holds any number of `Comment`s (subject, body), each Good, Bad, Potential,
Dialogue, Not English or Other (CGOLD); only Good is relevant. The text of a comment is its body: the subject is the
body's first words or "RE:" and the question. The trial file has other names for the same things, and a freer set of
labels. The gold labels of the test are in CQA-QL-test.xml; test_task3_English.xml is the same without them ("?").

Protocols, which must never be compared: `clean` keeps the questions with at least one Good comment; `official` keeps
all.

Splits (questions / comments / Good; all questions): train 2,600 / 16,541 / 8,069, dev 300 / 1,645 / 875, test
329 / 1,976 / 997, trial 101 / 588 / 275. Lists have 1 to 143 comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from anselm.data.corpus import CLEAN, RAW, Corpus, Counts, Split
from anselm.data.elements import attribute, child_text, claim, stream_elements
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError


@dataclass(frozen=True)
class Names:
    """What a release calls its elements and attributes; `labels` are all that may occur, "?" is not judged."""

    question_subject: str
    question_body: str
    question_meta: Mapping[str, str]
    comment_subject: str
    comment_body: str
    comment_meta: Mapping[str, str]
    gold: str
    labels: tuple[str, ...]


RELEASE = Names(
    question_subject="QSubject",
    question_body="QBody",
    question_meta={"category": "QCATEGORY", "date": "QDATE", "user": "QUSERID", "type": "QTYPE"},
    comment_subject="CSubject",
    comment_body="CBody",
    comment_meta={"user": "CUSERID", "yes_no": "CGOLD_YN"},
    gold="CGOLD",
    labels=("Good", "Bad", "Potential", "Dialogue", "Not English", "Other", "?"),
)
TRIAL = Names(
    question_subject="Short_Question",
    question_body="Full_Question",
    question_meta={"category": "CATEGORY", "date": "CREATED", "user": "UID", "type": "QTYPE"},
    comment_subject="Subject",
    comment_body="Body",
    comment_meta={"user": "UID", "yes_no": "YES_NO", "date": "CREATED"},
    gold="ANNOTATION",
    labels=("good", "bad", "potential", "dialog", "author", "ad", "repetition", "not English", "related", "URL"),
)


def read_questions(path: Path, names: Names = RELEASE) -> Iterator[Question]:
    """Stream the questions of a file with all their comments."""
    seen: set[str] = set()
    for line, element in stream_elements(path, "Question"):
        id = attribute(element, "QID", path, line)
        claim(id, seen, path, line)
        subject = child_text(element, names.question_subject, path, line)
        body = child_text(element, names.question_body, path, line)
        meta = {name: element.get(key) for name, key in names.question_meta.items()}
        comments = _comments(element, names, path, line)
        yield Question(id, f"{subject}\n{body}".strip(), comments, {"subject": subject, "body": body, **meta})


def _comments(question: Element, names: Names, path: Path, line: int) -> tuple[Candidate, ...]:
    seen: set[str] = set()
    comments = tuple(_comment(element, names, path, line) for element in question.iter("Comment"))
    for comment in comments:
        claim(comment.id, seen, path, line)
    return comments


def _comment(element: Element, names: Names, path: Path, line: int) -> Candidate:
    id = attribute(element, "CID", path, line)
    gold = attribute(element, names.gold, path, line).strip()  # the trial file has "good "
    if gold not in names.labels:
        raise FormatError(path, f"comment {id} has {names.gold}={gold!r}; there is {', '.join(names.labels)}", line)
    label = None if gold == "?" else float(gold.lower() == "good")
    meta = {name: element.get(key) for name, key in names.comment_meta.items()}
    subject = child_text(element, names.comment_subject, path, line)
    return Candidate(
        id, child_text(element, names.comment_body, path, line), label, {"gold": gold, **meta, "subject": subject}
    )


def _split(name: str, clean: Counts, official: Counts, names: Names = RELEASE) -> Split:
    file = f"2015/datasets/CQA-QL-{name}.xml"
    return Split((file,), lambda folder: read_questions(folder / file, names), {"clean": clean, "official": official})


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="semeval-2015",
        summary="forum comments under a question (SemEval-2015 Task 3, subtask A)",
        folder="semeval_cqa",
        source="https://alt.qcri.org/semeval2015/task3/index.php?id=data-and-tools",
        terms="free for research",
        citation="Nakov et al., SemEval-2015 Task 3: Answer Selection in Community Question Answering, SemEval 2015",
        splits={
            "train": _split("train", Counts(relevant=8_069), Counts(2_600, 16_541, 8_069)),
            "dev": _split("devel", Counts(251, 1_539, 875), Counts(300, 1_645, 875)),
            "test": _split("test", Counts(288, 1_897, 997), Counts(329, 1_976, 997)),
            "trial": _split("trial", Counts(94, 546, 275), Counts(101, 588, 275), TRIAL),
        },
        protocols={"clean": CLEAN, "official": RAW},
    ),
)
