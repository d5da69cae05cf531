"""Fit a tier's probabilities and its verdict, and judge them on each source that was left out of the fit.

    python -m tools.default_model.calibrate_default CHECKPOINT [--scores FILE.npz] [--write] [--table FILE.md]

Every family counts as Weights say, every source of a family the same but for some writers of documents, and lists with
and without an answer the same. Lists without an answer are those that came without one and those whose answers were
taken out; where a source has both, the former count twice as much. What people bring, documents long and short, counts
more than corpora of sentences, whose questions without an answer are met by sentences of the right article. Lists of
two kinds of candidates teach how the beliefs about either are weighed, and nothing else. Passages are judged, and teach
nothing: with them the fit came out the same (docs/lab/2026-11-18-long-passages.md). Needs ANSELM_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from anselm.checkpoints.checkpoint import CALIBRATION, Checkpoint
from anselm.checkpoints.checksums import renew_checksums
from anselm.data.question import DOCUMENTS, ENTRIES, SENTENCES, TEXTS
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.evidence import OF_CANDIDATE, beside_evidence, candidate_evidence, kinds_evidence, stack
from anselm.metrics.logistic import FloatArray, Logistic, fit_logistic
from anselm.ranking.scorers import load_scorer
from anselm.scorer import Scorer, score_lists
from anselm.train.beliefs import FEWEST, Scored, usual_score
from tools.default_model.kept_scores import kept_scorer
from tools.default_model.verdict_lists import Part, all_parts
from tools.default_model.verdict_table import MIXTURES, PASSAGES, Judged, doubts, pictures, table

DOCUMENT_FAMILIES = ("documents", "short documents")


@dataclass(frozen=True)
class Weights:
    """How much a family counts, where it is not 1: in the fit of verdicts and in that of candidates."""

    lists: Mapping[str, float]
    pairs: Mapping[str, float]
    writers: Mapping[str, float] = field(default_factory=dict)  # of documents


CORPORA = {
    "wikiqa": 0.7, "squad": 0.7, "pools": 0.5, "trecqa": 0.3, "insuranceqa": 0.3, "forum threads": 0.2,
    "faq answers": 3.0,
}  # fmt: skip
USUAL = Weights(
    {**CORPORA, "documents": 2.0, "short documents": 4.0},
    {**CORPORA, "documents": 2.0},
    {"d": 3.0, "e": 3.0},  # who asked as people do in a log; the others, in other words than the answer's
)
# A sentence whose document is not known. What stands in documents has beliefs of its own, and helps a little here.
OF_SENTENCES = Weights(
    {**CORPORA, **dict.fromkeys(DOCUMENT_FAMILIES, 0.5)},
    {**CORPORA, **dict.fromkeys(DOCUMENT_FAMILIES, 0.5), "wikiqa": 2.0},
)
EVIDENCE = ("best", "lift", "topic", "candidates", "question_words")
FITTED_ON = "hand-written FAQs and documents, wikiqa, trecqa, squad, insuranceqa-text and semeval dev"
PULL = 0.003  # towards weights of 0, of a loss whose shares sum to about 10


def main() -> None:
    options = parse()
    parts = all_parts()
    scorer = (
        kept_scorer(options.scores, parts, Checkpoint.read(options.checkpoint))
        if options.scores
        else load_scorer(options.checkpoint)
    )
    lists = [one for part in parts if part.family not in options.without for one in judged(part, scorer)]
    fits = {source: fit([one for one in lists if one.source != source]) for source in {one.source for one in lists}}
    found = table(lists, fits) + doubts(lists, fits)
    print(found)  # noqa: T201
    if options.table:
        options.table.write_text(found, encoding="utf-8")
    if options.picture:
        from tools.default_model.verdict_plot import draw

        draw(pictures(lists, fits), options.picture)
    if options.write:
        with renew_checksums(options.checkpoint, CALIBRATION):
            fit(lists).save(options.checkpoint / CALIBRATION)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--scores", type=Path, help="what teaching/tier_scores.py wrote, in place of reading all")
    parser.add_argument("--without", nargs="*", default=[], metavar="FAMILY", help="that there are no scores of")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--picture", type=Path, help="needs matplotlib")
    return parser.parse_args()


def judged(part: Part, scorer: Scorer) -> list[Judged]:
    scores = score_lists(scorer, part.questions)
    lists = [Scored(question, row) for question, row in zip(part.questions, scores, strict=True)]
    taken = [one.without_answer() for one in lists if one.answerable and (one.labels <= 0).sum() >= FEWEST]
    found = [Judged(part.family, part.source, one, False) for one in lists]
    return found + [Judged(part.family, part.source, one, True) for one in taken if part.removable]


def fit(lists: Sequence[Judged]) -> Calibration:
    """Entries have scores of their own, and so an own background; all other texts have that of answers."""
    plain = [one for one in lists if one.family not in (MIXTURES, PASSAGES)]
    texts, entries, sentences, documents = (
        [one for one in plain if one.scored.question.kind == kind] for kind in (TEXTS, ENTRIES, SENTENCES, DOCUMENTS)
    )
    arbitrary = usual_score([one.scored for one in texts if one.family == "faq answers" and not one.removed])
    own = usual_score([one.scored for one in entries if not one.removed])
    apart = Calibration(
        fit_beliefs(texts, arbitrary), 0.5, FITTED_ON,
        entries=fit_beliefs(entries, own),
        sentences=fit_beliefs([*sentences, *documents], arbitrary, OF_SENTENCES),
        documents=fit_beliefs(documents, arbitrary),
    )  # fmt: skip
    mixed = [one for one in lists if one.family == MIXTURES]
    if not mixed:
        return apart
    return replace(apart, mixed=fit_mixed(mixed, apart), mixed_candidate=fit_mixed_candidates(mixed, apart))


def fit_beliefs(lists: Sequence[Judged], background: float, weights: Weights = USUAL) -> Beliefs:
    return Beliefs(fit_candidates(lists, background, weights), fit_verdict(lists, background, weights), background)


def fit_mixed(lists: Sequence[Judged], apart: Calibration) -> Logistic:
    """How much the beliefs about either kind count."""
    rows = []
    for one in lists:
        scores, text = one.scored.scores, one.scored.question.text
        kinds = apart.kinds(one.scored.question)
        rows.append(kinds_evidence([beliefs.answerability(scores[places], text) for beliefs, places in kinds]))
    return fit_logistic(stack(rows), answerable(lists), shares_of(lists), pull=PULL)


def fit_mixed_candidates(lists: Sequence[Judged], apart: Calibration) -> Logistic:
    """How much it counts for a candidate what is believed of its kind; on the lists as they came."""
    rows, targets, shares = [], [], []
    whole = [one for one in lists if not one.removed]
    sizes = {
        source: sum(len(one.scored.labels) for one in whole if one.source == source) for source in sources_of(whole)
    }
    for one in whole:
        scores, text = one.scored.scores, one.scored.question.text
        for beliefs, places in apart.kinds(one.scored.question):
            alone = beliefs.probabilities(scores[places], text)
            rows.append(beside_evidence(alone, beliefs.answerability(scores[places], text)))
            targets.append((one.scored.labels[places] > 0).astype(np.float64))
            shares.append(np.full(len(places), 1 / sizes[one.source]))
    return fit_logistic(stack(rows), np.concatenate(targets), np.concatenate(shares), pull=PULL)


def sources_of(lists: Sequence[Judged]) -> set[str]:
    return {one.source for one in lists}


def fit_verdict(lists: Sequence[Judged], background: float, weights: Weights) -> Logistic:
    rows = stack([one.scored.evidence(background) for one in lists])
    known = {name: rows[name] for name in EVIDENCE}
    return fit_logistic(known, answerable(lists), shares_of(lists, weights), pull=PULL)


def answerable(lists: Sequence[Judged]) -> FloatArray:
    return np.array([float(one.scored.answerable) for one in lists])


def fit_candidates(lists: Sequence[Judged], background: float, weights: Weights) -> Logistic:
    """On the lists as they came; the pairs of each source count the same."""
    whole = [one for one in lists if not one.removed]
    rows = stack([candidate_evidence(one.scored.scores, one.scored.question.text, background) for one in whole])
    targets = np.concatenate([(one.scored.labels > 0).astype(np.float64) for one in whole])
    sources = [(one.family, one.source) for one in whole for _ in one.scored.labels]
    counts = {source: sources.count(source) for source in set(sources)}
    shares = np.array([weights.pairs.get(source[0], 1.0) / counts[source] for source in sources])
    return fit_logistic({name: rows[name] for name in OF_CANDIDATE}, targets, shares, pull=PULL)


def shares_of(lists: Sequence[Judged], weights: Weights = USUAL) -> FloatArray:
    """See the top of the file."""
    places = [(one.family, one.source, one.kind) for one in lists]
    counts = {place: places.count(place) for place in set(places)}
    sources = {family: len({place[1] for place in counts if place[0] == family}) for family, _, _ in counts}

    def share(family: str, source: str, kind: str) -> float:
        heeded = weights.writers.get(source, 1.0) if family in DOCUMENT_FAMILIES else 1.0
        whole = weights.lists.get(family, 1.0) * heeded / sources[family]
        if kind != "answerable" and {(family, source, "removed"), (family, source, "unanswerable")} <= counts.keys():
            whole *= 2 / 3 if kind == "unanswerable" else 1 / 3
        return whole / counts[family, source, kind]

    by_place = {place: share(*place) for place in counts}
    return np.array([by_place[place] for place in places])


if __name__ == "__main__":
    main()
