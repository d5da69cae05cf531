"""anselm fetch, and naming what is not fetched: one sentence and exit code 2, and nothing is asked of the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def anselm(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"ANSELM_CACHE": str(cache), "HF_HOME": str(cache), "HF_ENDPOINT": "http://127.0.0.1:9"}
    environment.pop("HF_HUB_OFFLINE", None)
    command = [sys.executable, "-m", "anselm", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fetch", "accurate", "--from", "/nowhere"], "/nowhere is not a folder"),
        (["fetch", "bm25"], "unknown model to fetch: 'bm25'; there is accurate."),
        (
            ["fetch", "accurate"],
            "'accurate' is not here yet: http://127.0.0.1:9/sentence-transformers/all-mpnet-base-v2",
        ),
        (
            ["ask", "q", __file__, "--model", "accurate"],
            "`anselm fetch accurate --from FOLDER` takes it from a folder",
        ),
        (["bench", "accurate"], "cannot be reached"),
    ],
)
def test_one_sentence(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = anselm(*arguments, cache=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_models_say_how_to_get_it(tmp_path: Path) -> None:
    shown = anselm("models", "--json", cache=tmp_path).stdout
    assert '"use": "anselm fetch accurate"' in shown
    assert not list(tmp_path.iterdir())
