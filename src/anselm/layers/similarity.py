"""How alike a question and an answer are, from their vectors: (v_q, v_a) -> one score a pair.

    cosine, gesd           Tan et al. (2016), Feng et al. (2015): nothing to learn
    Bilinear               v_q^T M v_a
    MLPSimilarity          Xu et al. (2019, gated group self-attention), section 3.3
    TensorSimilarity       Qiu and Huang (2015), the NTN of NTN-LSTM
    HolographicSimilarity  Tay et al. (2017), the upper half of HD-LSTM
    SeverynSimilarity      Severyn and Moschitti (2015)

Vectors are (pairs, D), or (pairs, hops, D), and then the score of a pair is the sum over its hops. Where a paper ends
in a softmax over two outputs p, the score is p_1 - p_0, the log-odds of that softmax: it ranks as the probability does,
and the logistic loss on it is the paper's cross-entropy.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def over_hops(scores: Tensor) -> Tensor:
    """(pairs,) as it is; (pairs, hops) -> (pairs,)"""
    return scores if scores.dim() == 1 else scores.sum(dim=1)


def log_odds(p: Tensor) -> Tensor:
    """log(softmax(p)_1 / softmax(p)_0) = p_1 - p_0. (..., 2) -> (...)"""
    return p[..., 1] - p[..., 0]


def cosine(v_q: Tensor, v_a: Tensor) -> Tensor:
    """v_q . v_a / (|v_q| |v_a|)"""
    return over_hops(functional.cosine_similarity(v_q, v_a, dim=-1))


def gesd(v_q: Tensor, v_a: Tensor) -> Tensor:
    """1 / (1 + |v_q - v_a|) * 1 / (1 + exp(-γ (v_q . v_a + c))), with γ = c = 1 as Feng et al. have them."""
    distance = torch.linalg.vector_norm(v_q - v_a, dim=-1)  # its gradient is 0, not NaN, where the two are equal
    return over_hops(torch.sigmoid((v_q * v_a).sum(dim=-1) + 1.0) / (1.0 + distance))


class Bilinear(nn.Module):
    """v_q^T M v_a"""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.M = nn.Linear(width, width, bias=False)

    def forward(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        return over_hops((v_q * self.M(v_a)).sum(dim=-1))


class MLPSimilarity(nn.Module):
    """p = W_2 relu(W_1 [v_q; v_a] + b_1) + b_2, two layers. The paper does not name the activation."""

    def __init__(self, width_q: int, width_a: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width_q + width_a, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        p = self.out(torch.relu(self.hidden(torch.cat([v_q, v_a], dim=-1))))
        return over_hops(log_odds(p))


class TensorSimilarity(nn.Module):
    """u^T tanh(v_q^T M^[1:r] v_a + V [v_q; v_a] + b) + c, with r slices of M.

    c is added here, for the pointwise loss: most candidates are wrong, and without it the slices alone had to say so;
    on WikiQA all of them were driven to where tanh is flat, and every candidate got the same score. M is kept times the
    width and divided by it: a step of RMSProp moves all D^2 weights of a slice alike, and at any rate of the paper's
    that was enough on SQuAD to get there within a few steps.
    """

    def __init__(self, width: int, slices: int) -> None:
        super().__init__()
        self.M = nn.Parameter(torch.empty(slices, width, width))
        self.V = nn.Linear(2 * width, slices)
        self.u = nn.Linear(slices, 1)  # and c
        nn.init.uniform_(self.M, -(width**0.5), width**0.5)  # divided by the width, as Linear does

    def forward(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        products = torch.einsum("...i,kij,...j->...k", v_q, self.M / v_q.shape[-1], v_a)  # (pairs, slices)
        scores = self.u(torch.tanh(products + self.V(torch.cat([v_q, v_a], dim=-1))))
        return over_hops(scores.squeeze(-1))


def circular_correlation(v_q: Tensor, v_a: Tensor) -> Tensor:
    """[v_q ⋆ v_a]_k = Σ_i v_q[i] v_a[(i + k) mod D] = F^-1(conj(F(v_q)) ⊙ F(v_a)). (..., D)"""
    product = torch.fft.rfft(v_q.float()).conj() * torch.fft.rfft(v_a.float())  # there is no half-precision FFT
    correlation: Tensor = torch.fft.irfft(product, n=v_q.shape[-1])
    return correlation


class HolographicSimilarity(nn.Module):
    """p = W_2 tanh(W_1 [v_q ⋆ v_a; v_q^T M v_a] + b_1) + b_2

    Tay et al. may append word overlaps; there are none here. They leave the activation open, tanh being their example.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.M = nn.Linear(width, width, bias=False)
        self.hidden = nn.Linear(width + 1, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        similar = (v_q * self.M(v_a)).sum(dim=-1, keepdim=True)
        joined = torch.cat([circular_correlation(v_q, v_a), similar], dim=-1)  # (pairs, D + 1)
        return over_hops(log_odds(self.out(torch.tanh(self.hidden(joined)))))


class SeverynSimilarity(nn.Module):
    """x_sim = v_q^T M v_a;  p = W_2 tanh(W_1 [v_q; x_sim; v_a] + b_1) + b_2

    Severyn and Moschitti join features x_feat of word overlap too, which only the text can give: there are none here.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.M = nn.Linear(width, width, bias=False)
        self.hidden = nn.Linear(2 * width + 1, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        similar = (v_q * self.M(v_a)).sum(dim=-1, keepdim=True)
        joined = torch.cat([v_q, similar, v_a], dim=-1)  # (pairs, 2 D + 1)
        return over_hops(log_odds(self.out(torch.tanh(self.hidden(joined)))))
