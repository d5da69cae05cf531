"""A BERT encoder that reads the candidate's tokens with its lower layers only. Of L layers, k read both texts:

    x^l = layer_l(x^(l-1), over x^(l-1))                          l = 1 ... k, all tokens
    q^l = layer_l(q^(l-1), over [q^(l-1); a^k])                   l = k+1 ... L-1, the tokens of the question's side
    c   = layer_L(q^(L-1) of [CLS], over [q^(L-1); a^k])

The question's tokens still look at the candidate's, as those were when they stopped. An answer is mostly longer than
its question, and the score is read off [CLS]: so most of the upper layers' work goes, and little of what they find out.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional

from anselm.errors import InputError

HIDDEN = 1e9  # taken off the score of padding before a softmax


def check_encoder(encoder: Any, layers: int) -> None:
    """Whether so many lower layers of it can read both texts by themselves."""
    kind, count = encoder.config.model_type, encoder.config.num_hidden_layers
    if kind != "bert":
        raise InputError(f"candidate_layers is for encoders of the kind 'bert', and this one is of the kind {kind!r}")
    if not layers < count:
        raise InputError(f"candidate_layers is {layers}, but must be below the encoder's number of layers, {count}")


def read_narrowing(encoder: Any, ids: Tensor, shown: Tensor, asked: Tensor, layers: int) -> Tensor:
    """c. (rows, width)

    `shown` are the tokens that are no padding, `asked` those of them on the question's side, which come first. Both are
    (rows, tokens); the tokens that are not asked have the token type 1.
    """
    lower, upper, last = _split(encoder.encoder.layer, layers)
    states = encoder.embeddings(input_ids=ids, token_type_ids=(shown & ~asked).long())
    for layer in lower:
        states = read(layer, states, states, shown)
    most = _longest(asked)
    question, inside = states[:, :most], asked[:, :most, None]

    def beside_candidate() -> Tensor:
        """[q; a], the candidate's tokens as they were."""
        return torch.cat([torch.where(inside, question, states[:, :most]), states[:, most:]], dim=1)

    for layer in upper:
        question = read(layer, question, beside_candidate(), shown)
    return read(last, question[:, :1], beside_candidate(), shown)[:, 0]


def _split(layers: Any, count: int) -> tuple[list[Any], list[Any], Any]:
    every = list(layers)
    return every[:count], every[count:-1], every[-1]


def _longest(asked: Tensor) -> int:
    """How many tokens of a row are looked at to see all that are asked; an exporter has to be told that they fit."""
    most = cast(int, asked.sum(dim=1).max().item())  # not int(...), which an exporter cannot follow
    torch._check(most >= 1)  # type: ignore[no-untyped-call]
    torch._check(most <= asked.shape[1])  # type: ignore[no-untyped-call]
    return most


def read(layer: Any, some: Tensor, every: Tensor, shown: Tensor) -> Tensor:
    """One layer of BERT: some of the tokens, looking at every one that is shown. (rows, some, width)"""
    own = layer.attention.self
    query, key, value = (
        part(states).unflatten(2, (own.num_attention_heads, own.attention_head_size)).transpose(1, 2)
        for part, states in ((own.query, some), (own.key, every), (own.value, every))
    )  # (rows, heads, tokens, size)
    if own.config._attn_implementation == "eager":  # exports to fewer steps
        hidden = torch.where(shown, 0.0, -HIDDEN)[:, None, None]
        weights = (query @ key.transpose(2, 3) * own.attention_head_size**-0.5 + hidden).softmax(dim=3)
        looked = own.dropout(weights) @ value
    else:
        dropout = own.dropout.p if layer.training else 0.0
        looked = functional.scaled_dot_product_attention(query, key, value, shown[:, None, None], dropout)
    attended = layer.attention.output(looked.transpose(1, 2).flatten(2), some)
    result: Tensor = layer.output(layer.intermediate(attended), attended)
    return result
