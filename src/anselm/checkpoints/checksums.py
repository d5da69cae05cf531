"""The checksums of a checkpoint folder, so that damage is told when it is loaded, by the name of the file.

checksums.json holds the SHA-256 of every other file: {"config.json": "9f86d0...", "onnx/model.onnx": "..."}. A folder
without it is loaded as it is, and files that it does not name are nobody's business here.

All files are read before anything is opened, since a library may crash on a damaged one. For the 48 MB of the default
that takes 0.03 s on two cores, and 0.06 to 0.1 s where the processor has no instructions for SHA-256, of 0.6 s for all
of the loading; BLAKE2b would take 0.06 s, CRC-32 0.02 s, and neither is what `sha256sum` computes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from anselm.errors import FormatError, InputError
from anselm.files import replace_file, write_folder_atomically
from anselm.saved_json import read_saved

CHECKSUMS = "checksums.json"


def verify(folder: Path) -> None:
    """That every file is as it was written; the first one that is not is named."""
    known = read_checksums(folder) or {}
    for name in known:
        if not (folder / name).is_file():
            raise FormatError(folder / name, f"the file is missing, and {CHECKSUMS} names it")
    for (name, expected), found in zip(known.items(), hash_files(folder, known), strict=True):
        if found != expected:
            meant = f"if you changed it yourself, remove {CHECKSUMS}"
            raise FormatError(folder / name, f"the file is damaged: its SHA-256 is not that of {CHECKSUMS}; {meant}")


@contextmanager
def write_checkpoint(path: Path) -> Iterator[Path]:
    """A new checkpoint folder, which appears when it is whole, with its checksums."""
    with write_folder_atomically(path) as folder:
        yield folder
        write_checksums(folder)


def write_checksums(folder: Path) -> None:
    names = [name for name in checkpoint_files(folder) if name != CHECKSUMS]
    save_checksums(folder, dict(zip(names, hash_files(folder, names), strict=True)))


@contextmanager
def renew_checksums(folder: Path, *names: str) -> Iterator[None]:
    """Around a change of some files. Meanwhile nothing is said of those, so that a kill leaves a folder that loads.

    A folder without checksums stays without: it may hold what is not of the checkpoint.
    """
    known = read_checksums(folder)
    if known is None:
        yield
        return
    save_checksums(folder, {name: known[name] for name in known if name not in names})
    try:
        yield
    finally:
        there = [name for name in names if (folder / name).is_file()]
        rest = {name: known[name] for name in known if name not in names}
        save_checksums(folder, rest | dict(zip(there, hash_files(folder, there), strict=True)))


def copy_checkpoint(folder: Path, copy: Path) -> None:
    """Its regular files, into a folder that is there."""
    copy_files(folder, copy, checkpoint_files(folder))


def copy_files(folder: Path, copy: Path, names: Iterable[str]) -> None:
    for name in names:
        check_inside(folder, folder / name)
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, copy / name)


def checkpoint_files(folder: Path) -> list[str]:
    """The regular files of a folder and of those in it, by name; a link that leads out of it is refused."""
    found = []
    for place, folders, files in os.walk(folder):
        for path in (Path(place) / name for name in (*folders, *files)):
            check_inside(folder, path)
            if path.is_file():
                found.append(path.relative_to(folder).as_posix())
    return sorted(found)


def check_inside(folder: Path, path: Path) -> None:
    """What a link leads to may be anything of this machine, and should not end up in a copy."""
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{path} is a link that leads out of the checkpoint; put the file itself there")


def read_checksums(folder: Path) -> dict[str, str] | None:
    path = folder / CHECKSUMS
    if not os.path.lexists(path):
        return None
    record = read_saved(path)
    if not isinstance(record, dict) or not all(isinstance(digest, str) for digest in record.values()) or not record:
        raise FormatError(path, "not the checksums of a checkpoint: an object of names and SHA-256 is needed")
    for name in record:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\0" in name:
            raise FormatError(path, f"{name!r} is not a file of the folder")
    return record


def save_checksums(folder: Path, checksums: Mapping[str, str]) -> None:
    replace_file(folder / CHECKSUMS, (json.dumps(dict(sorted(checksums.items())), indent=2) + "\n").encode())


def hash_files(folder: Path, names: Iterable[str]) -> list[str]:
    with ThreadPoolExecutor() as threads:  # hashing lets other threads run
        return list(threads.map(lambda name: hash_file(folder / name), names))


def hash_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror or error}") from None
