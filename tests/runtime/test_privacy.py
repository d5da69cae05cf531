"""Ranking leaves nothing at home and calls nobody: neither we nor the engines tell anyone how they are used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
sys.addaudithook(lambda event, args: print(event, args, file=sys.stderr) if event == "socket.getaddrinfo" else None)
import anselm
anselm.rank("When do you open?", ["We open at nine.", "Parking is free."])
"""
HUSHED = ("ORT_DISABLE_TELEMETRY", "CI")  # what would keep an engine quiet anyway


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
def test_nothing_is_written_at_home_and_nobody_is_called(engine: str, tmp_path: Path) -> None:
    pytest.importorskip(engine)
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "ANSELM_ENGINE": engine}
    environment = {key: value for key, value in os.environ.items() if key not in HUSHED} | places
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.rglob("*")) == []
