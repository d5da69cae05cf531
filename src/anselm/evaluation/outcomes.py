"""What became of each question: the candidate that came first, and what was believed of its list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from anselm.data.question import Candidate, Question
from anselm.metrics.calibration import Verdict
from anselm.metrics.ties import Ties, rank
from anselm.scorer import Scores


@dataclass(frozen=True)
class Outcome:
    """Whether any candidate of its list is relevant, which one came first, and the verdict on the list.

    `first` is None where a run has no candidates for the question, `verdict` where there is no calibration.
    """

    question: str
    any_relevant: bool
    first: Candidate | None
    verdict: Verdict | None = None

    def to_dict(self) -> dict[str, Any]:
        """Without what is not known: judgements and runs have ids, and no texts."""
        found: dict[str, Any] = {"question": self.question or None, "any_relevant": self.any_relevant}
        if (first := self.first) is not None:
            found |= {"first_id": first.id, "first_text": first.text or None, "first_relevant": first.relevant}
        if self.verdict is not None:
            found |= {"answerable": self.verdict.answerable, "answerability": self.verdict.answerability}
        return {name: value for name, value in found.items() if value is not None}


def find_outcomes(
    questions: Sequence[Question], scores: Sequence[Scores], ties: Ties, verdicts: Sequence[Verdict] | None = None
) -> list[Outcome]:
    """The first is that of the metrics: equal scores are ordered by the same rule."""
    believed = repeat(None, len(questions)) if verdicts is None else verdicts
    return [
        Outcome(question.text, any(label > 0 for label in question.labels), _first(question, row, ties), verdict)
        for question, row, verdict in zip(questions, scores, believed, strict=True)
    ]


def _first(question: Question, scores: Scores, ties: Ties) -> Candidate | None:
    order = rank(scores, question.labels, [candidate.id for candidate in question.candidates], ties)
    return question.candidates[order[0]] if len(order) else None
