"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real corpora; tests that ask for it are skipped where ANSELM_DATA is not set."""
    if not (folder := os.environ.get("ANSELM_DATA")):
        pytest.skip("ANSELM_DATA is not set")
    return Path(folder)
