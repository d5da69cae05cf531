"""What a graph model says of its graphs, against what they should be, by naive loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from anselm.annotations.entities import find_entities
from anselm.annotations.sentence_vectors import text_vectors
from anselm.data.question import Candidate, Question

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from anselm.checkpoints.catalogue import build_model  # noqa: E402
from anselm.models.mpge import TINY  # noqa: E402

TEXTS = (
    "The hive of Anna Bell stands in the garden.",
    "it is made of nectar " * 30,  # read in windows
    "Anna Bell sold honey in 1912.",
    "In 1912 the garden was made.",
)


def test_the_graphs_of_a_list(tiny_encoder: Path) -> None:
    torch.manual_seed(2)
    model = build_model("br-mpge-as", {**TINY, "base": str(tiny_encoder), "sigma": 1.5}, []).train()
    question = Question("q", "Who made honey?", tuple(Candidate(str(n), text) for n, text in enumerate(TEXTS)))
    found = {one.name: one for one in model.relations(question)}
    assert model.training
    assert list(found) == ["entity", "distance", "similarity", "dynamic"]
    names, vectors = find_entities(TEXTS), text_vectors(TEXTS).astype(float)
    for i in range(4):
        for j in range(4):
            assert found["entity"].edges[i, j] == bool(names[i] & names[j])
            assert found["distance"].edges[i, j] == pytest.approx(np.exp(-((i - j) ** 2) / 4.5), abs=1e-6)
            cosine = vectors[i] @ vectors[j] / np.linalg.norm(vectors[i]) / np.linalg.norm(vectors[j])
            assert found["similarity"].edges[i, j] == pytest.approx(max(0, cosine), abs=1e-3)
    np.testing.assert_allclose(found["dynamic"].edges.sum(axis=1), 1, atol=1e-5)
    assert found["entity"].notes == {(0, 2): "anna bell", (2, 3): "1912"}
    assert all(one.about for one in found.values())


def test_graphs_that_are_switched_off(tiny_encoder: Path) -> None:
    model = build_model("br-mpge-as", {**TINY, "base": str(tiny_encoder), "graphs": ["distance"]}, [])
    question = Question("q", "Who?", (Candidate("a", "honey"), Candidate("b", "wood")))
    assert [one.name for one in model.relations(question)] == ["distance"]
    assert not hasattr(build_model("br-as", {**TINY, "base": str(tiny_encoder)}, []), "relations")


def test_the_graphs_of_a_document_reader(vector_file: Callable[[int], Path]) -> None:
    pytest.importorskip("simplemma")
    from anselm.models.document_reader import TINY as SMALL

    question = Question("q", "Who made honey?", tuple(Candidate(str(n), text) for n, text in enumerate(TEXTS)))
    model = build_model("tr-mpge-as", {**SMALL, "vectors": str(vector_file(24)), "sigma": 1.5}, [question])
    found = {one.name: one for one in model.relations(question)}
    assert list(found) == ["entity", "distance", "similarity", "dynamic"]
    assert found["distance"].edges[0].tolist() == pytest.approx([np.exp(-(n**2) / 4.5) for n in range(4)], abs=1e-6)
    assert found["entity"].notes == {(0, 2): "anna bell", (2, 3): "1912"}
