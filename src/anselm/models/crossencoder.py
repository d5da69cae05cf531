"""Cross-encoders: a pretrained transformer reads question and candidate together. The baselines of section 4.5 of
"Recursive Tree-Structured Self-Attention for Answer Sentence Selection" (tree-aggregation-transformer):

    cross-encoder       direct fine-tuning (Laskar et al., 2020), and, in two stages, transfer then adapt (Garg et al.,
                        2019): h = encoder([CLS] q [SEP] a [SEP]), score = w . pool(h) + b
    frozen-attention    regular self-attention (Laskar et al., 2020): the encoder stays as it is, and one transformer
                        layer over its token vectors is trained, with the same score on top

The papers fine-tune pointwise with BERT-Large or RoBERTa-Large; any encoder can be named here, and the default is the
small one that is at hand offline. Left open by the papers and chosen on dev: pooling, and the list layers, which let
the candidates of a list see each other before they are scored (off by default).

With `candidate_layers` only so many lower layers read the candidate's tokens, and the others the question's alone,
which still look at them (layers/funnel.py): less work, for a score that is read off [CLS].

With `similarity` the model has a second head, which estimates from the same pass how similar question and candidate are
to an untouched encoder, the same one before it was fine-tuned or a larger one, that reads them apart:
t = cos(pool(encoder0(q)), pool(encoder0(a))). It is taught by 50 (sim - t)^2, added to the loss. Fine-tuning on short
facts forgets what the encoder knew about long answers; models/general.py blends the two.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from anselm.checkpoints.blend import Config as BlendConfig
from anselm.checkpoints.catalogue import find_reader
from anselm.checkpoints.checkpoint import PAIRS, READER_GRAPH, WEIGHTS, Checkpoint, write_config
from anselm.checkpoints.checksums import verify
from anselm.checkpoints.settings import check_choice, check_least, check_types, make_config
from anselm.data.question import Question
from anselm.encoding.limits import Reading
from anselm.encoding.lists import Lists, Picked, encode_lists, spread, window_candidates
from anselm.encoding.packing import in_order
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.layers.funnel import check_encoder, read_narrowing
from anselm.layers.layout import Layout
from anselm.models.frames.dequantized import fill, thaw
from anselm.models.frames.distillation import taught_vectors
from anselm.models.frames.pair_batches import Batch, Group, Placed, collate_pairs, place_texts
from anselm.models.frames.pretrained import load_pretrained, load_saved, max_tokens, save_encoder
from anselm.models.frames.weights import load_weights, save_weights, torch_threads
from anselm.scorer import Scores

# Not cuDNN's attention: it plans anew for each shape, and no two batches of ragged lists have the same. On an H200 that
# planning took 115 ms of a step of 167.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]

MODELS = {
    "cross-encoder": {"kind": "transformer", "summary": "a fine-tuned encoder reads question and candidate together"},
    "frozen-attention": {"kind": "transformer", "summary": "one self-attention layer trained on a frozen encoder"},
}


@dataclass(frozen=True)
class Config:
    """Every choice; the encoder's own sizes are in its config."""

    base: str = "all-MiniLM-L6-v2"
    pooling: str = "mean"  # or "first", the [CLS] vector
    max_length: int = 192  # tokens of a pair; longer candidates are scored in windows
    max_question: int = 64
    title: bool = False
    neighbours: int = 0
    frozen: bool = False
    candidate_layers: int = 0  # the encoder's lower layers that read the candidate, too; 0 means all
    token_layers: int = 0  # transformer layers over the encoder's token vectors
    list_layers: int = 0  # transformer layers over the candidates of a list
    similarity: bool = False  # a second head
    teacher: str = ""  # the encoder that teaches it; without a name, the base
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check_types(self)
        check_choice("pooling", self.pooling, POOLINGS)
        least = {"max_question": 1, "neighbours": 0, "candidate_layers": 0, "token_layers": 0, "list_layers": 0}
        check_least(self, least)
        if self.candidate_layers and (self.pooling != "first" or self.token_layers):
            given = f"not pooling {self.pooling!r} and token_layers {self.token_layers}"
            raise InputError(f"candidate_layers need pooling 'first' and token_layers 0, {given}")
        if self.similarity and self.list_layers:
            raise InputError("a model with list_layers cannot have the similarity head, which is for pairs alone")
        if self.teacher and not self.similarity:
            raise InputError(f"the teacher {self.teacher!r} has nothing to teach: it is for the similarity head alone")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is {self.dropout}, but must be from 0 to below 1")


POOLINGS = ("mean", "first")
PLACES = 64  # positions in a list that are told apart
TAUGHT = 50.0  # how much a squared error of the similarity counts
VARIANTS: dict[str, dict[str, Any]] = {"cross-encoder": {}, "frozen-attention": {"frozen": True, "token_layers": 1}}


class CrossEncoder(nn.Module):
    """Scores lists; see the top of the file."""

    capacity: int | None = 200
    language: str | None = None
    usual: ClassVar[dict[str, Any]] = {"epochs": 3.0, "learning_rate": 5e-5}

    def __init__(self, name: str, config: Config, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__()
        self.name, self.config, self.tokenizer = name, config, tokenizer
        self.reading = Reading(config.max_length, config.max_question, config.title, config.neighbours)
        self._check_lengths(max_tokens(encoder))
        if config.candidate_layers:
            check_encoder(encoder, config.candidate_layers)
        if (config.similarity or config.candidate_layers) and len(set(tokenizer.types)) < 2:
            what = "the similarity head needs" if config.similarity else "candidate_layers need"
            raise InputError(f"the encoder {config.base!r} has no token types, which {what}")
        self.pairwise = not (config.list_layers or config.neighbours)
        self.encoder: Any = encoder.requires_grad_(not config.frozen)
        self.typed = "token_type_ids" in inspect.signature(encoder.forward).parameters
        width, heads = encoder.config.hidden_size, encoder.config.num_attention_heads
        self.token_layers = _layers(config.token_layers, width, heads, config.dropout)
        self.list_layers = _layers(config.list_layers, width, heads, config.dropout)
        if config.list_layers:
            self.places = nn.Embedding(PLACES, width)
            nn.init.normal_(self.places.weight, std=0.02)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(width, 1)
        if config.similarity:
            self.similarity = nn.Sequential(nn.Linear(3 * width, 128), nn.GELU(), nn.Linear(128, 1))

    def _check_lengths(self, most: int | None) -> None:
        length, asked = self.config.max_length, self.config.max_question
        if length - self.overhead - asked < 1:
            beside = f"a question of max_question {asked} and {self.overhead} special tokens"
            raise InputError(f"max_length {length} leaves no room for a candidate beside {beside}")
        if most is not None and length > most:
            raise InputError(
                f"max_length {length} is more than the encoder {self.config.base!r} reads, which is {most}"
            )

    def featurize(self, questions: Sequence[Question]) -> Lists:
        """Tokenize once."""
        return encode_lists(questions, self.tokenizer, self.config.title, self.config.neighbours)

    def place(self, lists: Lists, device: torch.device) -> Placed:
        """Move the tokens to the device, once; batches are then put together there."""
        placed = place_texts(lists, self.tokenizer, device)
        if not self.config.similarity:
            return placed
        teacher = self.config.teacher or self.config.base
        return replace(placed, vectors=taught_vectors(placed, self.tokenizer, teacher))

    def collate(self, placed: Placed, picked: Picked) -> Batch:
        return collate_pairs(placed, picked, self.tokenizer, self.reading)

    @property
    def overhead(self) -> int:
        """Tokens that are not text."""
        return self.reading.overhead(self.tokenizer)

    def forward(self, batch: Batch) -> Tensor | tuple[Tensor, Tensor]:
        """-> (pairs,), and, where a similarity is taught, how far off it is, as a mean over the pairs."""
        with sdpa_kernel(KERNELS):
            parts = [self._read(batch, group) for group in batch.groups]  # (rows, width or signals)
            read = torch.cat(parts)
            read = torch.empty_like(read).index_copy(0, torch.cat([group.rows for group in batch.groups]), read)
            if self.config.similarity:
                scores, similar = read.float().unbind(dim=1)
                if batch.similarities is None:
                    return scores
                return scores, TAUGHT * (similar - batch.similarities).square().mean()
            if len(self.list_layers):
                read = self._look_around(read, batch.layout)
        return self._score(read)

    def _read(self, batch: Batch, group: Group) -> Tensor:
        """For each pair of a group its signals, or, without a second head, one vector. (rows, signals or width)"""
        ids, mask, types = (table[group.rows, : group.width] for table in (batch.ids, batch.mask, batch.types))
        return self.signals(ids, mask, types) if self.config.similarity else self._pool(ids, mask, types)[0]

    def signals(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """What a pair by itself gives: its score, and, with a second head, its similarity. (rows, 1 or 2)"""
        pooled, states = self._pool(ids, mask, types)
        score: Tensor = self.head(self.dropout(pooled))  # (rows, 1)
        if not self.config.similarity:
            return score
        asked, said = (_mean(states, mask.bool() & (types == kind)) for kind in self.tokenizer.types)  # (rows, width)
        both = torch.cat([asked * said, (asked - said).abs(), pooled], dim=1)
        return torch.cat([score, self.similarity(both)], dim=1)

    def _pool(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        """A pair as one vector, and its tokens' vectors. (rows, width), (rows, tokens, width)"""
        if layers := self.config.candidate_layers:
            shown = mask.bool()
            return read_narrowing(self.encoder, ids, shown, shown & (types == self.tokenizer.types[0]), layers)
        states = self._encode(ids, mask, types)
        for layer in self.token_layers:
            states = layer(states, src_key_padding_mask=mask == 0)
        return states[:, 0] if self.config.pooling == "first" else _mean(states, mask), states

    def _encode(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        typed = {"token_type_ids": types} if self.typed else {}
        states: Tensor = self.encoder(ids, attention_mask=mask.long(), **typed).last_hidden_state
        return states

    def _score(self, pooled: Tensor) -> Tensor:
        scores: Tensor = self.head(self.dropout(pooled))
        return scores.squeeze(-1).float()

    def _look_around(self, pooled: Tensor, layout: Layout) -> Tensor:
        """The candidates of a list see each other and their order in the source."""
        place = layout.places.clamp(max=self.places.num_embeddings - 1)
        padded, absent = layout.pad(pooled + self.places(place)), ~layout.mask  # (lists, longest, width)
        for layer in self.list_layers:
            padded = layer(padded, src_key_padding_mask=absent)
        return layout.unpad(padded)

    def train(self, mode: bool = True) -> CrossEncoder:
        super().train(mode)
        if self.config.frozen:
            self.encoder.eval()  # its dropout must not blur what the layer on top is given
        return self

    def room(self, lists: Lists) -> NDArray[np.int64]:
        """How many tokens of a candidate fit beside its question. (pairs,)"""
        return self.reading.room(lists, self.tokenizer)

    def widths(self, lists: Lists) -> NDArray[np.int64]:
        """How many tokens wide a batch of each list would be, for packing. (lists,)"""
        return np.minimum(lists.longest + self.overhead, self.config.max_length)

    @torch.no_grad()
    def score(self, questions: Sequence[Question], budget: int = 16_384) -> list[Scores]:
        """As a scorer: candidates that do not fit are read in windows, and the best window counts."""
        if not questions:
            return []
        device = next(self.parameters()).device
        was_training = self.training
        self.eval()
        lists = self.featurize(questions)
        windowed, owner = window_candidates(lists, self.room(lists))
        placed = place_texts(windowed, self.tokenizer, device)
        place = owner - np.repeat(lists.bounds[:-1], windowed.sizes)  # a window stands where its candidate does
        scores = np.empty(len(windowed.labels))
        for numbers in in_order(self.widths(windowed), windowed.sizes, budget):
            pairs = spread(windowed.bounds[numbers], windowed.sizes[numbers])
            if not len(pairs):  # lists without candidates
                continue
            batch = self.collate(placed, windowed.pick(numbers))
            layout = replace(batch.layout, places=torch.from_numpy(place[pairs]).to(device))
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                found = self(replace(batch, layout=layout))
            scores[pairs] = found.float().cpu().numpy()
        self.train(was_training)
        best = np.full(len(lists.labels), -np.inf)
        np.maximum.at(best, owner, scores)
        return np.split(best, lists.bounds[1:-1])

    def save(self, folder: Path) -> None:
        write_config(folder, self.name, asdict(self.config))
        save_encoder(self.encoder, self.tokenizer, folder)
        save_weights(self, folder / WEIGHTS)

    @property
    def exports_to(self) -> str | None:
        """The runtime that runs it without torch; a model that sees whole lists has none."""
        return None if self.config.list_layers else PAIRS

    def computes_on(self) -> tuple[str, int]:
        return torch_threads()


def load(checkpoint: Checkpoint) -> CrossEncoder:
    encoder, tokenizer = load_saved(checkpoint)
    model = CrossEncoder(checkpoint.model, _settings(checkpoint.model, checkpoint.config), encoder, tokenizer)
    load_weights(model, checkpoint.path(WEIGHTS))
    return model.eval()


def build(name: str, config: Mapping[str, Any], questions: Sequence[Question] = ()) -> CrossEncoder:
    """A new model on a pretrained encoder, which knows its words already, ready to be trained.

    Where the base is the default ranker, or another blended one, it goes on from that one's reader.
    """
    base = config.get("base", Config.base)
    checkpoint = find_reader(base) if isinstance(base, str) else None
    if checkpoint is None:
        settings = _settings(name, config)
        return CrossEncoder(name, settings, *load_pretrained(settings.base))
    verify(checkpoint.folder)
    blend = BlendConfig.read(checkpoint)
    own: dict[str, Any] = {"max_length": blend.max_length, "max_question": blend.max_question}
    wanted = {**VARIANTS[name], **config}
    if blend.candidate_layers and not wanted.get("token_layers") and wanted.get("pooling", "first") == "first":
        own |= {"candidate_layers": blend.candidate_layers, "pooling": "first"}
    settings = _settings(name, {**own, **config})
    if settings.similarity:
        raise InputError(f"the similarity head is taught by an untouched encoder, which {settings.base!r} is not")
    model = CrossEncoder(name, settings, *load_saved(checkpoint))
    fill(model, thaw(checkpoint.path(READER_GRAPH)), checkpoint.path(READER_GRAPH))
    return model


def _settings(name: str, config: Mapping[str, Any]) -> Config:
    return make_config(Config, name, VARIANTS[name], config)


def _layers(count: int, width: int, heads: int, dropout: float) -> nn.ModuleList:
    return nn.ModuleList(
        nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, "gelu", batch_first=True) for _ in range(count)
    )


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
