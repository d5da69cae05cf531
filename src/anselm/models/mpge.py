"""Answers in context, on a pretrained encoder: "Capturing Sentence Relations for Answer Sentence Selection with
Multi-Perspective Graph Encoding" (Tian et al., 2020).

    H^0     = encoder([CLS] question [SEP] candidate [SEP]), pooled: one vector for each candidate
    H^mpge  = MPGE(H^0), layers/perspectives.py: equations 1 to 8
    score_i = softmax over the list of H^mpge_i W_sd                                                                (12)

    br-as           without the graphs: H^0 is scored
    br-mpge-as      all of it
    br-gru-as       a GRU of two layers over the list in place of the graphs (Figure 6)

The loss is listwise, and has the softmax of (12); a score here is what goes into it. The paper has BERT-base, 3e-5 and
3 epochs; any encoder can be named. It does not say how BERT's vectors are pooled: here by their mean, or [CLS] alone.
The similarity graph takes the vectors of an encoder that nobody has fine-tuned (annotations/sentence_vectors.py). The
windows of a long candidate become one vector, their mean, before the graphs. models/document_reader.py has the same on
word vectors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from anselm.checkpoints.checkpoint import PAIRS
from anselm.checkpoints.settings import check_least
from anselm.data.question import Question
from anselm.encoding.lists import Lists
from anselm.encoding.tokenizer import PairTokenizer
from anselm.layers.perspectives import DISTANCE, GRU, GraphEncoder, GraphSettings
from anselm.layers.recurrent import BiGRU
from anselm.models.frames.family import Family
from anselm.models.frames.pair_batches import Batch
from anselm.models.frames.pair_model import PairConfig, PairModel
from anselm.models.frames.relations import add_relations, batch_relations, check_graphs, seen_graphs
from anselm.scorer import Perspective

MODELS = {
    "br-as": {
        "kind": "transformer",
        "summary": "a fine-tuned encoder scores each candidate: the graph encoder's baseline",
    },
    "br-mpge-as": {"kind": "transformer", "summary": "candidates in context: four graphs over the sentences of a list"},
    "br-gru-as": {"kind": "transformer", "summary": "candidates in context: a GRU over the sentences of a list"},
}
USUAL: dict[str, Any] = {"epochs": 3.0, "learning_rate": 3e-5, "head_rate": 5e-4}  # what is new learns faster
VARIANTS: dict[str, dict[str, Any]] = {name: {} for name in MODELS}
TINY = {"max_length": 48, "max_question": 12}

Config = PairConfig


@dataclass(frozen=True)
class GraphConfig(GraphSettings, PairConfig):
    def __post_init__(self) -> None:
        PairConfig.__post_init__(self)
        check_graphs(self)


@dataclass(frozen=True)
class GRUConfig(PairConfig):
    sentence_layers: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"sentence_layers": 1})


class BRAS(PairModel):
    variants = VARIANTS
    usual = USUAL
    exports_to = PAIRS

    def __init__(self, name: str, config: Any, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.head = nn.Linear(self.width, 1)  # a bias moves all scores of a list alike


class InContext(PairModel, ABC):
    """A model whose candidates see each other: as vectors in, and vectors out."""

    variants = VARIANTS
    usual = USUAL
    listwise = True

    @abstractmethod
    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        """(lists, n, width) -> (lists, n, width)"""

    def vectors(self, batch: Batch) -> Tensor:
        windows = batch.windows
        h = windows.layout.pad(windows.mean(self.pooled(batch)))  # H^0 (lists, n, width)
        seen = windows.layout.unpad(self.in_context(h, batch))  # (candidates, width)
        return seen[windows.owners]


class BRMPGEAS(InContext):
    settings = GraphConfig

    def __init__(self, name: str, config: GraphConfig, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.graph = GraphEncoder(self.width, config)
        self.head = nn.Linear(self.width, 1)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        return add_relations(super().featurize(questions), questions, self.config)

    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        windows = batch.windows
        seen: Tensor = self.graph(h, batch_relations(batch.columns, windows.layout, windows.first))
        return seen

    def relations(self, question: Question) -> list[Perspective]:
        return seen_graphs(self.score, self.graph, question)

    @property
    def ordered(self) -> bool:
        return self.config.fusion == GRU or DISTANCE in self.config.graphs or bool(self.config.neighbours)


class BRGRUAS(InContext):
    settings = GRUConfig

    def __init__(self, name: str, config: GRUConfig, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.sentences = BiGRU(self.width, self.width // 2, config.sentence_layers)
        self.head = nn.Linear(self.width, 1)

    def in_context(self, h: Tensor, batch: Batch) -> Tensor:
        seen: Tensor = self.sentences(h, batch.windows.layout.mask)
        return seen


KINDS: Family[PairModel] = Family({"br-as": BRAS, "br-mpge-as": BRMPGEAS, "br-gru-as": BRGRUAS})
load, build, configure = KINDS.load, KINDS.build, KINDS.configure
