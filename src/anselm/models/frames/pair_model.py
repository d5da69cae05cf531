"""What the models on a pretrained encoder share: questions in; out come token states and pooled vectors of each pair.

    texts -> pieces of words (encoding/tokenizer) -> [CLS] question [SEP] candidate [SEP] -> states -> one vector

A model makes its own layers and its `head`, and chains them in its forward: `pooled(batch)` gives it a vector for each
pair, `states(batch)` the vectors of all tokens. Its featurizer may add columns to the lists, which it finds in the
batch. A candidate that does not fit is scored in windows, each a pair of its own, and the best one counts; a model that
sees whole lists can pool them before (`batch.windows`). Where the base is a blended ranker, its reader is trained
further.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import sdpa_kernel

from anselm.checkpoints.bases import find_reader
from anselm.checkpoints.blend import Config as BlendConfig
from anselm.checkpoints.checkpoint import READER_GRAPH, WEIGHTS, Checkpoint, write_config
from anselm.checkpoints.checksums import verify
from anselm.checkpoints.settings import check_choice, check_least, check_types, make_config
from anselm.data.question import Question
from anselm.encoding.limits import Reading
from anselm.encoding.lists import Lists, best_window, encode_lists, spread, window_candidates
from anselm.encoding.packing import in_order
from anselm.encoding.token_gauge import TokenGauge
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.layers.transformer import KERNELS
from anselm.models.frames.dequantized import fill, thaw
from anselm.models.frames.pair_batches import Batch, Placed, collate_pairs, place_texts
from anselm.models.frames.pretrained import load_pretrained, load_saved, max_tokens, save_encoder
from anselm.models.frames.weights import load_weights, save_weights, torch_threads
from anselm.scorer import Scores

POOLINGS = ("mean", "first")
BUDGET = 16_384  # tokens of a batch


@dataclass(frozen=True)
class PairConfig:
    """How pairs are read; the encoder's own sizes are in its config."""

    base: str = "all-MiniLM-L6-v2"
    pooling: str = "mean"  # or "first", the [CLS] vector
    max_length: int = 192  # tokens of a pair; longer candidates are scored in windows
    max_question: int = 64
    title: bool = False
    neighbours: int = 0
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check_types(self)
        check_choice("pooling", self.pooling, POOLINGS)
        check_least(self, {"max_question": 1, "neighbours": 0})
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is {self.dropout}, but must be from 0 to below 1")


class PairModel(nn.Module):
    """A model's own part is what it makes of the vectors: by itself, the frame scores each by a line."""

    capacity: int | None = 200
    language: str | None = None
    listwise: bool = False  # whether a score depends on the vectors of other candidates
    exports_to: str | None = None  # the runtime that runs it without torch: PAIRS, where `signals` are all of a score
    settings: ClassVar[type[PairConfig]] = PairConfig
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    usual: ClassVar[Mapping[str, Any]] = {"epochs": 3.0, "learning_rate": 5e-5}
    head: nn.Linear  # made by the model, after its own layers

    def __init__(self, name: str, config: Any, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__()
        self.name, self.config, self.tokenizer = name, config, tokenizer
        self.reading = Reading(config.max_length, config.max_question, config.title, config.neighbours)
        self._check_lengths(max_tokens(encoder))
        self.encoder: Any = encoder
        self.typed = "token_type_ids" in inspect.signature(encoder.forward).parameters
        self.width, self.heads = encoder.config.hidden_size, encoder.config.num_attention_heads
        self.dropout = nn.Dropout(config.dropout)

    def _check_lengths(self, most: int | None) -> None:
        length, asked = self.config.max_length, self.config.max_question
        if length - self.overhead - asked < 1:
            beside = f"a question of max_question {asked} and {self.overhead} special tokens"
            raise InputError(f"max_length {length} leaves no room for a candidate beside {beside}")
        if most is not None and length > most:
            reads = f"the encoder {self.config.base!r} reads, which is {most}"
            raise InputError(f"max_length {length} is more than {reads}")

    @property
    def overhead(self) -> int:
        """Tokens that are not text."""
        return self.reading.overhead(self.tokenizer)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        """Tokenize once."""
        return encode_lists(questions, self.tokenizer, self.config.title, self.config.neighbours)

    def room(self, lists: Lists) -> NDArray[np.int64]:
        """How many tokens of a candidate fit beside its question. (pairs,)"""
        return self.reading.room(lists, self.tokenizer)

    def widths(self, lists: Lists) -> NDArray[np.int64]:
        """How many tokens wide a batch of each list would be, for packing. (lists,)"""
        return np.minimum(lists.longest + self.overhead, self.reading.max_length)

    def place(self, lists: Lists, device: torch.device) -> Placed:
        """Move the tokens to the device, once; batches are then put together there."""
        return place_texts(lists, self.tokenizer, device)

    def collate(self, placed: Placed, picked: Lists) -> Batch:
        return collate_pairs(placed, picked, self.tokenizer, self.reading)

    def encode(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """(rows, tokens) three times -> (rows, tokens, width)"""
        typed = {"token_type_ids": types} if self.typed else {}
        states: Tensor = self.encoder(ids, attention_mask=mask.long(), **typed).last_hidden_state
        return states

    def pool(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """A pair as one vector. (rows, tokens) three times -> (rows, width)"""
        return self.pool_states(self.encode(ids, mask, types), mask)

    def pool_states(self, states: Tensor, mask: Tensor) -> Tensor:
        """(rows, tokens, width) -> (rows, width)"""
        if self.config.pooling == "first":
            return states[:, 0]
        weights = mask[:, :, None].to(states.dtype)
        return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)

    def pooled(self, batch: Batch) -> Tensor:
        """(pairs, width)"""
        return self.in_groups(batch, self.pool)

    def states(self, batch: Batch) -> Tensor:
        """0 beyond the longest pair of a group. (pairs, tokens, width)"""
        most = batch.ids.shape[1]

        def read(ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
            return functional.pad(self.encode(ids, mask, types), (0, 0, 0, most - ids.shape[1]))

        return self.in_groups(batch, read)

    def in_groups(self, batch: Batch, read: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
        """What is read of each pair, those of about the same length together. (pairs, ...)"""
        tables = (batch.ids, batch.mask, batch.types)
        with sdpa_kernel(KERNELS):
            found = torch.cat([read(*(table[g.rows, : g.width] for table in tables)) for g in batch.groups])
        return torch.empty_like(found).index_copy(0, torch.cat([group.rows for group in batch.groups]), found)

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        return self.score_vectors(self.vectors(batch))

    def vectors(self, batch: Batch) -> Tensor:
        """What the score is read off. (pairs, width)"""
        return self.pooled(batch)

    def score_vectors(self, vectors: Tensor) -> Tensor:
        """(pairs, width) -> (pairs,)"""
        scores: Tensor = self.head(self.dropout(vectors))
        return scores.squeeze(-1).float()

    def signals(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """What a pair by itself gives, for an export: its score. (rows, tokens) three times -> (rows, 1)"""
        score: Tensor = self.head(self.dropout(self.pool(ids, mask, types)))
        return score

    @property
    def pairwise(self) -> bool:
        return not (self.listwise or self.config.neighbours)

    @property
    def ordered(self) -> bool:
        """Whether the order of the candidates counts, and not only which they are."""
        return not self.pairwise

    @torch.no_grad()
    def score(self, questions: Sequence[Question], budget: int = BUDGET) -> list[Scores]:
        """As a scorer: candidates that do not fit are read in windows, and the best window counts."""
        if not questions:
            return []
        lists = self.featurize(questions)
        windowed, owner = window_candidates(lists, self.room(lists))
        scores = self._over_batches(windowed, self, np.empty(len(windowed.labels)), budget)
        return np.split(best_window(scores, owner, len(lists.labels)), lists.bounds[1:-1])

    @torch.no_grad()
    def representations(self, questions: Sequence[Question]) -> list[NDArray[np.float32]]:
        """What the scores are read off, for each list (candidates, width); of several windows the one that counts."""
        if not questions:
            return []
        lists = self.featurize(questions)
        windowed, owner = window_candidates(lists, self.room(lists))
        table = np.empty((len(windowed.labels), self.head.in_features), dtype=np.float32)
        vectors = self._over_batches(windowed, self.vectors, table, BUDGET)
        scores = vectors @ self.head.weight[0].float().cpu().numpy()
        last = np.lexsort((scores, owner))[np.cumsum(np.bincount(owner, minlength=len(lists.labels))) - 1]
        return np.split(vectors[last], lists.bounds[1:-1])

    def _over_batches(self, windowed: Lists, read: Callable[[Any], Tensor], into: Any, budget: int) -> Any:
        """What is read of each pair, as it is without training. (pairs, ...)"""
        was_training = self.training
        self.eval()
        device = next(self.parameters()).device
        placed = self.place(windowed, device)
        for numbers in in_order(self.widths(windowed), windowed.sizes, budget):
            pairs = spread(windowed.bounds[numbers], windowed.sizes[numbers])
            if not len(pairs):  # lists without candidates
                continue
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                found = read(self.collate(placed, windowed.pick(numbers)))
            into[pairs] = found.float().cpu().numpy()
        self.train(was_training)
        return into

    def save(self, folder: Path) -> None:
        write_config(folder, self.name, asdict(self.config))
        save_encoder(self.encoder, self.tokenizer, folder)
        save_weights(self, folder / WEIGHTS)

    def gauge(self) -> TokenGauge:
        return TokenGauge(self.tokenizer, self.reading)

    def computes_on(self) -> tuple[str, int]:
        return torch_threads()

    @classmethod
    def load(cls, checkpoint: Checkpoint) -> Self:
        encoder, tokenizer = load_saved(checkpoint)
        model = cls(checkpoint.model, cls.configure(checkpoint.model, checkpoint.config), encoder, tokenizer)
        load_weights(model, checkpoint.path(WEIGHTS))
        return model.eval()

    @classmethod
    def build(cls, name: str, config: Mapping[str, Any], questions: Sequence[Question] = ()) -> Self:
        """A new model on a pretrained encoder, which knows its words already, ready to be trained.

        Where the base is the default ranker, or another blended one, it goes on from that one's reader.
        """
        base = config.get("base", cls.settings.base)
        reader = find_reader(base) if isinstance(base, str) else None
        if reader is None:
            settings = cls.configure(name, config)
            return cls(name, settings, *load_pretrained(settings.base))
        verify(reader.folder)
        own = cls.settings_of(BlendConfig.read(reader), {**cls.variants[name], **config})
        model = cls(name, cls.configure(name, {**own, **config}), *load_saved(reader))
        fill(model, thaw(reader.path(READER_GRAPH)), reader.path(READER_GRAPH))
        return model

    @classmethod
    def settings_of(cls, reader: BlendConfig, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """What is taken over from a reader, where nobody says otherwise."""
        return {"max_length": reader.max_length, "max_question": reader.max_question}

    @classmethod
    def configure(cls, name: str, config: Mapping[str, Any]) -> Any:
        return make_config(cls.settings, name, cls.variants[name], config)
