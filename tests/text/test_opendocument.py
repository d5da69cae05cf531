"""OpenDocument files, built by hand: sheets as those of Excel, texts with headings and tables."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from anselm.errors import FormatError
from anselm.text.documents import document_from_bytes, entries_of, read_document, sentences
from tests.packed_files import DECLARED, packed

SPACES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text", "style")
)


def content(body: str, styles: str = "", prolog: str = "") -> bytes:
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    inside = f"{automatic}<office:body>{body}</office:body>"
    return packed({"content.xml": f"{prolog}<office:document{SPACES}>{inside}</office:document>"})


def ods(*tables: str, prolog: str = "") -> bytes:
    hidden = '<style:style style:name="hid"><style:table-properties table:display="false"/></style:style>'
    return content(f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet>", hidden, prolog)


def odt(body: str) -> bytes:
    return content(
        f"<office:text>{body}</office:text>",
        '<style:style style:name="P7" style:parent-style-name="Title"/>',
    )


def cell(text: str, more: str = "") -> str:
    lines = "".join(f"<text:p>{line}</text:p>" for line in text.split("\n") if line)
    return f"<table:table-cell {more}>{lines}</table:table-cell>"


def row(*cells: str, repeated: int = 1) -> str:
    inside = "".join(one if one.startswith("<") else cell(one) for one in cells)
    return f'<table:table-row table:number-rows-repeated="{repeated}">{inside}</table:table-row>'


def table(*rows: str, name: str = "FAQ", style: str = "") -> str:
    return f'<table:table table:name="{name}" table:style-name="{style}">{"".join(rows)}</table:table>'


EMPTY = '<table:table-cell table:number-columns-repeated="1024"/>'
DOWN = 'table:number-rows-spanned="2"'
COVERED = "<table:covered-table-cell/>"
NOTE = "<text:note><text:note-body><text:p>A note.</text:p></text:note-body></text:note>"


def test_a_sheet_of_libreoffice() -> None:
    day = cell("01.03.24", 'office:value-type="date" office:date-value="2024-03-01T14:30:00"')
    remark = (
        "<table:table-cell><office:annotation><text:p>Check</text:p></office:annotation>"
        '<text:p>By<text:s text:c="2"/>card.</text:p><text:p>Or cash.</text:p></table:table-cell>'
    )
    wrong = cell("#N/A", 'office:value-type="error"')
    rows = (
        row("Our FAQ", EMPTY), row(EMPTY, repeated=3), row("Topic", "Question", "Answer", "Since", "Price", "Sum"),
        row(cell("Pay", DOWN), "How?", remark, day, cell("3,50"), wrong),
        row(COVERED, "When?", '<table:table-cell office:value="12.0"/>'), row(EMPTY, repeated=1_048_570),
    )  # fmt: skip
    hidden = table(row("Question", "Answer"), row("x", "y"), style="hid")
    document = document_from_bytes(ods(table(*rows), hidden), "faq.ods", "ods")
    found = entries_of(document)
    assert [(one.question, one.answer, one.line) for one in found] == [
        ("How?", "By card.\nOr cash.", 6),
        ("When?", "12", 7),
    ]
    assert [document.text[one.start : one.end] for one in found] == [one.answer for one in found]
    assert found[0].meta == {"Topic": "Pay", "Since": "2024-03-01 14:30", "Price": "3,50", "Sum": ""}
    assert found[1].meta["Topic"] == "Pay"
    assert sentences(document) == []


def test_a_text_of_libreoffice(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:p>Gone.</text:p></text:tracked-changes>"
        '<text:p text:style-name="P7">Kettle</text:p>'
        "<text:table-of-content><text:p>Care 1</text:p></text:table-of-content>"
        '<text:h text:outline-level="2">Care</text:h>'
        "<text:p>Wipe<office:annotation><text:p>Hm.</text:p></office:annotation><text:tab/>"
        f"<text:span>it </text:span>often.{NOTE} Dry<text:line-break/>it.</text:p>"
        "<text:list><text:list-item><text:p>Never wash.</text:p></text:list-item></text:list>"
        + table(row("Day", "Hours"), row("Monday", "9"))
    )
    (tmp_path / "a.odt").write_bytes(odt(body))
    document = read_document(tmp_path / "a.odt")
    assert document.text == "Kettle\n\nCare\n\nWipe it often. Dry it.\n\nNever wash.\n\nDay, Hours\n\nMonday, 9"
    found = sentences(document)
    assert [one.text for one in found] == ["Wipe it often.", "Dry it.", "Never wash.", "Day, Hours", "Monday, 9"]
    assert {one.heading for one in found} == {"Kettle > Care"}
    assert all(document.text[one.start : one.end] == one.text for one in found)


def test_frames_of_a_text_are_paragraphs_of_their_own() -> None:
    frame = "<text:frame><text:text-box><text:h>Inside</text:h><text:p>Two.</text:p></text:text-box></text:frame>"
    document = document_from_bytes(odt(f"<text:p>Before {frame}after.</text:p>"), "a.odt", "odt")
    assert document.text == "Before after.\n\nInside\n\nTwo."


def test_a_table_of_questions_in_a_text_of_libreoffice() -> None:
    rows = (
        row("Topic", "Since", "Question", "Answer"),
        row(
            cell("Dogs", 'table:number-columns-spanned="2"'),
            COVERED,
            "May I?",
            cell("Yes.", DOWN),
        ),
        row("Cats", "", "And cats?", COVERED),
    )
    document = document_from_bytes(odt(table(*rows)), "a.odt", "odt")
    found = entries_of(document)
    assert [(one.question, one.answer, one.meta) for one in found] == [
        ("May I?", "Yes.", {"Topic": "Dogs", "Since": ""}),
        ("And cats?", "Yes.", {"Topic": "Cats", "Since": ""}),
    ]


def test_empty_cells_that_are_repeated_cost_nothing() -> None:
    empty = '<table:table-cell table:number-columns-repeated="2000000000"/>'
    rows = table(row("Question", "Answer"), row("Why?", "So.", empty), row(empty, repeated=2_000_000_000))
    tracemalloc.start()
    [found] = entries_of(document_from_bytes(ods(rows), "faq.ods", "ods"))
    assert (found.answer, found.line) == ("So.", 2)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


REPEATED = 'table:number-columns-repeated="1000"'
NESTED = cell("x", REPEATED)
for _ in range(3):
    NESTED = f"<table:table-cell {REPEATED}>{table(row(NESTED))}</table:table-cell>"
NESTED = table(row(NESTED))
NO_SHEET = r"is not an OpenDocument spreadsheet \(\.ods\), or damaged or encrypted$"
BAD = {
    "text": ("ods", b"question,answer", NO_SHEET),
    "another folder": ("ods", packed({"a.txt": "x"}), NO_SHEET),
    "encrypted": ("ods", packed({"content.xml": b"\x8f\x02\xc3\xff"}), NO_SHEET),
    "cut": ("ods", ods(table(row("a")))[:-30], NO_SHEET),
    "entities": ("ods", ods(table(row("&a;")), prolog=DECLARED), NO_SHEET),
    "nesting": ("odt", odt("<text:a>" * 5_000 + "</text:a>" * 5_000), r"is not an OpenDocument text \(\.odt\)"),
    "no sheet": ("ods", ods(table(row("Answer"), style="hid")), "has no text in a sheet that is shown$"),
    "no text": ("odt", odt("<text:p/>"), "has no text$"),
    "rows without end": ("ods", ods(table(row("x", repeated=9_999_999))), NO_SHEET),
    "cells without end": (
        "ods",
        ods(table(row(cell("x", 'table:number-columns-repeated="16384"'), repeated=1_048_576))),
        "has more than 5,000,000 cells; save what is asked about by itself$",
    ),
    "a table without end": (
        "odt",
        odt(table(row(*[f"<table:table-cell {REPEATED}/>"] * 1_001))),
        "has more than 1,000,000 cells in its tables; save what is asked about by itself$",
    ),
    "rows of a table without end": (
        "odt",
        odt(table(*[row(cell("x", REPEATED))] * 1_001)),
        "has more than 1,000,000 cells in its tables",
    ),
    "tables in repeated cells": ("odt", odt(NESTED), "holds more than 10,000,000 characters in a cell of a table$"),
    "no answers": ("ods", ods(table(row("Item", "Price"))), r"no column of answers; there is 'Item', 'Price'"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "raw", "problem"), BAD.values(), ids=BAD)
def test_one_that_cannot_be_read_is_one_sentence(kind: str, raw: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=f"^faq: {problem}"):
        entries_of(document_from_bytes(raw, "faq", kind))
