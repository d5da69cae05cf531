"""Fixtures of the tests of cross-encoders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """So small a model is faster on one."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.getfixturevalue("tiny_encoder" if request.param == "bert" else "tiny_roberta"))
