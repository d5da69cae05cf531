"""Ranking leaves nothing at home: no file of ours, and none of the engine's about how it was used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_nothing_is_written_at_home(tmp_path: Path) -> None:
    code = "import anselm; anselm.rank('When do you open?', ['We open at nine.', 'Parking is free.'])"
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "ANSELM_ENGINE": "onnxruntime"}
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"} | places
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.rglob("*")) == []
