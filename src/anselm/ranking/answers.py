"""A ranking: candidates, or sentences of documents, in their places, and near-duplicates folded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import exp, isfinite
from typing import Any, Generic, TypeVar

from anselm.errors import InputError
from anselm.ranking.contexts import Context
from anselm.ranking.duplicates import representatives
from anselm.ranking.explanations import Explanation
from anselm.scorer import AttendedPair, Figure


@dataclass(frozen=True)
class Span:
    """A sentence of a candidate by its characters, and its relevance among the sentences of all candidates."""

    start: int
    end: int
    score: float


@dataclass(frozen=True)
class Result:
    """A candidate in its place: `index` is its position in the input, `id` the one that came with it, if any.

    `probability` is that it is right; None where the model has no calibration. `item` is the very object that was
    given; `question` is the one that an entry of a FAQ is filed under, and `meta` its other fields.

    `read` is whether the larger of two models read it, and None where there is but one (see docs/accurate.md).

    On request, `duplicates` are the positions of its near-duplicates, which are no results of their own then, `cluster`
    is the number of its group of similar answers, `spans` are its best sentences, `explanation` says which words
    carried its score, and `trees`, where a model reads along trees, which constituents drew its attention.
    """

    index: int
    text: str
    score: float
    probability: float | None
    id: str | None = None
    question: str | None = field(default=None, kw_only=True)
    meta: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    item: Any = field(default=None, kw_only=True, repr=False, compare=False)
    read: bool | None = field(default=None, kw_only=True)
    duplicates: tuple[int, ...] | None = field(default=None, kw_only=True)
    cluster: int | None = field(default=None, kw_only=True)
    spans: tuple[Span, ...] | None = field(default=None, kw_only=True)
    explanation: Explanation | None = field(default=None, kw_only=True)
    trees: AttendedPair | None = field(default=None, kw_only=True)

    @property
    def relevance(self) -> float:
        """In [0, 1]: the probability or, of a model without a calibration, the sigmoid of its score."""
        return 1 / (1 + exp(-max(-700.0, min(700.0, self.score)))) if self.probability is None else self.probability

    def to_dict(self) -> dict[str, Any]:
        """For JSON: without the object that was given, and without what is not known."""
        record = asdict(replace(self, item=None))
        known = {key: value for key, value in record.items() if value is not None and value != {}}
        if self.explanation is not None:
            known["explanation"] = self.explanation.to_dict()
        score = self.score if isfinite(self.score) else None  # of an empty candidate, which JSON has no number for
        return known | {"score": score, "probability": self.probability}


@dataclass(frozen=True)
class Passage(Result):
    """A sentence, or an entry, that was found: its characters and first line in the source, and what stands beside it.

    `heading` is what stands above it, `page` the page of a PDF.
    """

    source: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    before: str = ""
    after: str = ""
    heading: str | None = None
    page: int | None = None

    @classmethod
    def of(cls, result: Result, **place: Any) -> Passage:
        """A result with its place: what is known of it besides goes along."""
        return cls(**{**own_fields(result, Result), "item": None, **place})


UNSURE = 0.3  # from this answerability on, a refusal is a doubt: see docs/verdict.md

R = TypeVar("R", bound=Result, covariant=True)
Kind = TypeVar("Kind", bound=Result)


@dataclass(frozen=True)
class Ranking(Generic[R]):
    """Results best first, of which there is at least one, unless a list was empty: see `Ranker.rank_many`.

    `answerability` is the probability that the list holds an answer at all, where answers and their absence are equally
    likely beforehand, and `answerable` whether it reaches the threshold. All three are None where the model has no
    calibration, and the first two where it cannot read the texts; `warnings` say so. `empty` candidates come last.
    `read_as` is the question as the model read it, where a word of it was misspelt; explanations are of that.
    `question_cut` is how many of its characters are read beside a candidate, where it is longer than the model reads.
    On request, `context` is how the model sees the candidates among each other, and `figures` show what it has to show.
    """

    question: str
    model: str
    answerable: bool | None
    threshold: float | None
    results: tuple[R, ...]
    answerability: float | None = None
    empty: int = 0
    warnings: tuple[str, ...] = ()
    read_as: str | None = field(default=None, kw_only=True)
    question_cut: int | None = field(default=None, kw_only=True)
    context: Context | None = field(default=None, kw_only=True, repr=False, compare=False)
    figures: tuple[Figure, ...] | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __iter__(self) -> Iterator[R]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, place: int) -> R:
        return self.results[place]

    @property
    def best(self) -> R:
        """The best of the list, be it an answer or not; an empty list has none, which is an error."""
        if not self.results:
            raise InputError(f"there is nothing to be the best for {self.question!r:.60}; `answer` is None there")
        return self.results[0]

    @property
    def answer(self) -> R | None:
        """The best one, unless the list is believed to hold no answer."""
        return None if self.answerable is False or not self.results else self.results[0]

    @property
    def unsure(self) -> bool:
        """Whether it is refused, but might well hold an answer: a person should look at the best of it."""
        return self.answerable is False and (self.answerability or 0.0) >= UNSURE

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            **({} if self.read_as is None else {"read_as": self.read_as}),
            **({} if self.question_cut is None else {"question_cut": self.question_cut}),
            "model": self.model,
            "answerable": self.answerable,
            "answerability": self.answerability,
            **({"unsure": True} if self.unsure else {}),
            "threshold": self.threshold,
            **({"empty": self.empty} if self.empty else {}),
            **({"warnings": list(self.warnings)} if self.warnings else {}),
            **({} if self.figures is None else {"figures": [asdict(figure) for figure in self.figures]}),
            "results": [result.to_dict() for result in self.results],
        }


@dataclass(frozen=True)
class Answers(Ranking[Passage]):
    """What was found in documents: of `passages` sentences and entries in all, `read` were read by the model."""

    passages: int = field(default=0, kw_only=True)
    read: int = field(default=0, kw_only=True)

    @classmethod
    def of(cls, ranking: Ranking[Result], found: Sequence[Passage], *, passages: int, read: int) -> Answers:
        """A ranking of passages, with what was found in place of its results."""
        return cls(**{**own_fields(ranking, Ranking), "results": tuple(found)}, passages=passages, read=read)

    def to_dict(self) -> dict[str, Any]:
        record = super().to_dict()
        results = record.pop("results")
        return {**record, "passages": self.passages, "read": self.read, "results": results}


def own_fields(value: Any, kind: type) -> dict[str, Any]:
    """As they are, and not as copies."""
    return {one.name: getattr(value, one.name) for one in fields(kind)}


def fold(results: Sequence[Kind]) -> list[Kind]:
    """Each result with the positions of its near-duplicates, which are left out, in the order of the ranking."""
    heads = representatives([result.text for result in results])
    folded: defaultdict[int, list[int]] = defaultdict(list)
    for result, head in zip(results, heads, strict=True):
        folded[head].append(result.index)
    return [replace(results[head], duplicates=tuple(others)) for head, (_, *others) in sorted(folded.items())]


def gather(results: Sequence[Kind], clusters: Sequence[int]) -> list[Kind]:
    """Each result with its group; groups in the order of their best results, which come first in them."""
    numbered = [replace(result, cluster=cluster) for result, cluster in zip(results, clusters, strict=True)]
    return sorted(numbered, key=lambda result: result.cluster or 0)  # stable: best first within a group
