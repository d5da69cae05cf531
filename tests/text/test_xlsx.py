"""Excel files, built by hand: cells as people see them, sheets as FAQs, and one sentence for what cannot be read."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from string import ascii_uppercase
from time import process_time

import pytest

from anselm.data.formats.faqs import read_entries
from anselm.errors import FormatError, InputError
from anselm.text.documents import (
    document_from_bytes,
    document_from_text,
    entries_of,
    read_document,
    read_documents,
    sentences,
)
from anselm.text.faq import Entry
from tests.packed_files import DECLARED, HEADER, ROW, packed, table, xlsx


def entries(content: bytes, columns: dict[str, str] | None = None, place: str = "faq.xlsx") -> list[Entry]:
    document = document_from_bytes(content, place, "xlsx")
    found = entries_of(document, columns)
    assert [document.text[one.start : one.end] for one in found] == [one.answer for one in found]
    assert [document.line_of(one) for one in found] == [one.line for one in found]  # cells may hold line breaks
    assert sentences(document) == []
    return found


def test_texts_in_every_form_and_cells_in_any_order() -> None:
    shared = (
        "<si><t>Question</t></si><si><r><rPr><b/></rPr><t>An</t></r><r><t xml:space='preserve'>swer </t></r></si>"
        "<si><t>東京?</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
        "<si><t>Line_x000D_\none&amp;\ttwo_x005F_x0041_</t></si>"
    )
    rows = (
        "<row r='9'><c r='D9' t='inlineStr'><is><r><t>By </t></r><r><t>bus.</t></r><rPh><t>BUS</t></rPh></is></c>"
        "<c r='B9' t='s'><v>2</v></c></row>"
        "<row r='3'><c r='B3' t='s'><v>0</v></c><c r='D3' t='s'><v>1</v></c></row>"
        "<row r='5'><c r='C5' s='3'/><c r='D5' t='s'><v>3</v></c><c r='B5' t='str'><f>A1</f><v>Who? </v></c></row>"
        "<row><c r='B6'/><c t='str'><v> </v></c></row>"
    )
    found = entries(xlsx(rows, shared=shared))
    assert [(one.line, one.question, one.answer) for one in found] == [
        (5, "Who?", "Line\none&\ttwo_x0041_"),
        (9, "東京?", "By bus."),
    ]
    assert [one.meta for one in found] == [{}, {}]


@pytest.mark.parametrize(
    ("written", "code", "shown"),
    [
        ("3", "General", "3"), ("3.0", "General", "3"), ("0.30000000000000004", "General", "0.3"),
        ("1E3", "General", "1000"), ("-2.50", "General", "-2.5"), ("1e20", "0", "100000000000000000000"),
        ("12345678901234567", "General", "12345678901234567"), ("-1.2345678901234567E+16", "0", "-12345678901234600"),
        ("1e21", "General", "1e+21"), ("1e400", "0", "inf"),
        ("31.5", '#,##0.00\\ "€";[Red]-0', "31.50"),
        ("2.5", "0", "3"), ("7", "000", "007"), ("-7", "000", "-007"), ("0.25", "0%", "25%"), ("0.075", "0.0%", "7.5%"),
        ("12", "@", "12"), ("45352", "14", "2024-03-01"), ("45352.604166666664", "22", "2024-03-01 14:30"),
        ("45352", 'dd/mm/yyyy;"day"', "2024-03-01"), ("45352", "[$-407]d. mmmm", "2024-03-01"),
        ("45352.25", "mmm", "2024-03-01"), ("0.39583333333333331", "h:mm AM/PM", "09:30"), ("59", "14", "1900-02-28"),
        ("61", "14", "1900-03-01"), ("1.5", "[h]:mm", "36:00:00"), ("5", '0 "days"', "5 days"), ("5", '"Q"0', "Q5"),
        ("1234.5", '[Blue]"ca. "#,##0.00\\ _€\\k\\g', "ca. 1234.50 kg"), ("0.5", '0%" off";-0%', "50% off"),
        ("-5", '0" up";0" down"', "-5"), ("0", '0" up"', "0 up"), ("14500", '#,##0,"k"', "14500"),
        ("130", '0"h"00', "130"), ("5", '[>9]0" many";0" few"', "5"), ("0.5", "# ?/?", "0.5"),
        ("7", "0" * 99_999, "7"), ("-1", "14", "-1"),
        ("99999999", "14", "99999999"), ("1", "[Red]#.##", "1"),
    ],
)  # fmt: skip
def test_numbers_are_as_people_see_them(written: str, code: str, shown: str) -> None:
    id = code if code.isdecimal() and len(code) == 2 else "170"
    styles = f"<numFmts><numFmt numFmtId='170' formatCode='{code}'/></numFmts>"
    styles += "<cellStyleXfs><xf numFmtId='9'/></cellStyleXfs>"
    styles += f"<cellXfs><xf numFmtId='0'/><xf numFmtId='{id}'/></cellXfs>"
    rows = f"{table('Answer')}<row><c s='1'><v>{written}</v></c></row>"
    assert [one.answer for one in entries(xlsx(rows, styles=styles))] == [shown]


def test_days_since_1904_truths_and_errors() -> None:
    styles = "<cellXfs><xf numFmtId='14'/></cellXfs>"
    rows = table("Answer/a/b/c/d") + (
        "<row><c t='str'><v>So.</v></c><c><v>1</v></c><c t='b'><v>1</v></c><c t='e'><v>#REF!</v></c>"
        "<c t='d'><v>2024-03-01T00:00:00</v></c></row>"
    )
    [found] = entries(xlsx(rows, styles=styles, settings="<workbookPr date1904='1'/>"))
    assert found.meta == {"a": "1904-01-02", "b": "TRUE", "c": "", "d": "2024-03-01"}


def test_titles_above_the_header_and_columns_that_are_named() -> None:
    rows = table("Our FAQ", "", "As of/March", "Nr/Asked/Told", "7/Why?/So.")
    named = {"question": "asked", "answer": "Told"}
    [found] = entries(xlsx(rows), named)
    assert (found.question, found.answer, found.id, found.line) == ("Why?", "So.", "7", 5)
    [found] = entries(xlsx(table("Our FAQ", "Question/Answer", "Why?/So.")))
    assert found.line == 3
    first, *_ = entries(
        xlsx("<row r='4'><c r='B4' t='str'><v>Why?</v></c><c t='str'><v>So.</v></c></row>"),
        {"question": "2", "answer": "3"},
    )
    assert (first.question, first.answer, first.line) == ("Why?", "So.", 4)


def test_every_sheet_with_answers_is_read_and_named() -> None:
    sheets = [
        table("Nr/Q/A", "1/Why?/So."),
        table("Q/A", "x/y"),
        table("Nr/Q/A/section", "1/When?/Now./mine"),
        table("Item/Price", "a/1"),
    ]
    sheets.append(table("Q/A", "x/y"))
    found = entries(xlsx(*sheets, states="visible hidden visible visible veryHidden", names="Cards X Loans Prices Y"))
    assert [(one.question, one.id, one.line) for one in found] == [("Why?", "", 2), ("When?", "", 2)]
    assert [one.meta for one in found] == [{"section": "Cards", "Nr": "1"}, {"section": "mine", "Nr": "1"}]
    sheets[2] = sheets[2].replace(">1<", ">2<")
    assert [one.id for one in entries(xlsx(*sheets[:4]))] == ["1", "", "2"]
    [alone] = entries(xlsx(sheets[0], sheets[3], table("Q/A")))
    assert (alone.id, alone.meta) == ("1", {})


def test_two_long_sheets_with_ids_take_no_longer_than_one() -> None:
    """Where every entry looks at all ids, these take a quarter of a minute."""
    sheets = [table("Id/A", *(f"{number}/So." for number in range(first, first + 8_000))) for first in (0, 8_000)]
    document = document_from_bytes(xlsx(*sheets), "faq.xlsx", "xlsx")
    began = process_time()
    assert len(entries_of(document)) == 16_000
    assert process_time() - began < 4


def test_sheets_that_are_passed_over_are_told() -> None:
    german = table("Frage/Antworten", "Wann?/Jetzt.").replace("Frage<", "Fragen<")
    sheets = [HEADER + ROW, german, table("Item/Price", "Pen/3"), table("See/below"), table("Done", "Yes")]
    document = document_from_bytes(xlsx(*sheets), "faq.xlsx", "xlsx")
    told: list[str] = []
    found = entries_of(document, skip=lambda error: told.append(str(error)))
    assert [(one.question, one.answer) for one in found] == [("Why?", "So."), ("Wann?", "Jetzt.")]
    assert [one.split(" (say")[0] for one in told] == [
        "faq.xlsx, sheet 'S2': no column of answers; there is 'Item', 'Price'"
    ]
    assert len(entries_of(document)) == 2  # no error where the first of what cannot be read is one


def test_a_sparse_sheet_beside_a_faq_is_passed_over() -> None:
    cells = map("".join, product("ABCD", ascii_uppercase, ascii_uppercase))
    places = [f"<row r='{row}'><c r='{name}{row}'><v>1</v></c></row>" for row, name in enumerate(cells, start=1)]
    named = "<row r='1'><c t='str'><v>Answer</v></c></row>" + "".join(places).replace(
        "<row r='1'>", "<row r='9999'>", 1
    )
    for sparse, problem in (
        ("".join(places), "no column of answers; there is"),
        (named.replace("AAA1", "AAA9999"), "spans 2,705 rows and 2,705 columns, too many for a table"),
    ):
        told: list[str] = []
        document = document_from_bytes(xlsx(HEADER + ROW, sparse), "faq.xlsx", "xlsx")
        [found] = entries_of(document, skip=lambda error, told=told: told.append(str(error)))
        assert found.question == "Why?"
        assert [one for one in told if problem in one and "sheet 'S1'" in one] == told
        assert len(told) == 1


def test_of_two_cells_in_one_place_the_first_stays() -> None:
    again = "<row r='2'><c r='A2' t='str'><v>When?</v></c><c r='C2' t='str'><v>x</v></c></row>"
    [found] = entries(xlsx(table("Question/Answer/Note", "Why?/So.") + again))
    assert (found.question, found.answer, found.meta) == ("Why?", "So.", {"Note": "x"})


def test_what_is_merged_downwards_is_said_of_every_row() -> None:
    rows = table("Topic/Question/Answer", "Cards/Why?/So.", "/How?/", "", "/When?/Now.")
    merged = "|<mergeCells><mergeCell ref='A2:A4'/><mergeCell ref='C2:C1048576'/></mergeCells>"
    found = entries(xlsx(rows.replace("<c t='str'><v></v></c>", "<c/>") + merged))
    assert [(one.question, one.answer, one.meta["Topic"], one.line) for one in found] == [
        ("Why?", "So.", "Cards", 2),
        ("How?", "So.", "Cards", 3),
        ("When?", "Now.", "", 5),
    ]


@pytest.mark.parametrize(
    ("sheets", "columns", "problem"),
    [
        ([table("Q/A", "", "Why?/")], {}, r"^faq\.xlsx, line 3: there is no answer in the column 'A'$"),
        ([table("Item/Price", "Pen/3")], {}, r"^faq\.xlsx: no column of answers; there is 'Item', 'Price' \(say"),
        (
            [table("Our prices", "Item/Price", "Pen/3"), table("Day", "1")],
            {},
            r"faq\.xlsx: no sheet has a column of answers; 'S0' has 'Item', 'Price'; 'S1' has 'Day' \(say",
        ),
        ([HEADER, HEADER], {"answer": "Told"}, r"no sheet has the columns 'Told'; 'S0' has 'Question', 'Answer'; "),
        ([HEADER + ROW], {"answer": "Told"}, r"faq\.xlsx: no column is named 'Told'; there is 'Question', 'Answer'"),
        ([HEADER + ROW, table("Answer EN/Answer DE", "So/So")], {}, r"sheet 'S1': two columns are named 'answer'"),
        ([HEADER + ROW, table("Q/A", "Why?/")], {}, r"^faq\.xlsx, sheet 'S1', line 2: there is no answer"),
        ([table("Id/A", "1/So.", "", "1/No.")], {}, r"line 4: the id '1' was used on line 2 already"),
        (
            [HEADER + "<row r='8'><c t='str'><v>Why?</v></c><c r='B8'><f>A1&amp;A2</f><v/></c></row>"],
            {},
            r"line 8: the formula in the column 'Answer' was saved without its value; open the file in Excel and save",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_sheet_names_it(sheets: list[str], columns: dict[str, str], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        entries(xlsx(*sheets), columns)


GOOD = xlsx(HEADER + ROW)
NO_EXCEL = r"is not an Excel file \(\.xlsx\), or damaged or encrypted$"
BAD = {
    "text": (b"question,answer\n", NO_EXCEL),
    "nothing": (b"", NO_EXCEL),
    "cut": (GOOD[:-40], NO_EXCEL),
    "another folder": (packed({"a.txt": "x"}), NO_EXCEL),
    "old": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 99, "but one of older programs; save it anew in this format"),
    "encrypted": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0" + "EncryptedPackage".encode("utf-16-le"),
        "is encrypted; save a copy without a password",
    ),
    "no such cell": (xlsx("<row r='1048577'><c><v>1</v></c></row>"), NO_EXCEL),
    "no cell": (xlsx("<row><c r='7B'><v>1</v></c></row>"), NO_EXCEL),
    "no such string": (xlsx("<row><c t='s'><v>7</v></c></row>"), NO_EXCEL),
    "a string before the first": (xlsx("<row><c t='s'><v>-1</v></c></row>", shared="<si><t>x</t></si>"), NO_EXCEL),
    "no sheet": (xlsx(HEADER, states="hidden"), "has no text in a sheet that is shown"),
    "no text": (xlsx("<row><c s='1'/></row>"), "has no text in a sheet that is shown"),
    "bomb": (xlsx("<row/>" * 2_000_000), r"unpacks to 12,\d{3},\d{3} bytes or more from \d+,\d{3}; at most"),
    "entities": (xlsx(ROW, prolog=DECLARED), NO_EXCEL),
    "shared entities": (xlsx(ROW, shared="<si><t>&a;</t></si>", prolog=DECLARED), NO_EXCEL),
    "entities of another file": (xlsx(ROW.replace("So.", "&a;"), prolog="<!DOCTYPE a SYSTEM 'b'>"), NO_EXCEL),
    "nesting": (xlsx("<a>" * 99_999), NO_EXCEL),
}  # fmt: skip


@pytest.mark.parametrize(("content", "problem"), BAD.values(), ids=BAD)
def test_an_excel_file_that_cannot_be_read_is_one_sentence(content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"^faq\.xlsx(: |, ).*{problem}"):
        entries(content)


def test_what_is_too_large_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    far = "<row r='{0}'><c t='str'><v>When?</v></c><c t='str'><v>Now.</v></c><c r='XFD{0}' t='str'><v>x</v></c></row>"
    [_, found] = entries(xlsx(HEADER + ROW + far.format(1_048_576)))
    assert (found.answer, found.line, found.meta) == ("Now.", 1_048_576, {"(16384)": "x"})
    wide = HEADER + far.format(7)
    many = xlsx(*[table("Question/Answer", "Why?/So.")] * 3)
    monkeypatch.setattr("anselm.text.xlsx.MOST_CELLS", 11)
    with pytest.raises(FormatError, match=r"^faq\.xlsx: has more than 5,000,000 cells"):
        entries(many)
    monkeypatch.setattr("anselm.text.faq_sheets.MOST_CELLS", 5)
    with pytest.raises(FormatError, match=r"^faq\.xlsx: spans 2 rows and 3 columns, too many for a table"):
        entries(xlsx(wide))
    monkeypatch.setattr("anselm.text.sheets.LARGEST", 9)
    with pytest.raises(FormatError, match=r"^faq\.xlsx: holds more than 9 characters"):
        entries(xlsx(wide))


def test_wherever_a_table_is_taken(tmp_path: Path) -> None:
    (tmp_path / "faq.xlsm").write_bytes(xlsx(table("Our FAQ", "", "", "Question/Answer/Since", "Why?/So./2020", "x/")))
    (tmp_path / "prices.xlsx").write_bytes(xlsx(table("Item/Price", "Pen/3")))
    (tmp_path / "old.xls").write_bytes(b"x")
    told: list[str] = []
    [found] = read_entries(tmp_path / "faq.xlsm", skip=lambda error: told.append(str(error)))
    assert (found.question, found.text, found.meta) == ("Why?", "So.", {"Since": "2020"})
    assert told == [f"{tmp_path / 'faq.xlsm'}, line 6: there is no answer in the column 'Answer'"]
    [document] = read_documents([tmp_path], lambda error: told.append(str(error)))
    assert document.source.endswith("faq.xlsm")
    assert told[1].endswith("old.xls: passed over: .xls cannot be read; save it as .xlsx or .csv")
    for read in (read_entries, read_document):
        with pytest.raises(
            InputError, match=r"old\.xls cannot be read: \.xls is not one of .*; save it as \.xlsx or \.csv"
        ):
            read(tmp_path / "old.xls")


def test_a_text_alone_is_no_spreadsheet() -> None:
    with pytest.raises(InputError, match="unknown kind of document 'xlsx'"):
        document_from_text("Question\tAnswer", "faq.xlsx", "xlsx")
