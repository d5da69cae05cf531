"""Checksums of checkpoint folders: damage is noticed, changes of ours are not damage."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from anselm.checkpoints.cache import RECIPE
from anselm.checkpoints.catalogue import ACCURATE, SHIPPED, load_model
from anselm.checkpoints.checksums import (
    CHECKSUMS,
    copy_checkpoint,
    renew_checksums,
    verify,
    write_checkpoint,
    write_checksums,
)
from anselm.errors import FormatError, InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "mine"
    with write_checkpoint(out) as made:
        (made / "onnx").mkdir()
        (made / "onnx" / "model.onnx").write_bytes(random.Random(1).randbytes(50_000))
        (made / "config.json").write_text('{"model": "bm25"}')
        (made / "empty.txt").write_text("")
    return out


def test_they_are_what_sha256sum_computes(folder: Path) -> None:
    record = json.loads((folder / CHECKSUMS).read_text())
    assert list(record) == ["config.json", "empty.txt", "onnx/model.onnx"]
    assert record == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in record}


def test_shipped_folders_are_as_they_were_made() -> None:
    """tools/renew_checksums.py is for whoever changes one on purpose."""
    for shipped in (folder for folder in SHIPPED.iterdir() if not (folder / RECIPE).exists()):
        verify(shipped)
        named = set(json.loads((shipped / CHECKSUMS).read_text()))
        assert named == files_of(shipped) - {CHECKSUMS}


def test_what_has_to_be_fetched_is_as_it_was_made_but_for_its_weights() -> None:
    """tools/default_model/seal_accurate.py is for whoever changes it on purpose."""
    folder = SHIPPED / ACCURATE
    named = json.loads((folder / CHECKSUMS).read_text())
    there = {name for name in files_of(folder) if not name.startswith(f"{RECIPE}/")}
    assert set(named) == there - {CHECKSUMS} | {"onnx/weights.bin"}
    for name in there - {CHECKSUMS}:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == named[name]


def test_what_ships_of_it_is_small() -> None:
    sizes = {name: (SHIPPED / ACCURATE / name).stat().st_size for name in files_of(SHIPPED / ACCURATE)}
    assert sizes["recipe/lora.safetensors"] <= 6_000_000
    assert sum(sizes.values()) <= 7_000_000


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", range(20))
def test_one_flipped_bit_is_noticed(seed: int, folder: Path) -> None:
    rng, path = random.Random(seed), folder / "onnx" / "model.onnx"
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"onnx/model\.onnx: the file is damaged"):
        verify(folder)


def test_other_damage_is_named(folder: Path) -> None:
    (folder / "empty.txt").write_text("x")
    with pytest.raises(FormatError, match=r"empty\.txt: the file is damaged"):
        load_model(folder)
    (folder / "empty.txt").unlink()
    with pytest.raises(FormatError, match=r"empty\.txt: the file is missing"):
        load_model(folder)
    (folder / "empty.txt").mkdir()
    with pytest.raises(FormatError, match=r"empty\.txt: the file is missing"):
        load_model(folder)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "7", '{"config.json": 1}', '{"config.json": "0', '{"../x": "0"}', '{"/etc/x": "0"}']
)
def test_damaged_checksums_are_named(content: str, folder: Path) -> None:
    (folder / CHECKSUMS).write_text(content)
    with pytest.raises(FormatError, match=r"checksums\.json"):
        verify(folder)


def test_a_folder_without_them_loads(folder: Path) -> None:
    (folder / CHECKSUMS).unlink()
    (folder / "empty.txt").write_text("changed")
    assert load_model(folder).name == "bm25"
    with renew_checksums(folder, "empty.txt"):
        pass
    assert not (folder / CHECKSUMS).exists()


def test_a_change_of_ours_renews_one_and_blesses_no_other(folder: Path) -> None:
    with renew_checksums(folder, "empty.txt", "README.md"):
        (folder / "empty.txt").write_text("half")
        verify(folder)  # as after a kill
        (folder / "empty.txt").write_text("changed")
    verify(folder)
    (folder / "onnx" / "model.onnx").write_bytes(b"damage")
    with renew_checksums(folder, "empty.txt"):
        (folder / "empty.txt").write_text("again")
    with pytest.raises(FormatError, match=r"model\.onnx"):
        verify(folder)


def test_a_change_that_fails_is_none(folder: Path) -> None:
    before = (folder / CHECKSUMS).read_text()
    with pytest.raises(KeyError), renew_checksums(folder, "empty.txt"):
        raise KeyError
    assert (folder / CHECKSUMS).read_text() == before


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_copy_takes_nothing_from_outside(folder: Path, tmp_path: Path) -> None:
    (folder / "inside.json").symlink_to("config.json")
    os.mkfifo(folder / "pipe")
    copy = tmp_path / "copy"
    copy.mkdir()
    copy_checkpoint(folder, copy)
    write_checksums(copy)
    assert (copy / "onnx" / "model.onnx").read_bytes() == (folder / "onnx" / "model.onnx").read_bytes()
    assert (copy / "inside.json").read_text() == '{"model": "bm25"}'
    assert not (copy / "inside.json").is_symlink()
    assert not (copy / "pipe").exists()
    (tmp_path / "secret").write_text("secret")
    for link, target in ((folder / "out.json", tmp_path / "secret"), (folder / "onnx" / "all", tmp_path)):
        link.symlink_to(target)
        with pytest.raises(InputError, match=f"{link.name} is a link that leads out of the checkpoint"):
            copy_checkpoint(folder, copy)
        link.unlink()
    assert "secret" not in {path.name for path in copy.rglob("*")}
