"""InsuranceQA as text: a freely available lemmatised part of the corpus, turned into reproducible pools of 500.

Source: https://github.com/markeyser/insurance-adapter-data, test.csv and validation.csv, made from InsuranceQA
(`insuranceqa.py`). Research only. These lists are ours: numbers on them compare models with each other, not with
published results.

Format: CSV with the columns question, answer, label (1 right, 0 wrong); words are lemmas ("what be the good rate").
Merged without duplicates: 4,531 questions with a right answer, 5,040 right pairs, 8,690 answers. The labelled wrong
pairs were drawn at random; only their answers are used, as candidates.

How the lists are made, all from hashes of the texts, so that neither file order nor Python's version matters:

1. Questions that share a right answer belong together (4,517 groups). A hash of the group puts 60 % of them into
   train, 20 % each into dev and test, so that no answer that is right for a question of one split is a candidate in
   another. Questions are the same when they differ only in case.
2. Answers that are right for no question here (3,664) are dealt out in the same way, to be wrong candidates.
   So the answers of the three splits are disjoint (5,138, 1,779 and 1,773), with enough for a pool of 500 in each.
3. A pool is drawn from the answers of the split, in random order; the question's right answers are put in at random
   places, so that positions say nothing.

Lists / right pairs: train 2,718 / 3,021, dev 895 / 1,013, test 918 / 1,006, each with 500 candidates.

A wrong candidate is any answer to another question, so a few may in truth be right, as in the original pools.
"""

from __future__ import annotations

import csv
import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from anselm.data.corpus import RAW, Corpus, Counts, Split
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.errors import FormatError
from anselm.files import read_lines

POOL = 500
SEED = "insuranceqa-text"
BORDERS = {"train": 0.6, "dev": 0.8, "test": 1.0}
FILES = ("text_subset_markeyser/test.csv", "text_subset_markeyser/validation.csv")


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of the source."""

    question: str
    answer: str
    right: bool


def read_pairs(path: Path) -> Iterator[Pair]:
    """Stream the rows of a CSV file."""
    rows = csv.reader((f"{line}\n" for _, line in read_lines(path)), strict=True)
    try:
        for row in rows:
            if rows.line_num > 1 or row != ["question", "answer", "label"]:
                yield _pair(row, path, rows.line_num)
    except csv.Error as error:
        raise FormatError(path, f"not valid CSV: {error}", rows.line_num) from None


def _pair(row: list[str], path: Path, line: int) -> Pair:
    if len(row) != 3 or row[2] not in ("0", "1"):
        raise FormatError(path, f"needs question, answer and label (0 or 1), not {row!r:.80}", line)
    return Pair(" ".join(row[0].split()), " ".join(row[1].split()), row[2] == "1")


def make_lists(pairs: Iterable[Pair], split: str, pool: int = POOL) -> Iterator[Question]:
    """Stream the lists of one split."""
    pairs = list(pairs)
    right = _right_answers(pairs)
    group = _groups(right)
    texts = sorted({pair.answer for pair in pairs}, key=_hash)
    own = [text for text in texts if choose_split(group.get(text, text)) == split]
    answers = [Candidate(_id("a", text), text, 0.0) for text in own]  # shared by all lists
    for question in sorted(right, key=_hash):
        if choose_split(group[right[question][0]]) == split:
            yield _list(question, right[question], answers, pool)


def _right_answers(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """The right answers of every question. The wording with the smallest hash stands for all that differ in case."""
    wording: dict[str, str] = {}
    right: dict[str, set[str]] = {}
    for pair in pairs:
        if pair.right:
            key = pair.question.lower()
            wording[key] = min(wording.get(key, pair.question), pair.question, key=_hash)
            right.setdefault(key, set()).add(pair.answer)
    return {wording[key]: sorted(answers, key=_hash) for key, answers in right.items()}


def _groups(right: Mapping[str, list[str]]) -> dict[str, str]:
    """For every right answer the answer with the smallest hash in its connected component (union-find)."""
    parent: dict[str, str] = {}

    def find(answer: str) -> str:
        while (above := parent.setdefault(answer, answer)) != answer:
            answer = above
        return answer

    for answers in right.values():
        roots = sorted({find(answer) for answer in answers}, key=_hash)
        parent.update(dict.fromkeys(roots, roots[0]))
    return {answer: find(answer) for answer in parent}


def choose_split(text: str) -> str:
    """The split of a group or an answer: a hash as a number from 0 to 1, cut at the borders.

    Not the hash that names the group by its smallest member: that one is lower for larger groups.
    """
    position = int(_hash(f"split\n{text}")[:8], 16) / 16**8
    return next(split for split, border in BORDERS.items() if position < border)


def _list(question: str, right: list[str], answers: Sequence[Candidate], pool: int) -> Question:
    id = _id("q", question)
    wrong = [answer for answer in draw(id, answers, pool) if answer.text not in right]
    candidates = wrong[: pool - len(right)]
    for text in right:
        place = int(_hash(f"{id}\n{text}"), 16) % (len(candidates) + 1)
        candidates.insert(place, Candidate(_id("a", text), text, 1.0))
    return Question(id, question, tuple(candidates))


def draw(key: str, items: Sequence[Item], count: int) -> list[Item]:
    """Up to `count` of the items in random order, decided by the key alone.

    Fisher-Yates with numbers from a hash: `random.sample` may change with Python's version.
    """
    left = list(items)
    count = min(count, len(left))
    numbers = struct.unpack(f"<{count}Q", hashlib.shake_256(key.encode()).digest(8 * count))
    for place, number in enumerate(numbers):
        other = place + number % (len(left) - place)
        left[place], left[other] = left[other], left[place]
    return left[:count]


def _hash(text: str) -> str:
    return hashlib.sha256(f"{SEED}\n{text}".encode()).hexdigest()


def _id(kind: str, text: str) -> str:
    return f"{kind}-{_hash(text)[:12]}"


def _split(name: str, counts: Counts) -> Split:
    def read(folder: Path) -> Iterator[Question]:
        return make_lists(chain.from_iterable(read_pairs(folder / file) for file in FILES), name)

    return Split(FILES, read, {"raw": counts})


def _count_pairs(path: Path) -> Numbers:
    return {"pairs": sum(1 for _ in read_pairs(path))}


def _count_shared(*paths: Path) -> Numbers:
    one, two = (list(read_pairs(path)) for path in paths)
    questions = {pair.question for pair in one if pair.right} & {pair.question for pair in two if pair.right}
    answers = {pair.answer for pair in one} & {pair.answer for pair in two}
    return {"positive questions": len(questions), "answers": len(answers)}


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="insuranceqa-text",
        summary="lemmatised insurance questions with pools of 500 answers, drawn here for comparing models",
        folder="insuranceqa",
        source="https://github.com/markeyser/insurance-adapter-data (into text_subset_markeyser)",
        terms="research only",
        citation="Feng et al., Applying Deep Learning to Answer Selection: A Study and an Open Task, ASRU 2015",
        splits={
            "train": _split("train", Counts(2_718, 1_359_000, 3_021)),
            "dev": _split("dev", Counts(895, 447_500, 1_013)),
            "test": _split("test", Counts(918, 459_000, 1_006)),
        },
        protocols={"raw": RAW},  # every pool holds a right answer
        resources=(
            Resource("test.csv", FILES[:1], _count_pairs, {"pairs": 5_042}),
            Resource("validation.csv", FILES[1:], _count_pairs, {"pairs": 5_040}),
            Resource("in both", FILES, _count_shared, {"positive questions": 237, "answers": 677}),
        ),
    ),
)
