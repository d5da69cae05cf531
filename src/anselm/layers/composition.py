"""From the states of words to the vectors of a question and an answer: (q, q_mask, a, a_mask) -> (v_q, v_a).

    MaxPooling         QA-LSTM (Tan et al., 2016); MeanPooling takes the mean instead
    QuestionAttention  QA-LSTM with attention (Tan et al., 2016): the question weighs the words of the answer
    AttentivePooling   dos Santos et al. (2016): the words of each weigh those of the other
    MultihopAttention  Tran and Niederée (2018): several looks at the question, each with its look at the answer

q is (pairs, m, D) and q_mask (pairs, m), True at words; a is (pairs, n, D). Every row has a word. Padding may hold any
numbers: it never changes a vector.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from anselm.errors import UnknownNameError
from anselm.layers.context_attention import GatedAttention, SequentialAttention, TanhAttention, weighted_sum


def max_pool(states: Tensor, mask: Tensor) -> Tensor:
    """The largest of each component over the words. (pairs, words, D) -> (pairs, D)"""
    return states.masked_fill(~mask[:, :, None], -torch.inf).amax(dim=1)


def mean_pool(states: Tensor, mask: Tensor) -> Tensor:
    """(pairs, words, D) -> (pairs, D)"""
    return states.masked_fill(~mask[:, :, None], 0.0).sum(dim=1) / mask.sum(dim=1, keepdim=True)


class MaxPooling(nn.Module):
    """v_q and v_a are the max-pooled words of each."""

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        return max_pool(q, q_mask), max_pool(a, a_mask)


class MeanPooling(nn.Module):
    """v_q and v_a are the means of the words of each."""

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        return mean_pool(q, q_mask), mean_pool(a, a_mask)


class QuestionAttention(nn.Module):
    """With o_q the max-pooled question and h_t the words of the answer:

        m_t = tanh(W_am h_t + W_qm o_q)
        v_a = Σ_t softmax_t(w . m_t) h_t,   v_q = o_q

    Tan et al. multiply each h_t by its weight and then pool. Their mean pooling is this sum divided by the number of
    words, which the cosine does not see; with their max pooling it is another model.
    """

    def __init__(self, width_q: int, width_a: int, hidden: int) -> None:
        super().__init__()
        self.attention = TanhAttention(width_a, width_q, hidden)

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        o_q = max_pool(q, q_mask)
        return o_q, self.attention(a, a_mask, o_q)


class AttentivePooling(nn.Module):
    """With words as columns of Q (D, m) and A (D, n):

        G = tanh(Q^T U A),   [g_q]_i = max_j G_ij,   [g_a]_j = max_i G_ij
        v_q = Q softmax(g_q),   v_a = A softmax(g_a)

    The maxima are over words only.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.U = nn.Linear(width, width, bias=False)

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        g = torch.tanh(q @ self.U(a).transpose(1, 2))  # (pairs, m, n)
        g_q = g.masked_fill(~a_mask[:, None, :], -torch.inf).amax(dim=2)  # (pairs, m)
        g_a = g.masked_fill(~q_mask[:, :, None], -torch.inf).amax(dim=1)  # (pairs, n)
        return weighted_sum(q, q_mask, g_q), weighted_sum(a, a_mask, g_a)


class MultihopAttention(nn.Module):
    """MAN: a memory m of what was read of the question directs the next look at it. With m^0 the mean of its words:

        o_q^k = GatedAttention^k(words of q, m^{k-1}),   m^k = m^{k-1} + o_q^k
        o_a^k = attention(words of a, o_q^k)             TanhAttention ("mlp") or SequentialAttention ("sequential")

    v_q and v_a are all o_q^k and o_a^k, k = 1..hops, and their similarities are summed. From the code that the authors
    released: the form of the question's attention, with weights for each hop; the answer read with o, not with m, and
    with the same weights in every hop; the kind, which is that of the answer's attention alone. Left out of it, as no
    look at a part of the question: a hop 0, which matches the plain mean m^0 too. There the memory also lags by a hop,
    m^k = m^{k-1} + o_q^{k-1} with o_q^0 = m^0; here it holds all that was read.
    """

    def __init__(self, width: int, hops: int = 2, *, kind: str) -> None:
        super().__init__()
        kinds: dict[str, Callable[[], nn.Module]] = {
            "mlp": lambda: TanhAttention(width, width, width),
            "sequential": lambda: SequentialAttention(width),
        }
        if kind not in kinds:
            raise UnknownNameError("attention", kind, kinds)
        self.of_question = nn.ModuleList(GatedAttention(width) for _ in range(hops))
        self.of_answer = kinds[kind]()

    def forward(self, q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> tuple[Tensor, Tensor]:
        m = mean_pool(q, q_mask)
        v_q, v_a = [], []
        for attention in self.of_question:
            o_q = attention(q, q_mask, m)
            m = m + o_q
            v_q.append(o_q)
            v_a.append(self.of_answer(a, a_mask, o_q))
        return torch.stack(v_q, dim=1), torch.stack(v_a, dim=1)  # (pairs, hops, D)
