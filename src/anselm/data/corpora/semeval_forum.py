"""Threads of the Qatar Living forum without labels, for word vectors: all of the training files of SemEval 2016 Task 3.

Source, terms and format are those of subtask A (`semeval.py`). The early release of part 1 has labels against another
question than the thread's own, so most of its threads cannot be learned from; but they can be read.

Every thread of the two training parts is here once, by content, and none whose question is in the dev or test set of
subtask A, not even without its labels. Threads / comments: 695 / 6,950.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from anselm.data.corpora.semeval import (
    FILES,
    TO_ORIGINAL,
    distinct_threads,
    read_threads,
    without_questions,
)
from anselm.data.corpus import RAW, Corpus, Counts, Split
from anselm.data.question import Question


def read_forum(folder: Path) -> Iterator[Question]:
    """All threads, their labels taken off."""
    held_out = chain(read_threads(folder / FILES["dev"]), read_threads(folder / FILES["test"]))
    parts = chain(read_threads(folder / FILES["part2"]), read_threads(folder / FILES["part1"], TO_ORIGINAL))
    return map(_unlabelled, without_questions(distinct_threads(parts), held_out))


def _unlabelled(thread: Question) -> Question:
    return replace(thread, candidates=tuple(replace(comment, label=None) for comment in thread.candidates))


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="semeval-forum",
        summary="threads of the same forum without labels, for word vectors (training files of SemEval-2016 Task 3)",
        folder="semeval_cqa",
        source="https://alt.qcri.org/semeval2016/task3/index.php?id=data-and-tools",
        terms="free for research",
        citation="Nakov et al., SemEval-2016 Task 3: Community Question Answering, SemEval 2016",
        splits={"train": Split(tuple(FILES.values()), read_forum, {"raw": Counts(695, 6_950, 0)})},
        protocols={"raw": RAW},
    ),
)
