"""Fit the default model's probabilities and its verdict, and judge them on each source that was left out of the fit.

    python -m tools.default_model.calibrate_default CHECKPOINT [--write] [--table FILE.md]

Every family counts as WEIGHTS says, every source of a family the same, and lists with and without an answer the same.
Lists without an answer are those that came without one and those whose answers were taken out; where a source has both,
the former count twice as much. What people bring, documents long and short, counts more than corpora of sentences,
whose questions without an answer are met by sentences of the right article. Needs ANSELM_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anselm.checkpoints.checksums import renew_checksums
from anselm.data.question import ENTRIES, SENTENCES, TEXTS
from anselm.experiments.recalibration import CALIBRATION
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.evidence import OF_CANDIDATE, candidate_evidence, stack
from anselm.metrics.logistic import FloatArray, Logistic, fit_logistic
from anselm.metrics.reliability import reliability
from anselm.ranking.scorers import load_scorer
from anselm.scorer import Scorer, score_lists
from anselm.train.beliefs import FEWEST, Scored, usual_score
from tools.default_model.verdict_lists import Part, all_parts

WEIGHTS = {
    "faq answers": 3.0, "documents": 2.0, "short documents": 4.0, "wikiqa": 0.7, "squad": 0.7, "pools": 0.5,
    "trecqa": 0.3, "insuranceqa": 0.3, "forum threads": 0.2,
}  # where it is not 1  # fmt: skip
EVIDENCE = ("best", "lift", "topic", "candidates", "question_words")
PULL = 0.003  # towards weights of 0, of a loss whose shares sum to about 10


@dataclass(frozen=True)
class Judged:
    """One list, how much it counts, and whether it is one whose answers were taken out."""

    family: str
    source: str
    scored: Scored
    removed: bool

    @property
    def kind(self) -> str:
        return "answerable" if self.scored.answerable else "removed" if self.removed else "unanswerable"


def main() -> None:
    options = parse()
    scorer = load_scorer(options.checkpoint)
    lists = [one for part in all_parts() for one in judged(part, scorer)]
    arbitrary = usual_score([one.scored for one in lists if one.family == "faq answers" and not one.removed])
    kinds = {kind: [one for one in lists if one.scored.question.kind == kind] for kind in (ENTRIES, SENTENCES, TEXTS)}
    table = "\n".join(["", *(row for some in kinds.values() for row in left_out(some, arbitrary))])
    print(table)  # noqa: T201
    if options.table:
        options.table.write_text(table, encoding="utf-8")
    entries, sentences, texts = (fit(some, arbitrary) for some in kinds.values())
    if options.write:
        fitted_on = "hand-written FAQs and documents, wikiqa, trecqa, squad, insuranceqa-text and semeval dev"
        with renew_checksums(options.checkpoint, CALIBRATION):
            Calibration(texts, 0.5, fitted_on, entries, sentences).save(options.checkpoint / CALIBRATION)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", type=Path)
    return parser.parse_args()


def judged(part: Part, scorer: Scorer) -> list[Judged]:
    scores = score_lists(scorer, part.questions)
    lists = [Scored(question, row) for question, row in zip(part.questions, scores, strict=True)]
    taken = [one.without_answer() for one in lists if one.answerable and (one.labels <= 0).sum() >= FEWEST]
    found = [Judged(part.family, part.source, one, False) for one in lists]
    return found + [Judged(part.family, part.source, one, True) for one in taken if part.removable]


def fit(lists: Sequence[Judged], arbitrary: float) -> Beliefs:
    """Entries have scores of their own, and so an own background; `arbitrary` is that of all other texts."""
    entries = lists[0].scored.question.kind == ENTRIES
    background = usual_score([one.scored for one in lists if not one.removed]) if entries else arbitrary
    return Beliefs(fit_candidates(lists, background), fit_verdict(lists, background), background)


def fit_verdict(lists: Sequence[Judged], background: float) -> Logistic:
    rows = stack([one.scored.evidence(background) for one in lists])
    targets = np.array([float(one.scored.answerable) for one in lists])
    return fit_logistic({name: rows[name] for name in EVIDENCE}, targets, shares_of(lists), pull=PULL)


def fit_candidates(lists: Sequence[Judged], background: float) -> Logistic:
    """On the lists as they came; the pairs of each source count the same."""
    whole = [one for one in lists if not one.removed]
    rows = stack([candidate_evidence(one.scored.scores, one.scored.question.text, background) for one in whole])
    targets = np.concatenate([(one.scored.labels > 0).astype(np.float64) for one in whole])
    sources = [(one.family, one.source) for one in whole for _ in one.scored.labels]
    counts = {source: sources.count(source) for source in set(sources)}
    shares = np.array([WEIGHTS.get(source[0], 1.0) / counts[source] for source in sources])
    return fit_logistic({name: rows[name] for name in OF_CANDIDATE}, targets, shares, pull=PULL)


def shares_of(lists: Sequence[Judged]) -> FloatArray:
    """See the top of the file."""
    places = [(one.family, one.source, one.kind) for one in lists]
    counts = {place: places.count(place) for place in set(places)}
    sources = {family: len({place[1] for place in counts if place[0] == family}) for family, _, _ in counts}

    def share(family: str, source: str, kind: str) -> float:
        whole = WEIGHTS.get(family, 1.0) / sources[family]
        if kind != "answerable" and {(family, source, "removed"), (family, source, "unanswerable")} <= counts.keys():
            whole *= 2 / 3 if kind == "unanswerable" else 1 / 3
        return whole / counts[family, source, kind]

    by_place = {place: share(*place) for place in counts}
    return np.array([by_place[place] for place in places])


def left_out(lists: Sequence[Judged], arbitrary: float) -> list[str]:
    """A row for each source of each family, by a fit without that source."""
    rows = []
    for family, source in dict.fromkeys((one.family, one.source) for one in lists):
        beliefs = fit([one for one in lists if one.source != source], arbitrary)
        own = [one for one in lists if (one.family, one.source) == (family, source)]
        sure = np.array([beliefs.answerability(one.scored.scores, one.scored.question.text) for one in own])
        answered = {kind: sure[[one.kind == kind for one in own]] >= 0.5 for kind in KINDS}
        whole = [one.scored for one in own if not one.removed]
        pairs = np.concatenate([beliefs.probabilities(one.scores, one.question.text) for one in whole])
        error = reliability(pairs, np.concatenate([one.labels for one in whole])).error
        right = np.mean([one.labels[np.argmax(one.scores)] > 0 for one in whole if one.answerable])
        cells = [f"{right:.2f}", *(spell(kind, answered[kind]) for kind in KINDS), f"{error:.3f}"]
        rows.append(f"| {family} | {source} | {' | '.join(cells)} |")
    return rows


KINDS = ("answerable", "unanswerable", "removed")


def spell(kind: str, answered: FloatArray) -> str:
    """The share that is wrong, and of how many: refused where there is an answer, answered where there is none."""
    wrong = ~answered if kind == "answerable" else answered
    return f"{wrong.mean():.2f} ({len(wrong)})" if len(wrong) else "-"


if __name__ == "__main__":
    main()
