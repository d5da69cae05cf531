"""Exported checkpoints of tiny models, made once."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from anselm.checkpoints.blend import Config
from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Candidate, Question
from anselm.runtime import blended, pairs, words
from anselm.runtime.blended import Blended
from anselm.runtime.pairs import ExportedPairs
from anselm.runtime.words import ExportedWords


def load_blended(folder: Path, threads: int | None = None) -> Blended:
    """As it is, whatever its checksums say."""
    return blended.load(Checkpoint.read(folder), threads)


def load_pairs(folder: Path, threads: int | None = None) -> ExportedPairs:
    return pairs.load(Checkpoint.read(folder), threads)


def load_words(folder: Path, threads: int | None = None) -> ExportedWords:
    return words.load(Checkpoint.read(folder), threads)


ENGINES = ["onnxruntime", "openvino"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setenv("ANSELM_ENGINE", request.param)
    return str(request.param)


LONG = "the bees make honey in the hive and the garden is sweet with nectar and wood " * 12
LISTS = [
    Question("q1", "How do bees make honey?", tuple(Candidate(str(i), text) for i, text in enumerate([
        "Bees make honey from nectar.", "The hive is made of wood.", LONG, "Honey", "Nectar is sweet: 17.5 %!",
    ])), meta={"title": "The bees"}),
    Question("q2", "Where is the hive?", (Candidate("0", "The hive stands in the garden."), Candidate("1", "honey"))),
    Question("q3", "what " * 40, (Candidate("0", LONG + "hive"), Candidate("1", ""))),
    Question("q4", "none", ()),
    Question("q5", "Bees?", tuple(Candidate(str(i), f"hive {i} " * (i + 1)) for i in range(20))),
]  # fmt: skip

SHORT = {"max_length": 96, "max_question": 24}
SETTINGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plain": ("tiny_encoder", "cross-encoder", SHORT),
    "contexts": ("tiny_encoder", "cross-encoder", SHORT | {"title": True, "neighbours": 1}),
    "first": ("tiny_encoder", "cross-encoder", SHORT | {"pooling": "first"}),
    "narrowing": ("tiny_encoder", "cross-encoder", SHORT | {"pooling": "first", "candidate_layers": 1}),
    "roberta": ("tiny_roberta", "cross-encoder", SHORT),
    "frozen": ("tiny_encoder", "frozen-attention", SHORT),
}


@pytest.fixture(scope="session", params=SETTINGS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For torch, with the exact ONNX file beside its weights."""
    return make_checkpoint(request, tmp_path_factory, *SETTINGS[request.param])


@pytest.fixture(scope="session")
def plain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(request, tmp_path_factory, *SETTINGS["plain"])


GRAPHS: dict[str, bytes] = {}  # by what they were traced from


@contextmanager
def tracing_once() -> Iterator[None]:
    """A trace takes seconds, and the same weights and settings give the same one; int8 begins with it, too."""
    from onnx import ModelProto

    from anselm.export.exporter import to_onnx
    from tools.default_model import general

    def trace(module: Any, encoder: Any, names: tuple[str, ...]) -> ModelProto:
        settings = (type(module), names, getattr(getattr(module, "model", None), "config", None))
        key = hashlib.sha256(f"{settings} {encoder.config.to_json_string()}".encode())
        for name, tensor in module.state_dict().items():
            key.update(name.encode() + tensor.numpy().tobytes())
        if key.hexdigest() not in GRAPHS:
            GRAPHS[key.hexdigest()] = to_onnx(module, encoder, names).SerializeToString()
        return ModelProto.FromString(GRAPHS[key.hexdigest()])

    with patch("anselm.export.exporter.to_onnx", trace), patch.object(general, "to_onnx", trace):
        yield


def make_checkpoint(
    request: pytest.FixtureRequest, factory: pytest.TempPathFactory, base: str, name: str, config: dict[str, Any]
) -> Path:
    encoder = request.getfixturevalue(base)
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    from anselm.export.exporter import export
    from anselm.models.crossencoder import build

    folder = factory.mktemp("checkpoint")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        build(name, {"base": str(encoder), **config}).save(folder)
    with tracing_once():
        export(folder, None, LISTS, int8=False)
    return folder


@pytest.fixture(scope="session")
def int8(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as `plain`, in int8 and without torch's weights."""
    from anselm.export.exporter import example_questions, export

    out = tmp_path_factory.mktemp("exported") / "int8"
    with tracing_once():
        export(plain, out, example_questions())
    return out


GENERAL = Config(
    **SHORT,
    compared_whole=30,
    compared_window=24,
    blend=(0.8, 3.0),
    entries=(0.3, 5.0),
    answer_share=0.4,
    paragraphs=True,
)


READERS: dict[str, dict[str, Any]] = {"whole": {}, "narrowing": {"pooling": "first", "candidate_layers": 1}}


@pytest.fixture(scope="session", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = SHORT | READERS[request.param]
    return make_checkpoint(request, tmp_path_factory, "tiny_encoder", "cross-encoder", settings)


@pytest.fixture(scope="session")
def exact(reader: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_general(reader, tmp_path_factory.mktemp("general") / "exact", int8=False)


@pytest.fixture(scope="session")
def rounded(reader: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_general(reader, tmp_path_factory.mktemp("general") / "int8", int8=True)


@pytest.fixture(scope="session")
def stirred(reader: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader as if trained: exporting leaves out what is equal, such as biases that are all zero."""
    import torch

    folder = tmp_path_factory.mktemp("stirred") / "reader"
    shutil.copytree(reader, folder)
    model: Any = load_model(reader)
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.05 * torch.randn_like(parameter)
    model.save(folder)
    return folder


@pytest.fixture(scope="session")
def stirred_exact(stirred: Path) -> Path:
    return make_general(stirred, stirred.with_name("exact"), int8=False)


def make_general(reader: Path, out: Path, int8: bool) -> Path:
    from anselm.export.exporter import example_questions
    from tools.default_model.general import export_general, write_config

    with tracing_once():
        export_general(reader, out, example_questions(), int8)
    chosen = ("compared_whole", "compared_window", "blend", "entries", "answer_share", "paragraphs")
    write_config(out, replace(load_blended(out).config, **{name: getattr(GENERAL, name) for name in chosen}))
    return out
