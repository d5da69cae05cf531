"""Texts as vectors: many at once against transformers, one at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.layers import text_vectors as sentences  # noqa: E402
from anselm.layers.text_vectors import Frame, text_vectors  # noqa: E402

MOST = 40
FRAME = Frame((2,), (3,), MOST, pad=0)  # [CLS], [SEP] and [PAD] of the tiny encoder
LENGTHS = (7, 1, 30, 12, 0, 12)


def flatten(texts: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """One flat array with gaps between the texts, which must not be read."""
    gap = torch.tensor([9, 9])
    pieces = [piece for text in texts for piece in (gap, text)]
    lengths = torch.tensor([len(text) for text in texts])
    starts = torch.tensor([sum(map(len, pieces[: 2 * i + 1])) for i in range(len(texts))])
    return torch.cat([*pieces, gap]), starts, lengths


def draw(lengths: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(5, 60, (length,), generator=generator) for length in lengths]


def alone(encoder: transformers.PreTrainedModel, text: Tensor) -> Tensor:
    row = torch.cat([torch.tensor(FRAME.before), text[:MOST], torch.tensor(FRAME.after)])
    with torch.no_grad():
        states = encoder(row[None]).last_hidden_state[0]
    mean = sum(states[i] for i in range(len(row))) / len(row)
    return mean / mean.square().sum().sqrt()


@pytest.fixture
def encoder(tiny_encoder: Path) -> transformers.PreTrainedModel:
    return transformers.AutoModel.from_pretrained(tiny_encoder).eval()


@pytest.mark.parametrize("budget", [1, 40, 100_000])
def test_vectors_are_those_of_each_text_alone(
    encoder: transformers.PreTrainedModel, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever batches they are read, and in the order that is given."""
    monkeypatch.setattr(sentences, "BATCH", budget)
    texts = draw(LENGTHS)
    found = text_vectors(encoder, *flatten(texts), FRAME)
    assert found.shape == (6, 32)
    torch.testing.assert_close(found, torch.stack([alone(encoder, text) for text in texts]), rtol=0, atol=1e-5)
    assert found.norm(dim=1).tolist() == pytest.approx([1.0] * 6, abs=1e-5)
    assert float((found[0] - found[2]).abs().max()) > 0.01  # else there would be nothing to tell apart


def test_a_long_text_is_read_as_far_as_it_fits(encoder: transformers.PreTrainedModel) -> None:
    texts = draw((MOST + 40, 5, MOST))
    texts.append(texts[0][:MOST])
    found = text_vectors(encoder, *flatten(texts), FRAME)
    torch.testing.assert_close(found, torch.stack([alone(encoder, text) for text in texts]), rtol=0, atol=1e-5)
    torch.testing.assert_close(found[0], found[3], rtol=0, atol=1e-6)


def test_rows_are_filled_with_the_given_padding(encoder: transformers.PreTrainedModel) -> None:
    """Some encoders count positions by which tokens are padding, and it is not 0 for all of them."""
    seen = []
    watch = encoder.register_forward_pre_hook(
        lambda _, arguments, named: seen.append((arguments[0], named["attention_mask"])), with_kwargs=True
    )
    text_vectors(encoder, *flatten(draw(LENGTHS)), replace(FRAME, pad=4))
    watch.remove()
    ((ids, mask),) = seen
    assert ids[mask == 0].tolist() == [4] * sum(max(LENGTHS) - length for length in LENGTHS)


def test_no_dropout_and_no_gradient(encoder: transformers.PreTrainedModel) -> None:
    flat = flatten(draw(LENGTHS))
    once, again = (text_vectors(encoder.train(), *flat, FRAME) for _ in range(2))
    assert torch.equal(once, again)
    assert not once.requires_grad


def test_no_texts_have_no_vectors(encoder: transformers.PreTrainedModel) -> None:
    nothing = torch.zeros(0, dtype=torch.long)
    assert text_vectors(encoder, torch.tensor([9]), nothing, nothing, FRAME).shape == (0, 32)
