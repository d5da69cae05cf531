"""The siamese family: question and candidate are encoded, composed into vectors, and compared. One frame,

    encoder x composition x similarity

and every baseline of Tables 2 to 6 of "Gated Group Self-Attention for Answer Selection" (gated-group-self-attention) is
a choice of the three:

    encoder       words (none), cnn, lstm, inner-attention, cross-temporal, global, local, group
    composition   max, mean, attention, attentive-pooling, multihop-mlp, multihop-sequential
    similarity    cosine, gesd, bilinear, mlp, tensor, holographic, severyn

Question and candidate go through the same encoder. GGSA and iGGSA, which the paper is about, are in ggsa.py.

Left open by the paper, and chosen here: the window of local self-attention (11: five words to each side, about a group
of 10), and that group and local self-attention lack the last layer norm, as GGSA does, while global self-attention has
it, as in section 2.1. What words are multiplied by before positions are added is `input_scale`: layers/blocks.py says
why it matters. A new model finds it from its word vectors; where a checkpoint does not say it, it is the root of the
width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from anselm.checkpoints.checkpoint import WORDS
from anselm.checkpoints.settings import check_choice, check_least
from anselm.encoding.lists import Indices, Lists
from anselm.encoding.packing import in_order
from anselm.errors import InputError
from anselm.layers.blocks import balance
from anselm.layers.composition import (
    AttentivePooling,
    MaxPooling,
    MeanPooling,
    MultihopAttention,
    QuestionAttention,
)
from anselm.layers.similarity import (
    Bilinear,
    HolographicSimilarity,
    MLPSimilarity,
    SeverynSimilarity,
    TensorSimilarity,
    cosine,
    gesd,
)
from anselm.models.frames.text_encoders import ENCODERS
from anselm.models.frames.word_model import Batch, Placed, WordConfig, WordModel
from anselm.scorer import Scores
from anselm.text.vocabulary import Vocabulary
from anselm.text.word_vectors import WordVectors

MODELS = {
    "averaged": {"kind": "siamese", "summary": "averaged word vectors, compared by cosine"},
    "qa-cnn": {"kind": "siamese", "summary": "convolution, max pooling, cosine"},
    "qa-cnn-gesd": {"kind": "siamese", "summary": "convolution, max pooling, GESD"},
    "qa-lstm": {"kind": "siamese", "summary": "two-way LSTM, max pooling, cosine"},
    "qa-lstm-attention": {"kind": "siamese", "summary": "two-way LSTM, the question attends to the answer, cosine"},
    "ap-cnn": {"kind": "siamese", "summary": "convolution, attentive pooling, cosine"},
    "ap-bilstm": {"kind": "siamese", "summary": "two-way LSTM, attentive pooling, cosine"},
    "multihop-mlp-lstm": {"kind": "siamese", "summary": "two-way LSTM, several hops of attention, cosine"},
    "multihop-lstm": {"kind": "siamese", "summary": "two-way LSTM, several hops of sequential attention, cosine"},
    "iarnn-gate": {"kind": "siamese", "summary": "GRU whose gates see the question, mean pooling, GESD"},
    "ntn-lstm": {"kind": "siamese", "summary": "two-way LSTM, mean pooling, neural tensor layer"},
    "hd-lstm": {"kind": "siamese", "summary": "two-way LSTM, mean pooling, circular correlation"},
    "ctrn": {"kind": "siamese", "summary": "cross temporal recurrent network"},
    "sm-cnn": {"kind": "siamese", "summary": "Severyn and Moschitti's CNN: max pooling, bilinear similarity, MLP"},
    "global-attention": {"kind": "siamese", "summary": "self-attention over all words, max pooling, cosine"},
    "local-attention": {"kind": "siamese", "summary": "self-attention in a sliding window, max pooling, cosine"},
    "local-attention-gate": {"kind": "siamese", "summary": "the same with a global information gate"},
    "group-attention": {"kind": "siamese", "summary": "self-attention within groups of words, max pooling, cosine"},
    "group-attention-offset": {"kind": "siamese", "summary": "the same with groups that differ from head to head"},
}


@dataclass(frozen=True)
class Config(WordConfig):
    encoder: str = "lstm"
    composition: str = "max"
    similarity: str = "cosine"
    hidden: int = 141  # units of a recurrent encoder in each direction; 256 on YahooQA
    filters: int = 400  # of a convolution
    window: int = 3  # words that a filter sees
    heads: int = 6
    group: int = 10  # words of a group
    offsets: tuple[int, ...] = (0,)  # where the groups of each head begin; one for all, or one for each
    reach: int = 11  # words of a sliding window
    gate: bool = False  # the global information gate
    hops: int = 2
    slices: int = 5  # of a neural tensor layer
    input_scale: float | None = None  # of words beside positions; None: as long as they, found when a model is built

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("encoder", self.encoder, ENCODERS)
        check_choice("composition", self.composition, COMPOSITIONS)
        check_choice("similarity", self.similarity, SIMILARITIES)
        least = ("hidden", "filters", "window", "heads", "group", "reach", "hops", "slices")
        check_least(self, dict.fromkeys(least, 1))
        if len(self.offsets) not in (1, self.heads):
            raise InputError(f"there are {len(self.offsets)} offsets for {self.heads} heads; give one for each")
        if (scale := self.input_scale) is not None and not (type(scale) in (int, float) and 0 < scale < math.inf):
            raise InputError(f"input_scale is {scale!r}, but must be a number above 0")

    @property
    def scale(self) -> float:
        return math.sqrt(self.width) if self.input_scale is None else self.input_scale


COMPOSITIONS: dict[str, Callable[[int, Any], nn.Module]] = {
    "max": lambda width, c: MaxPooling(),
    "mean": lambda width, c: MeanPooling(),
    "attention": lambda width, c: QuestionAttention(width, width, width),
    "attentive-pooling": lambda width, c: AttentivePooling(width),
    "multihop-mlp": lambda width, c: MultihopAttention(width, c.hops, kind="mlp"),
    "multihop-sequential": lambda width, c: MultihopAttention(width, c.hops, kind="sequential"),
}
USUAL: dict[str, Any] = {  # the paper's training, with the largest of its rates
    "epochs": 20.0, "learning_rate": 1e-4, "loss": "pairwise", "margin": 0.1, "optimizer": "rmsprop", "momentum": 0.9,
    "schedule": "constant", "warmup": 0.0, "clip": 0.0, "decay": 0.0,
}  # fmt: skip
APART = (MaxPooling, MeanPooling)  # each text is composed by itself
SIMILARITIES: dict[str, Callable[[int, Any], Callable[[Tensor, Tensor], Tensor]]] = {
    "cosine": lambda width, c: cosine,
    "gesd": lambda width, c: gesd,
    "bilinear": lambda width, c: Bilinear(width),
    "mlp": lambda width, c: MLPSimilarity(width, width, width),
    "tensor": lambda width, c: TensorSimilarity(width, c.slices),
    "holographic": lambda width, c: HolographicSimilarity(width, width),
    "severyn": lambda width, c: SeverynSimilarity(width, width),
}
TINY = {
    "embedding": 24, "width": 24, "hidden": 10, "filters": 12, "group": 4, "reach": 3, "max_length": 12,
    "max_question": 8,
}  # fmt: skip
SPREAD = (0, 0, 0, 5, 5, 5)  # offsets of the six heads
VARIANTS: dict[str, dict[str, Any]] = {
    "averaged": {"encoder": "words", "composition": "mean"},
    "qa-cnn": {"encoder": "cnn"},
    "qa-cnn-gesd": {"encoder": "cnn", "similarity": "gesd"},
    "qa-lstm": {},
    "qa-lstm-attention": {"composition": "attention"},
    "ap-cnn": {"encoder": "cnn", "composition": "attentive-pooling"},
    "ap-bilstm": {"composition": "attentive-pooling"},
    "multihop-mlp-lstm": {"composition": "multihop-mlp"},
    "multihop-lstm": {"composition": "multihop-sequential"},
    "iarnn-gate": {"encoder": "inner-attention", "composition": "mean", "similarity": "gesd"},
    "ntn-lstm": {"composition": "mean", "similarity": "tensor"},
    "hd-lstm": {"composition": "mean", "similarity": "holographic"},
    "ctrn": {"encoder": "cross-temporal", "composition": "mean", "similarity": "mlp"},
    "sm-cnn": {"encoder": "cnn", "similarity": "severyn"},
    "global-attention": {"encoder": "global"},
    "local-attention": {"encoder": "local"},
    "local-attention-gate": {"encoder": "local", "gate": True},
    "group-attention": {"encoder": "group"},
    "group-attention-offset": {"encoder": "group", "offsets": SPREAD},
}


class Siamese(WordModel):
    settings, variants, usual = Config, VARIANTS, USUAL
    exports_to = WORDS

    def __init__(self, name: str, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        self.encoder = self.make_encoder(config)
        self.composition = COMPOSITIONS[config.composition](self.encoder.width, config)
        self.similarity = SIMILARITIES[config.similarity](self.encoder.width, config)
        self.apart = not self.encoder.meets and isinstance(self.composition, APART)

    @classmethod
    def complete(cls, config: Config, vectors: WordVectors) -> Config:
        """Words become as long as positions; the projection, where there is one, hardly changes their length."""
        if config.input_scale is not None:
            return config
        return replace(config, input_scale=round(balance(vectors.table, config.width), 3))

    def make_encoder(self, config: Config) -> Any:
        return ENCODERS[config.encoder](config)

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        q_mask, a_mask = batch.question_mask, batch.answer_mask
        q = self.encoder.question(self.read(batch.questions), q_mask)  # (lists, words, width)
        a = self.encoder.answer(self.read(batch.answers), a_mask)  # (texts, words, width)
        if self.apart:  # texts become vectors before they are paired
            return self.similarity(self._vector(q, q_mask)[batch.asked], self._vector(a, a_mask)[batch.said])
        q_mask, a_mask = q_mask[batch.asked], a_mask[batch.said]
        q, a = self.encoder.meet(q[batch.asked], q_mask, a[batch.said], a_mask)  # (pairs, words, width)
        return self.similarity(*self.composition(q, q_mask, a, a_mask))

    def _vector(self, states: Tensor, mask: Tensor) -> Tensor:
        """(texts, words, width) -> (texts, width)"""
        vector: Tensor = self.composition(states, mask, states, mask)[0]
        return vector

    def score_lists(self, lists: Lists, device: torch.device, budget: int) -> Scores:
        """Where texts become vectors before they are paired, each is read once: pools share most of their answers."""
        if not self.apart:
            return super().score_lists(lists, device, budget)
        placed, config = self.place(lists, device), self.config
        v_q, asked = self._vectors(placed, lists.questions, self.encoder.question, config.max_question, budget)
        v_a, said = self._vectors(placed, lists.candidates, self.encoder.answer, config.max_length, budget)
        asked = np.repeat(asked, lists.sizes)
        scores = np.empty(len(said))
        for start in range(0, len(said), budget):
            some = slice(start, start + budget)
            scores[some] = self.similarity(v_q[asked[some]], v_a[said[some]]).float().cpu().numpy()
        return scores

    def _vectors(
        self, placed: Placed, texts: Indices, encode: Callable[[Tensor, Tensor], Tensor], most: int, budget: int
    ) -> tuple[Tensor, Indices]:
        """A vector for each distinct text, and which of them each of ours is. (distinct, width), (texts,)"""
        distinct, place = np.unique(texts, return_inverse=True)
        vectors = torch.empty(len(distinct), self.encoder.width, device=placed.flat.device)
        lengths = np.minimum(placed.lengths[distinct], most)
        for some in in_order(lengths, np.ones_like(lengths), budget):
            ids, mask = self.rows(placed, distinct[some], most)
            vectors[torch.from_numpy(some).to(vectors.device)] = self._vector(encode(self.read(ids), mask), mask)
        return vectors, place


load, build, configure = Siamese.load, Siamese.build, Siamese.configure
