"""Answers in context on word vectors, the "traditional representation" of "Capturing Sentence Relations for Answer
Sentence Selection with Multi-Perspective Graph Encoding" (Tian et al., 2020), Figure 4. Its encoder is that of the
Document Reader (Chen et al., 2017, DrQA, section 3.2). For the words p_1 .. p_n of a candidate and q_1 .. q_m of the
question, E their word vectors:

    a_ij    = softmax_j(α(E(p_i)) · α(E(q_j))),  α(x) = relu(W x + b)
    align_i = Σ_j a_ij E(q_j)
    p~_i    = [E(p_i); align_i; is p_i in the question: as written, folded, as a lemma; part of speech; entity; tf]
    S       = BiLSTM(p~_1 .. p~_n),  Q = BiLSTM(E(q_1) .. E(q_m)), three layers, the states of all of them joined
    h^0     = Σ_i γ_i S_i                                                                                            (9)
    γ_i     = softmax_i(φ(w_p S_i))                                                                                 (10)
    H^mpge  = MPGE(H^0), layers/perspectives.py: equations 1 to 8
    score_i = softmax over the list of H^mpge_i W_sc H^Q, where H^Q is Q pooled by (9) and (10)                     (11)

    tr-as           without the graphs: H^0 is scored
    tr-mpge-as      all of it
    tr-gru-as       a GRU of two layers over the list in place of the graphs (Figure 6)

Dropout is on word vectors and on the states of every layer. The loss is listwise, and has the softmax of (11). A
candidate is read anew for each question, since what is known of its words depends on it.
models/mpge.py has the same on a pretrained encoder.

As in DrQA, and left open by the paper: word vectors stay as they are but for the `tuned` most frequent words (DrQA
counts them in questions, here in all texts), which learn what is added to theirs; the question has a reader of its own,
over its word vectors alone. Chosen here: a frequency is within the sentence, since each is read apart; the question is
pooled by weights of its own; φ of (10) is that of (5) and (6), `activation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.annotations.tags import ENTITY_TYPES, PARTS_OF_SPEECH
from anselm.checkpoints.settings import check_choice, check_least
from anselm.data.question import Question
from anselm.encoding.lists import Lists
from anselm.errors import InputError
from anselm.layers.context_attention import weighted_sum
from anselm.layers.graph import ACTIVATIONS
from anselm.layers.perspectives import DISTANCE, GRU, GraphEncoder, GraphSettings
from anselm.layers.recurrent import BiGRU, StackedBiLSTM
from anselm.layers.similarity import Bilinear
from anselm.models.frames.family import Family
from anselm.models.frames.relations import add_relations, batch_relations, check_graphs, seen_graphs
from anselm.models.frames.word_features import FORMS, FREQUENCIES, TAGS, add_word_features
from anselm.models.frames.word_model import Batch, WordConfig, WordModel
from anselm.scorer import Perspective
from anselm.text.lemmas import find_lemmatiser
from anselm.text.vocabulary import PAD, Vocabulary

MODELS = {
    "tr-as": {"kind": "reader", "summary": "Document Reader: aligned question, features of words, three-layer LSTM"},
    "tr-mpge-as": {"kind": "reader", "summary": "the same in context: four graphs over the sentences of a list"},
    "tr-gru-as": {"kind": "reader", "summary": "the same in context: a GRU over the sentences of a list"},
}
USUAL: dict[str, Any] = {"epochs": 20.0, "learning_rate": 1e-3, "loss": "listwise"}
VARIANTS: dict[str, dict[str, Any]] = {name: {} for name in MODELS}
TINY = {"embedding": 24, "width": 24, "hidden": 6, "layers": 2, "tuned": 5, "max_length": 12, "max_question": 8}
FEATURES = 3 + len(PARTS_OF_SPEECH) + len(ENTITY_TYPES) + 1  # of a word of a candidate, besides vectors


@dataclass(frozen=True)
class Config(WordConfig):
    fixed: bool = True
    tuned: int = 1000  # most frequent words whose vectors are learned all the same
    dropout: float = 0.4  # of the word vectors and of the states of the LSTMs
    max_length: int = 100
    max_question: int = 50
    hidden: int = 128  # units of an LSTM in each direction
    layers: int = 3
    activation: str = "relu"  # φ

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"hidden": 1, "layers": 1, "tuned": 0})
        check_choice("activation", self.activation, ACTIVATIONS)
        if self.phrases:
            raise InputError("phrases is true, but a Document Reader knows features of single words only")


@dataclass(frozen=True)
class GraphConfig(GraphSettings, Config):
    def __post_init__(self) -> None:
        Config.__post_init__(self)
        check_graphs(self)


@dataclass(frozen=True)
class GRUConfig(Config):
    sentence_layers: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"sentence_layers": 1})


class AlignedQuestion(nn.Module):
    """For each word of a candidate, the words of the question that are like it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.alpha = nn.Linear(width, width)

    def forward(self, p: Tensor, q: Tensor, q_mask: Tensor) -> Tensor:
        """(pairs, n, width), (pairs, m, width), (pairs, m) -> (pairs, n, width)"""
        alike: Tensor = self.alpha(p).relu() @ self.alpha(q).relu().mT  # (pairs, n, m)
        return alike.masked_fill(~q_mask[:, None, :], -torch.inf).softmax(dim=2) @ q


class AttentionPooling(nn.Module):
    """(9) and (10)."""

    def __init__(self, width: int, activation: str) -> None:
        super().__init__()
        self.w_p = nn.Linear(width, 1, bias=False)
        self.activation = ACTIVATIONS[activation]

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(rows, words, width) -> (rows, width)"""
        return weighted_sum(states, mask, self.activation(self.w_p(states).squeeze(2)))


class DocumentReader(WordModel):
    settings, variants, usual = Config, VARIANTS, USUAL

    def __init__(self, name: str, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        find_lemmatiser()  # that it is missing is said at once
        if config.embedding == config.width:
            self.projection = nn.Identity()
        self.changes = nn.Parameter(torch.zeros(min(len(vocabulary), 2 + config.tuned), config.embedding))
        self.align = AlignedQuestion(config.width)
        reader = (config.hidden, config.layers, config.dropout)
        self.of_question = StackedBiLSTM(config.width, *reader)
        self.of_candidate = StackedBiLSTM(2 * config.width + FEATURES, *reader)
        self.d = 2 * config.hidden * config.layers
        self.pool_question = AttentionPooling(self.d, config.activation)
        self.pool_candidate = AttentionPooling(self.d, config.activation)
        self.match = Bilinear(self.d)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        most = max(self.config.max_length, self.config.max_question)
        return add_word_features(super().featurize(questions), most)

    def read(self, ids: Tensor) -> Tensor:
        """E, with what the frequent words have learned. (rows, words) -> (rows, words, width)"""
        changed = torch.where(ids < len(self.changes), ids, PAD)  # of which nothing is learned
        x = self.embedding(ids) + functional.embedding(changed, self.changes, padding_idx=PAD)
        words: Tensor = self.projection(self.dropout(x))
        return words

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        q, p = self.read(batch.questions), self.read(batch.answers)  # (lists, m, width), (texts, n, width)
        h_q = self.pool_question(self.of_question(q, batch.question_mask), batch.question_mask)  # (lists, d)
        h = self.read_candidates(batch, p[batch.said], q[batch.asked])  # H^0 (pairs, d)
        scores: Tensor = self.match(h_q[batch.asked], self.in_context(h, batch))  # (11)
        return scores.float()

    def read_candidates(self, batch: Batch, p: Tensor, q: Tensor) -> Tensor:
        """(pairs, n, width), (pairs, m, width) -> (pairs, d)"""
        p_mask, q_mask = batch.answer_mask[batch.said], batch.question_mask[batch.asked]
        features = word_features(batch, p.shape[1]).to(p.dtype)
        words = torch.cat([p, self.align(p, q, q_mask), features], dim=2)  # (pairs, n, 2 width + FEATURES)
        h: Tensor = self.pool_candidate(self.of_candidate(words, p_mask), p_mask)
        return h

    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        """(pairs, d) -> (pairs, d)"""
        return h


class DocumentReaderWithGraphs(DocumentReader):
    settings = GraphConfig
    pairwise = False

    def __init__(self, name: str, config: GraphConfig, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        self.graph = GraphEncoder(self.d, config)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        return add_relations(super().featurize(questions), questions, self.config)

    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        layout = batch.layout
        return layout.unpad(self.graph(layout.pad(h), batch_relations(batch.columns, layout)))

    def relations(self, question: Question) -> list[Perspective]:
        return seen_graphs(self.score, self.graph, question)

    @property
    def ordered(self) -> bool:
        return self.config.fusion == GRU or DISTANCE in self.config.graphs


class DocumentReaderWithGRU(DocumentReader):
    settings = GRUConfig
    pairwise, ordered = False, True

    def __init__(self, name: str, config: GRUConfig, vocabulary: Vocabulary) -> None:
        super().__init__(name, config, vocabulary)
        self.sentences = BiGRU(self.d, self.d // 2, config.sentence_layers)

    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        layout = batch.layout
        return layout.unpad(self.sentences(layout.pad(h), layout.mask))


def word_features(batch: Batch, words: int) -> Tensor:
    """Of the first words of each candidate beside its question. -> (pairs, words, FEATURES)"""
    of_p, of_q = batch.columns.candidates, batch.columns.questions
    asked = fit(of_q[FORMS], batch.questions.shape[1]).masked_fill(~batch.question_mask[:, :, None], -1)
    same = fit(of_p[FORMS], words)[:, :, None] == asked[batch.asked][:, None]  # (pairs, words, m, 3)
    tags = fit(of_p[TAGS], words).long()
    parts = functional.one_hot(tags[..., 0], len(PARTS_OF_SPEECH))
    types = functional.one_hot(tags[..., 1], len(ENTITY_TYPES))
    frequencies = fit(of_p[FREQUENCIES], words)[..., None]
    return torch.cat([same.any(dim=2), parts, types, frequencies], dim=2)


def fit(column: Tensor, words: int) -> Tensor:
    """As wide as a batch. (rows, ..., ...) -> (rows, words, ...)"""
    beyond = max(0, words - column.shape[1])
    behind = column.new_zeros(len(column), beyond, *column.shape[2:])
    return torch.cat([column[:, :words], behind], dim=1)


KINDS: Family[DocumentReader] = Family(
    {
        "tr-as": DocumentReader,
        "tr-mpge-as": DocumentReaderWithGraphs,
        "tr-gru-as": DocumentReaderWithGRU,
    }
)
load, build, configure = KINDS.load, KINDS.build, KINDS.configure
