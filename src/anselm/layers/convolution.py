"""Convolution over the words of a text. Padding is nothing: a window that reaches over the end reads zeros."""

from __future__ import annotations

from torch import Tensor, nn

from anselm.errors import InputError


class Convolution(nn.Module):
    """QA-CNN's encoder (Feng et al., 2015): a hidden layer word by word, then windows of words, each with a tanh.

    Windows are centred on their word, so that there are as many states as words; the original slides over whole
    windows only, which a text shorter than the window does not have.
    """

    def __init__(self, width: int, hidden: int, filters: int, window: int) -> None:
        super().__init__()
        if window < 1 or window % 2 == 0:
            raise InputError(f"a window of {window} words; it needs an odd number, so that a word is in its middle")
        self.hidden = nn.Linear(width, hidden)
        self.windows = nn.Conv1d(hidden, filters, window, padding="same")

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(rows, words, width), (rows, words) -> (rows, words, filters)"""
        hidden = self.hidden(x).tanh() * mask[:, :, None]
        states: Tensor = self.windows(hidden.transpose(1, 2)).tanh().transpose(1, 2)
        return states
