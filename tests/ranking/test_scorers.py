"""Which checkpoints the runtime takes."""

from __future__ import annotations

import shutil
from pathlib import Path

from anselm.checkpoints.catalogue import load_model
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_scorer
from anselm.runtime.pairs import ExportedPairs


def test_the_runtime_takes_what_is_exported(plain: Path, int8: Path) -> None:
    assert not (int8 / "model.safetensors").exists()
    assert isinstance(load_scorer(int8), ExportedPairs)
    assert isinstance(load_scorer(plain), ExportedPairs)  # which has torch's weights as well
    assert isinstance(Ranker.load(int8).scorer, ExportedPairs)
    assert not isinstance(load_model(plain), ExportedPairs)


def test_other_checkpoints_are_loaded_as_ever(plain: Path, tmp_path: Path) -> None:
    from anselm.models.crossencoder import CrossEncoder
    from anselm.models.lexical import Lexical

    folder = shutil.copytree(plain, tmp_path / "copy", ignore=shutil.ignore_patterns("onnx"))
    assert isinstance(load_scorer(folder), CrossEncoder)
    assert isinstance(load_scorer("bm25"), Lexical)
