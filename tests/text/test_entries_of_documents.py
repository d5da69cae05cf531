"""The entries of documents that are FAQs, with their places; other documents have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.errors import FormatError, InputError
from anselm.text.documents import document_from_text, entries_of, find_documents, read_documents, sentences
from anselm.text.faq import Entry


def entries(text: str, kind: str) -> list[Entry]:
    return entries_of(document_from_text(text, "a", kind))


PAGE = """# Frequently asked

- [How long does it take?](#how)
- [Is it **free**?](#free)

## Shipping

### How long does it take?

About *three* days.

#### Abroad

Five, see [here][1].

### Is it free?
Yes.

## Returns and *refunds*

All of it.

### Can I return it

No.

[1]: http://x
"""


def test_entries_of_a_page() -> None:
    found = entries(PAGE, "markdown")
    assert [(entry.question, entry.answer, entry.line, entry.meta.get("section")) for entry in found] == [
        ("How long does it take?", "About three days.\n\nAbroad\n\nFive, see here.", 8, "Frequently asked > Shipping"),
        ("Is it free?", "Yes.", 16, "Frequently asked > Shipping"),
        ("Returns and refunds", "All of it.", 19, "Frequently asked"),
        ("Can I return it", "No.", 23, "Frequently asked > Returns and refunds"),
    ]
    assert [PAGE[entry.start : entry.end] for entry in found] == [
        "About *three* days.\n\n#### Abroad\n\nFive, see [here][1].", "Yes.", "All of it.", "No.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "slices"),
    [
        ("csv", 'q,a\r\nWho?,"Ann ""A""\r\nand Bob"\r\nWhy?, So \r\n', ['Ann ""A""\r\nand Bob', " So "]),
        ("tsv", "a\tq\nAnn\tWho?\n", ["Ann"]),
        ("json", '\n{"x": [ {"q": "Who?", "a" : "A\\nnn"} ,{"a": "So"}]}', ["A\\nnn", "So"]),
        ("json", '{"Who?": "Ann", "Why?" : "So"}', ["Ann", "So"]),
        ("json", '["Ann", \n"So"]', ["Ann", "So"]),
        ("jsonl", ' {"a": "Ann", "b": [1, "}"]}\n\n  {"b": 2, "a" :"So"} \n', ["Ann", "So"]),
    ],
)
def test_entries_of_tables_have_places(kind: str, text: str, slices: list[str]) -> None:
    found = entries(text, kind)
    assert [text[entry.start : entry.end] for entry in found] == slices
    assert [entry.line for entry in found] == [text.count("\n", 0, entry.start) + 1 for entry in found]
    assert sentences(document_from_text(text, "a", kind)) == []


def test_marked_texts() -> None:
    text = "Interview\n\nQ: Who are\nyou?\nA: Ann.\n   A writer.\n\nQ: Why?\nA: So.\n"
    found = entries(text, "text")
    assert [(entry.question, entry.answer, entry.line) for entry in found] == [
        ("Who are\nyou?", "Ann.\n   A writer.", 3),
        ("Why?", "So.", 8),
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "markdown",
            "# Kettle\n\n## Cleaning\n\nWipe it.\n\n## Why chalk?\n\nHard water.\n\n## Guarantee\n\nThree years.\n",
        ),
        ("markdown", "# Why?\n\nSo.\n"),
        ("html", "<h1>A</h1>b<h1>C</h1>d"),
        ("html", "<dl><dt>term<dd>meaning<dt>other<dd>meaning</dl>"),
        ("text", "Why? So.\n\nA: x\n"),
    ],
)
def test_other_documents_have_none(kind: str, text: str) -> None:
    assert entries(text, kind) == []
    assert sentences(document_from_text(text, "a", kind))


def test_sentences_know_their_headings() -> None:
    text = "Hello.\n\n# Kettle\n\n## Cleaning\n\nWipe it. Dry it.\n\n- One\n\n```\n# code\n```\n\n# End\n\nBye.\n"
    found = [(one.text, one.heading) for one in sentences(document_from_text(text, "a", "markdown"))]
    cleaning = "Kettle > Cleaning"
    assert found == [
        ("Hello.", ""), ("Wipe it.", cleaning), ("Dry it.", cleaning), ("One", cleaning), ("# code", cleaning),
        ("Bye.", "End"),
    ]  # fmt: skip


def test_in_folders_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    contents = {
        "a.txt": b"Fine.", "b.txt": b"\0\1\2", "c.pdf": b"no", "d.docx": b"no", "e.xlsx": b"PK", "f.png": b"\x89PNG",
        "faq.csv": b"q,a\nWho?,Ann\nx,\n", "data.csv": b"x,y\n1,2\n", "settings.json": b'{"colour": "red"}',
        "faq.json": b'{"Who?": "Ann"}', "lists.jsonl": b'{"question": "x", "candidates": []}',
    }  # fmt: skip
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    told: list[FormatError] = []
    found = list(read_documents([tmp_path, tmp_path / "a.txt"], told.append))
    assert [Path(document.source).name for document in found] == ["a.txt", "faq.csv", "faq.json"]
    assert sorted(str(error).removeprefix(f"{tmp_path}/")[:6] for error in told) == [
        "b.txt:",
        "c.pdf:",
        "d.docx",
        "e.xlsx",
    ]
    with pytest.raises(FormatError, match=r"b\.txt: is binary"):
        list(read_documents([tmp_path]))
    with pytest.raises(FormatError, match=r"b\.txt: is binary"):
        list(read_documents([tmp_path / "b.txt"], told.append))


def test_an_address_is_no_file() -> None:
    with pytest.raises(InputError, match=r"^http://a\.b/c is an address, and Anselm reads files only; download it"):
        find_documents([Path("http://a.b/c")])
