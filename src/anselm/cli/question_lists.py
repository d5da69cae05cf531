"""anselm ask --questions: many questions of the same documents, FAQs or pool."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anselm.cli.options import named_columns
from anselm.cli.output import console, interruptible, patience, print_json, say, whisper
from anselm.cli.skips import Skips
from anselm.errors import FormatError, InputError

if TYPE_CHECKING:
    from anselm.data.formats.question_logs import Logged
    from anselm.ranking.answer_files import Answered
    from anselm.ranking.answers import Answers
    from anselm.ranking.passages import GivenDocument
    from anselm.ranking.ranker import Ranker
    from anselm.text.faq import Skip


@dataclass(frozen=True)
class Errand:
    """What is asked of what, how, and where the answers go; `documents` or a `pool`."""

    questions: Path
    documents: Sequence[GivenDocument]
    files: Sequence[Path]  # which these are
    pool: str | None
    where: Sequence[str]
    output: Path | None
    overwrite: bool
    top: int
    read: int | None
    columns: str | None
    strict: bool
    fold_duplicates: bool
    as_json: bool
    skips: Skips = field(default_factory=Skips)

    @property
    def skip(self) -> Skip:
        from anselm.text.faq import refuse

        return refuse if self.strict else self.skips


VERDICTS = ("answered", "perhaps", "refused")


class Tally:
    """What is said at the end of all answers."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.cut: tuple[int, int] | None = None  # of so many passages so many were read

    def watch(self, answers: Answers) -> Answers:
        from anselm.cli.show.answered import verdict_of

        self.verdicts[verdict_of(answers)] += 1
        self.warnings.update(answers.warnings)
        if answers.question_cut is not None:
            self.warnings["the question is longer than the model reads"] += 1
        if answers.read < answers.passages:
            self.cut = answers.passages, answers.read
        return answers


def ask_questions(errand: Errand, model: str, device: str | None, threshold: float | None, respell: bool) -> None:
    """As lines of JSON or, into an --output that ends so, as a table; people see a short one."""
    from anselm.cli.show import progress
    from anselm.ranking.answer_files import Answered
    from anselm.ranking.given import check_count
    from anselm.ranking.ranker import Ranker
    from anselm.text.faq_columns import split_columns

    of_faq, of_log = split_columns(named_columns(errand.columns, "asked") or {})
    if of_faq and errand.pool is not None:
        raise InputError("a pool has no columns to name; asked=NAME is that of the questions")
    check_count("top", errand.top)
    check_count("read", errand.read)
    check_output(errand)
    logged, tally = read_questions(errand, of_log), Tally()
    with ExitStack() as stack:
        with patience("reading"):
            ranker = Ranker.load(model, device=device, threshold=threshold, respell=respell)
            if errand.pool is not None:
                answers = from_pool(errand, ranker, logged, stack)
            else:
                answers = from_files(errand, ranker, logged, of_faq)
        asked = stack.enter_context(closing(progress(answers, "asking", len(logged))))  # so that the bar goes
        hand_over(errand, (Answered(one.id, tally.watch(found)) for one, found in asked))
    report(errand, ranker, tally)
    errand.skips.finish()


def read_questions(errand: Errand, columns: dict[str, str]) -> list[Logged]:
    from anselm.data.formats.question_logs import place_of, read_log

    logged = list(read_log(errand.questions, columns, errand.skip))
    if not logged:
        raise next(iter(errand.skips.errors), InputError(f"there are no questions in {place_of(errand.questions)}"))
    return logged


def from_files(
    errand: Errand, ranker: Ranker, logged: Sequence[Logged], columns: dict[str, str]
) -> Iterator[tuple[Logged, Answers]]:
    answers = ranker.ask_many(
        [one.question for one in logged],
        errand.documents,
        errand.top,
        read=errand.read,
        columns=columns or None,
        skip=errand.skip,
        fold_duplicates=errand.fold_duplicates,
    )
    return zip(logged, answers, strict=True)


def from_pool(
    errand: Errand, ranker: Ranker, logged: Sequence[Logged], stack: ExitStack
) -> Iterator[tuple[Logged, Answers]]:
    """A question for which nothing is found in a pool that has something is passed over."""
    from anselm.ranking.pool_answers import ask_pool
    from anselm.retrieval.filters import parse_where
    from anselm.retrieval.pool import Pool, TextEncoder

    encoder = ranker.scorer if isinstance(ranker.scorer, TextEncoder) else None
    pool = stack.enter_context(Pool.open(str(errand.pool), encoder))
    where = parse_where(list(errand.where)) or None
    read, fold = errand.read, errand.fold_duplicates

    def answers() -> Iterator[tuple[Logged, Answers]]:
        for one in logged:
            try:
                found = ask_pool(ranker, one.question, pool, errand.top, where=where, read=read, fold_duplicates=fold)
            except InputError as error:
                if not pool.count(where):
                    raise
                errand.skip(FormatError(errand.questions, str(error), one.line))
            else:
                yield one, found
        for note in pool.notes:
            whisper(f"anselm: note: {note}")

    return answers()


def hand_over(errand: Errand, found: Iterator[Answered]) -> None:
    """Lines go out as they come; a file appears whole, and the table of a terminal at the end."""
    from anselm.ranking.answer_files import answer_format, write_answers

    if errand.output is not None:
        from anselm.files import write_atomically

        with interruptible(None), write_atomically(errand.output) as file:
            write_answers(found, file, answer_format(errand.output), errand.top)
    elif wants_lines(errand):
        for one in found:
            print_json(one.to_dict(), indent=None)
    else:
        from anselm.cli.show import show_answered

        show_answered(console(), list(found))


def wants_lines(errand: Errand) -> bool:
    return errand.as_json or not sys.stdout.isatty()


def check_output(errand: Errand) -> None:
    """Before anything is read."""
    from anselm.outputs import check_apart, check_parent, is_stream
    from anselm.ranking.answer_files import answer_format

    if (output := errand.output) is None:
        if errand.overwrite:
            raise InputError("--overwrite is for an --output that exists")
        return
    answer_format(output)
    if is_stream(output):
        return
    check_parent(output)
    check_apart(output, errand.questions, *errand.files)
    if output.exists() and not errand.overwrite:
        raise InputError(f"{output} exists already; give another name or --overwrite")


def report(errand: Errand, ranker: Ranker, tally: Tally) -> None:
    """How many were answered, where no lines say it, and what is to be known of several at once."""
    asked = tally.verdicts.total()
    if errand.output is not None and errand.as_json:
        place = {"input": str(errand.questions), "output": str(errand.output), "model": ranker.name}
        counts = dict.fromkeys(VERDICTS, 0) | tally.verdicts
        print_json({**place, "questions": asked, **counts, "skipped": len(errand.skips.errors)})
    elif errand.output is not None:
        counted = ", ".join(f"{count:,} {name}" for name, count in tally.verdicts.most_common())
        say(f"{asked:,} questions asked into {errand.output}: {counted}")
    for warning, count in tally.warnings.items():
        whisper(f"anselm: warning: {warning} ({count:,} of {asked:,} questions)")
    if tally.cut is not None:
        kept = f"of {tally.cut[0]:,} passages the model read {tally.cut[1]:,}, those nearest by words and meaning"
        whisper(f"anselm: note: {kept}; --read N reads more")
