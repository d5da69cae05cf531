"""What somebody has written into a database by hand, and names and texts that are no Unicode: a sentence each."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anselm.data.formats.records import RecordError
from anselm.errors import AnselmError, FormatError
from anselm.retrieval import indexes
from anselm.retrieval.item import Item
from anselm.retrieval.item_files import read_parts
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder, need

HALF = "caf\udce9"  # as Python has a name with a byte that is no UTF-8


def make_pool(folder: Path) -> Path:
    with Pool.open(folder / "bees.pool", WordEncoder()) as pool:
        pool.add([Item(f"i{n}", f"Bees hum {n}.", source="page", start=n, meta={"n": n}) for n in range(5)])
        pool.embed()
    return folder / "bees.pool"


def edit(place: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(place / "pool.db")) as connection:
        connection.execute(sql, values)
        connection.commit()


def use(place: Path) -> None:
    with Pool.open(place, WordEncoder()) as pool:
        pool.search("bees hum 2")
        list(pool.items())
        pool.info()


@pytest.mark.parametrize("large", [0, 50_000])
@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("UPDATE item SET meta = ? WHERE id = 'i2'", "no JSON"),
        ("UPDATE item SET meta = ? WHERE id = 'i2'", "[1]"),
        ("UPDATE item SET meta = ? WHERE id = 'i2'", b"\xff"),
        ("UPDATE item SET text = ? WHERE id = 'i2'", b"bees"),
        ("UPDATE item SET text = CAST(? AS TEXT) WHERE id = 'i2'", b"\xff\xfe"),
        ("UPDATE item SET source = ? WHERE id = 'i2'", b"page"),
        ("UPDATE item SET heading = ? WHERE id = 'i2'", b"4"),
        ("UPDATE item SET start = ? WHERE id = 'i2'", "far"),
        ("UPDATE item SET id = ? WHERE id = 'i2'", b"i2"),
        ("UPDATE item SET terms = ? WHERE id = 'i2'", b"12345"),
        ("UPDATE item SET terms = ? WHERE id = 'i2'", "words"),
        ("UPDATE vector SET data = ? WHERE number = 2", b"12345"),
        ("UPDATE vector SET data = ? WHERE number = 2", "far"),
        ("UPDATE fact SET value = ? WHERE name = 'change'", "many"),
        ("UPDATE fact SET value = ? WHERE name = 'width'", -3),
        ("UPDATE fact SET value = ? WHERE name = 'width'", 7),
        ("DROP TABLE item --?", None),
        ("ALTER TABLE item DROP COLUMN line --?", None),
    ],
)
def test_a_database_with_something_else_in_it_is_refused(
    change: str, value: Any, large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "LARGE", large)
    if not large:
        need("qdrant_edge", "pools")
    place = make_pool(tmp_path)
    edit(place, change, *([] if value is None else [value]))
    with pytest.raises(AnselmError, match=r"pool\.db"):
        use(place)


def test_a_passage_that_was_spoilt_can_be_deleted_and_added_again(tmp_path: Path) -> None:
    place = make_pool(tmp_path)
    edit(place, "UPDATE item SET meta = '[1]' WHERE id = 'i2'")
    with Pool.open(place, WordEncoder()) as pool:
        with pytest.raises(FormatError, match="passage 'i2' is not as Anselm writes it; delete it, and add it again"):
            pool.get(["i2"])
        assert pool.delete(["i2"]) == 1
        assert pool.add([Item("i2", "Bees hum 2.")]) == 1
    use(place)


@pytest.mark.parametrize(
    "item", [Item("a", "Bees.", source=HALF), Item("a", "Bees.", meta={"a": HALF}), Item("a", "Bees.", meta={HALF: 1})]
)
def test_half_a_character_is_refused(item: Item, tmp_path: Path) -> None:
    with Pool.open(tmp_path / "bees.pool") as pool, pytest.raises(RecordError, match=r"surrogate"):
        pool.add([item])


def test_no_passage_has_an_id_that_is_no_text(tmp_path: Path) -> None:
    with Pool.open(make_pool(tmp_path), WordEncoder()) as pool:
        ids: list[Any] = [HALF, "a\0", None, 4, "i1"]
        assert [item.id for item in pool.get(ids)] == ["i1"]
        assert pool.delete(ids) == 1


def test_a_file_and_a_pool_whose_names_are_no_unicode_are_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        (tmp_path / f"{HALF}.md").write_text("Bees hum. Wax melts.")
    except OSError:
        pytest.skip("this system takes no such names")
    monkeypatch.chdir(tmp_path)
    (part,) = read_parts([Path(f"{HALF}.md")])
    assert part.source == r"caf\xe9.md"
    with Pool.open(tmp_path / f"{HALF}.pool", WordEncoder()) as pool:
        assert pool.replace(part.source, list(part.items)) == 2
    with Pool.open(tmp_path / f"{HALF}.pool", WordEncoder()) as again:
        assert again.search("wax")[0].item.source == r"caf\xe9.md"


def test_an_address_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(AnselmError, match="an address must be valid Unicode"):
        Pool.open(f"postgresql://host/{HALF}")
