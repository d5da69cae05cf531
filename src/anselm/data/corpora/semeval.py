"""SemEval 2016 and 2017 Task 3, subtask A: rank the first ten comments under a question of the Qatar Living forum.

Source: https://alt.qcri.org/semeval2016/task3 and https://alt.qcri.org/semeval2017/task3, English, distribution v3.2
and the test sets. Free for research.

Format: XML. A `Thread` holds one `RelQuestion` (subject, body) and ten `RelComment`s. Files without `-subtaskA` wrap
every thread in an `OrgQuestion`, for subtasks B and C (see `semeval_related.py`). A comment is Good, PotentiallyUseful
or Bad for its question (RELC_RELEVANCE2RELQ); only Good is relevant. The dev and test files carry the gold labels,
and they agree with the official `.relevancy` files. No comment here is empty; an empty one would be kept, with an
empty text, because the official scorer wants all ten. Some questions have only a subject.

Protocols, which must never be compared: `clean` keeps the questions with at least one Good comment (the tree paper's
numbers); `official` keeps all (the task's numbers), so that even a perfect ranking has a MAP of only 0.963 on the 2016
test.

Traps:
- The 670 threads of train-part2.xml include the 379 of train-part2-subtaskA.xml. The other 291 are marked as repeats
  (SubtaskA_Skip_Because_Same_As_RelQuestion_ID); counting both files as 1,049 threads counts 379 of them twice. By
  content there are 583 threads.
- train-part1.v2.0.xml is an early release with labels against the *original* question only. Where the thread is a
  PerfectMatch for it they can serve, though only 84 % of them agree with the later labels (752 of 900 comments).
- All 244 dev threads are in that early release, 33 of them as PerfectMatch: they are left out of every training split.
- The dev and test files of subtasks B and C repeat threads of the official training set, labelled and marked as
  above: `train-repeats`. None of them is in the dev or test lists of subtask A.
- A few threads were already in the 2015 corpus: 3 of its dev and test threads are in the 2016 dev set, 5 in the test
  set. `train-2015` is its dev and test lists without these, and without those of `train` and `train-repeats`; they
  have any number of comments, so a thread is known by its question alone. `train-without-2015` is the other way
  round: `train` and `train-repeats` without the questions of the 2015 dev and test lists, to learn from for these.

Splits (questions / comments / Good; all questions): dev 244 / 2,440 / 818, test 2016 327 / 3,270 / 1,329, test 2017
293 / 2,930. Training: `train` is everything usable in the training files, by content (part 2, then PerfectMatch
threads of part 1); `train-part2` and `train-part2-all` are the two files of part 2; `train-part1` the PerfectMatch
threads. `train-official` is the full set (part 1: 14,110 comments, 5,287 Good; part 2: 3,790, 1,364 Good; Table 2 of
the SwissAlps paper, Deriu, 2017).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from xml.etree.ElementTree import Element

from anselm.data.corpora.semeval_2015 import read_questions
from anselm.data.corpus import CLEAN, RAW, Corpus, Counts, Split
from anselm.data.elements import attribute, child, child_text, claim, stream_elements
from anselm.data.formats.semeval_predictions import read_predictions, read_relevancy
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.errors import FormatError

TO_RELATED, TO_ORIGINAL = "RELC_RELEVANCE2RELQ", "RELC_RELEVANCE2ORGQ"
GRADES = {"Good": 1.0, "PotentiallyUseful": 0.0, "Bad": 0.0, "?": None, "N/A": None}  # the last two: not judged
QUESTION_META = {
    "category": "RELQ_CATEGORY",
    "date": "RELQ_DATE",
    "user": "RELQ_USERID",
    "username": "RELQ_USERNAME",
    "relevance": "RELQ_RELEVANCE2ORGQ",
    "rank": "RELQ_RANKING_ORDER",
}


def read_threads(path: Path, gold: str = TO_RELATED) -> Iterator[Question]:
    """Stream the threads of a file of any subtask; `gold` is the attribute that holds the comments' labels."""
    seen: set[str] = set()
    for line, thread in stream_elements(path, "Thread"):
        question = related_question(child(thread, "RelQuestion", path, line), path, line)
        comments = read_comments(thread, gold, path, line)
        repeat = thread.get("SubtaskA_Skip_Because_Same_As_RelQuestion_ID")
        claim(question.id, seen, path, line)
        yield Question(question.id, question.text, comments, {**question.meta, "same_as": repeat})


def read_perfect_matches(path: Path) -> Iterator[Question]:
    """The threads whose related question is a PerfectMatch, labelled against the original question."""
    return (thread for thread in read_threads(path, TO_ORIGINAL) if thread.meta["relevance"] == "PerfectMatch")


def related_question(element: Element, path: Path, line: int) -> Question:
    """A RelQuestion, without candidates. Its relevance and rank are given only in the files of subtasks B and C."""
    subject = child_text(element, "RelQSubject", path, line)
    body = child_text(element, "RelQBody", path, line)
    meta = {name: element.get(key) for name, key in QUESTION_META.items()}
    meta = {"subject": subject, "body": body, **meta}
    return Question(attribute(element, "RELQ_ID", path, line), f"{subject}\n{body}".strip(), (), meta)


def read_comments(thread: Element, gold: str, path: Path, line: int) -> tuple[Candidate, ...]:
    seen: set[str] = set()
    comments = tuple(_comment(element, gold, path, line) for element in thread.iter("RelComment"))
    for comment in comments:
        claim(comment.id, seen, path, line)
    return comments


def _comment(element: Element, gold: str, path: Path, line: int) -> Candidate:
    id, grade = attribute(element, "RELC_ID", path, line), attribute(element, gold, path, line)
    if grade not in GRADES:
        raise FormatError(path, f"comment {id} has {gold}={grade!r}; there is {', '.join(GRADES)}", line)
    user = {"user": element.get("RELC_USERID"), "username": element.get("RELC_USERNAME")}
    meta = {"gold": grade, **user, "date": element.get("RELC_DATE")}
    return Candidate(id, child_text(element, "RelCText", path, line), GRADES[grade], meta)


def distinct_threads(threads: Iterable[Question], known: Iterable[Question] = ()) -> Iterator[Question]:
    """Drop threads whose content occurred before, here or among the `known`: ids differ between the releases."""
    seen = {_content(thread) for thread in known}
    for thread in threads:
        if (content := _content(thread)) not in seen:
            seen.add(content)
            yield thread


def _content(thread: Question) -> str:
    texts = (thread.text, *(comment.text for comment in thread.candidates))
    return "\n".join(map(letters, texts))


def letters(text: str) -> str:
    """Letters and digits alone: the releases differ in quotation marks."""
    return re.sub(r"\W+", "", text).lower()


_NAME = "2016/{0}/SemEval2016-Task3-CQA-QL-{0}"
_DEV, _TEST = _NAME.format("dev") + "-subtaskA.xml", _NAME.format("test") + "-subtaskA.xml"
_DEV_ALL, _TEST_ALL = _NAME.format("dev") + ".xml", _NAME.format("test") + ".xml"
_PART1, _PART2 = _NAME.format("train") + "-part1.v2.0.xml", _NAME.format("train") + "-part2-subtaskA.xml"
_PART1_OFFICIAL, _PART2_ALL = _NAME.format("train") + "-part1-subtaskA.xml", _NAME.format("train") + "-part2.xml"
_FILES_2015 = tuple(f"2015/datasets/CQA-QL-{name}.xml" for name in ("devel", "test"))
_TEST_2017 = "2017/test/SemEval2017-task3-English-test-subtaskA.xml"
_BASELINE = "2016/gold/subtask_A_baseline_random.txt"
FILES = {"part1": _PART1, "part2": _PART2_ALL, "dev": _DEV, "test": _TEST}


def _train(folder: Path) -> Iterator[Question]:
    parts = chain(read_threads(folder / _PART2_ALL), read_perfect_matches(folder / _PART1))
    return distinct_threads(parts, known=read_threads(folder / _DEV))


def _train_part1(folder: Path) -> Iterator[Question]:
    return distinct_threads(read_perfect_matches(folder / _PART1), known=read_threads(folder / _DEV))


def _train_repeats(folder: Path) -> Iterator[Question]:
    threads = chain(read_threads(folder / _DEV_ALL), read_threads(folder / _TEST_ALL))
    held_out = chain(read_threads(folder / _DEV), read_threads(folder / _TEST))
    return distinct_threads(threads, known=chain(held_out, _train(folder)))


def _train_2015(folder: Path) -> Iterator[Question]:
    known = chain(read_threads(folder / _DEV), read_threads(folder / _TEST), _train(folder), _train_repeats(folder))
    lists = chain.from_iterable(read_questions(folder / file) for file in _FILES_2015)
    return without_questions(lists, known)


def _train_without_2015(folder: Path) -> Iterator[Question]:
    known = chain.from_iterable(read_questions(folder / file) for file in _FILES_2015)
    return without_questions(chain(_train(folder), _train_repeats(folder)), known)


def without_questions(threads: Iterable[Question], known: Iterable[Question]) -> Iterator[Question]:
    """Drop threads whose question is asked among the `known`, whatever is said below it."""
    asked = {letters(thread.text) for thread in known}
    return (thread for thread in threads if letters(thread.text) not in asked)


def _threads(*files: str) -> Callable[[Path], Iterator[Question]]:
    return lambda folder: chain.from_iterable(read_threads(folder / file) for file in files)


def _counts(clean: Counts, official: Counts) -> dict[str, Counts]:
    return {"clean": clean, "official": official}


def gold_file(name: str, counts: Counts) -> Resource:
    file = f"2016/gold/SemEval2016-Task3-CQA-QL-{name}"
    return Resource(name, (file,), _count_relevancy, counts.numbers())


def _count_relevancy(path: Path) -> Numbers:
    gold = read_relevancy(path)
    labels = [label for group in gold.values() for label in group.values()]
    return Counts(len(gold), len(labels), sum(labels)).numbers()


def _count_predictions(path: Path) -> Numbers:
    return {"pairs": sum(1 for _ in read_predictions(path))}


# Counts under `official` come from the papers where they are published; the others were measured on the files.
_SPLITS = {
    "train": Split((_PART2_ALL, _PART1, _DEV), _train, _counts(Counts(565, 5_650, 2_286), Counts(607, 6_070, 2_286))),
    "train-part1": Split((_PART1, _DEV), _train_part1, _counts(Counts(51, 510, 249), Counts(54, 540, 249))),
    "train-part2": Split((_PART2,), _threads(_PART2), _counts(Counts(344, 3_440, 1_364), Counts(379, 3_790, 1_364))),
    "train-part2-all": Split(
        (_PART2_ALL,), _threads(_PART2_ALL), _counts(Counts(628, 6_280, 2_483), Counts(670, 6_700, 2_483))
    ),
    "train-repeats": Split(
        (_DEV_ALL, _TEST_ALL, _DEV, _TEST, _PART2_ALL, _PART1),
        _train_repeats,
        _counts(Counts(186, 1_860, 781), Counts(197, 1_970, 781)),
    ),
    "train-2015": Split(
        (*_FILES_2015, _DEV_ALL, _TEST_ALL, _DEV, _TEST, _PART2_ALL, _PART1),
        _train_2015,
        _counts(Counts(523, 3_239, 1_752), Counts(612, 3_422, 1_752)),
    ),
    "train-without-2015": Split(
        (*_FILES_2015, _DEV_ALL, _TEST_ALL, _DEV, _TEST, _PART2_ALL, _PART1),
        _train_without_2015,
        _counts(Counts(742, 7_420, 3_019), Counts(795, 7_950, 3_019)),
    ),
    "train-official": Split(
        (_PART1_OFFICIAL, _PART2),
        _threads(_PART1_OFFICIAL, _PART2),
        _counts(Counts(relevant=6_651), Counts(1_790, 17_900, 6_651)),
    ),
    "dev": Split((_DEV,), _threads(_DEV), _counts(Counts(211, 2_110, 818), Counts(244, 2_440, 818))),
}
_TEST_2016 = Split((_TEST,), _threads(_TEST), _counts(Counts(315, 3_150, 1_329), Counts(327, 3_270, 1_329)))
_PROTOCOLS = {"clean": CLEAN, "official": RAW}
_TERMS = "free for research"

CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="semeval-2016",
        summary="forum comments under a question, ten per list (SemEval-2016 Task 3, subtask A)",
        folder="semeval_cqa",
        source="https://alt.qcri.org/semeval2016/task3/index.php?id=data-and-tools",
        terms=_TERMS,
        citation="Nakov et al., SemEval-2016 Task 3: Community Question Answering, SemEval 2016",
        splits={**_SPLITS, "test": _TEST_2016},
        protocols=_PROTOCOLS,
        resources=(
            gold_file("dev-subtaskA.xml.subtaskA.relevancy", Counts(244, 2_440, 818)),
            gold_file("test-subtaskA.xml.subtaskA.relevancy", Counts(327, 3_270, 1_329)),
            Resource("random baseline", (_BASELINE,), _count_predictions, {"pairs": 3_270}),
        ),
    ),
    Corpus(
        name="semeval-2017",
        summary="the same task a year later: the training and dev lists of 2016, a new test (SemEval-2017 Task 3)",
        folder="semeval_cqa",
        source="https://alt.qcri.org/semeval2017/task3/index.php?id=data-and-tools",
        terms=_TERMS,
        citation="Nakov et al., SemEval-2017 Task 3: Community Question Answering, SemEval 2017",
        splits={**_SPLITS, "test": Split((_TEST_2017,), _threads(_TEST_2017), {"official": Counts(293, 2_930)})},
        protocols=_PROTOCOLS,
    ),
)
