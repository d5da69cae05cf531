"""Ranking a whole file of lists: streamed, never half-written, and, as JSONL, resumable.

JSONL goes to `<output>.partial` line by line, and to its place at the end; there it is packed if the name says .gz.
A run that was stopped goes on where it ended: lines that are whole in the partial file are kept, after checking that
they are the first of this input ranked by this model. A TREC run (.run) starts over.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from anselm.data.formats.trec import write_run
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.evaluation.scoring import Progress, silent
from anselm.files import write_atomically
from anselm.ranker import Ranker, check_top
from anselm.ranking import Ranking


def rank_file(
    ranker: Ranker,
    questions: Iterable[Question],
    output: Path,
    top: int | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> int:
    """Rank the questions into a file, best candidates first; returns how many lists it holds at the end.

    It is a TREC run if its name ends in .run, or else JSONL; .gz may follow.
    """
    check_top(top)
    if output.is_dir():
        raise InputError(f"{output} is a folder; a file name is needed to write to")
    if output.exists() and not overwrite:
        raise InputError(f"{output} exists already; give another name or --overwrite")
    source = iter(progress(questions))
    first = next(source, None)
    if first is None:
        raise InputError(f"there are no questions to rank into {output}")
    write = _write_run if output.name.removesuffix(".gz").endswith(".run") else _write_jsonl
    return write(ranker, chain([first], source), output, top)


def _write_run(ranker: Ranker, source: Iterator[Question], output: Path, top: int | None) -> int:
    count = 0

    def scored() -> Iterator[tuple[str, list[tuple[str, float]]]]:
        nonlocal count
        for question, ranking in _ranked(ranker, source):
            count += 1
            yield question.id, [(question.candidates[r.index].id, r.score) for r in ranking.results[:top]]

    with write_atomically(output) as file:
        write_run(scored(), file, tag="-".join(ranker.name.split()))
    return count


def _write_jsonl(ranker: Ranker, source: Iterator[Question], output: Path, top: int | None) -> int:
    partial = output.with_name(output.name + ".partial")
    try:
        done = _resume(partial, source, ranker, top)
        with partial.open("a", encoding="utf-8", newline="\n") as file:
            for question, ranking in _ranked(ranker, source):
                file.write(json.dumps(_record(question, ranking, top), ensure_ascii=False) + "\n")
                done += 1
        _put_in_place(partial, output)
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}") from None
    finally:
        if partial.exists() and not partial.stat().st_size:
            partial.unlink()
    return done


def _put_in_place(partial: Path, output: Path) -> None:
    if output.suffix != ".gz":
        partial.replace(output)
        return
    with partial.open(encoding="utf-8", newline="\n") as plain, write_atomically(output) as packed:
        shutil.copyfileobj(plain, packed)
    partial.unlink()


def _ranked(ranker: Ranker, questions: Iterable[Question]) -> Iterator[tuple[Question, Ranking]]:
    kept: list[Question] = []

    def remember(question: Question) -> Question:
        kept.append(question)
        return question

    for ranking in ranker.rank_lists(map(remember, questions)):
        yield kept.pop(0), ranking


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
            if not _fits(line, next(source, None), ranker, top):
                reason = "was not begun with this input, model and --top"
                raise InputError(f"{partial} {reason} (see its line {done + 1}); remove it to start over")
            done, end = done + 1, end + len(line)
        file.truncate(end)
    return done


def _fits(line: bytes, question: Question | None, ranker: Ranker, top: int | None) -> bool:
    """Whether a line is this question's, ranked by this model; anything may stand in a file that was left behind."""
    if question is None:
        return False
    expected = {index: (candidate.id, candidate.text) for index, candidate in enumerate(question.candidates)}
    try:
        record = json.loads(line)
        results = {result["index"]: (result["id"], result["text"]) for result in record["results"]}
        found = (record["id"], record["question"], record["model"], record["threshold"], len(record["results"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    count = min(len(expected), top or len(expected))
    return found == (question.id, question.text, ranker.name, ranker.calibration.threshold, count) and (
        len(results) == count and results.items() <= expected.items()
    )
