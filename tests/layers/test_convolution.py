"""Convolution against windows that are laid out by hand."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from anselm.layers.convolution import Convolution  # noqa: E402


@pytest.mark.parametrize("window", [1, 3, 5, 2, 4])
@torch.no_grad()
def test_a_window_reads_the_words_around_its_own(window: int) -> None:
    torch.manual_seed(1)
    layer = Convolution(width=4, hidden=5, filters=6, window=window)
    lengths = (7, 1, 3)
    x = torch.randn(3, 7, 4)  # what stands at padding is no zero
    mask = torch.arange(7) < torch.tensor(lengths)[:, None]
    found = layer(x, mask)
    assert found.shape == (3, 7, 6)
    for row, length in enumerate(lengths):
        hidden = [torch.tanh(layer.hidden.weight @ word + layer.hidden.bias) for word in x[row, :length]]
        for i in range(length):
            total = layer.windows.bias.clone()
            for k in range(window):
                if 0 <= (j := i + k - (window - 1) // 2) < length:
                    total += layer.windows.weight[:, :, k] @ hidden[j]
            assert torch.allclose(found[row, i], torch.tanh(total), atol=1e-6)
