"""Refused, though answerable; answered, though not: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from anselm.errors import InputError
from anselm.metrics.misjudgements import Misjudgements, count_misjudgements


def test_both_ways_to_be_wrong() -> None:
    """Of three with an answer the second is refused; of two without, the last is answered."""
    found = count_misjudgements([True, True, True, False, False], [True, False, True, False, True])
    assert found == Misjudgements(answerable=3, refused=1, unanswerable=2, answered_anyway=1)
    assert found.to_dict() == {
        "answerable": 3, "refused": 1, "unanswerable": 2, "answered_anyway": 1,
        "share_refused": 1 / 3, "share_answered_anyway": 1 / 2,
    }  # fmt: skip


def test_of_one_kind_alone_the_other_share_is_not_known() -> None:
    asked = count_misjudgements(np.ones(4, dtype=bool), np.array([True, False, False, False]))
    assert (asked.share_refused, asked.share_answered_anyway) == (0.75, None)
    others = count_misjudgements([False] * 2, [False] * 2)
    assert (others.share_refused, others.share_answered_anyway) == (None, 0.0)
    assert count_misjudgements([], []) == Misjudgements(0, 0, 0, 0)


def test_there_is_a_verdict_for_each_question() -> None:
    with pytest.raises(InputError, match="one verdict per question; 2 verdicts, 1 questions"):
        count_misjudgements([True], [True, False])
