"""Files as items: which records they hold, what they are known by, and what is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.errors import FormatError
from anselm.retrieval.item import Item, item_from_object
from anselm.retrieval.item_files import read_parts
from anselm.retrieval.pool import Pool
from tests.retrieval.engines import WordEncoder

POSTS = """<?xml version="1.0" encoding="utf-8"?>
<posts>
  <row Id="1" PostTypeId="1" Title="Why wax?" Body="&lt;p&gt;I wonder.&lt;/p&gt;" Score="3" Tags="&lt;wax&gt;" />
  <row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;For the &lt;b&gt;comb&lt;/b&gt;.&lt;/p&gt;" Score="5" />
  <row Id="3" PostTypeId="1" Title="Unanswered?" Body="&lt;p&gt;Yes.&lt;/p&gt;" Score="0" />
</posts>
"""


def read_all(*paths: Path, **options: object) -> list[Item]:
    return [item for part in read_parts(paths, **options) for item in part.items]  # type: ignore[arg-type]


def test_records_of_jsonl(tmp_path: Path) -> None:
    file = tmp_path / "bees.jsonl"
    records = [
        {"id": 7, "question": "Why?", "answer": "So.", "lang": "en"},
        {"text": "Bees hum.", "title": "Bees", "source": "book", "start": 3, "end": 12, "meta": {"a": [1]}},
        "Only text.",
    ]
    file.write_text("\n".join(map(json.dumps, records)) + "\n\n")
    first, second, third = read_all(file)
    assert first == Item("7", "So.", "Why?", source=str(file), line=1, meta={"lang": "en"})
    assert second == Item(second.hash, "Bees hum.", "", "Bees", "book", 3, 12, 0, {"a": [1]})
    assert (third.id, third.line) == (third.hash, 3)


def test_columns_may_be_named(tmp_path: Path) -> None:
    file = tmp_path / "bees.jsonl"
    file.write_text(json.dumps({"Q": "Why?", "A": "So.", "Nr": 3}))
    columns = {"question": "Q", "answer": "A", "id": "Nr"}
    assert read_all(file, columns=columns) == [Item("3", "So.", "Why?", source=str(file), line=1)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "a"', "not valid JSON"),
        ('{"id": "a", "txt": "x"}', "must have a string as"),
        ('{"id": "a", "text": "  "}', "is empty"),
        ('{"id": 1.5, "text": "x"}', "an id must be"),
        ('{"id": "a", "text": "x", "start": "3"}', "must be whole numbers"),
        ('{"id": "a", "text": "x", "title": 3}', "must be strings"),
        ('{"id": "a", "text": "x\\u0000y"}', "NUL"),
        ('{"id": "a", "text": "x", "meta": [1]}', "must be an object"),
        ("3", "must be a string, a mapping"),
    ],
)
def test_a_bad_record_is_named_by_its_line(tmp_path: Path, line: str, problem: str) -> None:
    file, skipped = tmp_path / "bees.jsonl", list[FormatError]()
    file.write_text(f'{{"text": "good"}}\n{line}\n{{"text": "also good"}}\n')
    assert [item.text for item in read_all(file, skip=skipped.append)] == ["good", "also good"]
    assert len(skipped) == 1
    assert f"{file}, line 2: " in str(skipped[0])
    assert problem in str(skipped[0])
    with pytest.raises(FormatError, match="line 2"):
        read_all(file)


def test_answers_of_a_stack_exchange_dump(tmp_path: Path) -> None:
    (tmp_path / "bees.Posts.xml").write_text(POSTS)
    [item] = read_all(tmp_path / "bees.Posts.xml")
    assert (item.question, item.text) == ("Why wax?", "For the comb.")
    assert item.id == f"{tmp_path / 'bees.Posts.xml'}#2"  # every dump has an answer 2
    assert item.meta["answer_id"] == "2"
    assert item.meta["tags"] == ["wax"]
    assert item.meta["score"] == 5


def test_sentences_and_entries_know_their_place(tmp_path: Path) -> None:
    (tmp_path / "manual.md").write_text("# Bees\n\nThey hum. They fly.\n\n## Wax\n\nIt melts.\n")
    (tmp_path / "faq.csv").write_text("id,question,answer,topic\n1,Why?,So.,all\n")
    entry, *found = read_all(tmp_path)
    assert (entry.id, entry.question, entry.text, entry.line, entry.meta) == ("1", "Why?", "So.", 2, {"topic": "all"})
    assert [(item.text, item.heading, item.line) for item in found] == [
        ("They hum.", "Bees", 3), ("They fly.", "Bees", 3), ("It melts.", "Bees, Wax", 7),
    ]  # fmt: skip
    text = (tmp_path / "manual.md").read_text()
    assert all(text[item.start : item.end] == item.text for item in found)


def add(pool: Pool, *paths: Path) -> list[FormatError]:
    skipped: list[FormatError] = []
    for part in read_parts(paths, skip=skipped.append):
        pool.replace(part.source or "", part.items, skipped.append)  # type: ignore[arg-type]
    return skipped


def test_a_source_that_changed_replaces_what_was_there(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("Bees hum. Bees fly. Bees sting.")
    with Pool.open(tmp_path / "pool", WordEncoder()) as pool:
        add(pool, page)
        page.write_text("Bees hum. Wasps sting.")
        add(pool, page)
        assert [item.text for item in pool.items()] == ["Bees hum.", "Wasps sting."]


def test_the_ids_of_two_sources_are_not_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"id,question,answer\n1,Why {name}?,So {name}.\n2{name},How?,Thus.\n")
    with Pool.open(tmp_path / "pool", WordEncoder()) as pool:
        [error] = add(pool, tmp_path / "a.csv", tmp_path / "b.csv")
        assert "b.csv, line 2: the id '1' is that of a passage from" in str(error)
        assert sorted(item.id for item in pool.items()) == ["1", "2a", "2b"]
        assert pool.get(["1"])[0].text == "So a."


def test_what_is_written_is_read_back_the_same() -> None:
    item = Item("a", "Text.", "Why?", "Above", "s", 1, 2, 3, {"x": [1, {"y": None}]})
    assert item_from_object(item.to_dict()) == item
    assert item_from_object(Item("a", "Text.").to_dict()) == Item("a", "Text.")
