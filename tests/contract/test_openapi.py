"""schemathesis over the whole OpenAPI document: whatever it makes up, no 5xx, and every answer as the document says."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.serving import serving

CASES = 20  # made up for each route, beside those that follow from the document
LEFT_OUT = "positive_data_acceptance"  # a document cannot say that some candidate must have a text


def test_no_5xx_and_answers_as_described(tmp_path: Path) -> None:
    for name, extra in (("schemathesis", "contract"), ("fastapi", "serve")):
        if find_spec(name) is None:
            pytest.skip(f"anselm[{extra}] is not installed")
    command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"]
    options = ["--max-examples", str(CASES), "--seed", "1", "--phases", "examples,coverage,fuzzing", "--no-color"]
    with serving("--model", "bm25") as address:
        found = subprocess.run(
            [*command, f"{address}/openapi.json", *options, "--exclude-checks", LEFT_OUT],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert found.returncode == 0, found.stdout[-5_000:] + found.stderr[-2_000:]
    assert "Tested: 10" in found.stdout
