"""Attentive Clustering (attentive-clustering), chapter 3: an answer is also scored by the answers that are like it.

    Q, A = words, convolved by windows of 1, 2, 3 and 5 words, side by side                      3.2.3
    s(q, a) = cosine after attentive pooling, Z = tanh(Q^T P_1 A)                                3.3
    the answers of a question are clustered by k-means, k = na // 10 + 1, + 2 where na % 10 >= 5
    s(a, c) likewise, with P_2, for each c in the cluster of a
    s = alpha (sum_c s(q, c) s(a, c)) / (sum_c s(a, c)) + (1 - alpha) s(q, a)                    3.3.1

Chosen here, where the thesis is silent:
- An answer belongs to its own cluster, so one without any like it is scored by itself.
- Where the sum of s(a, c) is not positive (cosines may be negative), the neighbours say nothing, and s(q, a) stands for
  them.
- k-means is scikit-learn's, seeded, on the mean of an answer's convolved words as they are now, whenever a list is
  read: in training once an epoch. No gradient goes through it. Kept on one thread it takes 1 ms for a list of 10 or 43
  answers and about 30 for 500, so nothing is kept from one reading to the next, and a run that is resumed sees the
  clusters that it would have seen. Answers are sorted by their vectors first, so that the order of the candidates does
  not matter; there are never more clusters than distinct answers.
- The windows are centred on their word, so that there are as many columns as words ("the k-th word is centralised").
- `lemmas` reads words as their dictionary forms, as the thesis does, by a dictionary instead of NLTK's WordNet. It is
  off here, since it needs an extra; InsuranceQA's texts are lemmatised as they come.

With alpha 0 it is attentive pooling.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.checkpoints.settings import check_least
from anselm.errors import InputError
from anselm.layers.composition import mean_pool
from anselm.layers.convolution import Centred
from anselm.layers.pair_attention import pooled_cosines
from anselm.models.frames.word_model import Batch, WordConfig, WordModel
from anselm.text.vocabulary import Vocabulary
from anselm.text.word_vectors import WordVectors

MODELS = {
    "attentive-clustering": {"kind": "siamese", "summary": "attentive pooling, and the answers of the same cluster"},
}
TINY = {"embedding": 24, "width": 24, "filters": 8, "max_length": 12, "max_question": 8}
VARIANTS: dict[str, dict[str, Any]] = {"attentive-clustering": {}}
USUAL: dict[str, Any] = {  # the thesis's, in batches
    "epochs": 20.0, "learning_rate": 1.2, "loss": "pairwise", "margin": 0.1, "optimizer": "sgd", "momentum": 0.0,
    "decay": 1e-5, "schedule": "constant", "warmup": 0.0, "clip": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Config(WordConfig):
    embedding: int = 100  # the thesis has GloVe's 50
    width: int = 100
    dropout: float = 0.0
    max_length: int = 200
    windows: tuple[int, ...] = (1, 2, 3, 5)
    filters: int = 128  # of each window
    alpha: float = 0.4
    attention_gain: float | None = None  # of P_1 and P_2 at the start; None: found from the word vectors

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"filters": 1})
        if not self.windows or any(type(window) is not int or window < 1 for window in self.windows):
            raise InputError(f"windows is {self.windows}, but must be whole numbers of words, 1 or more")
        if not 0 <= self.alpha <= 1:
            raise InputError(f"alpha is {self.alpha}, but must be from 0 to 1")
        if (gain := self.attention_gain) is not None and not (type(gain) in (int, float) and 0 < gain < math.inf):
            raise InputError(f"attention_gain is {gain!r}, but must be a number above 0")


class AttentiveClustering(WordModel):
    pairwise = False
    settings, variants, usual = Config, VARIANTS, USUAL

    def __init__(self, name: str, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        self.convolutions = nn.ModuleList(Centred(config.width, config.filters, window) for window in config.windows)
        width = len(config.windows) * config.filters
        self.p_1, self.p_2 = (nn.Parameter(torch.empty(width, width)) for _ in range(2))
        for p in (self.p_1, self.p_2):
            nn.init.xavier_uniform_(p, gain=1.0 if config.attention_gain is None else config.attention_gain)

    @classmethod
    def complete(cls, config: Config, vectors: WordVectors) -> Config:
        """What P would make of two words at the start has a deviation of a third at most.

        A word of length v and width d is convolved to W numbers of variance v² / 3d, so A^T P C has the deviation
        sqrt(W) v² / 3d: 2.7 for GloVe. Its maximum over a text is beyond where tanh can learn.
        """
        if config.attention_gain is not None:
            return config
        squares = float(np.square(vectors.table).sum(axis=1).mean()) / (3 * vectors.table.shape[1])
        deviation = math.sqrt(len(config.windows) * config.filters) * squares
        return replace(config, attention_gain=round(min(1.0, 1 / (3 * deviation)), 3) if deviation else 1.0)

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        q, a = self._convolve(batch.questions, batch.question_mask), self._convolve(batch.answers, batch.answer_mask)
        asked, said = batch.asked, batch.said
        s_qa = pooled_cosines(q, batch.question_mask, a, batch.answer_mask, self.p_1, asked, said)  # (pairs,)
        if self.config.alpha == 0:
            return s_qa.float()
        first, second = self._neighbours(mean_pool(a, batch.answer_mask)[said], batch)  # (neighbours,) rows of pairs
        s_ac = pooled_cosines(a, batch.answer_mask, a, batch.answer_mask, self.p_2, said[first], said[second])
        total = s_qa.new_zeros(len(s_qa)).index_add(0, first, s_ac)
        shared = s_qa.new_zeros(len(s_qa)).index_add(0, first, s_qa[second] * s_ac)
        positive = total > EPSILON
        neighbours = torch.where(positive, shared / torch.where(positive, total, 1.0), s_qa)
        scores: Tensor = self.config.alpha * neighbours + (1 - self.config.alpha) * s_qa
        return scores.float()

    def _convolve(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(texts, words) -> (texts, words, windows x filters)"""
        x = (self.read(ids) * mask[:, :, None]).transpose(1, 2)
        columns: list[Tensor] = [convolution(x) for convolution in self.convolutions]
        return torch.cat(columns, dim=1).transpose(1, 2)

    def _neighbours(self, vectors: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """For each pair all pairs of the same list and cluster, itself among them, as two rows of numbers."""
        points, sizes = vectors.detach().float().cpu().numpy(), batch.layout.sizes.tolist()
        starts = np.cumsum([0, *sizes])
        with one_thread():
            parts = [start + cluster_pairs(cluster(points[start:end])) for start, end in pairwise(starts)]
        both = torch.from_numpy(np.concatenate(parts, axis=1)).to(vectors.device)  # (2, neighbours)
        return both[0], both[1]


EPSILON = 1e-6


def number_of_clusters(answers: int) -> int:
    """The thesis's k; its division is of whole numbers."""
    return answers // 10 + (1 if answers % 10 < 5 else 2)


def cluster(points: NDArray[np.float32]) -> NDArray[np.int64]:
    """The cluster of each answer of one question. (answers, width) -> (answers,)"""
    from sklearn.cluster import KMeans

    # Sorted, so that the order of the answers does not matter; rounded, so that the last bit of a sum does not either.
    rows = [row.tobytes() for row in np.round(points, 4) + np.float32(0)]  # which makes -0 0
    numbers = {row: number for number, row in enumerate(sorted(set(rows)))}
    place = np.array([numbers[row] for row in rows])
    k = min(number_of_clusters(len(points)), len(numbers))
    if k < 2:
        return np.zeros(len(points), dtype=np.int64)
    distinct = np.frombuffer(b"".join(numbers), dtype=np.float32).reshape(len(numbers), -1)
    fitted = KMeans(k, n_init=1, random_state=0).fit(distinct, sample_weight=np.bincount(place))
    return np.asarray(fitted.labels_[place], dtype=np.int64)


def one_thread() -> AbstractContextManager[Any]:
    """Lists are far too short for several threads, which wait for each other most of the time."""
    limited: AbstractContextManager[Any] = _thread_pools().limit(limits=1)
    return limited


@cache
def _thread_pools() -> Any:
    """Looking for them takes as long as clustering a list."""
    import sklearn.cluster  # noqa: F401  its pool is one of them
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def cluster_pairs(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """All ordered pairs of answers in the same cluster, as two rows. [0, 1, 0] -> [0, 0, 1, 2, 2], [0, 2, 1, 0, 2]"""
    return np.stack(np.nonzero(clusters[:, None] == clusters))


load, build, configure = AttentiveClustering.load, AttentiveClustering.build, AttentiveClustering.configure
