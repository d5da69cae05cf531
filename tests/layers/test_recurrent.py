"""Recurrent readers against loops over the words of one row at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from anselm.layers.recurrent import BiLSTM, CrossTemporal, ForgetPooling, InnerAttentionGRU  # noqa: E402

WIDTH, HIDDEN, CONTEXT = 5, 4, 3
LENGTHS_Q, LENGTHS_A = (4, 1, 3, 6), (7, 2, 1, 5)  # of the longest row, of one word, question longer than answer


@pytest.fixture(autouse=True)
def same_weights() -> None:
    torch.manual_seed(1)


def draw(lengths: tuple[int, ...], width: int = WIDTH, wider: int = 0) -> tuple[Tensor, Tensor]:
    """Rows of those lengths with arbitrary numbers as padding, and their mask; `wider` adds padding alone."""
    generator = torch.Generator().manual_seed(sum(lengths))
    x = torch.randn(len(lengths), max(lengths), width, generator=generator)
    x = torch.cat([x, 9.0 + torch.randn(len(lengths), wider, width, generator=generator)], dim=1)
    return x, torch.arange(x.shape[1]) < torch.tensor(lengths)[:, None]


def close(found: Tensor, expected: Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=atol)


def lstm_loop(lstm: nn.LSTM, words: list[Tensor]) -> list[Tensor]:
    h = c = torch.zeros(HIDDEN)
    states = []
    for x in words:
        gates = lstm.weight_ih_l0 @ x + lstm.bias_ih_l0 + lstm.weight_hh_l0 @ h + lstm.bias_hh_l0
        i, f, g, o = gates.reshape(4, HIDDEN)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return states


def gru_loop(gru: nn.GRU, words: list[Tensor], r_q: Tensor) -> list[Tensor]:
    """The equations, with W, U, M and the biases by name: there is no M_n to use."""
    f_rows, z_rows, n_rows = (slice(k * HIDDEN, (k + 1) * HIDDEN) for k in range(3))
    w, m, u = gru.weight_ih_l0[:, :WIDTH], gru.weight_ih_l0[:, WIDTH:], gru.weight_hh_l0
    b, b_u = gru.bias_ih_l0, gru.bias_hh_l0
    h = torch.zeros(HIDDEN)
    states = []
    for x in words:
        z = (w[z_rows] @ x + u[z_rows] @ h + m[z_rows] @ r_q + b[z_rows] + b_u[z_rows]).sigmoid()
        f = (w[f_rows] @ x + u[f_rows] @ h + m[f_rows] @ r_q + b[f_rows] + b_u[f_rows]).sigmoid()
        n = (w[n_rows] @ x + b[n_rows] + f * (u[n_rows] @ h + b_u[n_rows])).tanh()
        h = (1 - z) * n + z * h
        states.append(h)
    return states


def both_ways(ahead: list[Tensor], back: list[Tensor], width: int) -> Tensor:
    """(words, 2 hidden), zeros after the last word."""
    row = torch.zeros(width, 2 * HIDDEN)
    for t, (one, other) in enumerate(zip(ahead, reversed(back), strict=True)):
        row[t] = torch.cat([one, other])
    return row


@pytest.mark.parametrize("wider", [0, 3])
def test_bilstm_is_that_of_a_loop_over_words(wider: int) -> None:
    layer = BiLSTM(WIDTH, HIDDEN)
    x, mask = draw(LENGTHS_A, wider=wider)
    rows = [list(row[:length]) for row, length in zip(x, LENGTHS_A, strict=True)]
    expected = [
        both_ways(lstm_loop(layer.forwards, row), lstm_loop(layer.backwards, row[::-1]), x.shape[1]) for row in rows
    ]
    close(layer(x, mask), torch.stack(expected))


def test_bilstm_is_that_of_packed_rows_with_its_gradients() -> None:
    layer, packed = BiLSTM(WIDTH, HIDDEN), nn.LSTM(WIDTH, HIDDEN, batch_first=True, bidirectional=True)
    packed.load_state_dict(
        dict(layer.forwards.state_dict()) | {f"{k}_reverse": v for k, v in layer.backwards.state_dict().items()}
    )
    x, mask = draw(LENGTHS_A)
    x, same = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = layer(x, mask)
    states, _ = packed(pack_padded_sequence(same, torch.tensor(LENGTHS_A), batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(states, batch_first=True)
    close(found, expected)
    found.square().sum().backward()
    expected.square().sum().backward()
    close(x.grad, same.grad)
    assert float(x.grad[~mask].abs().max()) == 0.0


def gated() -> InnerAttentionGRU:
    return InnerAttentionGRU(WIDTH, HIDDEN, CONTEXT)


@pytest.mark.parametrize("wider", [0, 3])
def test_inner_attention_is_that_of_a_loop_over_words(wider: int) -> None:
    layer, r_q = gated(), torch.randn(len(LENGTHS_A), CONTEXT)
    x, mask = draw(LENGTHS_A, wider=wider)
    expected = []
    for row, length, question in zip(x, LENGTHS_A, r_q, strict=True):
        words = list(row[:length])
        back = gru_loop(layer.backwards, words[::-1], question)
        expected.append(both_ways(gru_loop(layer.forwards, words, question), back, x.shape[1]))
    close(layer(x, mask, r_q), torch.stack(expected))
    assert not torch.allclose(layer(x, mask, r_q), layer(x, mask, r_q + 1), atol=0.01)


def test_the_candidate_state_never_learns_to_see_the_question(tmp_path: Path) -> None:
    """After steps of an optimizer with momentum and decay, moved to another type, saved and loaded."""
    layer, r_q = gated().double().float(), torch.randn(len(LENGTHS_A), CONTEXT)
    x, mask = draw(LENGTHS_A)

    def learn(layer: InnerAttentionGRU) -> None:
        optimizer = torch.optim.RMSprop(layer.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            layer(x, mask, r_q).square().sum().backward()
            optimizer.step()
        for gru in (layer.forwards, layer.backwards):
            assert float(gru.weight_ih_l0.detach()[2 * HIDDEN :, WIDTH:].abs().max()) == 0.0
            assert float(gru.weight_ih_l0.grad[: 2 * HIDDEN, WIDTH:].abs().min()) > 0.0  # the gates do learn to
            assert float(gru.weight_ih_l0.grad[2 * HIDDEN :, :WIDTH].abs().min()) > 0.0

    learn(layer)
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    again = gated()
    again.load_state_dict(torch.load(tmp_path / "layer.pt"))
    assert torch.equal(again(x, mask, r_q), layer(x, mask, r_q))
    learn(again)


def test_forget_pooling_has_the_gradient_of_finite_differences() -> None:
    f, x = (torch.rand(2, 5, 3, dtype=torch.double, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(ForgetPooling.apply, (f, x))


def quasi_gates(layer: CrossTemporal, row: Tensor, length: int) -> list[Tensor]:
    """z, f, o of each word."""
    found = []
    for t in range(length):
        before = row[t - 1] if t else torch.zeros(WIDTH)
        z, f, o = (layer.gates.weight @ torch.cat([before, row[t]]) + layer.gates.bias).reshape(3, HIDDEN)
        found.append(torch.stack([z.tanh(), f.sigmoid(), o.sigmoid()]))
    return found


def crossed_loop(own: list[Tensor], partner: list[Tensor], width: int) -> Tensor:
    c = d = torch.zeros(HIDDEN)
    row = torch.zeros(width, HIDDEN)
    for t, (z, f, o) in enumerate(own):
        c = f * c + (1 - f) * z
        row[t] = o * c
        if t < len(partner):
            _, f_p, o_p = partner[t]
            d = f_p * d + (1 - f_p) * z
            row[t] = row[t] + o_p * d
    return row


@pytest.mark.parametrize("wider", [(0, 0), (5, 0), (0, 3), (2, 4)])
def test_crossing_is_that_of_a_loop_over_words(wider: tuple[int, int]) -> None:
    layer = CrossTemporal(WIDTH, HIDDEN)
    (q, q_mask), (a, a_mask) = draw(LENGTHS_Q, wider=wider[0]), draw(LENGTHS_A, wider=wider[1])
    h_q, h_a = layer(q, q_mask, a, a_mask)
    for i, (length_q, length_a) in enumerate(zip(LENGTHS_Q, LENGTHS_A, strict=True)):
        gates_q, gates_a = quasi_gates(layer, q[i], length_q), quasi_gates(layer, a[i], length_a)
        close(h_q[i], crossed_loop(gates_q, gates_a, q.shape[1]))
        close(h_a[i], crossed_loop(gates_a, gates_q, a.shape[1]))


def test_more_padding_changes_no_state() -> None:
    lstm, gru, crossed = BiLSTM(WIDTH, HIDDEN), gated(), CrossTemporal(WIDTH, HIDDEN)
    r_q = torch.randn(len(LENGTHS_A), CONTEXT)
    q, a, wide_q, wide_a = draw(LENGTHS_Q), draw(LENGTHS_A), draw(LENGTHS_Q, wider=9), draw(LENGTHS_A, wider=2)
    words_q, words_a = max(LENGTHS_Q), max(LENGTHS_A)
    close(lstm(*wide_a)[:, :words_a], lstm(*a), 1e-6)
    close(gru(*wide_a, r_q)[:, :words_a], gru(*a, r_q), 1e-6)
    for wider_q, wider_a in ((wide_q, a), (q, wide_a), (wide_q, wide_a)):
        h_q, h_a = crossed(*wider_q, *wider_a)
        close(h_q[:, :words_q], crossed(*q, *a)[0], 1e-6)
        close(h_a[:, :words_a], crossed(*q, *a)[1], 1e-6)
        assert float(h_q[~wider_q[1]].detach().abs().sum() + h_a[~wider_a[1]].detach().abs().sum()) == 0.0


def test_gradients_reach_every_parameter() -> None:
    q, a = draw(LENGTHS_Q), draw(LENGTHS_A)
    lstm, crossed = BiLSTM(WIDTH, HIDDEN), CrossTemporal(WIDTH, HIDDEN)
    (lstm(*a).square().sum() + sum(h.square().sum() for h in crossed(*q, *a))).backward()
    for parameter in [*lstm.parameters(), *crossed.parameters()]:
        assert float(parameter.grad.abs().min()) > 0.0


def test_crossing_pools_in_single_precision_under_autocast() -> None:
    layer = CrossTemporal(WIDTH, HIDDEN)
    q, a = draw(LENGTHS_Q), draw(LENGTHS_A)
    with torch.autocast("cpu", torch.bfloat16):
        found = layer(*q, *a)
    for half, single in zip(found, layer(*q, *a), strict=True):
        assert half.dtype == torch.float32
        close(half, single, 0.02)
