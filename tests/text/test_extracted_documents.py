"""PDF and Word files, built by hand: their text, headings and pages, and one sentence for those that have none."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from anselm.errors import FormatError, MissingExtraError
from anselm.text.documents import Document, entries_of, read_document, sentences
from tests.packed_files import HEADER, packed, relations, xlsx

Text = tuple[int, int, str]  # distance from the bottom, size, words


def pdf(*pages: list[Text], encrypt: bytes = b"") -> bytes:
    """A PDF of lines of Helvetica, with its objects numbered: the catalogue, the pages, the font, then page by page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for lines in pages:
        body = b"".join(b"BT /F1 %d Tf 72 %d Td (%b) Tj ET\n" % (size, y, text.encode()) for y, size, text in lines)
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(body), body))
        content = b"/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R" % len(objects)
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]%b>>" % content)
    kids = b" ".join(b"%d 0 R" % number for number in range(5, len(objects) + 1, 2))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%b]>>" % (len(pages), kids)
    file, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF" % (size, encrypt, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table) + trailer


LOCKED = b"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>" % (b"11" * 32, b"22" * 32)


def read(folder: Path, name: str, content: bytes) -> Document:
    (folder / name).write_bytes(content)
    return read_document(folder / name)


def test_paragraphs_of_a_pdf(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "a.pdf",
        pdf(
            [
                (760, 9, "The kettle, 2020"), (720, 20, "Cleaning"), (690, 12, "Hard water leaves chalk on the ket-"),
                (676, 12, "tle, which is well-"), (662, 12, "known. Use acid."), (630, 12, "Wipe it from"),
                (40, 9, "Page 1"),
            ],
            [],
            [(760, 9, "The kettle, 2020"), (720, 12, "time to time, as is well-known."), (706, 12, "- Never wash it"),
             (692, 12, "- Or dry it"), (40, 9, "Page 3")],
            [(760, 9, "The kettle, 2020"), (720, 16, "Guarantee"), (690, 12, "Three years."), (40, 9, "Page 4")],
        ),
    )  # fmt: skip
    assert document.text.split("\n\n") == [
        "Cleaning",
        "Hard water leaves chalk on the kettle, which is well-known. Use acid.",
        "Wipe it from time to time, as is well-known.",
        "- Never wash it",
        "- Or dry it",
        "Guarantee",
        "Three years.",
    ]
    found = sentences(document)
    assert [(one.text.split()[-1], one.heading, one.page) for one in found] == [
        ("well-known.", "Cleaning", 1), ("acid.", "Cleaning", 1), ("well-known.", "Cleaning", 1), ("it", "Cleaning", 3),
        ("it", "Cleaning", 3), ("years.", "Cleaning > Guarantee", 4),
    ]  # fmt: skip
    assert all(document.text[one.start : one.end] == one.text for one in found)
    assert document.pages[2] == document.text.index("time to")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"no pdf", "a.pdf: is not a PDF, or damaged"),
        (pdf([(700, 12, "x")])[:200], "a.pdf: is not a PDF, or damaged"),
        (pdf([(700, 12, "x")], encrypt=LOCKED), "a.pdf: is encrypted; save a copy without a password"),
        (pdf([], []), "a.pdf: has no text: its 2 pages are pictures, as of a scan"),
        (pdf(*[[(760, 9, "Kettles")]] * 3), "a.pdf: has no text: its 3 pages are pictures, as of a scan"),
    ],
)
def test_a_pdf_that_cannot_be_read_is_one_sentence(content: bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, "a.pdf", content)


def test_without_the_extra_a_pdf_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"a\.pdf, a PDF, needs an extra.*pip install 'anselm\[documents\]'"):
        read(tmp_path, "a.pdf", pdf([(700, 12, "x")]))


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = """<w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="T2"><w:name w:val="Heading 2"/></w:style>
    <w:style w:styleId="Own"><w:name w:val="My own"/><w:basedOn w:val="T2"/></w:style>
    <w:style w:styleId="Round"><w:name w:val="a"/><w:basedOn w:val="Round"/></w:style>"""


def docx(body: str, encoding: str = "utf-8", compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    declared = f'<?xml version="1.0" encoding="{encoding}"?>'
    with zipfile.ZipFile(file, "w", compression) as folder:
        page = f'{declared}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        folder.writestr("word/document.xml", page)
        folder.writestr("word/styles.xml", f'<w:styles xmlns:w="{W}">{STYLES}</w:styles>')
    return file.getvalue()


def paragraph(text: str, style: str = "", bold: str = "") -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:rPr>{bold}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_paragraphs_of_a_word_file(tmp_path: Path) -> None:
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("steel", "two litres"))
    runs = "<w:p><w:r><w:t>Wipe</w:t></w:r><w:hyperlink><w:r><w:tab/><w:t>it </w:t></w:r></w:hyperlink>"
    removed = "<w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:ins><w:r><w:t>often.</w:t></w:r></w:ins></w:p>"
    body = [
        paragraph("Kettle", "T1"), paragraph("Cleaning", "Own"), runs + removed, paragraph(" ", "Round"),
        f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>",
        f"<w:sdt><w:sdtContent>{paragraph('In &amp; out.')}</w:sdtContent></w:sdt>",
    ]  # fmt: skip
    document = read(tmp_path, "a.docx", docx("".join(body)))
    assert document.text == "Kettle\n\nCleaning\n\nWipe it often.\n\nsteel, two litres\n\nIn & out."
    found = sentences(document)
    assert [one.text for one in found] == ["Wipe it often.", "steel, two litres", "In & out."]
    assert {one.heading for one in found} == {"Kettle > Cleaning"}
    assert all(document.text[one.start : one.end] == one.text for one in found)


def test_a_faq_in_word(tmp_path: Path) -> None:
    body = [paragraph("Questions", "T1"), paragraph("Where?", bold="<w:b/>"), paragraph("Here."), paragraph("There.")]
    body += [paragraph("When?", bold="<w:b/>"), paragraph("Now. Or not?", bold='<w:b w:val="0"/>')]
    document = read(tmp_path, "a.docx", docx("".join(body)))
    found = entries_of(document)
    assert [(entry.question, entry.answer) for entry in found] == [
        ("Where?", "Here.\n\nThere."),
        ("When?", "Now. Or not?"),
    ]
    assert [document.text[entry.start : entry.end] for entry in found] == [entry.answer for entry in found]
    assert found[0].meta == {"section": "Questions"}


def test_a_word_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    for content in (b"\xd0\xcf\x11\xe0", empty.getvalue(), docx("<w:p>")[:-30], docx("<w:p>")):
        with pytest.raises(FormatError, match=r"a\.docx: is not a Word file \(\.docx\), or damaged or encrypted"):
            read(tmp_path, "a.docx", content)
    with pytest.raises(FormatError, match=r"a\.docx: has no text"):
        read(tmp_path, "a.docx", docx(""))


def test_what_was_moved_stands_where_it_is_now(tmp_path: Path) -> None:
    gone, here = (f"<w:p><w:{way}><w:r><w:t>Keep it.</w:t></w:r></w:{way}></w:p>" for way in ("moveFrom", "moveTo"))
    rows = "<w:tbl><w:moveTo><w:tr><w:tc>{}</w:tc></w:tr></w:moveTo></w:tbl>".format(paragraph("In a row."))
    document = read(tmp_path, "a.docx", docx(gone + paragraph("Middle.") + here + rows))
    assert document.text == "Middle.\n\nKeep it.\n\nIn a row."


def test_boxes_of_text_are_paragraphs_of_their_own(tmp_path: Path) -> None:
    inner = f"<w:r><w:txbxContent>{paragraph('Inner.')}</w:txbxContent></w:r>"
    box = f"<w:r><w:pict><w:txbxContent>{paragraph('One.', 'T1')}<w:p>{inner}</w:p></w:txbxContent></w:pict></w:r>"
    body = f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Is it?</w:t></w:r>{box}<w:r><w:t> Yes.</w:t></w:r></w:p>"
    document = read(tmp_path, "a.docx", docx(body))
    assert document.text == "Is it?\n\nYes.\n\nOne.\n\nInner."
    assert [heading.title for heading in document.headings] == ["Is it?", "One."]


def test_the_main_part_is_found_by_what_refers_to_it_and_in_either_namespace(tmp_path: Path) -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    for name, space in (("document.xml", strict), ("document2.xml", W)):
        body = paragraph("Care", "H") + paragraph("Wipe it.")
        styles = '<w:style w:styleId="H"><w:name w:val="heading 2"/></w:style>'
        parts: dict[str, str | bytes] = {
            "_rels/.rels": relations(x=f"officeDocument word/{name}"),
            f"word/_rels/{name}.rels": relations(x="styles look.xml"),
            f"word/{name}": f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>',
            "word/look.xml": f'<w:styles xmlns:w="{space}">{styles}</w:styles>',
        }
        document = read(tmp_path, "a.docx", packed(parts))
        assert document.text == "Care\n\nWipe it."
        assert [(heading.title, heading.level) for heading in document.headings] == [("Care", 2)]


def test_a_file_with_the_name_of_another_is_told_what_it_is(tmp_path: Path) -> None:
    word, sheet = docx(paragraph("Wipe it.")), xlsx(HEADER)
    book = packed({"mimetype": "application/epub+zip"})
    for name, content, is_, not_ in (
        ("a.xlsx", word, r"a Word file \(\.docx\)", r"an Excel file \(\.xlsx\)"),
        ("a.pptx", word, r"a Word file \(\.docx\)", r"a PowerPoint file \(\.pptx\)"),
        ("a.docx", sheet, r"an Excel file \(\.xlsx\)", r"a Word file \(\.docx\)"),
        ("a.odt", book, r"a book \(\.epub\)", r"an OpenDocument text \(\.odt\)"),
    ):
        with pytest.raises(FormatError, match=rf"is {is_}, not {not_}; give it a name that ends so$"):
            read(tmp_path, name, content)


NESTED = "<w:r>" * 3_000 + "<w:t>x</w:t>" + "</w:r>" * 3_000
PACKED = docx(paragraph("x") * 50, compression=zipfile.ZIP_LZMA)
ODD = {
    "nested blocks": docx("<w:sdt>" * 3_000 + paragraph("x") + "</w:sdt>" * 3_000),
    "nested runs": docx(f"<w:p>{NESTED}</w:p>"),
    **{name: docx(paragraph("x"), name) for name in ("gbk", "utf-7", "base64", "idna", "unknown")},
    "damaged LZMA": PACKED[:60] + b"\xaa" * 40 + PACKED[100:],
    "a name that is not UTF-8": docx("").replace(b"word/document", b"word/\xff\xfecument").replace(
        b"\x14\x03\x14\0\0\0", b"\x14\x03\x14\0\0\x08"
    ),
}  # fmt: skip


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_an_odd_word_file_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.docx: is not a Word file \(\.docx\), or damaged or encrypted"):
        read(tmp_path, "a.docx", content)


def test_questions_without_a_style_are_headings_of_a_word_file(tmp_path: Path) -> None:
    faq = {"Can I bring my dog?": "On a lead.", "What is a bed?": "31 euros.", "Is there parking?": "Behind the house."}
    body = "".join(paragraph(question) + paragraph(answer) for question, answer in faq.items())
    document = read(tmp_path, "a.docx", docx(body))
    assert {one.question: one.answer for one in entries_of(document)} == faq


def rows_of(*rows: str, look: str = "") -> str:
    """A table of Word, its cells parted by bars; `^` is one with the cell above it, `>` spans two columns."""
    marks = {"^": "<w:vMerge/>", ">": '<w:gridSpan w:val="2"/>'}
    cells = [
        "".join(
            f"<w:tc><w:tcPr>{marks.get(cell[:1], look)}</w:tcPr>{paragraph(cell.lstrip('^>'))}</w:tc>"
            for cell in row.split("|")
        )
        for row in rows
    ]
    return "<w:tbl>" + "".join(f"<w:tr>{one}</w:tr>" for one in cells) + "</w:tbl>"


ASKED = ("Topic|Question|Answer", "Dogs|Can I bring my dog?|On a lead.", "^|What is a bed?|31 euros, or more.")


def test_a_table_of_word_with_questions_is_a_faq(tmp_path: Path) -> None:
    more = ("Cars|Is there parking?|Behind the house.", "|Is it free?|^", ">Only asked||", "|When?|By ten.")
    body = paragraph("Hostel", "T1") + paragraph("At the lake.") + rows_of(*ASKED, *more)
    document = read(tmp_path, "a.docx", docx(body))
    told: list[str] = []
    found = entries_of(document, skip=lambda error: told.append(str(error)))
    assert [(one.question, one.answer, one.meta.get("Topic")) for one in found] == [
        ("Hostel", "At the lake.", None),
        ("Can I bring my dog?", "On a lead.", "Dogs"),
        ("What is a bed?", "31 euros, or more.", "Dogs"),
        ("Is there parking?", "Behind the house.", "Cars"),
        ("Is it free?", "Behind the house.", ""),
        ("When?", "By ten.", ""),
    ]
    assert [document.text[one.start : one.end] for one in found] == [one.answer for one in found]
    assert found[1].meta["section"] == "Hostel"
    assert [document.text.split("\n")[one.line - 1].split(", ")[0] for one in found[1:3]] == ["Dogs", "Dogs"]
    assert len({one.start for one in found}) == len(found)  # by which a pool knows them
    assert told == []


def test_unanswered_questions_of_a_table_are_no_headings(tmp_path: Path) -> None:
    sizes = ("old", "new", "blue", "red")
    rows = [row for one in sizes for row in (f"|Is it {one} or not?|", f"|How {one} is it?|Very {one}.")]
    document = read(tmp_path, "a.docx", docx(rows_of(ASKED[0], *rows)))
    told: list[str] = []
    found = entries_of(document, skip=lambda error: told.append(str(error)))
    assert [one.question for one in found] == [f"How {one} is it?" for one in sizes]
    assert [one.rpartition(": ")[2] for one in told] == [
        f"there is no answer to 'Is it {one} or not?'" for one in sizes
    ]


def test_a_cell_over_two_columns_keeps_the_others_in_theirs(tmp_path: Path) -> None:
    rows = ("Topic|Since|Question|Answer", ">Dogs|May I bring one?|Yes.", "Cars|2020|Where?|Behind.")
    found = entries_of(read(tmp_path, "a.docx", docx(rows_of(*rows))))
    assert [(one.question, one.answer, one.meta) for one in found] == [
        ("May I bring one?", "Yes.", {"Topic": "Dogs", "Since": ""}),
        ("Where?", "Behind.", {"Topic": "Cars", "Since": "2020"}),
    ]


def test_other_tables_of_word_are_text(tmp_path: Path) -> None:
    prose = "".join(paragraph(f"Paragraph {number} says something, and says it at length.") for number in range(9))
    kept = "<w:sdt><w:sdtContent><w:tc>{}</w:tc></w:sdtContent></w:sdt>".format(paragraph("kept"))
    inner = f"<w:tbl><w:tr><w:tc>{rows_of(*ASKED)}</w:tc>{kept}</w:tr></w:tbl>"
    for table, row in (
        (rows_of("Day|Hours", "Monday|9", "Sunday|-"), "Sunday, -"),
        (rows_of("Title|Description", "Pen|It writes.", "Ink|It is blue."), "Ink, It is blue."),
        (prose + rows_of(*ASKED), "What is a bed?, 31 euros, or more."),
        (inner, "31 euros, or more., kept"),
    ):
        document = read(tmp_path, "a.docx", docx(table))
        assert entries_of(document) == []
        assert row in document.text


def test_bold_questions_and_titles_of_a_word_file_also_in_front_of_their_answers(tmp_path: Path) -> None:
    bold, line_break = "<w:b/>", "<w:r><w:br/></w:r>"
    run_in = paragraph("Is there parking?", bold=bold).replace(
        "</w:p>", f"{line_break}<w:r><w:t>Behind it.</w:t></w:r></w:p>"
    )
    titled = paragraph("Lost property", bold=bold) + paragraph("Ask at the desk.")
    asked = paragraph("Can I bring my dog?", bold=bold) + paragraph("On a lead.")
    document = read(tmp_path, "a.docx", docx(asked + run_in + titled))
    faq = {"Can I bring my dog?": "On a lead.", "Is there parking?": "Behind it.", "Lost property": "Ask at the desk."}
    assert {one.question: one.answer for one in entries_of(document)} == faq
    assert [heading.title for heading in read(tmp_path, "b.docx", docx(asked + titled)).headings] == [
        "Can I bring my dog?"
    ]
