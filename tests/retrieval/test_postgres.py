"""Several who write into one pool on PostgreSQL: they take turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from anselm.retrieval.item import Item
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder, postgres


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[list[Pool]]:
    with postgres(tmp_path) as make:
        opened = [Pool(make(), WordEncoder()) for _ in range(2)]
        yield opened
        for one in opened:
            one.close()


def page(*texts: str) -> list[Item]:
    return [Item(text.split()[0], text, source="page") for text in texts]


def test_who_replaces_a_source_waits_for_who_does_already(pools: list[Pool]) -> None:
    """Else each would delete what was there before, and what both have added would stay."""
    first, second = pools
    first.replace("page", page("old text"))
    with first.engine.together():  # type: ignore[attr-defined]
        thread = Thread(target=lambda: second.replace("page", page("c text", "d text")))
        first.replace("page", page("a text", "b text"))
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
    thread.join(20)
    assert [item.id for item in first.items()] == ["c", "d"]


def test_two_who_add_the_same_passages_in_another_order_do_not_wait_for_each_other(pools: list[Pool]) -> None:
    errors: list[Exception] = []
    first, second = pools
    first.add(["so that there is one"])

    def add(pool: Pool, turn: int) -> None:
        try:
            for round in range(6):
                numbers = list(range(300))[::turn]
                pool.add([Item(str(n), f"passage {n} of round {round} by {turn}") for n in numbers])
        except Exception as error:
            errors.append(error)

    threads = [Thread(target=add, args=(pool, turn)) for pool, turn in ((first, 1), (second, -1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert first.count() == 301
