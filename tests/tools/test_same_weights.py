"""Attentive clustering's weights measured with another alpha, and on training lists."""

# ruff: noqa: E402

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.models.attentive_clustering import build
from tools.clustering.same_weights import CANDIDATES, figures, first_lists

WORDS = ["bees", "honey", "hive", "nectar", "garden", "wood", "where", "is", "the", "sweet"]


def lists(count: int, answers: int, relevant: int = 1) -> Dataset:
    rng = np.random.default_rng(count)
    made = [
        Question(
            str(number),
            " ".join(rng.choice(WORDS, 4)),
            tuple(Candidate(str(i), " ".join(rng.choice(WORDS, 5)), int(i < relevant)) for i in range(answers)),
        )
        for number in range(count)
    ]
    return Dataset("own", "test", "raw", tuple(made))


def test_alpha_0_is_measured_on_the_same_weights_and_put_back(vector_file: Callable[[int], Path]) -> None:
    dataset = lists(12, 20)
    config = {"embedding": 4, "width": 4, "filters": 3, "windows": [1, 2], "vectors": str(vector_file(4))}
    torch.manual_seed(3)
    model = build("attentive-clustering", {**config, "alpha": 0.7}, dataset.questions).eval()
    torch.manual_seed(3)
    pooling = build("attentive-clustering", {**config, "alpha": 0.0}, dataset.questions).eval()
    with_clusters = figures(model, dataset)
    assert figures(model, dataset, alpha=0.0) == figures(pooling, dataset) != with_clusters
    assert figures(model, dataset) == with_clusters


def test_training_lists_have_an_answer_and_are_not_long() -> None:
    empty = lists(3, 5, relevant=0)
    found = first_lists(Dataset("own", "train", "raw", (*empty.questions, *lists(2, CANDIDATES + 30).questions)))
    assert [len(question.candidates) for question in found.questions] == [CANDIDATES, CANDIDATES]
    assert all(question.candidates[0].relevant for question in found.questions)
