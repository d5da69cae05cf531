"""sCNN, ABCNN1 and ABCNN2: "SwissAlps at SemEval-2017 Task 3: Attention-based Convolutional Neural Network for
Community Question Answering" (swissalps-attention-cnn), section 2.

    S^q (m words x d), S^a (n words x d)            word vectors
    C = relu(wide convolution of S), filters of h words -> (filters, words + h - 1)          (1)
    sCNN: x = [max of C^q; max of C^a],  x_h = relu(W x + b),  softmax                       (2)

Both attentions come from A_ij = 1 / (1 + |S^q_i - S^a_j|), (m x n):

    ABCNN1  A W_q and A^T W_a are a second input channel of the convolution; W_q is (n x d), W_a (m x d)
    ABCNN2  after the convolution, C^w_i = sum of C_i .. C_{i+h-1}, one column for each word again, times the attention
            a^q_i = sum_j A_ij (a^a_j = sum_i A_ij), then the max. The sum grows with the partner's length; with
            `attention_mean` it is the mean over the partner's words

Padding never enters a sum: A is 0 where either word is padding, and columns beyond the last word are not pooled.

Left open by the paper, and chosen here: question and answer share the filters, as in Yin et al. (2015); W_q and W_a are
for a fixed length, so texts are cut at `max_length` and `max_question`; the text of section 2.3 sums over the window
(`window_mean = false`) and once speaks of an average, of which the softmax sees only the scale. The score is the
log-odds of the softmax, so that the pointwise loss is the paper's cross-entropy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.checkpoints.checkpoint import WORDS
from anselm.checkpoints.settings import check_choice, check_least
from anselm.layers.similarity import log_odds
from anselm.models.frames.word_model import Batch, WordConfig, WordModel
from anselm.text.vocabulary import Vocabulary

MODELS = {
    "scnn": {"kind": "siamese", "summary": "wide convolution, max pooling, a hidden layer"},
    "abcnn1": {"kind": "siamese", "summary": "the same with attention as a second input channel"},
    "abcnn2": {"kind": "siamese", "summary": "the same with attention-weighted window pooling"},
}
# Not Table 1's training, which the recipes have: on a few lists AdaDelta hardly begins (see the docs for a trial).
USUAL: dict[str, Any] = {"epochs": 20.0, "learning_rate": 5e-4}
VARIANTS: dict[str, dict[str, Any]] = {
    "scnn": {"attention": "none"},
    "abcnn1": {"attention": "input"},
    "abcnn2": {"attention": "pooling"},
}
TINY = {"embedding": 24, "width": 24, "filters": 12, "max_length": 12, "max_question": 8}
ATTENTIONS = ("none", "input", "pooling")


@dataclass(frozen=True)
class Config(WordConfig):
    embedding: int = 200
    width: int = 200
    dropout: float = 0.0
    max_length: int = 100
    max_question: int = 100
    attention: str = "pooling"
    filters: int = 200  # m
    window: int = 3  # h
    window_mean: bool = False
    attention_mean: bool = False  # ABCNN2: not in the paper

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("attention", self.attention, ATTENTIONS)
        check_least(self, {"filters": 1, "window": 1})


class ABCNN(WordModel):
    settings, variants, usual = Config, VARIANTS, USUAL
    exports_to = WORDS

    def __init__(self, name: str, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        channels = 2 if config.attention == "input" else 1
        self.convolution = nn.Conv1d(channels * config.width, config.filters, config.window, padding=config.window - 1)
        if config.attention == "input":
            self.w_q = nn.Parameter(torch.empty(config.max_length, config.width))
            self.w_a = nn.Parameter(torch.empty(config.max_question, config.width))
            for weight in (self.w_q, self.w_a):
                nn.init.xavier_uniform_(weight)
        self.hidden = nn.Linear(2 * config.filters, 2 * config.filters)
        self.out = nn.Linear(2 * config.filters, 2)

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        q, a = self.read(batch.questions), self.read(batch.answers)  # (lists, m, d), (texts, n, d)
        q_mask, a_mask = batch.question_mask, batch.answer_mask
        if self.config.attention == "none":  # texts are pooled before they are paired
            v_q, v_a = (self._pool(self._convolve(s, mask), mask) for s, mask in ((q, q_mask), (a, a_mask)))
            return self._compare(v_q[batch.asked], v_a[batch.said])
        q, q_mask, a, a_mask = q[batch.asked], q_mask[batch.asked], a[batch.said], a_mask[batch.said]
        attention = similarities(q, q_mask, a, a_mask)  # (pairs, m, n)
        if self.config.attention == "input":
            q, a = self._stack(q, attention, self.w_q), self._stack(a, attention.mT, self.w_a)  # (pairs, words, 2 d)
            return self._compare(*(self._pool(self._convolve(s, m), m) for s, m in ((q, q_mask), (a, a_mask))))
        return self._compare(
            self._pool_weighted(self._convolve(q, q_mask), q_mask, self._weights(attention, a_mask)),
            self._pool_weighted(self._convolve(a, a_mask), a_mask, self._weights(attention.mT, q_mask)),
        )

    def _weights(self, attention: Tensor, partner: Tensor) -> Tensor:
        """ABCNN2: how much each word is like those of its partner. (pairs, m, n), (pairs, n) -> (pairs, m)"""
        total = attention.sum(dim=2)
        return total / partner.sum(dim=1, keepdim=True) if self.config.attention_mean else total

    def _stack(self, s: Tensor, attention: Tensor, weight: Tensor) -> Tensor:
        """ABCNN1: the words, and beside them their attention features A W. (pairs, words, 2 d)"""
        attention = attention[:, :, : len(weight)]  # what is beyond is padding
        return torch.cat([s, attention @ weight[: attention.shape[2]]], dim=2)

    def _convolve(self, s: Tensor, mask: Tensor) -> Tensor:
        """(1), zeros at padding. (rows, words, channels) -> (rows, filters, words + h - 1)"""
        found: Tensor = self.convolution((s * mask[:, :, None]).transpose(1, 2)).relu()
        return found

    def _pool(self, c: Tensor, mask: Tensor) -> Tensor:
        """The max over the columns that a word is in: h - 1 more than words. -> (rows, filters)"""
        ends = functional.pad(mask, (self.config.window - 1, 0), value=True)
        return c.masked_fill(~ends[:, None, :], -torch.inf).amax(dim=2)

    def _pool_weighted(self, c: Tensor, mask: Tensor, weights: Tensor) -> Tensor:
        """ABCNN2: windows of h columns, one for each word, times its attention, then the max. -> (rows, filters)"""
        columns = functional.avg_pool1d(c, self.config.window, stride=1)  # (rows, filters, words)
        scale = 1 if self.config.window_mean else self.config.window
        weighted = scale * columns * weights[:, None, :]
        return weighted.masked_fill(~mask[:, None, :], -torch.inf).amax(dim=2)

    def _compare(self, v_q: Tensor, v_a: Tensor) -> Tensor:
        """(2), as log-odds. (pairs, filters) twice -> (pairs,)"""
        x = self.hidden(torch.cat([v_q, v_a], dim=1)).relu()
        return log_odds(self.out(x)).float()


def similarities(q: Tensor, q_mask: Tensor, a: Tensor, a_mask: Tensor) -> Tensor:
    """A_ij = 1 / (1 + |S^q_i - S^a_j|), 0 at padding. (pairs, m, n)

    |x - y|^2 by way of x . y is fast, and finds a word at a small distance from itself; so what is small beside |x|^2
    and |y|^2 counts as nothing. The root has no slope there, and is given none.
    """
    q, a = q.float(), a.float()
    norms = q.square().sum(dim=2)[:, :, None] + a.square().sum(dim=2)[:, None, :]  # |x|^2 + |y|^2
    square = norms - 2 * q @ a.mT
    apart = square > 1e-5 * norms
    distance = torch.where(apart, torch.where(apart, square, 1.0).sqrt(), 0.0)
    return (q_mask[:, :, None] & a_mask[:, None, :]) / (1 + distance)


load, build, configure = ABCNN.load, ABCNN.build, ABCNN.configure
