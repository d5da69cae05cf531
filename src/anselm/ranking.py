"""A ranking: candidates, or sentences of documents, in their places, and near-duplicates folded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anselm.duplicates import representatives
from anselm.explaining import Explanation


@dataclass(frozen=True)
class Result:
    """A candidate in its place: `index` is its position in the input, `id` the one that came with it, if any.

    On request, `duplicates` are the positions of its near-duplicates, which are no results of their own then, `cluster`
    is the number of its group of similar answers, and `explanation` says which words carried its score.
    """

    index: int
    text: str
    score: float
    probability: float
    id: str | None = None
    duplicates: tuple[int, ...] | None = field(default=None, kw_only=True)
    cluster: int | None = field(default=None, kw_only=True)
    explanation: Explanation | None = field(default=None, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Passage(Result):
    """A sentence that was found: its characters and its first line in the source, and the sentences beside it."""

    source: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Ranking:
    """Results best first. `answerable` says whether the best one's probability reaches the threshold."""

    question: str
    model: str
    answerable: bool
    threshold: float
    results: tuple[Result, ...]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @property
    def best(self) -> Result | None:
        """The best answer, or None where there is none."""
        return self.results[0] if self.answerable else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "model": self.model,
            "answerable": self.answerable,
            "threshold": self.threshold,
            "results": [result.to_dict() for result in self.results],
        }


def fold(results: Sequence[Result]) -> list[Result]:
    """Each result with the positions of its near-duplicates, which are left out, in the order of the ranking."""
    heads = representatives([result.text for result in results])
    folded: defaultdict[int, list[int]] = defaultdict(list)
    for result, head in zip(results, heads, strict=True):
        folded[head].append(result.index)
    return [replace(results[head], duplicates=tuple(others)) for head, (_, *others) in sorted(folded.items())]


def gather(results: Sequence[Result], clusters: Sequence[int]) -> list[Result]:
    """Each result with its group; groups in the order of their best results, which come first in them."""
    numbered = [replace(result, cluster=cluster) for result, cluster in zip(results, clusters, strict=True)]
    return sorted(numbered, key=lambda result: result.cluster or 0)  # stable: best first within a group
