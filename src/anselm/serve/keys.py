"""API keys: compared in constant time, all of them, whichever fits."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from pathlib import Path

from anselm.errors import InputError

VARIABLE = "ANSELM_API_KEYS"


class Keys:
    """What clients send as `Authorization: Bearer KEY`. Digests are compared, so that not even a length shows."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._digests = [digest(key.encode()) for key in keys]

    def admit(self, authorization: bytes) -> bool:
        if not self._digests:
            return True
        scheme, _, key = authorization.partition(b" ")
        given = digest(key.strip())
        fits = [hmac.compare_digest(given, known) for known in self._digests]
        return scheme.lower() == b"bearer" and any(fits)


def digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def read_keys(path: Path | None) -> tuple[str, ...]:
    """One on each line of a file, else those of the environment with commas between: a command line is for all eyes."""
    if path is None:
        return tuple(key for key in (part.strip() for part in os.environ.get(VARIABLE, "").split(",")) if key)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the API keys in {path} cannot be read: {error}") from None
    keys = tuple(line.strip() for line in lines if line.strip())
    if not keys:
        raise InputError(f"there is no API key in {path}")
    return keys
