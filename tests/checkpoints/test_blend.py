"""The settings of a general ranker; what it computes is tested in tests/runtime/test_blended.py."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from anselm.checkpoints.blend import Config
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.errors import FormatError

PATH = Path("config.json")


def read(settings: dict[str, Any]) -> Config:
    return Config.read(Checkpoint(PATH.parent, "general", settings))


def test_what_is_written_is_read() -> None:
    config = Config(96, 24, 180, 48, 2, (0.25, 3.0), (-0.5, 7.5), 0.2, True)
    assert read(asdict(config)) == config
    assert read({"blend": [1, 2], "entries": [0, 1.5]}) == Config(blend=(1.0, 2.0), entries=(0.0, 1.5))
    assert read({}) == Config()


@pytest.mark.parametrize("name", ["blend", "entries"])
@pytest.mark.parametrize(
    "value",
    [3, None, "12", [], [1], [1, 2, 3], [1, "2"], [1, True], [1, float("nan")], [float("inf"), 1], {"a": 1, "b": 2}],
)  # fmt: skip
def test_a_blend_is_two_numbers(name: str, value: Any) -> None:
    with pytest.raises(FormatError) as caught:
        read({name: value})
    assert str(caught.value) == f"{PATH}: the setting {name!r} is {value!r}, which is no list of two numbers"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"max_length": 0}, "'max_length' is 0, which is no whole number from 1 on"),
        ({"max_question": 1.5}, "'max_question' is 1.5"),
        ({"candidate_layers": True}, "'candidate_layers' is True"),
        ({"candidate_layers": -1}, "'candidate_layers' is -1, which is no whole number from 0 on"),
        ({"max_length": 67}, "max_length 67 leaves no room for a candidate"),
        ({"answer_share": -0.1}, "'answer_share' is -0.1, which is no number from 0 to 1"),
        ({"answer_share": True}, "'answer_share' is True"),
        ({"answer_share": float("nan")}, "'answer_share' is nan"),
        ({"paragraphs": 1}, "'paragraphs' is 1, which is neither true nor false"),
        ({"shape": 1, "long": 2}, "unknown settings: long, shape"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(settings)
    assert read({"max_length": 68}).max_length == 68
