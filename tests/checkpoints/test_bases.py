"""One name, and what training begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.checkpoints.bases import NewModel, SavedModel, find_base
from anselm.checkpoints.catalogue import ranks_untrained
from anselm.errors import InputError, UnknownNameError

BEFORE = Path(__file__).parent / "before"


@pytest.mark.parametrize(
    ("name", "model", "settings", "trained"),
    [
        ("default", "cross-encoder", {"base": "default"}, True),  # its reader is trained further
        ("ggsa", "ggsa", {}, False),
        ("accurate", "accurate", {}, False),  # which building it refuses
        ("sentence-transformers/all-MiniLM-L6-v2", "cross-encoder", None, False),
        ("all-MiniLM-L6-v2", "cross-encoder", None, False),
    ],
)
def test_what_is_made(name: str, model: str, settings: dict[str, str] | None, trained: bool) -> None:
    expected = {"base": name} if settings is None else settings
    assert find_base(name) == NewModel(model, expected, trained)


@pytest.mark.parametrize(("name", "model"), [("lexical", "bm25"), ("pairs", "cross-encoder")])
def test_a_checkpoint_goes_on(name: str, model: str) -> None:
    found = find_base(str(BEFORE / name))
    assert isinstance(found, SavedModel)
    assert (found.model, found.trained, found.checkpoint.folder) == (model, True, BEFORE / name)


def test_what_learns_only_how_frequent_words_are(tmp_path: Path) -> None:
    assert ranks_untrained(find_base("bm25").model)
    assert ranks_untrained(find_base(str(BEFORE / "lexical")).model)
    assert not ranks_untrained(find_base("general").model)
    (tmp_path / "config.json").write_text('{"model": "of another version"}')
    assert not ranks_untrained(find_base(str(tmp_path)).model)


def test_a_slip_and_an_export_are_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="defualt"):
        find_base("defualt")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").touch()
    (tmp_path / "config.json").write_text('{"model": "cross-encoder", "config": {}}')
    with pytest.raises(InputError, match="is an export, which cannot be trained"):
        find_base(str(tmp_path)).make({}, ())
