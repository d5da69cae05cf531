"""Finding documents: files that were named, and those of a known kind in folders."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from anselm.errors import FormatError, InputError
from anselm.text.faq import Skip
from anselm.text.kinds import FOREIGN, KINDS, refuse_address, save_as, suffix


def find_documents(paths: Iterable[Path], skip: Skip | None = None) -> list[Path]:
    """The files among the paths, and those with a known suffix in the folders among them and below, sorted.

    Hidden files and folders are passed over, and so are files without a suffix: those must be named themselves. `skip`
    is told of documents of other kinds in the folders, such as .doc and .xls.
    """
    return list(dict.fromkeys(file for path in paths for file in _expand(path, skip)))  # each once


def is_folder(path: Path) -> bool:
    refuse_address(path)
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:  # ValueError: a name that no system takes
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> FormatError:
    return FormatError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _expand(path: Path, skip: Skip | None) -> list[Path]:
    if not is_folder(path):
        return [path]
    try:
        files = sorted(_walk(path))
    except OSError as error:
        raise unreadable(path, error) from None
    if not any(suffix(file) in KINDS for file in files):
        raise InputError(f"there is no document in the folder {path}: no file ends in {', '.join(sorted(KINDS))}")
    for file in files:
        if skip is not None and suffix(file) in FOREIGN:
            skip(FormatError(file, f"passed over: {suffix(file)} cannot be read; {save_as(file)}"))
    return [file for file in files if suffix(file) in KINDS]


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():  # a link may lead back
            yield from _walk(entry)
        elif suffix(entry) in KINDS.keys() | FOREIGN and entry.is_file():
            yield entry
