"""Cross-encoders: a pretrained transformer reads question and candidate together. The baselines of section 4.5 of
"Recursive Tree-Structured Self-Attention for Answer Sentence Selection" (tree-aggregation-transformer):

    cross-encoder       direct fine-tuning (Laskar et al., 2020), and, in two stages, transfer then adapt (Garg et al.,
                        2019): h = encoder([CLS] q [SEP] a [SEP]), score = w . pool(h) + b
    frozen-attention    regular self-attention (Laskar et al., 2020): the encoder stays as it is, and one transformer
                        layer over its token vectors is trained, with the same score on top

The papers fine-tune pointwise with BERT-Large or RoBERTa-Large; any encoder can be named here, and the default is the
small one that is at hand offline. Left open by the papers and chosen on dev: pooling, and the list layers, which let
the candidates of a list see each other before they are scored (off by default).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.layers.joining import Stretch, join
from anselm.layers.lists import list_mask, pad_lists, unpad_lists
from anselm.models.encoders import PairTokenizer, find_encoder
from anselm.models.features import Lists, Picked, encode_lists, spread, window_candidates
from anselm.models.packing import in_order
from anselm.models.scorer import Scores
from anselm.models.weights import load_weights

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
    token_layers: int = 0  # transformer layers over the encoder's token vectors
    list_layers: int = 0  # transformer layers over the candidates of a list
    dropout: float = 0.1


WINDOW_OVERLAP = 32  # tokens that two windows of a long candidate share
VARIANTS: dict[str, dict[str, Any]] = {"cross-encoder": {}, "frozen-attention": {"frozen": True, "token_layers": 1}}


@dataclass(frozen=True)
class Batch:
    ids: Tensor  # (pairs, tokens)
    mask: Tensor  # (pairs, tokens)
    types: Tensor  # (pairs, tokens)
    sizes: Tensor  # (lists,)
    labels: Tensor  # (pairs,)


@dataclass(frozen=True)
class Placed:
    """The texts of many lists on a device."""

    flat: Tensor  # (tokens,)
    starts: Tensor  # (texts,)
    lengths: Tensor  # (texts,)


class CrossEncoder(nn.Module):
    """Scores lists; see the top of the file."""

    capacity = 200

    def __init__(self, name: str, config: Config, encoder: nn.Module, tokenizer: PairTokenizer) -> None:
        super().__init__()
        self.name, self.config, self.tokenizer = name, config, tokenizer
        self.encoder = encoder.requires_grad_(not config.frozen)
        width, heads = encoder.config.hidden_size, encoder.config.num_attention_heads
        self.token_layers = _layers(config.token_layers, width, heads, config.dropout)
        self.list_layers = _layers(config.list_layers, width, heads, config.dropout)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(width, 1)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        """Tokenize once."""
        return encode_lists(questions, self.tokenizer, self.config.title, self.config.neighbours)

    def place(self, lists: Lists, device: torch.device) -> Placed:
        """Move the tokens to the device, once; batches are then put together there."""
        special = [*self.tokenizer.before, *self.tokenizer.between, *self.tokenizer.after]
        ids = np.concatenate([np.array(special, dtype=np.int32), lists.texts.ids])
        shift = len(special)
        tensors = (
            torch.from_numpy(array).to(device) for array in (ids, lists.texts.starts + shift, lists.texts.lengths)
        )
        return Placed(*tensors)

    def collate(self, placed: Placed, picked: Picked) -> Batch:
        """[CLS] question [SEP] candidate [SEP], and, where there is a context, context [SEP]; cut from the end."""
        device = placed.flat.device
        sizes, labels, question, candidate = (
            torch.from_numpy(array).to(device, non_blocking=True)
            for array in (picked.sizes, picked.labels, np.repeat(picked.questions, picked.sizes), picked.candidates)
        )
        limit = self.config.max_length - self.overhead
        asked = placed.lengths[question].clamp(max=self.config.max_question)
        said = torch.minimum(placed.lengths[candidate], limit - asked)
        first, second = self.tokenizer.types
        before, between, after = (self._special(i, len(question), device) for i in range(3))
        stretches = [
            Stretch(*before, first), Stretch(placed.starts[question], asked, first), Stretch(*between, first),
            Stretch(placed.starts[candidate], said, second), Stretch(*after, second),
        ]  # fmt: skip
        if len(picked.contexts):
            context = torch.from_numpy(picked.contexts).to(device)
            shown = torch.minimum(placed.lengths[context], (limit - asked - said).clamp(min=0))
            stretches += [Stretch(placed.starts[context], shown, second), Stretch(*after, second)]
        return Batch(*join(placed.flat, stretches, self.tokenizer.pad), sizes, labels)

    @property
    def overhead(self) -> int:
        """Tokens that are not text."""
        closing = len(self.tokenizer.after) * (2 if self.config.title or self.config.neighbours else 1)
        return len(self.tokenizer.before) + len(self.tokenizer.between) + closing

    def _special(self, number: int, rows: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Where the tokens before, between or after the texts stand in the flat array: at its very beginning."""
        lengths = [len(part) for part in (self.tokenizer.before, self.tokenizer.between, self.tokenizer.after)]
        start, length = sum(lengths[:number]), lengths[number]
        return torch.full((rows,), start, device=device), torch.full((rows,), length, device=device)

    def forward(self, batch: Batch) -> Tensor:
        """-> (pairs,)"""
        states = self._encode(batch)  # (pairs, tokens, width)
        for layer in self.token_layers:
            states = layer(states, src_key_padding_mask=~batch.mask)
        pooled = states[:, 0] if self.config.pooling == "first" else _mean(states, batch.mask)  # (pairs, width)
        if len(self.list_layers):
            pooled = self._look_around(pooled, batch.sizes)
        return self.head(self.dropout(pooled)).squeeze(-1).float()

    def _encode(self, batch: Batch) -> Tensor:
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.config.frozen):
            return self.encoder(
                input_ids=batch.ids, attention_mask=batch.mask.long(), token_type_ids=batch.types
            ).last_hidden_state

    def _look_around(self, pooled: Tensor, sizes: Tensor) -> Tensor:
        padded, absent = pad_lists(pooled, sizes), ~list_mask(sizes)  # (lists, longest, width)
        for layer in self.list_layers:
            padded = layer(padded, src_key_padding_mask=absent)
        return unpad_lists(padded, sizes)

    def train(self, mode: bool = True) -> CrossEncoder:
        super().train(mode)
        if self.config.frozen:
            self.encoder.eval()  # its dropout must not blur what the layer on top is given
        return self

    def room(self, lists: Lists) -> NDArray[np.int64]:
        """How many tokens of a candidate fit beside its question. (pairs,)"""
        asked = np.minimum(lists.texts.lengths[lists.questions], self.config.max_question)
        return np.repeat(self.config.max_length - self.overhead - asked, lists.sizes)

    @torch.no_grad()
    def score(self, questions: Sequence[Question], budget: int = 16_384) -> list[Scores]:
        """As a scorer: candidates that do not fit are read in windows, and the best window counts."""
        device = next(self.parameters()).device
        was_training = self.training
        self.eval()
        lists = self.featurize(questions)
        windowed, owner = window_candidates(lists, self.room(lists), WINDOW_OVERLAP)
        placed = self.place(windowed, device)
        scores = np.empty(len(windowed.labels))
        for batch in in_order(windowed.longest, windowed.sizes, budget):
            pairs = spread(windowed.bounds[batch], windowed.sizes[batch])
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                found = self(self.collate(placed, windowed.pick(batch)))
            scores[pairs] = found.float().cpu().numpy()
        self.train(was_training)
        best = np.full(len(lists.labels), -np.inf)
        np.maximum.at(best, owner, scores)
        return np.split(best, lists.bounds[1:-1])

    def save(self, folder: Path) -> None:
        record = {"model": self.name, "config": asdict(self.config)}
        (folder / "config.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        (folder / "encoder.json").write_text(self.encoder.config.to_json_string(use_diff=False), encoding="utf-8")
        self.tokenizer.tokenizer.save(str(folder / "tokenizer.json"))
        save_file(
            {name: tensor.contiguous() for name, tensor in self.state_dict().items()}, folder / "model.safetensors"
        )


def load(name: str, config: Mapping[str, Any], folder: Path | None) -> CrossEncoder:
    """From a checkpoint; by its name alone a cross-encoder is untrained, and no ranker."""
    if folder is None:
        raise InputError(f"{name!r} has to be trained first: anselm train --base {name} --data ... --out DIR")
    from transformers import AutoConfig, AutoModel

    settings = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    encoder_config = AutoConfig.for_model(**settings)
    encoder = AutoModel.from_config(encoder_config, **_without_pooler(encoder_config))
    tokenizer = PairTokenizer.load(folder / "tokenizer.json", encoder_config.pad_token_id or 0)
    model = CrossEncoder(name, replace(Config(), **config), encoder, tokenizer)
    load_weights(model, folder / "model.safetensors")
    return model.eval()


def build(name: str, config: Mapping[str, Any]) -> CrossEncoder:
    """A new model on a pretrained encoder, ready to be trained."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    settings = replace(Config(), **(VARIANTS[name] | dict(config)))
    source = find_encoder(settings.base)
    encoder_config = AutoConfig.from_pretrained(source)
    encoder = AutoModel.from_pretrained(source, dtype=torch.float32, **_without_pooler(encoder_config))
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(source) / "tokenizer.json"
        if not path.is_file():
            AutoTokenizer.from_pretrained(source).backend_tokenizer.save(str(Path(scratch) / "tokenizer.json"))
            path = Path(scratch) / "tokenizer.json"
        tokenizer = PairTokenizer.load(path, encoder_config.pad_token_id or 0)
    return CrossEncoder(name, settings, encoder, tokenizer)


def _without_pooler(config: Any) -> dict[str, bool]:
    """BERT and its kin carry a pooler that nothing here reads, and that no gradient would reach."""
    return {"add_pooling_layer": False} if config.model_type in ("bert", "roberta", "xlm-roberta", "electra") else {}


def _layers(count: int, width: int, heads: int, dropout: float) -> nn.ModuleList:
    return nn.ModuleList(
        nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, "gelu", batch_first=True) for _ in range(count)
    )


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)
