"""Where the encoder of a model comes from: a folder, archives in it, what is downloaded already, or the hub.

Whichever it is, the file is taken only if its SHA-256 is the published one.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from anselm.checkpoints.checksums import hash_file
from anselm.errors import FormatError, InputError
from anselm.fetch.downloads import Tell, UnreachableError, download

HUB, ENDPOINT, OFFLINE = "https://huggingface.co", "HF_ENDPOINT", "HF_HUB_OFFLINE"
WHEEL, SOURCES = ".whl", ".tar.gz"
# What the libraries raise where bytes are not as they were: unknown methods and encryption are among it.
DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_PART = re.compile(r"\.zip\.(\d{3})$")  # of a zip that was cut into parts


@dataclass(frozen=True)
class Encoder:
    """Published weights: one file of a repository on the hub."""

    repository: str
    revision: str
    file: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return self.repository.split("/")[-1]

    @property
    def url(self) -> str:
        return f"{os.environ.get(ENDPOINT) or HUB}/{self.repository}/resolve/{self.revision}/{self.file}"

    def check(self, path: Path) -> Path:
        if path.stat().st_size != self.size or hash_file(path) != self.sha256:
            raise FormatError(path, f"not the published weights of {self.repository}, whose SHA-256 is {self.sha256}")
        return path


@contextmanager
def from_folder(encoder: Encoder, folder: Path, scratch: Path) -> Iterator[Path]:
    """The weights in a folder as the hub has it, or in archives of it that lie in a folder."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; one with {encoder.file} of {encoder.repository} is needed")
    if (plain := folder / encoder.file).is_file():
        yield encoder.check(plain)
        return
    if not (parts := list(zip_parts(folder))):
        wanted = f"neither {encoder.file} nor archives of {encoder.name}"
        raise InputError(f"there is {wanted} in {folder}")
    scratch.mkdir(parents=True, exist_ok=True)
    joined, weights = scratch / "joined.zip", scratch / encoder.file
    try:
        join(parts, joined)
        unpack(joined, encoder, weights)
        yield encoder.check(weights)
    finally:
        joined.unlink(missing_ok=True)
        weights.unlink(missing_ok=True)


def zip_parts(folder: Path) -> Iterator[tuple[int, Path, str]]:
    """Parts of a zip that lie in a folder, or in packages of PyPI, wheels or source archives: number, file, member."""
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        if found := _PART.search(path.name):
            yield int(found[1]), path, ""
        elif path.name.endswith((WHEEL, SOURCES)):
            try:
                members = [name for name in names_in(path) if _PART.search(name)]
            except (*DAMAGE, OSError) as error:
                raise FormatError(path, f"not a whole archive ({error})") from None
            for member in members:
                yield int(_PART.search(member)[1]), path, member  # type: ignore[index]


def names_in(path: Path) -> list[str]:
    """The files of a package."""
    if path.name.endswith(WHEEL):
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as archive:
        return [member.name for member in archive if member.isfile()]


def join(parts: list[tuple[int, Path, str]], joined: Path) -> None:
    numbers = sorted(number for number, _, _ in parts)
    if numbers != list(range(1, len(numbers) + 1)):
        raise InputError(f"the parts of the archive are not all there, or twice: {', '.join(map(str, numbers))}")
    try:
        with joined.open("wb") as whole:
            for _, path, member in sorted(parts):
                with open_part(path, member) as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
    except DAMAGE as error:
        raise InputError(f"the parts make no whole archive ({error})") from None
    except OSError as error:
        raise InputError(f"{joined} cannot be written: {error.strerror or error}") from None


@contextmanager
def open_part(path: Path, member: str) -> Iterator[IO[bytes]]:
    if not member:
        with path.open("rb") as file:
            yield file
        return
    if path.name.endswith(WHEEL):
        with zipfile.ZipFile(path) as wheel, wheel.open(member) as part:
            yield part
        return
    with tarfile.open(path) as archive:
        found = archive.extractfile(member)
        assert found is not None  # it was a file a moment ago
        yield found


def unpack(joined: Path, encoder: Encoder, weights: Path) -> None:
    try:
        with zipfile.ZipFile(joined) as archive:
            name = next(one for one in archive.namelist() if one.split("/")[-1] == encoder.file)
            with archive.open(name) as packed, weights.open("wb") as file:
                shutil.copyfileobj(packed, file, 1 << 20)
    except (*DAMAGE, StopIteration) as error:
        what = f"no whole archive of {encoder.name}" + (f" ({error})" if str(error) else "")
        raise InputError(f"the parts make {what}") from None
    except OSError as error:
        raise InputError(f"{weights} cannot be written: {error.strerror or error}") from None


@contextmanager
def from_hub(encoder: Encoder, scratch: Path, tell: Tell) -> Iterator[Path]:
    """What the hub's own library has downloaded before, or a download, which is removed once it was used."""
    if known := in_hub_cache(encoder):
        yield encoder.check(known)
        return
    weights = scratch / encoder.file
    if os.environ.get(OFFLINE, "").lower() in ("1", "true", "yes", "on"):
        raise UnreachableError(f"{OFFLINE} is set, and {encoder.repository} is not here")
    download(encoder.url, weights, encoder.size, encoder.sha256, tell)
    yield weights
    weights.unlink()


def in_hub_cache(encoder: Encoder) -> Path | None:
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
    folder = cache / f"models--{encoder.repository.replace('/', '--')}" / "snapshots" / encoder.revision
    return found if (found := folder / encoder.file).is_file() else None
