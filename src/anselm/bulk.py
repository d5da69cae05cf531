"""Ranking a whole file of lists: streamed, resumable, never half-written.

Output goes to `<output>.partial` and is renamed at the end. A run that was stopped goes on where it ended: lines that
are whole in the partial file are kept, after checking that they are the first of this input ranked by this model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.ranker import Ranker, Ranking

Progress = Callable[[Iterable[Question]], Iterable[Question]]


def rank_file(
    ranker: Ranker,
    questions: Iterable[Question],
    output: Path,
    top: int | None = None,
    overwrite: bool = False,
    progress: Progress = lambda questions: questions,
) -> int:
    """Rank the questions into a JSONL file, best candidates first; returns how many lists it holds at the end."""
    if output.is_dir():
        raise InputError(f"{output} is a folder; a file name is needed to write to")
    if output.exists() and not overwrite:
        raise InputError(f"{output} exists already; give another name or --overwrite")
    partial = output.with_name(output.name + ".partial")
    source = iter(progress(questions))
    try:
        done = _resume(partial, source, ranker, top)
        with partial.open("a", encoding="utf-8", newline="\n") as file:
            for line in _lines(ranker, source, top):
                file.write(line)
                done += 1
        partial.replace(output)
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}") from None
    finally:
        if partial.exists() and not partial.stat().st_size:
            partial.unlink()
    return done


def _lines(ranker: Ranker, questions: Iterable[Question], top: int | None) -> Iterator[str]:
    kept: list[Question] = []

    def remember(question: Question) -> Question:
        kept.append(question)
        return question

    for ranking in ranker.rank_lists(map(remember, questions)):
        yield json.dumps(_record(kept.pop(0), ranking, top), ensure_ascii=False) + "\n"


def _record(question: Question, ranking: Ranking, top: int | None) -> dict[str, Any]:
    record = ranking.to_dict()
    return {"id": question.id} | record | {"results": record["results"][:top]}


def _resume(partial: Path, source: Iterator[Question], ranker: Ranker, top: int | None) -> int:
    """Pass over what an earlier run has ranked, cut off the line it was writing when it stopped, and count the rest."""
    if not partial.exists():
        return 0
    done = end = 0
    with partial.open("r+b") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            if not _fits(json.loads(line), next(source, None), ranker, top):
                reason = "was begun with another input, model or --top"
                raise InputError(f"{partial} {reason} (at its line {done + 1}); remove it to start over")
            done, end = done + 1, end + len(line)
        file.truncate(end)
    return done


def _fits(record: dict[str, Any], question: Question | None, ranker: Ranker, top: int | None) -> bool:
    if question is None:
        return False
    found = (record["id"], record["question"], record["model"], len(record["results"]))
    count = len(question.candidates)
    return found == (question.id, question.text, ranker.scorer.name, min(count, top or count))
