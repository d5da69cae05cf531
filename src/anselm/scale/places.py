"""Files by their place: a local path, or an address such as s3://bucket/name, which fsspec reads and writes.

What is written appears whole or not at all. Locally it is moved to its place; for an address it is put together in a
temporary file here first, and an object store shows an object when all of it has arrived. Elsewhere it is moved, too.
"""

from __future__ import annotations

import glob
import gzip
import io
import posixpath
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import IO, Any

from anselm.errors import InputError, MissingExtraError
from anselm.files import write_bytes_atomically

WILD = re.compile(r"[*?\[]")
MARKS = ("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime", "created")  # as stores name them
OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "memory")
IN_PROCESS = "memory://"  # what fsspec keeps there goes with the process that wrote it
BUFFER = 2**16  # bytes


@dataclass(frozen=True)
class File:
    place: str
    name: str  # below what was asked for
    size: int  # bytes
    version: str = ""  # what changes where it is written again: when, or the store's own mark


def is_address(place: str) -> bool:
    return "://" in place


def check_shared(*places: str) -> None:
    """That another process, such as a worker, would find them, too."""
    for place in places:
        if place.startswith(IN_PROCESS):
            problem = "is in the memory of one process, which workers in others do not see"
            raise InputError(f"{place} {problem}; give a local path or the address of a store")


def is_pattern(place: str) -> bool:
    return WILD.search(place) is not None


def beside(folder: str, name: str) -> str:
    return posixpath.join(folder, name) if is_address(folder) else str(Path(folder) / name)


def find_files(asked: str) -> list[File]:
    """A file, the files of a folder, or those that a pattern names, by their names; hidden ones are left out."""
    found = _find_there(asked) if is_address(asked) else _find_here(asked)
    named = [file for file in found if not any(part.startswith((".", "_")) for part in file.name.split("/"))]
    if not named:
        raise InputError(f"{asked} names no file")
    return sorted({file.place: file for file in named}.values(), key=lambda file: file.name)


def _find_here(asked: str) -> list[File]:
    path = Path(asked)
    if path.is_dir():
        root, paths = path, [*path.rglob("*")]
    elif path.exists() or not is_pattern(asked):
        root, paths = path.parent, [path]
    else:
        root, paths = Path(_fixed(asked)), [Path(one) for one in glob.glob(asked, recursive=True)]  # noqa: PTH207  # a path of any kind
    return [_file_here(one, root) for one in paths if one.is_file()]


def _file_here(path: Path, root: Path) -> File:
    about = path.stat()
    return File(str(path), path.relative_to(root).as_posix(), about.st_size, f"{about.st_size} {about.st_mtime_ns}")


def _fixed(asked: str) -> str:
    """The folder of a pattern, down to the first name that is not plain."""
    parts = asked.split("/")
    first = next(place for place, part in enumerate(parts) if is_pattern(part))
    return "/".join(parts[:first]) or ("/" if asked.startswith("/") else ".")


def _find_there(asked: str) -> list[File]:
    system, path = _system(asked)
    with speaking_of(asked):
        if is_pattern(path):
            root, found = _fixed(path), system.glob(path, detail=True)
        elif system.isdir(path):
            root, found = path, system.find(path, detail=True)
        else:
            root, found = posixpath.dirname(path), {path: system.info(path)}
    scheme = asked.split("://")[0]
    return [
        File(
            f"{scheme}://{_bare(name)}",
            posixpath.relpath(_bare(name), _bare(root) or "."),
            int(info["size"] or 0),
            f"{info['size']} {next((info[mark] for mark in MARKS if info.get(mark)), '')}",
        )
        for name, info in found.items()
        if info["type"] == "file"
    ]


def would_find(asked: str, place: str) -> bool:
    """Whether a file that appears at a place would be among those that are asked for, the next time."""
    root, rest = (_fixed(asked), "") if is_pattern(asked) else (asked, "/**")
    names, fixed = _absolute(place).split("/"), _absolute(root).split("/")
    below = names[len(fixed) :]
    if names[: len(fixed)] != fixed or any(name.startswith((".", "_")) for name in below):
        return False
    return _matches(below, (rest or asked.removeprefix(root)).strip("/").split("/"))


def _absolute(place: str) -> str:
    return place.rstrip("/") if is_address(place) else Path(place).resolve().as_posix()


def _matches(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Name by name; ** stands for any number of them."""
    if not pattern or not names:
        return not names and all(part == "**" for part in pattern)
    first, *rest = pattern
    if first == "**":
        return _matches(names, rest) or _matches(names[1:], pattern)
    return fnmatchcase(names[0], first) and _matches(names[1:], rest)


def _bare(path: str) -> str:
    """Some systems give their scheme back, others do not."""
    return path.split("://")[-1]


def names_in(folder: str) -> set[str]:
    """All files below a folder, which need not be there: one look, instead of one for each."""
    if not is_address(folder):
        root = Path(folder)
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    system, path = _system(folder)
    with speaking_of(folder):
        system.invalidate_cache()
        found = system.find(path) if system.exists(path) else []
    return {posixpath.relpath(_bare(name), _bare(path)) for name in found}


def open_place(place: str) -> IO[bytes]:
    """For reading, from any byte on; as it is, also what is packed."""
    with speaking_of(place):
        if not is_address(place):
            return Path(place).open("rb")
        system, path = _system(place)
        return io.BufferedReader(system.open(path, "rb"), BUFFER)  # fsspec's own cannot bound a line


def remove(place: str) -> None:
    with speaking_of(place):
        if is_address(place):
            system, path = _system(place)
            system.rm_file(path)
        else:
            Path(place).unlink(missing_ok=True)


@contextmanager
def write_whole(place: str) -> Iterator[IO[bytes]]:
    """A binary file that appears at the end; a name that ends in .gz is packed on the way."""
    if not is_address(place):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        with write_bytes_atomically(Path(place)) as file:
            yield file
        return
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch) / "whole"
        with here.open("wb") as plain:
            if not place.endswith(".gz"):
                yield plain
            else:
                with gzip.GzipFile(fileobj=plain, mode="wb") as packed:
                    yield packed  # type: ignore[misc]
        with speaking_of(place):
            _send(here, place)


def _send(here: Path, place: str) -> None:
    system, path = _system(place)
    if place.split("://")[0] in OBJECT_STORES:
        system.put_file(str(here), path)
        return
    folder, name = posixpath.split(path)
    system.makedirs(folder, exist_ok=True)
    system.put_file(str(here), partial := posixpath.join(folder, f".{name}.partial"))
    system.mv(partial, path)


@contextmanager
def speaking_of(place: str) -> Iterator[None]:
    """What goes wrong there is said in one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{place} does not exist") from None
    except PermissionError as error:
        raise InputError(f"{place} may not be read or written: {error}") from None


@cache
def _file_system(scheme: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(f"an address such as {scheme}://", "scale") from None
    try:
        return fsspec.filesystem(scheme)
    except ImportError as error:
        raise InputError(f"{scheme}:// needs a package that is not installed: {error}") from None
    except ValueError:
        raise InputError(f"{scheme}:// is no address that fsspec knows") from None


def _system(place: str) -> tuple[Any, str]:
    system = _file_system(place.split("://")[0])
    return system, system._strip_protocol(place)
