"""Answer triggering question by question, to compare with the sweep over all thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anselm.metrics.triggering import Triggering


def triggering(lists: Iterable[tuple[Sequence[float], Sequence[float]]], threshold: float) -> Triggering:
    questions = answerable = answered = right = 0
    for labels, scores in lists:
        questions += 1
        answerable += any(label > 0 for label in labels)
        if len(scores) and max(scores) >= threshold:
            answered += 1
            right += all(label > 0 for label, score in zip(labels, scores, strict=True) if score == max(scores))
    return Triggering(threshold, questions, answerable, answered, right)
