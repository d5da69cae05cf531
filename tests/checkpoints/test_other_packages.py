"""A package of somebody else's adds a model: it is listed, trained, evaluated and exported like ours."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anselm.checkpoints.catalogue import all_models
from anselm.cli import app
from anselm.errors import InputError

pytest.importorskip("torch")
pytest.importorskip("gensim")

MODEL = '''
"""Words, max pooling, cosine."""

from anselm.models.siamese import Siamese

MODELS = {
    "borrowed": {"kind": "siamese", "summary": "a model of another package"},
}


class Borrowed(Siamese):
    variants = {
        "borrowed": {"embedding": 8, "width": 8, "vectors": "corpus", "encoder": "words", "composition": "mean"},
    }


load, build = Borrowed.load, Borrowed.build
'''


def write_wheel(folder: Path, module: str = "borrowed_models.words") -> Path:
    path, info = folder / "borrowed_models-1.0-py3-none-any.whl", "borrowed_models-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("borrowed_models/__init__.py", "")
        wheel.writestr("borrowed_models/words.py", MODEL)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: borrowed-models\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/entry_points.txt", f"[anselm.models]\nborrowed = {module}\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def install(wheel: Path, site: Path) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    install(write_wheel(tmp_path), tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    all_models.cache_clear()
    yield tmp_path
    all_models.cache_clear()


def run(*arguments: str | Path) -> str:
    found = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def lists(path: Path, count: int = 8) -> Path:
    rows = [
        {
            "id": str(i),
            "question": f"where is the hive {i}",
            "candidates": [{"text": "the hive is in the garden", "label": 1}, {"text": "honey is sweet", "label": 0}],
        }
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.usefixtures("one_thread")
def test_it_works_like_ours(installed: Path) -> None:
    data, trained, exported = lists(installed / "lists.jsonl"), installed / "trained", installed / "exported"
    assert "a model of another package" in run("models", "--json")
    run("train", "--base", "borrowed", "--data", data, "--epochs", "2", "--out", trained)
    report = json.loads(run("evaluate", trained, "--data", data, "--json"))
    run("export", trained, "--out", exported)
    assert json.loads(run("evaluate", exported, "--data", data, "--json"))["metrics"] == report["metrics"]


def test_one_that_names_no_module_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(write_wheel(tmp_path, "borrowed_models.absent"), tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    all_models.cache_clear()
    with pytest.raises(InputError, match=r"the entry point 'borrowed' .* 'borrowed_models.absent', which is not there"):
        all_models()
    all_models.cache_clear()
