"""Answers out of a pool say all that a ranking of the same passages says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.data.question import Question
from anselm.ranking.answers import Result
from anselm.ranking.passages import find_spots
from anselm.ranking.pool_answers import FEW, READ, ask_pool, candidates_of
from anselm.ranking.ranker import Ranker
from anselm.retrieval.item import Item
from anselm.retrieval.item_files import document_items
from anselm.retrieval.pool import Pool
from anselm.scorer import Scores
from anselm.text.documents import read_document

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


def test_sentences_are_compared_by_their_paragraphs_as_where_their_document_is_asked(tmp_path: Path) -> None:
    page = tmp_path / "shop.md"
    page.write_text(
        "# Hours\n\nThe shop opens at nine. On Sundays it opens later.\n\n- Mondays it is shut.\n- It is warm.\n\n"
        "# Parking\n\nIt is free. It is behind the house.\n"
    )
    items = list(document_items(read_document(page), "shop.md", None, None))
    spots = [spot.candidate for spot in find_spots(page)]
    assert [one.paragraph for one in candidates_of(items)] == [spot.paragraph for spot in spots]
    assert [one.text for one in candidates_of(items[::-1])] == [item.text for item in items[::-1]]
    some = candidates_of([items[0], items[2], items[3], items[5]])  # without what stands between
    assert [one.paragraph == one.text for one in some] == [True, False, False, True]
    question = "Is it free to park?"
    ranker = Ranker.load("default")
    encoder: Any = ranker.scorer
    with Pool.open(tmp_path / "shop.pool", encoder) as pool:
        pool.add(items)
        pool.embed()
        found = ask_pool(ranker, question, pool, 10)
    wanted = {one.text: one.score for one in ranker.ask(question, page, 10)}
    assert {one.text: one.score for one in found} == pytest.approx(wanted, abs=1e-5)
