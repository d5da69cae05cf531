"""Records come back by key, in order, also in another thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from anselm.data.shelf import shelve


def test_records_come_back_by_key_in_order() -> None:
    records: list[tuple[str, dict[str, Any]]] = [("b", {"n": 1}), ("a", {"n": 2, "text": "é\n"}), ("b", {"n": 3})]
    with shelve(records) as shelf:
        assert shelf.get("b") == [{"n": 1}, {"n": 3}]
        assert shelf.get("a") == [{"n": 2, "text": "é\n"}]
        assert shelf.get("c") == []


def test_another_thread_may_go_on_reading() -> None:
    with shelve([("a", {"n": 1})]) as shelf, ThreadPoolExecutor(1) as pool:
        assert pool.submit(shelf.get, "a").result() == [{"n": 1}]
