"""A span parser and tagger over a pretrained encoder (Kitaev and Klein, 2018; Stern, Andreas and Klein, 2017).

    h_t = transformer(mix of the encoder's layers at piece t + shape of its word)
    f_i = [first half of h at the last piece of word i-1; second half of h at the first piece of word i]
    s(i, j, label) = W2 relu(norm(W1 (f_j - f_i)))        one of the labels is "none"
    tag of word i: a classifier of [h at its first piece; h at its last piece]

What comes behind h is small, and annotations/span_parser.py computes it in numpy as well. Of the encoder its layers are
trained, or low-rank additions to their products (Hu et al., 2021), or nothing; its table of words stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from anselm.annotations.piece_rows import SHAPES
from anselm.annotations.span_heads import Heads
from anselm.checkpoints.settings import check_choice
from anselm.models.frames.pretrained import MINILM

TUNED = ("layers", "additions", "nothing")
WIDEST, HEAD = 512, 64


@dataclass(frozen=True)
class ParserConfig:
    """What a parser is made of."""

    tuned: str = "layers"  # of the encoder; or "additions", or "nothing"
    base: str = MINILM  # the encoder
    rank: int = 64  # of the additions
    width: int = 0  # of the layers above it; 0: as wide as the encoder, at most 512
    layers: int = 2
    heads: int = 0  # 0: one for each 64 of the width
    hidden: int = 256
    dropout: float = 0.2

    def __post_init__(self) -> None:
        check_choice("tuned", self.tuned, TUNED)

    def above(self, inner: int) -> ParserConfig:
        """With the widths that it has above an encoder."""
        width = self.width or min(inner, WIDEST)
        return replace(self, width=width, heads=self.heads or max(1, width // HEAD))


class LowRank(nn.Module):
    """A product that is not trained, and a small one beside it that is: W x + B A x."""

    def __init__(self, product: nn.Linear, rank: int) -> None:
        super().__init__()
        self.product = product.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, product.in_features) * product.in_features**-0.5)
        self.up = nn.Parameter(torch.zeros(product.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.product(x) + (x @ self.down.T) @ self.up.T
        return out

    def merged(self) -> nn.Linear:
        """One product that does the same."""
        with torch.no_grad():
            self.product.weight += self.up @ self.down
        return self.product


class ParserNetwork(nn.Module):
    """`forward` is what an engine runs: pieces in, h out."""

    def __init__(self, encoder: Any, config: ParserConfig, labels: int, tags: int) -> None:
        super().__init__()
        config = config.above(inner := encoder.config.hidden_size)
        self.config, self.encoder = config, encoder.requires_grad_(False)
        if config.tuned == "additions":
            adapt(encoder, config.rank)
        elif config.tuned == "layers":
            encoder.encoder.requires_grad_(True)
        width = config.width
        self.mix = nn.Parameter(torch.zeros(encoder.config.num_hidden_layers + 1))
        self.norm = nn.LayerNorm(inner)
        self.project = nn.Linear(inner, width)
        self.shape = nn.Embedding(SHAPES, width)
        layer = nn.TransformerEncoderLayer(
            width, config.heads, 2 * width, config.dropout, "gelu", batch_first=True, norm_first=True
        )
        self.top = nn.TransformerEncoder(layer, config.layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.dropout = nn.Dropout(config.dropout)
        self.fence = nn.Linear(width, config.hidden, bias=False)  # a difference has none
        self.fence_norm = nn.LayerNorm(config.hidden)
        self.label = nn.Linear(config.hidden, labels)
        self.tag_hidden = nn.Linear(2 * width, config.hidden)
        self.tag = nn.Linear(config.hidden, tags)

    def forward(self, ids: Tensor, mask: Tensor, shapes: Tensor) -> Tensor:
        return self.above(self.layer_states(ids, mask), mask, shapes)

    def layer_states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(sentences, pieces) -> (sentences, pieces, layers, inner)"""
        found = self.encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        return torch.stack(found, dim=2)

    def above(self, states: Tensor, mask: Tensor, shapes: Tensor) -> Tensor:
        """(sentences, pieces, layers, inner) -> (sentences, pieces, width)"""
        mixed = (states * self.mix.softmax(0)[:, None]).sum(2)
        x = self.project(self.dropout(self.norm(mixed))) + self.shape(shapes)
        out: Tensor = self.top(x, src_key_padding_mask=mask == 0)
        return out

    def span_scores(self, h: Tensor, before: Tensor, behind: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Of spans of one batch: (pieces of all sentences, width) and fences -> (spans, labels).

        Fence i is between the pieces `before[i]` and `behind[i]`; a span goes from one fence to another.
        """
        half = h.shape[-1] // 2
        fences = self.fence(self.dropout(torch.cat([h[before, :half], h[behind, half:]], dim=-1)))
        hidden = torch.relu(self.fence_norm(fences[ends] - fences[starts]))
        out: Tensor = self.label(self.dropout(hidden))
        return out

    def tag_scores(self, h: Tensor, first: Tensor, last: Tensor) -> Tensor:
        """(pieces of all sentences, width) -> (words, tags)"""
        both = torch.cat([h[first], h[last]], dim=-1)
        out: Tensor = self.tag(self.dropout(torch.relu(self.tag_hidden(self.dropout(both)))))
        return out

    def own_weights(self) -> dict[str, Tensor]:
        """All that training changes; the rest everybody has."""
        trained = {name for name, tensor in self.named_parameters() if tensor.requires_grad}
        return {
            name: tensor.detach().cpu().contiguous() for name, tensor in self.state_dict().items() if name in trained
        }

    def heads(self) -> Heads:
        """What comes behind h, for numpy."""
        weights = {
            "fence": self.fence.weight, "norm": self.fence_norm.weight, "norm_bias": self.fence_norm.bias,
            "label": self.label.weight, "label_bias": self.label.bias,
            "tag_hidden": self.tag_hidden.weight, "tag_hidden_bias": self.tag_hidden.bias,
            "tag": self.tag.weight, "tag_bias": self.tag.bias,
        }  # fmt: skip
        return Heads(**{name: weight.detach().float().cpu().numpy() for name, weight in weights.items()})

    @property
    def device(self) -> str:
        return str(self.mix.device)


PRODUCTS = ("query", "key", "value", "dense", "q", "k", "v", "o")  # as BERT calls them, and MPNet


def adapt(encoder: nn.Module, rank: int) -> None:
    """Low-rank additions to all products of the encoder's layers."""
    for module in list(encoder.modules()):
        for name, child in list(module.named_children()):
            if name in PRODUCTS and isinstance(child, nn.Linear):
                setattr(module, name, LowRank(child, rank))


def merge(network: ParserNetwork) -> ParserNetwork:
    """The same without additions, for export."""
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LowRank):
                setattr(module, name, child.merged())
    return network
