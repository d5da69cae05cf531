"""The narrowing encoder against transformers' own layers, which read all tokens, pair by pair."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.errors import InputError  # noqa: E402
from anselm.layers.funnel import check_encoder, read_narrowing  # noqa: E402

SIDES = [(3, 5), (7, 2), (4, 9), (2, 0), (5, 6)]  # tokens of question and candidate
TOKENS = 13


def make_encoder(layers: int = 5) -> Any:
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=24, num_hidden_layers=layers, num_attention_heads=3, intermediate_size=40,
        max_position_embeddings=32, initializer_range=0.3,
    )  # fmt: skip
    return transformers.BertModel(config, add_pooling_layer=False).eval()


def rows() -> tuple[Tensor, Tensor, Tensor]:
    ids = torch.randint(1, 50, (len(SIDES), TOKENS), generator=torch.Generator().manual_seed(2))
    asked, said = torch.tensor(SIDES).T
    place = torch.arange(TOKENS)
    return ids, place < (asked + said)[:, None], place < asked[:, None]


def naive(encoder: Any, ids: Tensor, asked: int, layers: int) -> Tensor:
    """One pair without padding: every layer reads every token, and then the candidate's are put back."""
    types = (torch.arange(len(ids)) >= asked).long()
    states = encoder.embeddings(input_ids=ids[None], token_type_ids=types[None])
    for layer in encoder.encoder.layer[:layers]:
        states = layer(states)
    kept = states
    for layer in encoder.encoder.layer[layers:]:
        states = torch.cat([layer(states)[:, :asked], kept[:, asked:]], dim=1)
    return states[0, 0]


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("layers", [1, 2, 3, 4])
@torch.no_grad()
def test_it_is_what_the_layers_say_when_the_candidate_stands_still(layers: int, attention: str) -> None:
    encoder = make_encoder()
    encoder.set_attn_implementation(attention)
    ids, shown, asked = rows()
    first = read_narrowing(encoder, ids, shown, asked, layers)
    for row, (question, candidate) in enumerate(SIDES):
        width = question + candidate
        expected = naive(encoder, ids[row, :width], question, layers)
        torch.testing.assert_close(first[row], expected, atol=2e-5, rtol=1e-4)


@torch.no_grad()
def test_with_all_layers_but_the_last_it_is_the_encoder() -> None:
    """The last layer is computed for [CLS] alone, which changes nothing about it."""
    encoder = make_encoder()
    ids, shown, asked = rows()
    first = read_narrowing(encoder, ids, shown, asked, 4)
    whole = encoder(ids, attention_mask=shown.long(), token_type_ids=(~asked).long())
    torch.testing.assert_close(first, whole.last_hidden_state[:, 0], atol=2e-5, rtol=1e-4)


def test_gradients_reach_every_layer_and_dropout_is_of_training_alone() -> None:
    encoder = make_encoder()
    ids, shown, asked = rows()
    first = read_narrowing(encoder, ids, shown, asked, 2)
    first.square().sum().backward()
    without = {name for name, parameter in encoder.named_parameters() if parameter.grad is None}
    assert not without
    flat = {name for name, parameter in encoder.named_parameters() if not parameter.grad.any()}
    assert all("key.bias" in name for name in flat)  # a softmax does not see a shift
    encoder.train()
    torch.manual_seed(3)
    noisy, again = (read_narrowing(encoder, ids, shown, asked, 2) for _ in range(2))
    assert not torch.allclose(noisy, again)


def test_encoders_that_cannot_narrow_are_named() -> None:
    check_encoder(make_encoder(3), 2)
    with pytest.raises(InputError, match="candidate_layers is 3, but must be below the encoder's number of layers, 3"):
        check_encoder(make_encoder(3), 3)
    other = transformers.RobertaModel(
        transformers.RobertaConfig(vocab_size=9, hidden_size=8, num_hidden_layers=2, num_attention_heads=2)
    )
    with pytest.raises(InputError, match="for encoders of the kind 'bert', and this one is of the kind 'roberta'"):
        check_encoder(other, 1)
