"""TrecQA: factoid questions of TREC 8-13 with sentences from the documents that TREC's systems found.

Made by Wang, Smith and Mitamura (2007); the files are later editions by others:
- castorini/{train,train-all,raw-dev,raw-test}: id.txt, a.toks (question), b.toks (answer), sim.txt (0 or 1), one pair
  per line in all of them; tokenized, lower case, brackets as -lrb- and -rrb-.
- train1-2393: the answers of train-all as first distributed, in original case; gzipped blocks `<A id >` ... `</A>`.

Traps:
- Every file lists the correct answers first: whoever looks at the order, or breaks ties by it, has MAP 1.0 (0.999 on
  train-all). Candidates are therefore put in an order that tells nothing, by a checksum of their text; their ids keep
  the place in the file.
- Two question texts of train-all occur twice with different ids: group by id, never by text.
- clean filters dev and test only, and drops all-correct lists as well as all-wrong ones; training stays whole.
- train-all has no b.toks. Its answers are, question by question, the lines of Positive-M.POSInput.cleaned, then those
  of Negative-M.POSInput. The labels are sim.txt's: it calls 7 of the 6,410 positive lines (in 6 questions) wrong.
- train is 93 questions of train-all with the answers of up to 40 tokens only, and 9 more that "cleaned" removed.

    questions/pairs/correct     train           train-all              dev            test
    clean                93/4,718/348  1,229/53,417/6,403     65/1,117/205    68/1,442/248
    raw                          same                same     81/1,148/222    95/1,517/284
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, zip_longest
from pathlib import Path
from typing import NamedTuple

from anselm.data.corpus import RAW, Corpus, Counts, Protocol, Split, count_lists, is_mixed
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.errors import FormatError
from anselm.files import read_lines

PAIRS = ("id.txt", "a.toks", "sim.txt")
ANSWERS = "b.toks"
POSITIVE = "Train1-2393.Positive-M.POSInput.cleaned.gz"
NEGATIVE = "Train1-2393.Negative-M.POSInput.gz"
LABELS = {"0": 0.0, "1": 1.0}


class Pair(NamedTuple):
    """One line of a castorini folder; the answer is empty where there is no b.toks."""

    question_id: str
    question: str
    label: float
    answer: str = ""


def read_castorini(folder: Path) -> Iterator[Question]:
    """Stream the lists of a folder with id.txt, a.toks, sim.txt and b.toks."""
    for pairs in _lists(folder, (*PAIRS, ANSWERS)):
        yield _question(pairs, [pair.answer for pair in pairs])


def read_train_all(folder: Path, answers: Path) -> Iterator[Question]:
    """Stream the lists of a folder without b.toks, with the answers taken from the folder of train1-2393."""
    blocks = zip_longest(_lists(folder, PAIRS), read_blocks(answers / POSITIVE), read_blocks(answers / NEGATIVE))
    for pairs, positive, negative in blocks:
        ids = [pairs and pairs[0].question_id, positive and positive[0], negative and negative[0]]
        if pairs is None or positive is None or negative is None or len(set(ids)) > 1:
            names = f"{folder / PAIRS[0]}, {POSITIVE} and {NEGATIVE}"
            raise FormatError(answers, f"{names} must hold the same questions in the same order, but here are {ids}")
        _check_alignment(pairs, len(positive[1]), len(negative[1]), folder)
        # castorini's answers are the same text in lower case with single spaces
        yield _question(pairs, [" ".join(answer.lower().split()) for answer in positive[1] + negative[1]])


def _check_alignment(pairs: Sequence[Pair], positive: int, negative: int, folder: Path) -> None:
    """A list must be as long as both blocks together, and nothing from the negative block may be labelled correct."""
    if len(pairs) != positive + negative or any(pair.label for pair in pairs[positive:]):
        correct = sum(pair.label > 0 for pair in pairs)
        raise FormatError(
            folder / "sim.txt",
            f"question {pairs[0].question_id} has {len(pairs)} pairs, {correct} of them correct, which does not fit "
            f"the {positive} positive and {negative} negative answers of train1-2393",
        )


def _question(pairs: Sequence[Pair], answers: Sequence[str]) -> Question:
    first = pairs[0]
    labelled = enumerate(zip(answers, pairs, strict=True))
    candidates = [
        Candidate(f"{first.question_id}-{i}", answer, pair.label, heading="") for i, (answer, pair) in labelled
    ]
    return Question(first.question_id, first.question, tuple(sorted(candidates, key=_meaningless)))


def _meaningless(candidate: Candidate) -> bytes:
    return sha256(candidate.text.lower().encode()).digest()


def _lists(folder: Path, names: Sequence[str]) -> Iterator[list[Pair]]:
    seen: set[str] = set()
    for question_id, group in groupby(_pairs(folder, names), key=lambda pair: pair.question_id):
        if question_id in seen:
            raise FormatError(folder / PAIRS[0], f"question {question_id} comes back; its lines must be together")
        seen.add(question_id)
        yield list(group)


def _pairs(folder: Path, names: Sequence[str]) -> Iterator[Pair]:
    for number, lines in enumerate(zip_longest(*(read_lines(folder / name) for name in names)), start=1):
        if None in lines:
            short = folder / names[lines.index(None)]
            raise FormatError(short, f"ends here, but others of {', '.join(names)} go on: one pair per line", number)
        question_id, question, label, *answer = (text for _, text in lines)
        if label not in LABELS:
            raise FormatError(folder / "sim.txt", f"the label must be 0 or 1, not {label!r}", number)
        yield Pair(question_id, question, LABELS[label], *answer)


def read_blocks(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Stream (question id, lines) of `<A id >` ... `</A>`."""
    block: tuple[str, list[str]] | None = None
    for number, line in read_lines(path):
        if block is not None and line == "</A>":
            yield block
            block = None
        elif block is not None and not line.startswith("<A "):
            block[1].append(line)
        elif block is None and (match := re.fullmatch(r"<A (\S+) >", line)):
            block = (match[1], [])
        else:
            raise FormatError(path, f"blocks must be <A id >, answers, </A>, not {line[:40]!r} here", number)
    if block is not None:
        raise FormatError(path, f"ends inside question {block[0]}; the file is cut")


def _castorini_files(name: str) -> tuple[str, ...]:
    return tuple(f"castorini/{name}/{file}" for file in (*PAIRS, ANSWERS))


def _split(name: str, clean: Counts, raw: Counts) -> Split:
    return Split(
        _castorini_files(name), lambda folder: read_castorini(folder / "castorini" / name), {"clean": clean, "raw": raw}
    )


def _train_all(folder: Path) -> Iterator[Question]:
    return read_train_all(folder / "castorini" / "train-all", folder / "train1-2393")


def _filtered(name: str, counts: Counts) -> Resource:
    """A folder that others filtered: its counts are those of the protocol `clean`."""
    return Resource(name, _castorini_files(name), _count_folder, counts.numbers())


def _count_folder(first: Path, *others: Path) -> Numbers:
    return count_lists(read_castorini(first.parent))


def _count_blocks(positive: Path, negative: Path) -> Numbers:
    paths = {"positive lines": positive, "negative lines": negative}
    return {what: sum(len(lines) for _, lines in read_blocks(path)) for what, path in paths.items()}


_TRAIN = Counts(93, 4718, 348)
_TRAIN_ALL = Counts(1229, 53417, 6403)
_BLOCKS = tuple(f"train1-2393/{file}" for file in (POSITIVE, NEGATIVE))
_TRAIN_ALL_FILES = (*(f"castorini/train-all/{file}" for file in PAIRS), *_BLOCKS)

CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="trecqa",
        summary="TREC factoid questions with sentences from news",
        folder="trecqa",
        source="https://github.com/castorini/NCE-CNN-Torch (data/TrecQA, as castorini/) and "
        "https://github.com/aseveryn/deep-qa (train1-2393/)",
        terms="none stated",
        citation="Wang, Smith, Mitamura. What is the Jeopardy Model? A Quasi-Synchronous Grammar for QA. EMNLP 2007.",
        splits={
            "train": _split("train", clean=_TRAIN, raw=_TRAIN),
            "train-all": Split(_TRAIN_ALL_FILES, _train_all, {"clean": _TRAIN_ALL, "raw": _TRAIN_ALL}),
            "dev": _split("raw-dev", clean=Counts(65, 1117, 205), raw=Counts(81, 1148, 222)),
            "test": _split("raw-test", clean=Counts(68, 1442, 248), raw=Counts(95, 1517, 284)),
        },
        protocols={
            "clean": Protocol(
                "dev and test questions with both correct and wrong answers", is_mixed, frozenset({"dev", "test"})
            ),
            "raw": RAW,
        },
        resources=(
            _filtered("clean-dev", Counts(65, 1117, 205)),
            _filtered("clean-test", Counts(68, 1442, 248)),
            Resource("train1-2393", _BLOCKS, _count_blocks, {"positive lines": 6410, "negative lines": 47007}),
        ),
    ),
)
