"""A safetensors file as numpy arrays, read where they are needed: a length, a header in JSON, and then the bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError

Array = NDArray[Any]
KINDS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8")}
LONGEST = 100_000_000  # bytes of a header, as the format has it


class Tensors(Mapping[str, Array]):
    """By name. The file stays on disk, and what is taken from it is a view of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = np.memmap(path, np.uint8, mode="r")
            length = int.from_bytes(self._bytes[:8].tobytes(), "little")
            if length > min(LONGEST, len(self._bytes) - 8):
                raise ValueError("its header is longer than the file")
            self._header: dict[str, Any] = json.loads(self._bytes[8 : 8 + length].tobytes())
            self._header.pop("__metadata__", None)
        except (OSError, ValueError, AttributeError) as error:
            raise FormatError(path, f"not a safetensors file ({error})") from None
        self._start = 8 + length

    def __getitem__(self, name: str) -> Array:
        try:
            entry = self._header[name]
        except KeyError:
            raise FormatError(self.path, f"there is no tensor {name!r} in it") from None
        try:
            begin, end = entry["data_offsets"]
            stored = self._bytes[self._start + begin : self._start + end]
            return np.asarray(stored.view(KINDS[entry["dtype"]]).reshape(entry["shape"]))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(self.path, f"the tensor {name!r} cannot be read ({error!r})") from None

    def __contains__(self, name: object) -> bool:
        return name in self._header

    def __iter__(self) -> Iterator[str]:
        return iter(self._header)

    def __len__(self) -> int:
        return len(self._header)
