"""From scores to what a person may believe: is this candidate right, and does this list hold an answer at all?

The two are asked apart. Of a list of forum comments half may be right; of a FAQ's forty entries one is, or none.

    P(candidate is right)     a logistic function of its score, of how far it lies below the best, and of the question
    P(list holds an answer)   a logistic function of the best score, of how far it stands out, and of the list

metrics/evidence.py says what the numbers are; their weights are stored in `calibration.json` by their names. Entries
of a FAQ, which are matched on question and answer, sentences, which are all on one topic, and sentences of documents,
which are compared by their paragraphs, have weights of their own. Where a list has two kinds, each is judged as a list
by itself, the two beliefs are weighed (`mixed`), and a candidate is the likelier, the likelier it is that its kind
holds an answer (`mixed_candidate`). A calibration without weights for lists (one that was made before there were any)
goes by the probability of the best candidate, and one without weights for two kinds by the higher belief.

Where only a score is known, its sigmoid is fitted with Platt's targets (1999) in place of 0 and 1: with N+ relevant and
N- irrelevant candidates they are 1 / (N- + 2) and (N+ + 1) / (N+ + 2), so that the fit stays finite also where a score
separates the two completely.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anselm.data.question import DOCUMENTS, ENTRIES, SENTENCES, TEXTS, Question
from anselm.errors import FormatError, InputError
from anselm.files import write_atomically
from anselm.metrics.evidence import (
    OF_BESIDE,
    OF_CANDIDATE,
    OF_KINDS,
    OF_LIST,
    beside_evidence,
    candidate_evidence,
    kinds_evidence,
    list_evidence,
)
from anselm.metrics.logistic import FloatArray, Logistic, fit_logistic
from anselm.metrics.reliability import matched
from anselm.saved_json import read_saved

MIXED, MIXED_CANDIDATE = "mixed", "mixed_candidate"
OTHERS = (ENTRIES, SENTENCES, DOCUMENTS)  # kinds that there need not be beliefs about


@dataclass(frozen=True)
class Verdict:
    """What is believed of one list. `answerability` is the probability that it holds an answer at all."""

    probabilities: FloatArray  # of each candidate, to be right
    answerability: float
    answerable: bool
    kinds: int = 1  # of candidates, each judged by itself: scores of one do not compare with those of another


@dataclass(frozen=True)
class Beliefs:
    """Weights for one kind of candidates; `background` is what an arbitrary text scores."""

    candidate: Logistic
    list: Logistic | None = None
    background: float = 0.0

    def probabilities(self, scores: ArrayLike, question: str) -> FloatArray:
        """0 for what cannot be right: an empty candidate, whose score is minus infinity."""
        values = np.asarray(scores, dtype=np.float64)
        usable = values > -np.inf
        found = np.zeros(len(values))
        if usable.any():
            found[usable] = self.candidate.probability(candidate_evidence(values[usable], question, self.background))
        return found

    def answerability(self, scores: ArrayLike, question: str) -> float:
        if not np.any(np.asarray(scores) > -np.inf):
            return 0.0
        if self.list is None:
            return float(self.probabilities(scores, question).max())
        return float(self.list.probability(list_evidence(scores, question, self.background))[0])

    def to_dict(self) -> dict[str, Any]:
        lists = {} if self.list is None else {"list": self.list.to_dict()}
        return {"candidate": self.candidate.to_dict(), **lists, "background": self.background}

    @classmethod
    def from_dict(cls, record: Any) -> Beliefs:
        candidate = Logistic.from_dict(record["candidate"], OF_CANDIDATE)
        if not rises(candidate):
            raise ValueError("with a negative weight a better score would be less probable")
        background = float(record.get("background", 0.0))
        if not np.isfinite(background):
            raise ValueError("a number in it is not finite")
        lists = Logistic.from_dict(record["list"], OF_LIST) if "list" in record else None
        return cls(candidate, lists, background)


@dataclass(frozen=True)
class Calibration:
    """Beliefs about each kind of candidates; from which answerability on a list is answered.

    What there are no beliefs about is judged as texts are, what stands in documents as sentences are. `mixed` weighs
    the beliefs about both kinds of a list, and `mixed_candidate` those about a candidate of it and about its kind.
    """

    texts: Beliefs
    threshold: float
    fitted_on: str = ""
    entries: Beliefs | None = None
    sentences: Beliefs | None = None
    documents: Beliefs | None = None
    mixed: Logistic | None = None
    mixed_candidate: Logistic | None = None

    def with_threshold(self, threshold: float) -> Calibration:
        if type(threshold) not in (int, float) or not 0 <= threshold <= 1:
            raise InputError(f"a threshold is a number from 0 to 1, not {threshold!r:.60}")
        return replace(self, threshold=float(threshold))

    def judge(self, question: Question, scores: FloatArray) -> Verdict:
        values, probabilities, kinds = np.asarray(scores), np.zeros(len(scores)), self.kinds(question)
        sure = [beliefs.answerability(values[places], question.text) for beliefs, places in kinds]
        for (beliefs, places), one in zip(kinds, sure, strict=True):
            alone = beliefs.probabilities(values[places], question.text)
            probabilities[places] = alone if len(kinds) == 1 else self._among_others(alone, one)
        whole = self._weighed(sure)
        if len(kinds) > 1 and (most := probabilities.max(initial=0.0)) > whole:
            probabilities *= whole / most  # no candidate is likelier than an answer at all
        return Verdict(probabilities, whole, whole >= self.threshold, len(sure))

    def calls_relevant(self, question: Question, scores: FloatArray) -> NDArray[np.bool_]:
        """What is more probably right than not; or, where one sigmoid is all there is, what reaches the threshold."""
        values, found, kinds = np.asarray(scores), np.zeros(len(scores), dtype=bool), self.kinds(question)
        if len(kinds) > 1:
            return np.asarray(self.judge(question, scores).probabilities >= 0.5)
        for beliefs, places in kinds:
            least = self.threshold if beliefs.list is None else 0.5
            found[places] = beliefs.probabilities(values[places], question.text) >= least
        return found

    def kinds(self, question: Question) -> list[tuple[Beliefs, NDArray[np.intp]]]:
        """The beliefs for its candidates, or, where it has entries and sentences, for either; each with their places.

        A text that is neither goes with the first kind that there is.
        """
        own = question.kind
        kind = np.array([one.kind if one.kind != TEXTS else own for one in question.candidates])
        found = [(self.of(one), np.flatnonzero(kind == one)) for one in dict.fromkeys([own, *kind.tolist()])]
        if len({id(beliefs) for beliefs, _ in found}) < len(found):  # there is no difference between its kinds
            return [(self.of(own), np.arange(len(kind)))]
        return found

    def of(self, kind: str) -> Beliefs:
        own = self.beliefs.get(kind) or (self.sentences if kind == DOCUMENTS else None)
        return own or self.texts

    @property
    def beliefs(self) -> dict[str, Beliefs]:
        """Those that there are, by the kind of candidates."""
        found = {TEXTS: self.texts, ENTRIES: self.entries, SENTENCES: self.sentences, DOCUMENTS: self.documents}
        return {kind: one for kind, one in found.items() if one}

    def _weighed(self, sure: Sequence[float]) -> float:
        if len(sure) == 1 or self.mixed is None:
            return max(sure)
        return float(self.mixed.probability(kinds_evidence(sure))[0])

    def _among_others(self, probabilities: FloatArray, sure: float) -> FloatArray:
        """Of the candidates of one kind beside another kind, by how sure it is that this one holds an answer."""
        if self.mixed_candidate is None:
            return probabilities
        found, usable = np.zeros(len(probabilities)), probabilities > 0
        found[usable] = self.mixed_candidate.probability(beside_evidence(probabilities[usable], sure))
        return found

    def save(self, path: Path) -> None:
        known = {kind: one.to_dict() for kind, one in self.beliefs.items()}
        weights = {MIXED: self.mixed, MIXED_CANDIDATE: self.mixed_candidate}
        known |= {name: one.to_dict() for name, one in weights.items() if one}
        with write_atomically(path) as file:
            file.write(json.dumps({**known, "threshold": self.threshold, "fitted_on": self.fitted_on}, indent=2) + "\n")

    @classmethod
    def load(cls, path: Path) -> Calibration:
        record = read_saved(path)
        try:
            threshold = float(record["threshold"])
            if not np.isfinite(threshold):
                raise ValueError("a number in it is not finite")
            texts = Beliefs.from_dict(record[TEXTS] if TEXTS in record else _first_form(record))
            entries, sentences, documents = (
                Beliefs.from_dict(record[kind]) if kind in record else None for kind in OTHERS
            )
            mixed, candidate = (
                Logistic.from_dict(record[name], known) if name in record else None
                for name, known in ((MIXED, OF_KINDS), (MIXED_CANDIDATE, OF_BESIDE))
            )
            if candidate and candidate.weights.get("candidate", 0.0) < 0:
                raise ValueError("with a negative weight a more probable candidate would be less probable")
            about = str(record.get("fitted_on", ""))
            return cls(texts, threshold, about, entries, sentences, documents, mixed, candidate)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(path, f"not a calibration as Anselm writes it ({error})") from None


def _first_form(record: Any) -> dict[str, Any]:
    """As it was written at first: one sigmoid of the score."""
    return {"candidate": {"intercept": record["intercept"], "score": record["slope"]}}


def rises(candidate: Logistic) -> bool:
    """Whether a better score is never less probable, all else being equal."""
    return sum(candidate.weights.get(name, 0.0) for name in ("score", "below_best", "lift")) >= 0


def fit_platt(scores: ArrayLike, labels: ArrayLike) -> Logistic:
    """The sigmoid of a score."""
    values, relevant = matched("score", scores, labels)
    return fit_logistic({"score": values}, platt_targets(relevant))


def platt_targets(relevant: ArrayLike) -> FloatArray:
    right = np.asarray(relevant, dtype=bool)
    positives = int(right.sum())
    return np.where(right, (positives + 1) / (positives + 2), 1 / (right.size - positives + 2))
