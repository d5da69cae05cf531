"""The self-attention block against PyTorch's own, and what its gate lets through."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from anselm.layers.attention import global_attention  # noqa: E402
from anselm.layers.blocks import SelfAttentionBlock, balance, with_positions  # noqa: E402

WIDTH, HEADS = 12, 3
LENGTHS = torch.tensor([7, 1, 4])
MASK = torch.arange(7) < LENGTHS[:, None]


def make(gate: bool, last_norm: bool) -> SelfAttentionBlock:
    """All weights random, so that no layer norm is like another."""
    torch.manual_seed(1)
    block = SelfAttentionBlock(WIDTH, HEADS, global_attention, gate, last_norm)
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return block


def texts() -> Tensor:
    return torch.randn(3, 7, WIDTH, generator=torch.Generator().manual_seed(2))


@torch.no_grad()
def test_with_both_norms_and_no_gate_it_is_the_original_block() -> None:
    """Post-norm, ReLU, four times as wide inside, as in Vaswani et al.; the heads have no biases."""
    block = make(gate=False, last_norm=True)
    peer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
    attention = block.attention
    peer.self_attn.in_proj_weight.copy_(torch.cat([w.weight for w in (attention.w_q, attention.w_k, attention.w_v)]))
    peer.self_attn.in_proj_bias.zero_()
    peer.self_attn.out_proj.bias.zero_()
    pairs = {
        peer.self_attn.out_proj.weight: attention.w_o.weight,
        peer.linear1.weight: block.feed_forward[0].weight,
        peer.linear1.bias: block.feed_forward[0].bias,
        peer.linear2.weight: block.feed_forward[2].weight,
        peer.linear2.bias: block.feed_forward[2].bias,
        peer.norm1.weight: block.norm.weight,
        peer.norm1.bias: block.norm.bias,
        peer.norm2.weight: block.last_norm.weight,
        peer.norm2.bias: block.last_norm.bias,
    }
    for target, source in pairs.items():
        target.copy_(source)
    peer.train()  # the fast path of eval, with nested tensors, gives zeros at padding
    expected = peer(texts(), src_key_padding_mask=~MASK)
    assert (block(texts(), MASK) - expected)[MASK].abs().max() < 1e-5


@torch.no_grad()
def test_the_last_norm_can_be_left_out() -> None:
    block, without = make(gate=False, last_norm=True), make(gate=False, last_norm=False)
    without.load_state_dict({key: value for key, value in block.state_dict().items() if "last_norm" not in key})
    assert torch.allclose(block.last_norm(without(texts(), MASK)), block(texts(), MASK), atol=1e-6)


@torch.no_grad()
def test_a_closed_gate_leaves_nothing_to_attend_to_and_an_open_one_everything() -> None:
    block, plain = make(gate=True, last_norm=False), make(gate=False, last_norm=False)
    plain.load_state_dict({key: value for key, value in block.state_dict().items() if "gate" not in key})
    block.gate.linear.weight.zero_()
    block.gate.linear.bias.fill_(-100.0)
    assert torch.allclose(block.look(texts(), MASK), block.norm(texts()), atol=1e-6)
    block.gate.linear.bias.fill_(100.0)
    assert torch.allclose(block(texts(), MASK)[MASK], plain(texts(), MASK)[MASK], atol=1e-6)


@torch.no_grad()
def test_the_gate_is_of_each_word_times_the_mean_of_all() -> None:
    gate, x = make(gate=True, last_norm=False).gate, texts()
    found = gate(x, MASK)
    for row, length in enumerate(LENGTHS.tolist()):
        mean = sum(x[row, i] for i in range(length)) / length
        for i in range(length):
            expected = torch.sigmoid(gate.linear.weight @ (x[row, i] * mean) + gate.linear.bias)
            assert torch.allclose(found[row, i], expected, atol=1e-6)


def test_words_are_scaled_before_positions_are_added() -> None:
    x = texts()
    found = with_positions(x, 3.0)
    assert found[1, 5, 3].item() == pytest.approx(
        x[1, 5, 3].item() * 3.0 + math.cos(5 / 10_000 ** (2 / WIDTH)), abs=1e-6
    )
    assert torch.allclose(found - with_positions(torch.zeros_like(x), 3.0), x * 3.0, atol=1e-5)


@pytest.mark.parametrize("length", [0.1, 1.4, 6.0])
def test_balanced_words_are_as_long_as_positions(length: float) -> None:
    table = np.random.default_rng(1).standard_normal((500, 100)).astype(np.float32)
    table *= length / np.linalg.norm(table, axis=1, keepdims=True)
    place = with_positions(torch.zeros(1, 9, 300), 1.0)[0, 7].norm().item()
    assert balance(table, 300) * length == pytest.approx(place, rel=1e-5)
    assert balance(np.zeros((3, 4), dtype=np.float32), 300) == 1.0
