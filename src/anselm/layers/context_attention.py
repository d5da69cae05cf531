"""Attention of a vector to words: a weight for each word in the light of a context c, and the words' weighted sum.

    TanhAttention        Tan et al. (2016), after Bahdanau et al. (2015)
    GatedAttention       how Tran and Niederée (2018) read a question again and again
    SequentialAttention  Brarda et al. (2017)

Each is (states (pairs, words, D), mask (pairs, words), context (pairs, width of c)) -> (pairs, D).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from anselm.layers.recurrent import BiLSTM


def weighted_sum(states: Tensor, mask: Tensor, scores: Tensor) -> Tensor:
    """Σ_t softmax_t(score_t) h_t over the words. scores (pairs, words) -> (pairs, D)"""
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=1)
    return (weights[:, None, :] @ states).squeeze(1)


class TanhAttention(nn.Module):
    """score_t = w . tanh(W_h h_t + W_c c) for the words h_t of a context c. -> Σ_t softmax_t(score_t) h_t"""

    def __init__(self, width: int, context: int, hidden: int) -> None:
        super().__init__()
        self.W_h = nn.Linear(width, hidden, bias=False)
        self.W_c = nn.Linear(context, hidden, bias=False)
        self.w = nn.Linear(hidden, 1, bias=False)

    def forward(self, states: Tensor, mask: Tensor, context: Tensor) -> Tensor:
        m = torch.tanh(self.W_h(states) + self.W_c(context)[:, None, :])  # (pairs, words, hidden)
        return weighted_sum(states, mask, self.w(m).squeeze(2))


class GatedAttention(nn.Module):
    """score_t = w . (tanh(W_h h_t) ⊙ tanh(W_c c)). -> Σ_t softmax_t(score_t) h_t"""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.W_h = nn.Linear(width, width, bias=False)
        self.W_c = nn.Linear(width, width, bias=False)
        self.w = nn.Linear(width, 1, bias=False)

    def forward(self, states: Tensor, mask: Tensor, context: Tensor) -> Tensor:
        m = torch.tanh(self.W_h(states)) * torch.tanh(self.W_c(context))[:, None, :]  # (pairs, words, D)
        return weighted_sum(states, mask, self.w(m).squeeze(2))


class SequentialAttention(nn.Module):
    """Brarda et al. (2017): η = BiLSTM(h_1 ⊙ c, h_2 ⊙ c, ...), score_t = Σ_d η_td. -> Σ_t softmax_t(score_t) h_t

    So the weight of a word depends on its neighbours. η_t is as wide as h_t.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.bilstm = BiLSTM(width, width // 2)

    def forward(self, states: Tensor, mask: Tensor, context: Tensor) -> Tensor:
        eta = self.bilstm(states * context[:, None, :], mask)  # (pairs, words, D)
        return weighted_sum(states, mask, eta.sum(dim=2))
