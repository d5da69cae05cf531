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
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn.attention import sdpa_kernel

from anselm.checkpoints.blend import Config as BlendConfig
from anselm.checkpoints.checkpoint import PAIRS
from anselm.checkpoints.settings import check_least
from anselm.encoding.lists import POSITIONS
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.layers.funnel import check_encoder, read_narrowing
from anselm.layers.transformer import KERNELS, make_layers, over_lists, over_tokens
from anselm.models.frames.family import Family
from anselm.models.frames.pair_batches import Batch
from anselm.models.frames.pair_model import PairConfig, PairModel

MODELS = {
    "cross-encoder": {"kind": "transformer", "summary": "a fine-tuned encoder reads question and candidate together"},
    "frozen-attention": {"kind": "transformer", "summary": "one self-attention layer trained on a frozen encoder"},
}
VARIANTS: dict[str, dict[str, Any]] = {"cross-encoder": {}, "frozen-attention": {}}
TINY = {"max_length": 48, "max_question": 12}
PLACES = 64  # positions in a list that are told apart
UNTAUGHT = {"similarity": False, "teacher": ""}  # a second head that checkpoints could have


@dataclass(frozen=True)
class Config(PairConfig):
    candidate_layers: int = 0  # the encoder's lower layers that read the candidate, too; 0 means all
    list_layers: int = 0  # transformer layers over the candidates of a list
    former: ClassVar[Mapping[str, Any]] = {"frozen": False, "token_layers": 0, **UNTAUGHT}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"candidate_layers": 0, "list_layers": 0})
        if self.candidate_layers and self.pooling != "first":
            raise InputError(f"candidate_layers need pooling 'first', not {self.pooling!r}")


class CrossEncoder(PairModel):
    settings, variants = Config, VARIANTS

    def __init__(self, name: str, config: Config, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        if config.candidate_layers:
            check_encoder(encoder, config.candidate_layers)
            if len(set(tokenizer.types)) < 2:
                raise InputError(f"the encoder {config.base!r} has no token types, which candidate_layers need")
        self.listwise = config.list_layers > 0
        self.exports_to = None if self.listwise else PAIRS
        self.list_layers = make_layers(config.list_layers, self.width, self.heads, config.dropout)
        if self.listwise:
            self.places = nn.Embedding(PLACES, self.width)
            nn.init.normal_(self.places.weight, std=0.02)
        self.head = nn.Linear(self.width, 1)

    def pool(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        if not self.config.candidate_layers:
            return super().pool(ids, mask, types)
        shown = mask.bool()
        asked = shown & (types == self.tokenizer.types[0])
        return read_narrowing(self.encoder, ids, shown, asked, self.config.candidate_layers)

    def vectors(self, batch: Batch) -> Tensor:
        pooled = self.pooled(batch)  # (pairs, width)
        if self.listwise:
            # A candidate from another list has the position -1, and is told apart from none of those far behind.
            places = self.places(batch.columns.pairs[POSITIONS].clamp(max=PLACES - 1) % PLACES)
            with sdpa_kernel(KERNELS):
                pooled = over_lists(self.list_layers, pooled + places, batch.layout)
        return pooled

    @classmethod
    def settings_of(cls, reader: BlendConfig, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """It goes on narrowing, where the reader does and nothing stands against it."""
        own = super().settings_of(reader, wanted)
        if not reader.candidate_layers or wanted.get("pooling", "first") != "first":
            return own
        return {**own, "candidate_layers": reader.candidate_layers, "pooling": "first"}


@dataclass(frozen=True)
class FrozenConfig(PairConfig):
    token_layers: int = 1  # transformer layers over the encoder's token vectors
    former: ClassVar[Mapping[str, Any]] = {"frozen": True, "candidate_layers": 0, "list_layers": 0, **UNTAUGHT}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, {"token_layers": 1})


class FrozenAttention(PairModel):
    settings, variants = FrozenConfig, VARIANTS
    exports_to = PAIRS

    def __init__(self, name: str, config: FrozenConfig, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder.requires_grad_(False), tokenizer)
        self.token_layers = make_layers(config.token_layers, self.width, self.heads, config.dropout)
        self.head = nn.Linear(self.width, 1)

    def pool(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return self.pool_states(over_tokens(self.token_layers, self.encode(ids, mask, types), mask), mask)

    def train(self, mode: bool = True) -> FrozenAttention:
        super().train(mode)
        self.encoder.eval()  # its dropout must not blur what the layer on top is given
        return self


KINDS: Family[PairModel] = Family({"cross-encoder": CrossEncoder, "frozen-attention": FrozenAttention})
load, build, configure = KINDS.load, KINDS.build, KINDS.configure
