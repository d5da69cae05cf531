"""Compositions against loops over the words of one pair at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from anselm.errors import UnknownNameError  # noqa: E402
from anselm.layers.composition import (  # noqa: E402
    AttentivePooling,
    MaxPooling,
    MeanPooling,
    MultihopAttention,
    QuestionAttention,
    max_pool,
    mean_pool,
)

D, HIDDEN, HOPS = 6, 3, 3
LENGTHS_Q, LENGTHS_A = (4, 1, 3, 6), (7, 2, 1, 5)
Words = list[Tensor]


@pytest.fixture(autouse=True)
def same_weights() -> None:
    torch.manual_seed(1)


def draw(lengths: tuple[int, ...], wider: int = 0) -> tuple[Tensor, Tensor]:
    """States with large numbers as padding, which a maximum would find, and their mask."""
    generator = torch.Generator().manual_seed(sum(lengths))
    states = torch.randn(len(lengths), max(lengths), D, generator=generator)
    states = torch.cat([states, torch.zeros(len(lengths), wider, D)], dim=1)
    mask = torch.arange(states.shape[1]) < torch.tensor(lengths)[:, None]
    return torch.where(mask[:, :, None], states, 9.0 + states), mask


def soft(words: Words, scores: list[float]) -> Tensor:
    total = sum(math.exp(score) for score in scores)
    return sum(math.exp(score) / total * h for h, score in zip(words, scores, strict=True))


def largest(words: Words) -> Tensor:
    return torch.tensor([max(float(h[d]) for h in words) for d in range(len(words[0]))])


def mean(words: Words) -> Tensor:
    return sum(words) / len(words)


def dot(w: nn.Linear, m: Tensor) -> float:
    return float(w.weight.detach()[0] @ m.detach())


def tanh_attention(layer: nn.Module, words: Words, c: Tensor) -> Tensor:
    return soft(words, [dot(layer.w, torch.tanh(layer.W_h.weight @ h + layer.W_c.weight @ c)) for h in words])


def gated_attention(layer: nn.Module, words: Words, c: Tensor) -> Tensor:
    scores = [dot(layer.w, torch.tanh(layer.W_h.weight @ h) * torch.tanh(layer.W_c.weight @ c)) for h in words]
    return soft(words, scores)


def sequential_attention(layer: nn.Module, words: Words, c: Tensor) -> Tensor:
    """A BiLSTM over this row's words alone; its own loop is in test_recurrent."""
    ahead, _ = layer.bilstm.forwards(torch.stack([h * c for h in words]))
    back, _ = layer.bilstm.backwards(torch.stack([h * c for h in reversed(words)]))
    return soft(words, [float(x.sum() + y.sum()) for x, y in zip(ahead.detach(), back.detach().flip(0), strict=True)])


def pooled(_: nn.Module, q: Words, a: Words) -> tuple[Tensor, Tensor]:
    return largest(q), largest(a)


def averaged(_: nn.Module, q: Words, a: Words) -> tuple[Tensor, Tensor]:
    return mean(q), mean(a)


def attended(layer: nn.Module, q: Words, a: Words) -> tuple[Tensor, Tensor]:
    return largest(q), tanh_attention(layer.attention, a, largest(q))


def attentive(layer: nn.Module, q: Words, a: Words) -> tuple[Tensor, Tensor]:
    g = [[math.tanh(float(x @ layer.U.weight.detach() @ y)) for y in a] for x in q]
    return soft(q, [max(row) for row in g]), soft(a, [max(column) for column in zip(*g, strict=True)])


def hopping(of_answer: Callable[[nn.Module, Words, Tensor], Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    def naive(layer: nn.Module, q: Words, a: Words) -> tuple[Tensor, Tensor]:
        memory, found_q, found_a = mean(q), [], []
        for hop in range(HOPS):
            found_q.append(gated_attention(layer.of_question[hop], q, memory))
            found_a.append(of_answer(layer.of_answer, a, found_q[-1]))
            memory = memory + found_q[-1]
        return torch.stack(found_q), torch.stack(found_a)

    return naive


NAIVE: dict[str, tuple[Callable[[], nn.Module], Callable[..., tuple[Tensor, Tensor]]]] = {
    "max": (MaxPooling, pooled),
    "mean": (MeanPooling, averaged),
    "question": (lambda: QuestionAttention(D, D, HIDDEN), attended),
    "attentive": (lambda: AttentivePooling(D), attentive),
    "mlp": (lambda: MultihopAttention(D, HOPS, kind="mlp"), hopping(tanh_attention)),
    "sequential": (lambda: MultihopAttention(D, HOPS, kind="sequential"), hopping(sequential_attention)),
}


def close(found: Tensor, expected: Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=atol)


def test_pools_are_those_of_a_loop_over_words() -> None:
    states, mask = draw(LENGTHS_A)
    rows = [list(row[:length]) for row, length in zip(states, LENGTHS_A, strict=True)]
    close(max_pool(states, mask), torch.stack([largest(row) for row in rows]))
    close(mean_pool(states, mask), torch.stack([mean(row) for row in rows]))


@pytest.mark.parametrize("name", NAIVE)
def test_vectors_are_those_of_a_loop_over_words(name: str) -> None:
    make, naive = NAIVE[name]
    layer, (q, q_mask), (a, a_mask) = make(), draw(LENGTHS_Q), draw(LENGTHS_A)
    v_q, v_a = layer(q, q_mask, a, a_mask)
    for i, (length_q, length_a) in enumerate(zip(LENGTHS_Q, LENGTHS_A, strict=True)):
        expected_q, expected_a = naive(layer, list(q[i, :length_q]), list(a[i, :length_a]))
        close(v_q[i], expected_q)
        close(v_a[i], expected_a)


@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize("wider", [(5, 0), (0, 3), (2, 4)])
def test_more_padding_changes_no_vector(name: str, wider: tuple[int, int]) -> None:
    layer = NAIVE[name][0]()
    expected = layer(*draw(LENGTHS_Q), *draw(LENGTHS_A))
    found = layer(*draw(LENGTHS_Q, wider[0]), *draw(LENGTHS_A, wider[1]))
    for one, other in zip(found, expected, strict=True):
        close(one, other, 1e-6)


@pytest.mark.parametrize("name", NAIVE)
def test_gradients_reach_every_parameter_and_every_word_but_no_padding(name: str) -> None:
    layer, (q, q_mask), (a, a_mask) = NAIVE[name][0](), draw(LENGTHS_Q), draw(LENGTHS_A)
    q, a = q.requires_grad_(), a.requires_grad_()
    v_q, v_a = layer(q, q_mask, a, a_mask)
    (v_q.square().sum() + (v_a**3).sum()).backward()
    for parameter in layer.parameters():
        assert float(parameter.grad.abs().min()) > 0.0
    for states, mask in ((q, q_mask), (a, a_mask)):
        assert float(states.grad[~mask].abs().max()) == 0.0
        reached = states.grad[mask] != 0  # a maximum passes a gradient to one word, a sum to all
        assert bool(reached.any() if name == "max" or (name == "question" and states is q) else reached.all())


def test_the_question_may_be_wider_than_the_answer() -> None:
    (q, q_mask), (a, a_mask) = draw(LENGTHS_Q), draw(LENGTHS_A)
    v_q, v_a = QuestionAttention(D, 4, HIDDEN)(q, q_mask, a[:, :, :4], a_mask)
    assert v_q.shape == (len(q), D)
    assert v_a.shape == (len(a), 4)


def test_there_are_two_hops_unless_told_otherwise_and_they_share_the_attention_to_the_answer() -> None:
    layer = MultihopAttention(D, kind="mlp")
    v_q, v_a = layer(*draw(LENGTHS_Q), *draw(LENGTHS_A))
    assert v_q.shape == v_a.shape == (len(LENGTHS_Q), 2, D)
    assert sum(weight.numel() for weight in layer.parameters()) == (2 + 1) * (2 * D * D + D)


def test_an_unknown_kind_is_named_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"'sequentail'.*mlp, sequential.*mean 'sequential'"):
        MultihopAttention(D, kind="sequentail")


@pytest.mark.parametrize("name", NAIVE)
def test_half_precision_under_autocast(name: str) -> None:
    layer, q, a = NAIVE[name][0](), draw(LENGTHS_Q), draw(LENGTHS_A)
    with torch.autocast("cpu", torch.bfloat16):
        found = layer(q[0].bfloat16(), q[1], a[0].bfloat16(), a[1])
    for half, single in zip(found, layer(*q, *a), strict=True):
        close(half.float(), single, 0.05)
