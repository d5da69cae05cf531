"""Answers out of a pool say all that a ranking of the same passages says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from anselm.data.question import Question
from anselm.ranking.answers import Result
from anselm.ranking.pool_answers import FEW, READ, ask_pool
from anselm.ranking.ranker import Ranker
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from anselm.scorer import Scores

TEXTS = ["The shop opens at nine.", "The shop is open.", "Parking at the shop is free."]


class InTurn:
    """A larger model behind a smaller one, which reads the first alone."""

    name, capacity, language, pairwise = "in turn", None, None, True

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [scores for scores, _ in self.score_in_turn(questions)]

    def score_in_turn(self, questions: Sequence[Question]) -> list[tuple[Scores, np.ndarray]]:
        sizes = [len(question.candidates) for question in questions]
        return [(-np.arange(size, dtype=float), np.arange(size) < 1) for size in sizes]

    def save(self, folder: Path) -> None: ...


def test_nothing_that_is_known_of_a_result_is_lost(tmp_path: Path) -> None:
    with Pool.open(tmp_path / "shop.pool") as pool:
        pool.add([Item(str(i), text) for i, text in enumerate(TEXTS)])
        found = ask_pool(Ranker(InTurn()), "When does the shop open?", pool, explain=True, fold_duplicates=True)
        listed = [TEXTS[int(one.id or 0)] for one in found]
    assert [one.read for one in found] == [True, False, False]
    expected = Ranker(InTurn()).rank("When does the shop open?", listed, explain=True, fold_duplicates=True)
    same = {one.name for one in fields(Result)} - {"id", "item", "meta"}  # which are the pool's own
    for one, other in zip(found, expected, strict=True):
        assert {name: getattr(one, name) for name in same} == {name: getattr(other, name) for name in same}
    assert (found.passages, found.read, found.model) == (3, 3, "in turn")


def test_of_few_passages_all_are_read_and_of_more_the_nearest(tmp_path: Path) -> None:
    """As the same passages in files are read, so that both give the same answers."""
    with Pool.open(tmp_path / "shop.pool") as pool:
        for count, read in ((FEW, FEW), (FEW + 1, READ)):
            pool.add([Item(str(i), f"The shop {i}.") for i in range(count)])
            found = ask_pool(Ranker(InTurn()), "shop", pool)
            assert (found.read, found.passages) == (read, count)
