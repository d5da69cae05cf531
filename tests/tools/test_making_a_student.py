"""The present reader with the weights of a student, or with a part of them."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from safetensors.torch import save_file  # noqa: E402

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED  # noqa: E402
from anselm.checkpoints.checkpoint import READER_GRAPH  # noqa: E402
from anselm.models.frames.dequantized import thaw  # noqa: E402
from tools.default_model.make_student import student  # noqa: E402

NAME = "encoder.encoder.layer.0.attention.self.query.weight"


def test_weights_are_taken_by_their_share(tmp_path: Path) -> None:
    before = thaw(SHIPPED / DEFAULT / READER_GRAPH)
    save_file({NAME: (before[NAME] + 2).half().contiguous()}, tmp_path / "one.safetensors")
    found = dict(student([tmp_path / "one.safetensors"], 0.25).named_parameters())
    assert torch.allclose(found[NAME], before[NAME] + 0.5, atol=1e-3)
    others = [name for name in before if name in found and name != NAME]
    assert len(others) > 90
    assert all(torch.equal(found[name], before[name].reshape(found[name].shape)) for name in others)
