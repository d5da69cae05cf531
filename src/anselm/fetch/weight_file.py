"""The weights of graphs that ship without them: made of an encoder from elsewhere, an adapter, and fixed factors.

    W' = W + s B A                    the adapter, where a layer has one (LoRA, Hu et al., 2022)
    W'^T diag(f) -> int8              with the factors of the channels that it reads (export/quantize.py)

The graphs name their weights by offsets of one file, and the recipe says what stands at which. The same bytes come out
on every machine, so the file has a checksum before it is made: sums are taken in a fixed order, one product after the
other, and never by a matrix product, whose order is the library's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from anselm.fetch.tensors import Tensors

Array = NDArray[Any]
Tell = Callable[[int, int], None]  # told how much is done, and of how much
ROWS = 64  # of a weight at a time: they stay in the processor's cache


@dataclass(frozen=True)
class Part:
    """What stands at some offsets: `make` names one of MAKERS, `of` a tensor of the encoder, or of the factors."""

    make: str
    of: str
    at: tuple[int, ...]
    adapter: str | None = None
    factor: str | None = None


@dataclass(frozen=True)
class Sources:
    encoder: Mapping[str, Array]
    adapter: Mapping[str, Array]  # down.NAME is A (rank, in), up.NAME is B (out, rank)
    factors: Mapping[str, Array]
    scale: float  # s


def write_weights(file: IO[bytes], size: int, parts: list[Part], sources: Sources, tell: Tell) -> None:
    """The whole file, from its beginning; what lies between parts is zero."""
    for part in parts:
        for offset, array in zip(part.at, MAKERS[part.make](part, sources), strict=True):
            file.seek(offset)
            file.write(np.ascontiguousarray(array).data)
        tell(max(part.at), size)
    file.truncate(size)
    tell(size, size)


def copy(part: Part, sources: Sources) -> Iterator[Array]:
    yield sources.encoder[part.of].astype("<f4")


def inverse(part: Part, sources: Sources) -> Iterator[Array]:
    yield (np.float32(1) / sources.factors[part.of]).astype("<f4")


def table(part: Part, sources: Sources) -> Iterator[Array]:
    """Each row with its own scale."""
    yield from int8(sources.encoder[part.of].astype(np.float64), axis=1)


def product(part: Part, sources: Sources) -> Iterator[Array]:
    """Each column with its own scale. A weight of the encoder is (out, in), and a graph's is (in, out)."""
    weight = sources.encoder[part.of].astype(np.float64)
    if part.adapter is not None:
        down, up = (sources.adapter[f"{side}.{part.adapter}"].astype(np.float64) for side in ("down", "up"))
        add_product(weight, sources.scale * up, down)
    if part.factor is not None:
        weight *= sources.factors[part.factor].astype(np.float64)
    whole, scale = int8(weight.T, axis=0)
    yield whole
    yield scale.ravel()


MAKERS: dict[str, Callable[[Part, Sources], Iterator[Array]]] = {
    "copy": copy, "inverse": inverse, "table": table, "product": product,
}  # fmt: skip


def add_product(weight: Array, up: Array, down: Array) -> None:
    """weight += up down, each sum from the first product to the last."""
    for start in range(0, len(weight), ROWS):
        rows, left = weight[start : start + ROWS], up[start : start + ROWS]
        for rank in range(len(down)):
            rows += left[:, rank, None] * down[rank]


def int8(values: Array, axis: int) -> tuple[Array, Array]:
    """Whole numbers from -127 to 127, and the scale along an axis, which stays with length 1."""
    scale = np.maximum(np.abs(values).max(axis=axis, keepdims=True), 1e-8) / 127
    return np.rint(values / scale).astype(np.int8), scale.astype("<f4")


def read_sources(encoder: Path, adapter: Path, factors: Path, scale: float) -> Sources:
    return Sources(Tensors(encoder), Tensors(adapter), Tensors(factors), scale)
