"""Recurrent readers of padded rows.

    BiLSTM             both directions of an LSTM (Tan et al., 2016, read questions and answers with one)
    StackedBiLSTM      some of them, one on the other; what all of them say is kept (Chen et al., 2017)
    BiGRU              both directions of a GRU, in one layer or several: over the sentences of a list
    InnerAttentionGRU  IARNN-GATE (Wang et al., 2016): the question opens and closes the gates over the answer
    CrossTemporal      CTRN (Tay et al., 2018): question and answer lend each other their gates, word by word

A row has its words first and its padding after them. No state of a word depends on padding; a padding's state is zero.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional


def read_both_ways(forwards: nn.RNNBase, backwards: nn.RNNBase, x: Tensor, mask: Tensor) -> Tensor:
    """(rows, words, width_in) -> (rows, words, 2 hidden), zeros at padding.

    The words of each row are turned around for the second reader, so that both meet padding only after the last word.
    Packed rows give the same states, but the host must wait for their lengths, and on an H200 cuDNN took 50 ms to learn
    from 256 packed rows of up to 200 words, and 20 ms so.
    """
    places = torch.arange(x.shape[1], device=x.device)
    last = mask.sum(dim=1, keepdim=True) - 1  # (rows, 1)
    turned = torch.where(mask, last - places, places)[:, :, None]  # (rows, words, 1), its own inverse
    ahead, _ = forwards(x)
    back, _ = backwards(x.take_along_dim(turned, dim=1))
    states = torch.cat([ahead, back.take_along_dim(turned, dim=1)], dim=2)
    return states.masked_fill(~mask[:, :, None], 0.0)


class BiLSTM(nn.Module):
    """h_t = [forward LSTM; backward LSTM] at word t, one layer. (rows, words, 2 hidden)"""

    def __init__(self, width_in: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width_in, hidden, batch_first=True)
        self.backwards = nn.LSTM(width_in, hidden, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return read_both_ways(self.forwards, self.backwards, x, mask)


class StackedBiLSTM(nn.Module):
    """Each layer reads the one below it; their states are joined, after dropout. (rows, words, 2 hidden layers)"""

    def __init__(self, width_in: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        widths = [width_in, *[2 * hidden] * (layers - 1)]
        self.layers = nn.ModuleList(BiLSTM(width, hidden) for width in widths)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        states = []
        for layer in self.layers:
            x = self.dropout(layer(x, mask))
            states.append(x)
        return torch.cat(states, dim=2)


class BiGRU(nn.Module):
    """h_t = [forward GRU; backward GRU] at place t; each layer reads the states of the one below. (rows, places, 2
    hidden)"""

    def __init__(self, width_in: int, hidden: int, layers: int = 1) -> None:
        super().__init__()
        widths = [width_in] + [2 * hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.GRU(width, hidden, batch_first=True) for width in widths)
        self.backwards = nn.ModuleList(nn.GRU(width, hidden, batch_first=True) for width in widths)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            x = read_both_ways(ahead, back, x, mask)  # type: ignore[arg-type]
        return x


class InnerAttentionGRU(nn.Module):
    """IARNN-GATE: a GRU in both directions whose gates, and not its candidate state, also see the question r_q.

        z_t = σ(W_z x_t + U_z h_{t-1} + M_z r_q)             update
        f_t = σ(W_f x_t + U_f h_{t-1} + M_f r_q)             reset
        n_t = tanh(W_n x_t + f_t ⊙ (U_n h_{t-1}))            candidate: no M_n r_q
        h_t = (1 - z_t) ⊙ n_t + z_t ⊙ h_{t-1}

    Wang et al. write U_n (f_t ⊙ h_{t-1}), have 1 - z_t where z_t is here, and no biases. This is cuDNN's GRU: its other
    z_t is a change of sign, and where it resets is the usual trade for a reader that is many times faster. r_q is
    joined to every word, so M is a block of the input weights, and M_n is held at zero.
    """

    def __init__(self, width_in: int, hidden: int, context: int) -> None:
        super().__init__()
        self.forwards = nn.GRU(width_in + context, hidden, batch_first=True)
        self.backwards = nn.GRU(width_in + context, hidden, batch_first=True)

        def without_candidate(gradient: Tensor) -> Tensor:
            held = gradient.clone()
            held[2 * hidden :, width_in:] = 0.0  # torch stacks the rows as reset, update, candidate
            return held

        # Zero at first and never a gradient: no optimizer moves it, nor does weight decay.
        for gru in (self.forwards, self.backwards):
            weight = gru.get_parameter("weight_ih_l0")
            nn.init.zeros_(weight[2 * hidden :, width_in:])
            weight.register_hook(without_candidate)  # type: ignore[no-untyped-call]

    def forward(self, x: Tensor, mask: Tensor, r_q: Tensor) -> Tensor:
        """x (rows, words, width_in), r_q (rows, context) -> (rows, words, 2 hidden)"""
        beside = r_q[:, None, :].expand(-1, x.shape[1], -1)
        return read_both_ways(self.forwards, self.backwards, torch.cat([x, beside], dim=2), mask)


class ForgetPooling(torch.autograd.Function):
    """c_t = f_t ⊙ c_{t-1} + x_t, over dimension 1, from c_0 = 0.

    One kernel a word, there and back: 16 ms for 16 rows of 200 words on two CPU cores. Autograd through the same loop
    takes 43 ms, and a scan by doubling, which has few steps but touches everything in each, 340 ms.
    """

    @staticmethod
    def forward(ctx: Any, f: Tensor, x: Tensor) -> Tensor:
        c = x.clone(memory_format=torch.contiguous_format)
        for t in range(1, x.shape[1]):
            c[:, t].addcmul_(f[:, t], c[:, t - 1])
        ctx.save_for_backward(f, c)
        return c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_c: Tensor) -> tuple[Tensor, Tensor]:
        f, c = ctx.saved_tensors
        d_x = d_c.clone(memory_format=torch.contiguous_format)
        for t in range(d_x.shape[1] - 2, -1, -1):
            d_x[:, t].addcmul_(f[:, t + 1], d_x[:, t + 1])
        d_f = torch.zeros_like(f)
        d_f[:, 1:] = d_x[:, 1:] * c[:, :-1]
        return d_f, d_x


class CrossTemporal(nn.Module):
    """CTRN with light temporal crossing, on quasi-recurrent gates (Bradbury et al., 2017). For s in {q, a}:

        z^s_t = tanh(W_z [x_{t-1}; x_t] + b_z)     f^s_t = σ(W_f [x_{t-1}; x_t] + b_f)     o^s_t likewise
        c^s_t = f^s_t ⊙ c^s_{t-1} + (1 - f^s_t) ⊙ z^s_t                                    its own forgetting
        d^s_t = f^p_t ⊙ d^s_{t-1} + (1 - f^p_t) ⊙ z^s_t                                    its partner's, p the other
        h^s_t = o^s_t ⊙ c^s_t + o^p_t ⊙ d^s_t

    Uncertain: gates from convolutions, lent to the partner's recurrence at the same place in the text, are the paper's.
    Its exact equations were not at hand: that both poolings are kept and summed, the window of two words, and the
    weights shared by q and a are choices made here. Where the partner has no more words its gates are absent:
    o^p_t = 0, so that d^s_t is never seen, and h^s_t is that of a plain QRNN.
    """

    def __init__(self, width_in: int, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * width_in, 3 * hidden)

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        """(pairs, m, width_in), (pairs, n, width_in) -> (pairs, m, hidden), (pairs, n, hidden)"""
        words = max(q.shape[1], a.shape[1])
        z_q, f_q, o_q = self.convolve(q, q_mask, words)
        z_a, f_a, o_a = self.convolve(a, a_mask, words)
        z = torch.stack([z_q, z_a, z_q, z_a], dim=2)  # (pairs, words, 4, hidden): c^q, c^a, d^q, d^a
        f = torch.stack([f_q, f_a, f_a, f_q], dim=2)
        o = torch.stack([o_q, o_a, o_a, o_q], dim=2)
        states = ForgetPooling.apply(f, (1 - f) * z)  # type: ignore[no-untyped-call]
        own_q, own_a, crossed_q, crossed_a = (o * states).unbind(dim=2)
        h_q = (own_q + crossed_q)[:, : q.shape[1]] * q_mask[:, :, None]
        h_a = (own_a + crossed_a)[:, : a.shape[1]] * a_mask[:, :, None]
        return h_q, h_a

    def convolve(self, x: Tensor, mask: Tensor, words: int) -> tuple[Tensor, Tensor, Tensor]:
        """-> z, f, o, each (pairs, words, hidden); o is 0 at padding, and so hides what z and f are there."""
        before = functional.pad(x, (0, 0, 1, -1))  # x_{t-1}: only ever a word or, before the first, zeros
        joined = functional.pad(torch.cat([before, x], dim=2), (0, 0, 0, words - x.shape[1]))
        padding = functional.pad(~mask, (0, words - x.shape[1]), value=True)[:, :, None]
        z, f, o = self.gates(joined).float().chunk(3, dim=2)  # a long recurrence in half precision would drift
        return torch.tanh(z), torch.sigmoid(f), torch.sigmoid(o).masked_fill(padding, 0.0)
