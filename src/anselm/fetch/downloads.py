"""One file over https. What a broken attempt left stays beside its place, and the next one goes on from there."""

from __future__ import annotations

import errno
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from anselm import __version__
from anselm.checkpoints.checksums import hash_file
from anselm.errors import InputError

Tell = Callable[[int, int], None]  # told how much is there, and of how much
BLOCK = 1 << 20  # bytes
SECONDS = 60.0  # without a byte
NOT_SATISFIABLE = 416


class UnreachableError(InputError):
    """Nothing came, or not all."""


def download(url: str, path: Path, size: int, sha256: str, tell: Tell) -> None:
    """The file appears at `path` when it is whole and what it should be."""
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    while (there := _size(part)) < size:
        _go_on(url, part, size, tell)
        if _size(part) <= there:
            raise UnreachableError(f"{url} sent nothing more after {there:,} of {size:,} bytes")
    if _size(part) != size or (found := hash_file(part)) != sha256:
        wrong = f"{_size(part):,} bytes, not {size:,}" if _size(part) != size else f"SHA-256 {found}, not {sha256}"
        part.unlink()
        raise InputError(f"{url} is not the file that was expected ({wrong}); what came was removed")
    part.replace(path)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _go_on(url: str, part: Path, size: int, tell: Tell) -> None:
    """Once, from where the last attempt stopped; a server that knows no ranges sends it all again."""
    there = _size(part)
    try:
        with _open(url, there) as answer:
            whole = answer.status != 206 or not _begins_at(answer, there)
            with part.open("wb" if whole else "ab") as file:
                while (block := answer.read(BLOCK)) and file.tell() <= size:
                    file.write(block)
                    tell(file.tell(), size)
    except HTTPError as error:
        if error.code == NOT_SATISFIABLE and there:  # another file than the one that was begun
            part.unlink()
            return
        raise UnreachableError(f"{url} cannot be fetched: {error.code} {error.reason}") from None
    except URLError as error:
        raise UnreachableError(f"{url} cannot be reached: {error.reason}") from None
    except (HTTPException, ConnectionError, TimeoutError) as error:
        left = f"{_size(part):,} of {size:,} bytes are kept, and the same command goes on from there"
        raise UnreachableError(f"{url} broke off ({error or type(error).__name__}); {left}") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            part.unlink(missing_ok=True)
        raise InputError(f"{part} cannot be written: {error.strerror or error}") from None


def _open(url: str, there: int) -> HTTPResponse:
    headers = {"User-Agent": f"anselm/{__version__}", "Accept-Encoding": "identity"}
    if there:
        headers["Range"] = f"bytes={there}-"
    return cast(HTTPResponse, urlopen(Request(url, headers=headers), timeout=SECONDS))  # https, or a test's


def _begins_at(answer: HTTPResponse, there: int) -> bool:
    return (answer.getheader("Content-Range") or "").startswith(f"bytes {there}-")
