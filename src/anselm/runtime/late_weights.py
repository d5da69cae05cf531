"""The weights of a late-interaction ranker: arrays in one file, the table of pieces in int8 with a scale a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.checkpoint import ARRAYS, Checkpoint

Array = NDArray[np.float32]
TABLE, SCALE = "table", "scale"  # what is rounded


@dataclass(frozen=True)
class Linear:
    """x W + b"""

    weight: Array  # (in, out)
    bias: Array  # (out,)

    def __call__(self, x: Array) -> Array:
        return x @ self.weight + self.bias


@dataclass(frozen=True)
class Norm:
    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        apart = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.square(apart).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        return np.asarray(apart / spread * self.weight + self.bias)


@dataclass(frozen=True)
class Layer:
    """Attention over the pieces of a question and two linear steps, each with what it was given added, norms behind."""

    heads: int
    qkv: Linear
    out: Linear
    first: Norm
    up: Linear
    down: Linear
    second: Norm

    def __call__(self, x: Array, spans: Sequence[slice]) -> Array:
        """Questions one after the other; the last piece of each, which ends it, is seen by none. (pieces, width)"""
        qkv = self.qkv(x).reshape(len(x), 3, self.heads, -1)
        seen = np.concatenate([self._look(qkv[span]) for span in spans]).reshape(x.shape)
        x = self.first(x + self.out(seen))
        return self.second(x + self.down(np.maximum(self.up(x), 0)))

    def _look(self, qkv: Array) -> Array:
        q, k, v = np.moveaxis(qkv, 0, 2)  # each (heads, pieces, size)
        shown = max(q.shape[1] - 1, 1)
        looks = q @ np.swapaxes(k[:, :shown], 1, 2) / np.float32(q.shape[-1] ** 0.5)
        looks = np.exp(looks - looks.max(axis=-1, keepdims=True))
        return np.swapaxes((looks / looks.sum(axis=-1, keepdims=True)) @ v[:, :shown], 0, 1)


@dataclass(frozen=True)
class Weights:
    """By the names of models/late_interaction.py."""

    table: Array  # (pieces, width)
    rarity: Array  # (pieces,)
    place: Array  # (longest question, width)
    layers: tuple[Layer, ...]
    matter: Linear
    signs: Linear
    context: Linear
    probes: Linear
    product: Linear
    wide: Linear
    head: Linear

    @classmethod
    def read(cls, checkpoint: Checkpoint, heads: int) -> Weights:
        try:
            weights = cls._of(read_arrays(checkpoint), heads)
            weights.check()
        except (KeyError, ValueError, IndexError) as error:  # an array that is absent, or of another shape
            raise checkpoint.refusal(f"not the arrays of this model ({error})", ARRAYS) from None
        return weights

    @classmethod
    def _of(cls, arrays: dict[str, Array], heads: int) -> Weights:
        linear = {name: Linear(arrays[f"{name}.weight"].T, arrays[f"{name}.bias"]) for name in LINEAR}
        table = arrays[TABLE] * arrays[SCALE][:, None]
        layers = tuple(read_layers(arrays, heads))
        return cls(table, arrays["rarity"], arrays["place"], layers, **linear)

    def check(self) -> None:
        """That they fit each other: what does not would be met in the middle of a list."""
        pieces, width = self.table.shape
        for layer in self.layers:
            if width % layer.heads or layer.qkv.weight.shape != (width, 3 * width):
                raise ValueError(f"{layer.heads} heads do not fit a width of {width}")
        fits = self.rarity.shape == (pieces,) and self.place.ndim == 2 and self.place.shape[1] == width
        if not fits or any(one.weight.shape[1:] != one.bias.shape for one in self.linear):
            raise ValueError("the shapes do not fit each other")
        if self.wide.weight.shape[1] != self.head.weight.shape[0]:
            raise ValueError("the last two layers do not fit each other")

    @property
    def linear(self) -> list[Linear]:
        inner = [one for layer in self.layers for one in (layer.qkv, layer.out, layer.up, layer.down)]
        return [*inner, *(getattr(self, name) for name in LINEAR)]


LINEAR = ("matter", "signs", "context", "probes", "product", "wide", "head")


def read_layers(arrays: dict[str, Array], heads: int) -> Iterator[Layer]:
    count = sum(name.endswith("qkv.bias") for name in arrays)
    for number in range(count):
        at = f"layers.{number}."
        qkv, out, up, down = (
            Linear(arrays[f"{at}{name}.weight"].T, arrays[f"{at}{name}.bias"]) for name in ("qkv", "out", "up", "down")
        )
        first, second = (Norm(arrays[f"{at}{name}.weight"], arrays[f"{at}{name}.bias"]) for name in ("first", "second"))
        yield Layer(heads, qkv, out, first, up, down, second)


def read_arrays(checkpoint: Checkpoint) -> dict[str, Array]:
    """All of them, in single precision."""
    if not checkpoint.has(ARRAYS):
        raise checkpoint.refusal("the file is missing", ARRAYS)
    try:
        with checkpoint.path(ARRAYS).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            found = {name: file[name].astype(np.float32) for name in file.files}
    except (OSError, ValueError, EOFError, TypeError, AttributeError, MemoryError, BadZipFile, TokenError) as error:
        raise checkpoint.refusal(f"not a file of arrays ({error})", ARRAYS) from None
    if odd := next((name for name, array in found.items() if not np.isfinite(array).all()), None):
        raise checkpoint.refusal(f"{odd} holds values that are no numbers", ARRAYS)
    return found


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """The table rounded, the rest in half precision."""
    table = np.asarray(arrays[TABLE], dtype=np.float32)
    scale = np.maximum(np.abs(table).max(axis=1) / 127, 1e-12).astype(np.float32)
    rounded = np.clip(np.rint(table / scale[:, None]), -127, 127).astype(np.int8)
    others = {name: array for name, array in arrays.items() if name != TABLE}
    rest: dict[str, Any] = {name: np.asarray(array, dtype=np.float16) for name, array in others.items()}
    np.savez(path, **(rest | {TABLE: rounded, SCALE: scale}))
