"""Errors pass from process to process, with their message."""

from __future__ import annotations

import pickle

import pytest

from anselm import errors
from anselm.errors import AnselmError, FormatError, InputError, MissingExtraError, NoPoolError, UnknownNameError

MADE = [
    AnselmError("something"),
    InputError("something"),
    FormatError("file.txt", "a problem", 3),
    UnknownNameError("model", "bm52", ["bm25"]),
    MissingExtraError("training", "train"),
    NoPoolError("bees.pool"),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_of_a_worker_arrives_whole(error: AnselmError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert str(found) == str(error)


def test_all_kinds_are_tried_that_have_an_init_of_their_own() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, AnselmError)]
    assert {kind for kind in kinds if "__init__" in vars(kind)} <= {type(error) for error in MADE}
