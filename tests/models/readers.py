"""Small cross-encoders, and lists to test them on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anselm.data.question import Candidate, Question
from anselm.models.crossencoder import build
from anselm.models.frames.pair_batches import Batch
from anselm.models.frames.pair_model import PairModel


def ask(text: str, *candidates: str, right: int = 0, title: str = "Bees") -> Question:
    rows = (Candidate(str(i), candidate, float(i == right)) for i, candidate in enumerate(candidates))
    return Question(text, text, tuple(rows), {"title": title})


LISTS = [
    ask("How do bees make honey?", "From nectar.", "The hive is made of wood.", "Honey bees dance.", "Sweet!", right=0),
    ask("Where is the hive?", "The hive stands in the garden, behind the house, where it is warm.", title="Garden"),
    ask("what is this", "the", "wood", "the", right=1),
]
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "first": {"pooling": "first"},
    "title": {"title": True, "neighbours": 1},
    "list": {"list_layers": 2},
    "frozen": {"name": "frozen-attention"},
    "narrowing": {"pooling": "first", "candidate_layers": 1},
}


def make(folder: Path, name: str = "cross-encoder", **options: Any) -> Any:
    if options.get("candidate_layers") and "roberta" in folder.name:
        pytest.skip("only BERT can narrow")
    torch.manual_seed(3)
    return build(name, {"base": str(folder)} | options).eval()


def collate(model: PairModel, questions: list[Question]) -> Batch:
    lists = model.featurize(questions)
    return model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(len(lists))))


def pairs(questions: list[Question]) -> list[tuple[str, str]]:
    return [(question.text, candidate.text) for question in questions for candidate in question.candidates]


def scores(model: PairModel, questions: list[Question]) -> list[float]:
    return np.concatenate(model.score(questions)).tolist()
