"""Damaged checkpoint folders: an error that names the file, or the very results of the undamaged one; nothing else."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checksums import CHECKSUMS
from anselm.errors import AnselmError
from anselm.ranking.answers import Ranking
from anselm.ranking.ranker import Ranker

LONG = "The shop that sells kettles in the old town opens at nine in the morning. " * 8  # read by the second graph, too


def ask(folder: Path) -> Ranking:
    return Ranker.load(folder).rank("When does the shop open?", ["Parking is free.", "It opens at nine.", LONG])


def flip(content: bytes, bits: int, seed: int = 0) -> bytes:
    rng, changed = random.Random(seed), bytearray(content)
    for place in rng.sample(range(len(content) * 8), bits):
        changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "one bit": lambda content: flip(content, 1),
    "20 bits": lambda content: flip(content, 20),
    "cut in half": lambda content: content[: len(content) // 2],
    "without its end": lambda content: content[:-1],
    "empty": lambda content: b"",
    "longer": lambda content: content + b"\0",
    "a page of zeros": lambda content: b"\0" * min(4096, len(content)) + content[4096:],
    "another file": lambda content: b'{"model": "tfidf"}',
}
NAMES = {
    model: sorted(
        path.relative_to(SHIPPED / model).as_posix() for path in (SHIPPED / model).rglob("*.*") if path.is_file()
    )
    for model in ("bm25", "default")
}


def copy(model: str, folder: Path) -> Path:
    """Without the bytes: what is damaged is written anew."""
    for name in NAMES[model]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(SHIPPED / model / name, folder / name)
        except OSError:  # on another disk
            shutil.copyfile(SHIPPED / model / name, folder / name)
    return folder


def rewrite(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("model", "name"), [(model, name) for model in NAMES for name in NAMES[model]])
def test_damage_of_any_file_is_named(model: str, name: str, damage: str, tmp_path: Path) -> None:
    path = copy(model, tmp_path / "model") / name
    rewrite(path, DAMAGES[damage](path.read_bytes()))
    if name == CHECKSUMS and damage == "without its end":  # a line end, which JSON does without
        assert ask(tmp_path / "model").results == ask(SHIPPED / model).results
        return
    with pytest.raises(AnselmError) as caught:
        ask(tmp_path / "model")
    assert str(tmp_path / "model") in str(caught.value)
    assert name in str(caught.value) or name == CHECKSUMS  # what it names is wrong then
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("model", "name"), [(model, name) for model in NAMES for name in NAMES[model]])
def test_a_file_that_is_gone_or_no_file_is_named(model: str, name: str, tmp_path: Path) -> None:
    folder = copy(model, tmp_path / "model")
    (folder / name).unlink()
    if name == CHECKSUMS:
        if model == "bm25":
            assert ask(folder).results == ask(SHIPPED / model).results
    else:
        with pytest.raises(AnselmError, match=name):
            ask(folder)
    (folder / name).mkdir()
    with pytest.raises(AnselmError, match=name):
        ask(folder)


@pytest.mark.skipif(os.name == "nt", reason="pipes have other names there")
@pytest.mark.parametrize("name", ["config.json", "calibration.json", "statistics.json", "checksums.json"])
def test_a_pipe_or_a_device_is_not_waited_for(name: str, tmp_path: Path) -> None:
    for number, put in enumerate([os.mkfifo, lambda path: path.symlink_to("/dev/zero")]):
        folder = copy("bm25", tmp_path / str(number))
        (folder / CHECKSUMS).unlink()
        (folder / name).unlink(missing_ok=True)
        put(folder / name)
        with pytest.raises(AnselmError, match=name):
            ask(folder)


def settings(**changed: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda record: {**record, "config": record["config"] | changed}


DEEP = '{"a": ' * 100_000 + "1" + "}" * 100_000
RECORDS: list[tuple[str, str, Any]] = [  # of folders without checksums: model, file, what it holds
    ("bm25", "config.json", "[]"),
    ("bm25", "config.json", "7"),
    ("bm25", "config.json", "null"),
    ("bm25", "config.json", "{}"),
    ("bm25", "config.json", '{"model": 7}'),
    ("bm25", "config.json", '{"model": "bm52"}'),
    ("bm25", "config.json", '{"model": "default"}'),
    ("bm25", "config.json", '{"model": "general"}'),
    ("bm25", "config.json", '{"model": "cross-encoder"}'),
    ("bm25", "config.json", '{"model": "bm25", "config": 7}'),
    ("bm25", "config.json", settings(k2=1)),
    ("bm25", "config.json", settings(k1="1")),
    ("bm25", "config.json", settings(k1=-1)),
    ("bm25", "config.json", settings(b=True)),
    ("bm25", "config.json", settings(stem=1)),
    ("bm25", "config.json", '{"model": "bm25", "config": {"k1": NaN}}'),
    ("bm25", "calibration.json", "[]"),
    ("bm25", "calibration.json", "null"),
    ("bm25", "calibration.json", "{}"),
    ("bm25", "calibration.json", '{"slope": "x", "intercept": 0, "threshold": 0.5}'),
    ("bm25", "calibration.json", '{"slope": NaN, "intercept": 0, "threshold": 0.5}'),
    ("bm25", "calibration.json", '{"slope": -1, "intercept": 0, "threshold": 0.5}'),
    ("bm25", "calibration.json", '{"texts": {"candidate": {"intercept": 0, "score": -1}}, "threshold": 0.5}'),
    ("bm25", "calibration.json", '{"texts": {"candidate": {"intercept": 0, "scores": 1}}, "threshold": 0.5}'),
    ("bm25", "config.json", DEEP),
    ("bm25", "config.json", settings(k1=10**400)),
    ("bm25", "config.json", settings(stopword_weight=1e308)),
    ("bm25", "config.json", settings(stopword_weight=10**400)),
    ("bm25", "calibration.json", DEEP),
    ("bm25", "calibration.json", f'{{"slope": 1, "intercept": 0, "threshold": {10**400}}}'),
    ("bm25", "calibration.json", f'{{"slope": {10**400}, "intercept": 0, "threshold": 0.5}}'),
    ("bm25", "calibration.json", '{"slope": 1e308, "intercept": 0, "threshold": 0.5}'),
    ("bm25", "statistics.json", DEEP),
    ("bm25", "statistics.json", '{"documents": Infinity, "mean_length": 1, "frequency": {}}'),
    ("bm25", "statistics.json", f'{{"documents": {10**400}, "mean_length": 1, "frequency": {{}}}}'),
    ("bm25", "statistics.json", f'{{"documents": 1, "mean_length": {10**400}, "frequency": {{}}}}'),
    ("bm25", "checksums.json", DEEP),
    ("default", "config.json", DEEP),
    ("default", "config.json", settings(blend=[10**400, 1])),
    ("default", "config.json", settings(blend=[1e308, 1e308])),
    ("default", "encoder.json", DEEP),
    ("bm25", "statistics.json", "[]"),
    ("bm25", "statistics.json", '{"documents": -1, "mean_length": 1, "frequency": {}}'),
    ("bm25", "statistics.json", '{"documents": 1, "mean_length": 1, "frequency": {"oak": 7}}'),
    ("default", "config.json", "[]"),
    ("default", "config.json", settings(max_length=513)),
    ("default", "config.json", settings(max_length=10**9)),
    ("default", "config.json", settings(max_length=40)),
    ("default", "config.json", settings(max_length="192")),
    ("default", "config.json", settings(max_question=0)),
    ("default", "config.json", settings(long=None)),
    ("default", "config.json", settings(blend=[1, 2, 3])),
    ("default", "config.json", settings(entries=[1])),
    ("default", "config.json", settings(blend="abc")),
    ("default", "config.json", settings(blend=[1, "2"])),
    ("default", "config.json", settings(exits=3)),
    ("default", "encoder.json", "[]"),
    ("default", "encoder.json", "[1]"),
    ("default", "encoder.json", "7"),
    ("default", "encoder.json", '"x"'),
    ("default", "encoder.json", "{}"),
    ("default", "encoder.json", '{"vocab_size": "x"}'),
    ("default", "encoder.json", '{"vocab_size": 30522, "pad_token_id": "x"}'),
    ("default", "tokenizer.json", "{}"),
    ("default", "tokenizer.json", "[]"),
    ("default", "tokenizer.json", "not JSON"),
    ("default", "onnx/reader.onnx", ""),
    ("default", "onnx/reader.onnx", "not ONNX"),
]


@pytest.mark.parametrize(("model", "name", "content"), RECORDS)
def test_without_checksums_what_is_read_is_checked(model: str, name: str, content: Any, tmp_path: Path) -> None:
    folder = copy(model, tmp_path / "model")
    (folder / CHECKSUMS).unlink()
    if callable(content):
        content = json.dumps(content(json.loads((folder / name).read_text())))
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(content)
    with pytest.raises(AnselmError) as caught:
        ask(folder)
    assert "\n" not in str(caught.value)
    assert name.split("/")[-1] in str(caught.value) or "cross-encoder" in content or "general" in content


def test_exchanged_graphs_are_named_also_without_checksums(tmp_path: Path) -> None:
    folder = copy("default", tmp_path / "model")
    reader, encoder = folder / "onnx" / "reader.onnx", folder / "onnx" / "encoder.onnx"
    reader.rename(folder / "kept")
    encoder.rename(reader)
    (folder / "kept").rename(encoder)
    with pytest.raises(AnselmError, match="the file is damaged"):
        ask(folder)
    (folder / CHECKSUMS).unlink()
    with pytest.raises(AnselmError, match=r"reader\.onnx: not a model .* it gives 384 signals of a row, and 1 are"):
        ask(folder)
    reader.unlink()
    os.link(encoder, reader)  # both are the reader now
    with pytest.raises(AnselmError, match=r"encoder\.onnx: its vectors are not of length one"):
        ask(folder)
