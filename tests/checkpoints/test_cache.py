"""One folder for all that is kept for a user: models, the parser, vectors, annotations."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anselm.annotations.annotation_cache import _shared_folder
from anselm.annotations.span_parser import parser_folder
from anselm.checkpoints.cache import cache_folder
from anselm.errors import InputError


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("ANSELM_CACHE")
    return tmp_path


def test_without_a_word_it_is_where_the_system_keeps_such_things(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == home / ".cache" / "anselm"
    monkeypatch.setenv("XDG_CACHE_HOME", "~/x")
    assert cache_folder() == home / "x" / "anselm"
    assert parser_folder() == home / "x" / "anselm" / "parser"
    assert _shared_folder() is None  # on disk only where somebody has said where
    assert not list(home.iterdir())  # asking creates nothing


@pytest.mark.parametrize("form", ["{}/own", "~/own"])
def test_a_folder_of_ones_own_holds_everything(form: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSELM_CACHE", form.format(home))
    assert cache_folder() == home / "own"
    assert parser_folder() == home / "own" / "parser"
    assert _shared_folder() == home / "own" / "annotations"


def test_a_user_without_a_home_is_told_what_to_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where the system knows of no home
    for folder in (cache_folder, parser_folder):
        with pytest.raises(InputError, match="no home folder to keep models in; set ANSELM_CACHE"):
            folder()
