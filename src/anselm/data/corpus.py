"""What a corpus is: where it comes from, its splits and protocols, and the counts that a reader must find.

A file in `corpora/` holds one published source. Its `CORPORA` tuple lists what it offers; the folder is the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from anselm.data.question import Question
from anselm.data.resources import Numbers, Resource, spell_numbers
from anselm.errors import CountError, InputError, MissingDataError, UnknownNameError
from anselm.files import find_file


@dataclass(frozen=True)
class Counts:
    """How much there must be; None where no count was published."""

    questions: int | None = None
    pairs: int | None = None
    relevant: int | None = None

    def numbers(self) -> Numbers:
        return {name: number for name, number in asdict(self).items() if number is not None}

    def __str__(self) -> str:
        return spell_numbers(self.numbers())


@dataclass
class Tally:
    """Counts in the making."""

    questions: int = 0
    pairs: int = 0
    relevant: int = 0

    def add(self, question: Question) -> None:
        self.questions += 1
        self.pairs += len(question.candidates)
        self.relevant += sum(candidate.relevant for candidate in question.candidates)

    def counts(self) -> Counts:
        return Counts(self.questions, self.pairs, self.relevant)


def count_lists(questions: Iterable[Question]) -> Numbers:
    tally = Tally()
    for question in questions:
        tally.add(question)
    return tally.counts().numbers()


@dataclass(frozen=True)
class Protocol:
    """Which questions count. `splits` limits the filter to those splits; the others stay whole.

    Where `worst_of` names a key of the questions' meta, questions that share its value are copies of one question, and
    a metric takes the worst of them. `original` then tells which questions of the split they were made from.
    """

    summary: str
    keep: Callable[[Question], bool]
    splits: frozenset[str] | None = None
    worst_of: str | None = None
    original: Callable[[Question], bool] | None = None

    def keeps(self, question: Question, split: str) -> bool:
        return (self.splits is not None and split not in self.splits) or self.keep(question)


def has_relevant(question: Question) -> bool:
    return any(candidate.relevant for candidate in question.candidates)


def is_mixed(question: Question) -> bool:
    """At least one relevant and at least one irrelevant candidate."""
    return 0 < sum(candidate.relevant for candidate in question.candidates) < len(question.candidates)


RAW = Protocol("every question as published", lambda question: True)
CLEAN = Protocol("questions with at least one relevant candidate", has_relevant)
MIXED = Protocol("questions with both relevant and irrelevant candidates", is_mixed)


@dataclass(frozen=True)
class Split:
    """One part of a corpus. `read` takes the corpus's folder and streams every list as published.

    `partial` is what can be counted where some of the files are missing: it has fewer files, and lists without texts.
    """

    files: tuple[str, ...]
    read: Callable[[Path], Iterator[Question]]
    counts: Mapping[str, Counts] = field(default_factory=dict)  # by protocol
    partial: Split | None = None


@dataclass(frozen=True)
class Corpus:
    """A published corpus. The first protocol is the default."""

    name: str
    summary: str
    folder: str
    source: str
    terms: str
    citation: str
    splits: Mapping[str, Split]
    protocols: Mapping[str, Protocol]
    resources: tuple[Resource, ...] = ()

    @property
    def default_protocol(self) -> str:
        return next(iter(self.protocols))

    @property
    def default_split(self) -> str:
        return "test" if "test" in self.splits else next(iter(self.splits))

    def split(self, name: str) -> Split:
        if name not in self.splits:
            raise UnknownNameError(f"split of {self.name}", name, self.splits)
        return self.splits[name]

    def protocol(self, name: str) -> Protocol:
        if name not in self.protocols:
            raise UnknownNameError(f"protocol of {self.name}", name, self.protocols)
        return self.protocols[name]

    def missing(self, split: str, data_dir: Path) -> list[Path]:
        """The files of a split that are not there, packed or not."""
        return self._missing(self.split(split), data_dir)

    def countable(self, split: str, data_dir: Path) -> Split | None:
        """The split if it is whole, else its partial if that is, else None."""
        part = self.split(split)
        choices = (part, part.partial) if part.partial else (part,)
        return next((choice for choice in choices if not self._missing(choice, data_dir)), None)

    def _missing(self, part: Split, data_dir: Path) -> list[Path]:
        paths = (data_dir / self.folder / file for file in part.files)
        return [path for path in paths if not find_file(path).exists()]

    def read(self, split: str, protocol: str, data_dir: Path) -> Iterator[Question]:
        """Stream the questions of a split under a protocol; at the end the published counts must have been met."""
        rule, part = self.protocol(protocol), self.split(split)
        if missing := self.missing(split, data_dir):
            raise MissingDataError(self._how_to_get(missing[0], data_dir))
        counted = Tally()
        try:
            for question in part.read(data_dir / self.folder):
                if rule.keeps(question, split):
                    counted.add(question)
                    yield question
        except InputError as error:  # a file that is cut may be malformed, too
            error.args = (self.stopped(error, split, protocol, counted.counts()),)
            raise
        if problem := self.problem(split, protocol, counted.counts(), data_dir):
            raise CountError(problem)

    def expected(self, split: str, protocol: str) -> Counts:
        return self.splits[split].counts.get(protocol, Counts())

    def stopped(self, error: object, split: str, protocol: str, found: Counts) -> str:
        """An error that ended the reading, with what had to come and what had come."""
        return f"{error} (expected {self.expected(split, protocol)}, found {found} before that)"

    def problem(self, split: str, protocol: str, found: Counts, data_dir: Path) -> str | None:
        """How the counts that were found differ from the published ones, if they do."""
        expected, missing = self.expected(split, protocol), self.missing(split, data_dir)
        paths = (data_dir / self.folder / file for file in self.splits[split].files)
        files = ", ".join(str(path) for path in paths if path not in missing)
        for what in ("questions", "pairs", "relevant"):
            wanted, got = getattr(expected, what), getattr(found, what)
            if wanted is not None and wanted != got:
                return (
                    f"{self.name} {split} ({protocol}) must have {wanted:,} {what}, but {got:,} were found in {files}; "
                    "the file may be cut or of another version"
                )
        return None

    def _how_to_get(self, path: Path, data_dir: Path) -> str:
        return (
            f"{path} does not exist. Get {self.name} from {self.source} (terms: {self.terms}) "
            f"and put it into {data_dir / self.folder}; ANSELM_DATA or --data-dir names the folder above."
        )
