"""What a verdict is worth, family by family, each source judged by a fit without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anselm.data.question import DOCUMENTS, ENTRIES, SENTENCES, TEXTS
from anselm.metrics.calibration import Calibration, Verdict
from anselm.metrics.logistic import FloatArray
from anselm.metrics.reliability import reliability
from anselm.train.beliefs import Scored

ORDER = (ENTRIES, DOCUMENTS, SENTENCES, TEXTS)
MIXTURES, PASSAGES = "mixtures", "passages"
NAMES = {
    "short documents": "4 to 22 sentences of the documents",
    MIXTURES: "entries and sentences together",
    PASSAGES: "passages of 100 to 400 words",
}
KINDS = ("answerable", "unanswerable", "removed")
BOUNDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)


@dataclass(frozen=True)
class Picture:
    """What fits without their sources said of the lists of one family."""

    probabilities: FloatArray  # of candidates
    relevant: FloatArray
    sure: FloatArray  # of lists
    answerable: FloatArray


@dataclass(frozen=True)
class Judged:
    """One list, and whether it is one whose answers were taken out."""

    family: str
    source: str
    scored: Scored
    removed: bool

    @property
    def kind(self) -> str:
        return "answerable" if self.scored.answerable else "removed" if self.removed else "unanswerable"

    @property
    def kind_of_text(self) -> str:
        return TEXTS if self.family == MIXTURES else self.scored.question.kind

    @property
    def name(self) -> str:
        """As a reader of the table would call it."""
        few = {ENTRIES: "1 to 5 of the entries", TEXTS: "1 to 5 of the answers"}
        return few[self.kind_of_text] if self.family == "few candidates" else NAMES.get(self.family, self.family)

    def right_first(self, verdict: Verdict) -> bool:
        """By its score; of two kinds in one list by its probability, as a ranking has it."""
        first = np.argmax(verdict.probabilities if verdict.kinds > 1 else self.scored.scores)
        return bool(self.scored.labels[first] > 0)

    def verdict(self, fits: Mapping[str, Calibration]) -> Verdict:
        return fits[self.source].judge(self.scored.question, self.scored.scores)


def table(lists: Sequence[Judged], fits: Mapping[str, Calibration]) -> str:
    """`fits`: without each source. A row for each source of each family, entries first, then sentences, then texts."""
    named: dict[tuple[str, str], list[Judged]] = {}
    for one in sorted(lists, key=lambda one: ORDER.index(one.kind_of_text)):
        named.setdefault((one.name, one.source), []).append(one)
    families = list(dict.fromkeys(family for family, _ in named))
    rows = sorted(named, key=lambda place: families.index(place[0]))
    return "\n".join(["", *(row(*place, named[place], fits) for place in rows), ""])


def row(family: str, source: str, lists: Sequence[Judged], fits: Mapping[str, Calibration]) -> str:
    verdicts = [one.verdict(fits) for one in lists]
    sure = np.array([one.answerability for one in verdicts])
    answered = {kind: sure[[one.kind == kind for one in lists]] >= 0.5 for kind in KINDS}
    whole = [(one, verdict) for one, verdict in zip(lists, verdicts, strict=True) if not one.removed]
    pairs = np.concatenate([verdict.probabilities for _, verdict in whole])
    error = reliability(pairs, np.concatenate([one.scored.labels for one, _ in whole])).error
    right = np.mean([one.right_first(verdict) for one, verdict in whole if one.scored.answerable])
    cells = [f"{right:.2f}", *(spell(kind, answered[kind]) for kind in KINDS), f"{error:.3f}"]
    return f"| {family} | {source} | {' | '.join(cells)} |"


def spell(kind: str, answered: FloatArray) -> str:
    """The share that is wrong, and of how many: refused where there is an answer, answered where there is none."""
    wrong = ~answered if kind == "answerable" else answered
    return f"{wrong.mean():.2f} ({len(wrong)})" if len(wrong) else "-"


def pictures(lists: Sequence[Judged], fits: Mapping[str, Calibration]) -> dict[str, Picture]:
    """The lists of each family, those whose answers were taken out among them."""
    found = {}
    for family in dict.fromkeys(one.family for one in lists):
        own = [one for one in lists if one.family == family]
        verdicts = [one.verdict(fits) for one in own]
        came = [(one, verdict) for one, verdict in zip(own, verdicts, strict=True) if not one.removed]
        found[family] = Picture(
            np.concatenate([verdict.probabilities for _, verdict in came]),
            np.concatenate([one.scored.labels > 0 for one, _ in came]).astype(float),
            np.array([verdict.answerability for verdict in verdicts]),
            np.array([float(one.scored.answerable) for one in own]),
        )
    return found


def doubts(lists: Sequence[Judged], fits: Mapping[str, Calibration]) -> str:
    """Of lists as they came that are refused: how often the best is right from a bound on and below it, by family."""
    rows = []
    for family in dict.fromkeys(one.family for one in lists):
        came = [one for one in lists if one.family == family and not one.removed]
        verdicts = [one.verdict(fits) for one in came]
        sure = np.array([verdict.answerability for verdict in verdicts])
        right = np.array([one.right_first(verdict) for one, verdict in zip(came, verdicts, strict=True)])
        cells = [doubt(sure, right, bound) for bound in BOUNDS]
        rows.append(f"| {family} | {' | '.join(cells)} |")
    return "\n".join([f"| | {' | '.join(map(str, BOUNDS))} |", *rows, ""])


def doubt(sure: FloatArray, right: FloatArray, bound: float) -> str:
    """How often right from the bound on, and below; in brackets, how many of the refused are from the bound on."""
    above, below = (sure < 0.5) & (sure >= bound), sure < bound
    shares = "/".join(f"{right[some].mean():.2f}" if some.any() else "-" for some in (above, below))
    return f"{shares} ({above.sum() / max(1, above.sum() + below.sum()):.2f})"
