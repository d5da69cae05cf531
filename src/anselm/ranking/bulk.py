"""Ranking a whole file of lists: streamed, never half-written, and, as JSONL, resumable.

Lists go to `<output>.partial` one by one, and to their place at the end; there they are packed if the name says .gz.
A run that was stopped goes on where it ended (resumption.py). A TREC run (.run) starts over.

The partial file is locked from before it is read until it has been moved, so that of several equal runs one writes.
What is no file, such as a pipe, gets the lists as they come.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import IO, Any

from anselm.data.formats.trec import write_run
from anselm.data.question import Question
from anselm.errors import AnselmError, InputError
from anselm.files import write_atomically
from anselm.outputs import hold, is_at, is_stream, put_in_place, real_place
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.given import check_count
from anselm.ranking.ranker import Ranker
from anselm.ranking.resumption import resume
from anselm.scorer import Progress, silent

Write = Callable[[Ranker, Iterator[Question], IO[str], int | None], int]


def rank_file(
    ranker: Ranker,
    questions: Iterable[Question],
    output: Path,
    top: int | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> int:
    """Rank the questions into a file, best candidates first; returns how many lists it holds at the end.

    It is a TREC run if its name ends in .run, or else JSONL; .gz may follow. Where `questions` ends with an error of
    the input, what came before it is ranked and kept.
    """
    check_count("top", top)
    if output.is_dir():
        raise InputError(f"{output} is a folder; a file name is needed to write to")
    if not is_stream(output):
        _check_free(output, overwrite)
    source = iter(progress(questions))
    first = next(source, None)
    if first is None:
        raise InputError(f"there are no questions to rank into {output}")
    source = chain([first], source)
    if not is_stream(output):
        return _write_file(ranker, source, output, top, overwrite)
    with write_atomically(output) as file:
        return (_write_run if is_run(output) else _write_lines)(ranker, source, file, top)


def is_run(output: Path) -> bool:
    """Whether a name asks for a TREC run, which holds no texts, and so cannot be gone on with."""
    return output.name.removesuffix(".gz").endswith(".run")


def partial_of(output: Path) -> Path:
    """Where the lists of a run that is not finished are."""
    place = real_place(output)
    return place.with_name(place.name + ".partial")


def _check_free(output: Path, overwrite: bool) -> None:
    if output.exists() and not overwrite:
        raise InputError(f"{output} exists already; give another name or --overwrite")


def _write_file(ranker: Ranker, source: Iterator[Question], output: Path, top: int | None, overwrite: bool) -> int:
    partial, resumable = partial_of(output), not is_run(output)
    try:
        with hold(partial) as file:
            try:
                _check_free(output, overwrite)  # again: another run may have ended since
                done = resume(file, partial, source, ranker, top) if resumable else file.truncate(0)
                done += _write_text(_write_lines if resumable else _write_run, ranker, source, file, top)
                _move(file, partial, output)
            except BaseException:
                if is_at(file, partial) and not (resumable and partial.stat().st_size):
                    partial.unlink()
                raise
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}") from None
    return done


def _move(file: IO[bytes], partial: Path, output: Path) -> None:
    if output.suffix == ".gz":
        with partial.open(encoding="utf-8", newline="\n") as plain, write_atomically(output) as packed:
            shutil.copyfileobj(plain, packed)
    if os.name == "nt":
        file.close()  # what is open cannot be moved there
    if output.suffix == ".gz":
        partial.unlink()
    else:
        put_in_place(partial, real_place(output))


def _write_text(write: Write, ranker: Ranker, source: Iterator[Question], file: IO[bytes], top: int | None) -> int:
    """Write into a binary file that stays open: its lock is still needed."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    try:
        return write(ranker, source, text, top)
    finally:
        text.detach()


def _write_lines(ranker: Ranker, source: Iterator[Question], file: IO[str], top: int | None) -> int:
    count = 0
    for count, (question, ranking) in enumerate(ranked_lists(ranker, source), start=1):
        file.write(json.dumps(ranked_record(question, ranking, top), ensure_ascii=False) + "\n")
    return count


def _write_run(ranker: Ranker, source: Iterator[Question], file: IO[str], top: int | None) -> int:
    count = 0

    def scored() -> Iterator[tuple[str, list[tuple[str, float]]]]:
        nonlocal count
        for question, ranking in ranked_lists(ranker, source):
            count += 1
            least = min((r.score for r in ranking if isfinite(r.score)), default=0.0) - 1  # for an empty candidate
            best = sorted(ranking.results, key=lambda r: -r.score)[:top]  # a run is read by its scores
            yield question.id, [(question.candidates[r.index].id, max(r.score, least)) for r in best]

    write_run(scored(), file, tag="-".join(ranker.name.split()))
    return count


def ranked_lists(ranker: Ranker, questions: Iterable[Question]) -> Iterator[tuple[Question, Ranking[Result]]]:
    """Question after question; where the input has an error, those before it come first."""
    kept: list[Question] = []
    errors: list[AnselmError] = []

    def remember() -> Iterator[Question]:
        try:
            for question in questions:
                kept.append(question)
                yield question
        except AnselmError as error:
            errors.append(error)

    for ranking in ranker.rank_lists(remember()):
        yield kept.pop(0), ranking
    for error in errors:
        raise error


def ranked_record(question: Question, ranking: Ranking[Result], top: int | None) -> dict[str, Any]:
    """With what is known of the question, so that nothing has to be looked up again."""
    record = ranking.to_dict()
    results = record.pop("results")[:top]
    return {"id": question.id, **record, **({"meta": dict(question.meta)} if question.meta else {}), "results": results}
