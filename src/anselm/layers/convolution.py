"""Convolution over the words of a text. Padding is nothing: a window that reaches over the end reads zeros."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional


class Centred(nn.Conv1d):
    """Windows of words, each centred on its word, or, of an even number of words, on the one before the middle.

    As torch's padding="same", which warns of a copy where the window is even.
    """

    def __init__(self, width: int, filters: int, window: int) -> None:
        super().__init__(width, filters, window)
        self.around = ((window - 1) // 2, window // 2)

    def forward(self, x: Tensor) -> Tensor:
        """(rows, width, words) -> (rows, filters, words)"""
        return super().forward(functional.pad(x, self.around))


class Convolution(nn.Module):
    """QA-CNN's encoder (Feng et al., 2015): a hidden layer word by word, then windows of words, each with a tanh.

    Windows are centred on their word, so that there are as many states as words; the original slides over whole
    windows only, which a text shorter than the window does not have.
    """

    def __init__(self, width: int, hidden: int, filters: int, window: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, hidden)
        self.windows = Centred(hidden, filters, window)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(rows, words, width), (rows, words) -> (rows, words, filters)"""
        hidden = self.hidden(x).tanh() * mask[:, :, None]
        states: Tensor = self.windows(hidden.transpose(1, 2)).tanh().transpose(1, 2)
        return states
