"""Ragged lists: the scores of a batch are one flat row, list after list; a layout says which belongs where.

The layout is worked out on the host, where the sizes are known: asking a GPU for a size would make it wait.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Layout:
    """How the candidates of a batch form lists."""

    sizes: Tensor  # (lists,)
    cells: Tensor  # (pairs,) its cell in a padded table of lists x longest, flat
    longest: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64], device: torch.device | str = "cpu") -> Layout:
        longest = int(sizes.max(initial=0))
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        cells = np.repeat(np.arange(len(sizes)) * longest, sizes) + places
        tensors = [torch.from_numpy(array).to(device, non_blocking=True) for array in (sizes, cells)]
        return cls(tensors[0], tensors[1], longest)

    def pad(self, values: Tensor, fill: float = 0.0) -> Tensor:
        """(pairs, ...) -> (lists, longest, ...)"""
        table = values.new_full((len(self.sizes) * self.longest, *values.shape[1:]), fill)
        return table.index_copy(0, self.cells, values).view(len(self.sizes), self.longest, *values.shape[1:])

    def unpad(self, padded: Tensor) -> Tensor:
        """(lists, longest, ...) -> (pairs, ...)"""
        return padded.flatten(0, 1)[self.cells]

    @property
    def mask(self) -> Tensor:
        """True where a padded list has a candidate. (lists, longest)"""
        return torch.arange(self.longest, device=self.sizes.device) < self.sizes[:, None]
