"""Annotations on disk: one file per annotator, to which several processes may append.

Each line is `CRC-32 of the rest, key, JSON`. A batch is one write at the end of the file, which the system does not mix
with another's; a line that is damaged, or was cut when a process died, is passed over, and its annotation made again.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from anselm.annotations.annotator import Annotation


def read_annotations(path: Path) -> dict[str, Annotation]:
    """What can be read of a file; nothing where there is none."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return {}
    return dict(found for line in lines if (found := _parse(line)) is not None)


def append_annotations(path: Path, made: Mapping[str, Annotation]) -> None:
    """At the end of the file, in one write. What cannot be kept is made again next time: no reason to stop."""
    # The first line break ends whatever a process that died has left.
    content = b"\n" + b"".join(_lines(made))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, content)
        finally:
            os.close(descriptor)


def _lines(made: Mapping[str, Annotation]) -> Iterator[bytes]:
    for key, annotation in made.items():
        content = f"{key} {json.dumps(annotation)}".encode("ascii")
        yield b"%08x %b\n" % (zlib.crc32(content), content)


def _parse(line: bytes) -> tuple[str, Annotation] | None:
    check, _, content = line.partition(b" ")
    if check != b"%08x" % zlib.crc32(content) or not content:
        return None
    key, _, written = content.decode("ascii").partition(" ")
    return key, tuple(json.loads(written))
