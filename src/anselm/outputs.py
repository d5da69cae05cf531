"""Where output goes: into a file that appears whole, through a link, or into a stream; and one writer at a time."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from anselm.errors import InputError

PAUSE = 0.02  # seconds between two tries to have a file alone
STANDARD = "-"  # standard input or output, where a file name is expected
_DESCRIPTOR = re.compile(r"/dev/fd/(\d+)|/proc/self/fd/(\d+)")


def real_place(path: Path) -> Path:
    """Where links lead: what is written appears there, and the links stay."""
    try:
        place = Path(os.path.realpath(path))  # Path.resolve raises for a link to itself, in some versions
    except ValueError:
        raise InputError(f"{str(path)!r:.80} cannot be written: no system takes such a name") from None
    if place.is_symlink():
        raise InputError(f"{path} cannot be written: it is a link that leads to itself")
    return place


def is_stream(path: Path) -> bool:
    """Whether it takes what is written as it comes: standard output, a device, a pipe. Nothing can be moved there."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # not there, or a name that no system takes
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def open_stream(path: Path) -> IO[bytes]:
    """A descriptor that is open already goes on where it is: opening its name again would empty a file behind it."""
    number = _descriptor(path)
    if number is not None:
        return os.fdopen(os.dup(number), "wb")
    if stat.S_ISBLK(path.stat().st_mode):
        raise InputError(f"{path} is a disk, which holds more than a file; give another name")
    return path.open("wb")


def _descriptor(path: Path) -> int | None:
    name = str(path)
    if name in (STANDARD, "/dev/stdout"):
        return 1
    if name == "/dev/stderr":
        return 2
    found = _DESCRIPTOR.fullmatch(name)
    return int(found[1] or found[2]) if found else None


def put_in_place(partial: Path, place: Path) -> None:
    """Move a whole file to where it belongs; it takes the permissions of the one that it replaces."""
    with partial.open("r+b") as file:
        os.fsync(file.fileno())  # else a power cut could leave neither the old file nor the new one
    if place.exists():
        partial.chmod(stat.S_IMODE(place.stat().st_mode))
    partial.replace(place)


def check_new(path: Path) -> Path:
    """Before anything is made that could not be written there."""
    if path.exists():
        raise InputError(f"{path} exists already; give the name of a new folder")
    return path


def check_parent(path: Path, called: str = "") -> None:
    """Before anything is made for a file: whether its folder is there. `called` is what errors call the file."""
    if not path.parent.is_dir():
        raise InputError(f"the folder of {called or path} does not exist")


def check_apart(output: Path, *inputs: str | Path) -> None:
    """That none of the inputs is the output, by whichever name: it would be lost. `-` is standard input."""
    for source in inputs:
        try:
            given = os.fstat(0) if str(source) == STANDARD else os.stat(source)  # noqa: PTH116  # a name or a Path
            same = os.path.samestat(output.stat(), given)
        except (OSError, ValueError):  # one of them is not there
            continue
        if same and not is_stream(output):
            raise InputError(f"{output} is what is read, which would be lost; give another name to write to")


@contextmanager
def hold(path: Path, patience: float = 0) -> Iterator[IO[bytes]]:
    """Open a file for this process alone, and make it where it is not there; another one gets an InputError.

    `patience`: seconds that it waits before, where whoever has the file will soon be done with it.
    The lock is the system's, so that it goes when the process does, however that ends. Whoever had the file before may
    have moved it between our opening and our locking it; then it is another file that has the name now.
    """
    until = monotonic() + patience
    while not is_at(file := _locked(path, until), path):
        file.close()
    with file:
        file.seek(0)
        yield file


def _locked(path: Path, until: float) -> IO[bytes]:
    file = path.open("a+b")
    try:
        while not _tried(file):
            if monotonic() >= until:
                raise InputError(f"another run is writing {path}; wait for it, or give another name")
            sleep(PAUSE)
    except BaseException:
        file.close()
        raise
    return file


def _tried(file: IO[bytes]) -> bool:
    try:
        _lock(file)
    except BlockingIOError:
        return False
    return True


def is_at(file: IO[bytes], path: Path) -> bool:
    """Whether it is still this file that has the name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    FAR = (1 << 31) - 2  # a byte that nobody writes: other programs could not touch a locked one

    def _lock(file: IO[bytes]) -> None:
        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
