"""Attention against the definition, word by word in a loop, and its graph in ONNX Runtime against itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from anselm.errors import InputError  # noqa: E402
from anselm.layers.attention import (  # noqa: E402
    MultiHead,
    global_attention,
    group_attention,
    in_groups,
    in_windows,
    local_attention,
    local_attention_by_mask,
)

D = 4
Allowed = Callable[[int, int, int], bool]  # head, i, j: may word i look at word j, were both words?


def everywhere(head: int, i: int, j: int) -> bool:
    return True


def same_group(size: int, offsets: tuple[int, ...]) -> Allowed:
    return lambda head, i, j: math.floor((i - offsets[head]) / size) == math.floor((j - offsets[head]) / size)


def near(window: int) -> Allowed:
    return lambda head, i, j: abs(i - j) <= (window - 1) / 2


def word_by_word(q: Any, k: Any, v: Any, mask: Any, allowed: Allowed) -> Any:
    """Only words that may be looked at are ever touched, so that nothing needs to be hidden."""
    batch, heads, words, d = q.shape

    def one(row: int, head: int, i: int) -> Any:
        seen = [j for j in range(words) if mask[row, j] and allowed(head, i, j)]
        if not seen:
            return torch.zeros(d)
        scores = torch.stack([q[row, head, i] @ k[row, head, j] / math.sqrt(d) for j in seen])
        weights = scores.exp() / scores.exp().sum()
        return sum(weight * v[row, head, j] for weight, j in zip(weights, seen, strict=True))

    return torch.stack(
        [
            torch.stack([torch.stack([one(row, head, i) for i in range(words)]) for head in range(heads)])
            for row in range(batch)
        ]
    )


def prefixes(lengths: list[int], words: int) -> Any:
    return torch.arange(words) < torch.tensor(lengths)[:, None]


def random_qkv(batch: int, heads: int, words: int, seed: int = 1) -> list[Any]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(batch, heads, words, D, generator=generator) for _ in range(3)]


def close(found: Any, expected: Any, most: float = 1e-5) -> bool:
    return bool(found.shape == expected.shape and (found - expected).abs().max() <= most)


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[Any], Any]:
    """q, k, v of two or three heads, and a mask of one or two rows, with holes or without words perhaps."""
    words, batch = draw(st.integers(1, 40)), draw(st.integers(1, 2))
    if draw(st.booleans()):
        mask = prefixes(draw(st.lists(st.integers(0, words), min_size=batch, max_size=batch)), words)
    else:
        mask = torch.tensor(draw(st.lists(st.booleans(), min_size=batch * words, max_size=batch * words)))
        mask = mask.reshape(batch, words)
    return random_qkv(batch, draw(st.integers(2, 3)), words, draw(st.integers(0, 99))), mask


@settings(deadline=None)
@given(texts(), st.integers(1, 50), st.data())
def test_group_attention_is_its_definition(given: tuple[list[Any], Any], size: int, data: st.DataObject) -> None:
    qkv, mask = given
    heads = qkv[0].shape[1]
    offsets = tuple(data.draw(st.lists(st.integers(-60, 60), min_size=heads, max_size=heads)))
    found = group_attention(*qkv, mask, size, offsets)
    assert close(found, word_by_word(*qkv, mask, same_group(size, offsets)))


@settings(deadline=None, max_examples=50)
@given(texts(), st.integers(0, 25))
def test_local_attention_is_its_definition(given: tuple[list[Any], Any], side: int) -> None:
    qkv, mask = given
    expected = word_by_word(*qkv, mask, near(2 * side + 1))
    assert close(local_attention(*qkv, mask, 2 * side + 1), expected)
    assert close(local_attention_by_mask(*qkv, mask, 2 * side + 1), expected)


@settings(deadline=None, max_examples=50)
@given(texts(), st.integers(0, 10))
def test_global_attention_is_its_definition_and_that_of_one_group(given: tuple[list[Any], Any], more: int) -> None:
    qkv, mask = given
    expected = word_by_word(*qkv, mask, everywhere)
    _, heads, words, _ = qkv[0].shape
    assert close(global_attention(*qkv, mask), expected)
    assert close(group_attention(*qkv, mask, words + more, (0,) * heads), expected)


WAYS = {
    "global": (global_attention, everywhere),
    "local": (partial(local_attention, window=5), near(5)),
    "local by mask": (partial(local_attention_by_mask, window=5), near(5)),
    "group": (partial(group_attention, size=4, offsets=(0, 2)), same_group(4, (0, 2))),
    "group, heads not in order": (partial(group_attention, size=4, offsets=(3, 1)), same_group(4, (3, 1))),
}
ways = pytest.mark.parametrize("name", WAYS)


@ways
@pytest.mark.parametrize("lengths", [[11, 3], [0, 11], [1, 0]])
def test_gradients_are_those_of_the_definition(name: str, lengths: list[int]) -> None:
    attend, allowed = WAYS[name]
    mask, weight = prefixes(lengths, 11), torch.linspace(-1, 1, D)
    ours, theirs = ([x.requires_grad_() for x in random_qkv(2, 2, 11)] for _ in range(2))
    (attend(*ours, mask) * weight).sum().backward()
    (word_by_word(*theirs, mask, allowed) * weight).sum().backward()
    for found, expected in zip(ours, theirs, strict=True):
        assert close(found.grad, expected.grad)  # a NaN is close to nothing


@ways
def test_padding_on_the_right_changes_nothing(name: str) -> None:
    attend, _ = WAYS[name]
    qkv = random_qkv(2, 2, 19)
    for words in range(8, 19):
        found = attend(*(x[:, :, :words] for x in qkv), prefixes([8, 5], words))
        assert close(found[:, :, :8], attend(*qkv, prefixes([8, 5], 19))[:, :, :8], 1e-6)


@ways
def test_a_word_that_sees_padding_only_gets_zeros(name: str) -> None:
    attend, _ = WAYS[name]
    found = attend(*random_qkv(2, 2, 19), prefixes([0, 3], 19))
    assert not found[0].any()
    assert name == "global" or not found[1, :, 10:].any()


def test_multi_head_is_a_loop_over_heads() -> None:
    torch.manual_seed(1)
    layer = MultiHead(12, 3, in_groups(3, size=4, offsets=(0, 2, 2)))
    x, mask = torch.randn(2, 9, 12), prefixes([9, 5], 9)
    expected = torch.zeros(2, 9, 12)
    for head in range(3):
        rows = slice(4 * head, 4 * head + 4)  # the head's part of W^q, W^k, W^v is rows; of W^o it is columns
        q, k, v = (torch.einsum("dD,bwD->bwd", w.weight[rows], x)[:, None] for w in (layer.w_q, layer.w_k, layer.w_v))
        s = word_by_word(q, k, v, mask, same_group(4, ((0, 2, 2)[head],)))[:, 0]
        expected += torch.einsum("Dd,bwd->bwD", layer.w_o.weight[:, rows], s)
    assert close(layer(x, mask), expected)
    assert {name: tuple(value.shape) for name, value in layer.named_parameters()} == {
        f"w_{part}.weight": (12, 12) for part in "qkvo"
    }


def test_what_cannot_be_is_refused_with_its_numbers() -> None:
    with pytest.raises(InputError, match="width of 300 does not divide into 7 heads"):
        MultiHead(300, 7, global_attention)
    with pytest.raises(InputError, match="width of 300 does not divide into 0 heads"):
        MultiHead(300, 0, global_attention)
    with pytest.raises(InputError, match="2 offsets for 6 heads"):
        in_groups(6, 10, (0, 5))
    with pytest.raises(InputError, match="group of 0 words"):
        in_groups(2, 0, (0, 5))
    with pytest.raises(InputError, match="window of 10 words"):
        in_windows(10)


class Stack(torch.nn.Module):
    """Heads in the order of their offsets, and out of it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = MultiHead(8, 2, in_groups(2, 10, (0, 5)))
        self.second = MultiHead(8, 4, in_groups(4, 10, (7, 3, 0, 3)))

    def forward(self, x: Any, mask: Any) -> Any:
        return self.second(self.first(x, mask), mask)


@pytest.mark.filterwarnings("ignore")  # the exporter's own
def test_group_attention_runs_without_torch_at_every_length(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    layers = Stack().eval()
    shape = {0: torch.export.Dim("batch", min=1), 1: torch.export.Dim("words", min=1)}
    program = torch.onnx.export(
        layers, (torch.randn(2, 13, 8), prefixes([13, 4], 13)), dynamo=True, verbose=False,
        input_names=["x", "mask"], dynamic_shapes={"x": shape, "mask": shape},
    )  # fmt: skip
    program.save(tmp_path / "layers.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "layers.onnx")
    for words in (1, 4, 5, 6, 9, 10, 11, 20, 25, 203):
        for lengths in ([words], [words, 0, words // 2]):
            x, mask = torch.randn(len(lengths), words, 8), prefixes(lengths, words)
            found = session.run(None, {"x": x.numpy(), "mask": mask.numpy()})[0]
            assert close(torch.from_numpy(found), layers(x, mask))
