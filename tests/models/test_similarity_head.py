"""The similarity head of a cross-encoder, for the encoder that tells two token types apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.checkpoints.catalogue import load_model  # noqa: E402
from anselm.data.question import Question  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.models.crossencoder import CrossEncoder  # noqa: E402
from anselm.models.frames.pair_batches import Batch  # noqa: E402
from anselm.train.hyperparameters import Training  # noqa: E402
from anselm.train.loop import Loop  # noqa: E402
from tests.models.readers import LISTS, collate, make, pairs, scores  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def untaught(batch: Batch) -> Batch:
    return replace(batch, similarities=None)


def similarities_of(folder: Path, questions: list[Question]) -> list[float]:
    """The cosine of two texts' mean vectors, one text at a time, with nothing of ours."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoder = transformers.AutoModel.from_pretrained(folder).eval()

    def vector(text: str) -> Tensor:
        with torch.no_grad():
            return encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)

    return [torch.cosine_similarity(vector(a), vector(b), dim=0).item() for a, b in pairs(questions)]


def test_the_taught_similarity_is_the_cosine_of_mean_vectors(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    assert batch.similarities is not None
    expected = similarities_of(tiny_encoder, LISTS)
    assert batch.similarities.tolist() == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0.05
    assert collate(make(tiny_encoder), LISTS).similarities is None


def test_it_is_that_of_the_encoder_as_it_was(tiny_encoder: Path) -> None:
    """However far the encoder has been trained since, also across a kill: the second head is taught the same."""
    model = make(tiny_encoder, similarity=True)
    before = collate(model, LISTS).similarities
    with torch.no_grad():
        for parameter in model.encoder.parameters():
            parameter.add_(torch.randn_like(parameter))
    after = collate(model, LISTS).similarities
    assert before is not None
    assert torch.equal(before, after)


def test_signals_are_the_score_and_a_similarity_from_the_same_pass(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    with torch.no_grad():
        found = model.signals(batch.ids, batch.mask, batch.types)
        assert found.shape == (8, 2)
        for row, (ids, mask, types) in zip(found, zip(batch.ids, batch.mask, batch.types, strict=True), strict=True):
            states = model.encoder(ids[mask][None], token_type_ids=types[mask][None]).last_hidden_state[0]
            asked, said = states[types[mask] == 0].mean(dim=0), states[types[mask] == 1].mean(dim=0)
            pooled = states.mean(dim=0)
            first, _, last = model.similarity
            hidden = torch.nn.functional.gelu(first(torch.cat([asked * said, (asked - said).abs(), pooled])))
            expected = [model.head(pooled).item(), last(hidden).item()]
            assert row.tolist() == pytest.approx(expected, abs=1e-5)
    assert found[:, 0].tolist() == pytest.approx(scores(model, LISTS), abs=1e-5)
    assert make(tiny_encoder).signals(batch.ids, batch.mask, batch.types).shape == (8, 1)


def test_without_something_to_teach_it_gives_scores_alone(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    batch = collate(model, LISTS)
    given, penalty = model(batch)
    assert torch.equal(model(untaught(batch)), given)
    similar = model.signals(batch.ids, batch.mask, batch.types)[:, 1]
    errors = [(a - b) ** 2 for a, b in zip(similar.tolist(), similarities_of(tiny_encoder, LISTS), strict=True)]
    assert penalty.item() == pytest.approx(50 * sum(errors) / 8, rel=1e-4)


def test_the_gradient_of_the_penalty_reaches_the_second_head_and_the_encoder(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, similarity=True).train()
    _, penalty = model(collate(model, LISTS))
    penalty.backward()
    reached = {name for name, p in model.named_parameters() if p.grad is not None and p.grad.any()}
    assert {name for name, _ in model.named_parameters() if name.startswith("similarity.")} <= reached
    assert "encoder.embeddings.word_embeddings.weight" in reached
    assert not any(name.startswith("head.") for name in reached)


def test_the_loop_drives_the_error_of_the_similarity_down(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder, similarity=True)

    def error() -> float:
        with torch.no_grad():
            return model.eval()(collate(model, LISTS))[1].item()

    before = error()
    Loop(model, LISTS, Training(epochs=60, learning_rate=1e-3, batch_lists=3), tmp_path).run()
    assert error() < 0.2 * before
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        assert found.argmax() == np.argmax(question.labels)  # and the lists are still learned


def test_frozen_word_embeddings_stay_as_they_are(tiny_encoder: Path, tmp_path: Path) -> None:
    """So the default ranker is trained, and the running mean must leave them alone too."""
    model = make(tiny_encoder, similarity=True)
    words = model.encoder.get_input_embeddings().requires_grad_(False).weight.clone()
    places = model.encoder.embeddings.position_embeddings.weight.clone()
    Loop(model, LISTS, Training(epochs=2, learning_rate=1e-3, average=0.9), tmp_path).run()
    assert torch.equal(model.encoder.get_input_embeddings().weight, words)
    assert not torch.equal(model.encoder.embeddings.position_embeddings.weight, places)


def test_the_second_head_needs_two_token_types(tiny_roberta: Path) -> None:
    with pytest.raises(InputError, match="has no token types, which the similarity head needs"):
        make(tiny_roberta, similarity=True)


def test_with_a_second_head_saved_and_loaded_gives_the_same_signals(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder, similarity=True)
    model.save(tmp_path)
    loaded = load_model(tmp_path)
    assert isinstance(loaded, CrossEncoder)
    assert loaded.config == model.config
    batch = collate(model, LISTS)
    ours, theirs = (m.signals(batch.ids, batch.mask, batch.types) for m in (model, loaded))
    assert torch.equal(ours, theirs)
    assert scores(loaded, LISTS) == scores(model, LISTS)
