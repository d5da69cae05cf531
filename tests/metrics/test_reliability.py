"""Calibration error and log loss by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import InputError
from anselm.metrics.reliability import log_loss, reliability


def test_reliability_by_hand() -> None:
    table = reliability([0.0, 0.1, 0.3, 0.5, 0.5, 1.0], [0, 1, 0, 1, 1, 1], bins=4)
    assert table.counts.tolist() == [2, 1, 2, 1]
    assert table.confidence == pytest.approx([0.05, 0.3, 0.5, 1.0])
    assert table.accuracy.tolist() == [0.5, 0, 1, 1]


def test_calibration_error_by_hand() -> None:
    # Bins of the table above: gaps 0.45, 0.3, 0.5, 0 weighed by 2, 1, 2, 1.
    found = reliability([0.0, 0.1, 0.3, 0.5, 0.5, 1.0], [0, 1, 0, 1, 1, 1], bins=4).error
    assert found == pytest.approx((2 * 0.45 + 0.3 + 2 * 0.5) / 6)
    assert reliability([0.0, 1.0], [0, 1]).error == 0.0


def test_an_empty_bin_has_no_mean() -> None:
    table = reliability([0.1], [1], bins=2)
    assert table.counts.tolist() == [1, 0]
    assert np.isnan([table.confidence[1], table.accuracy[1]]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliability([0.5, 1.5], [0, 1]), "probability 1 of 2 is 1.5, outside of 0 to 1"),
        (lambda: reliability([0.5], [1], bins=0), "at least 1 bin, not 0"),
        (lambda: log_loss([0.5, 0.5], [1]), "one probability per label and at least one; 2 and 1 were given"),
    ],
)
def test_what_cannot_be_measured_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.integers(0, 1)), min_size=1))
def test_log_loss_is_the_mean_log_probability_of_what_happened(pairs: list[tuple[float, int]]) -> None:
    probabilities, labels = [p for p, _ in pairs], [label for _, label in pairs]
    expected = -sum(math.log(p if label else 1 - p) for p, label in pairs) / len(pairs)
    assert log_loss(probabilities, labels) == pytest.approx(expected)


def test_a_probability_that_rounding_made_certain_costs_much_but_not_everything() -> None:
    assert log_loss([0.0, 1.0], [1, 1]) == pytest.approx(-math.log(1e-15) / 2)
    assert log_loss([0.0, 1.0], [0, 1]) == 0.0
