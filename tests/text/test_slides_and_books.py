"""PowerPoint files and books, built by hand."""

from __future__ import annotations

import pytest

from anselm.errors import FormatError
from anselm.text.documents import document_from_bytes, entries_of, sentences
from tests.packed_files import DECLARED, packed, relations

DRAWN = 'xmlns:a="urn:a" xmlns:p="urn:p" xmlns:r="urn:r" xmlns:mc="urn:mc"'


def shape(*lines: str, role: str = "", text: str = "") -> str:
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>' if role else ""
    inside = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp>{place}<p:txBody>{inside}{text}</p:txBody></p:sp>"


def pptx(*slides: str, prolog: str = "") -> bytes:
    """The slides stand in the file in another order than in the presentation."""
    listed = "".join(f'<p:sldId id="{256 + place}" r:id="r{place}"/>' for place in range(len(slides)))
    parts: dict[str, str | bytes] = {
        "_rels/.rels": relations(x="officeDocument ppt/presentation.xml"),
        "ppt/presentation.xml": f"<p:presentation {DRAWN}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            **{f"r{place}": f"slide slides/slide{9 - place}.xml" for place in range(len(slides))}
        ),
    }
    for place, slide in enumerate(slides):
        opening, _, inside = slide.partition("|")
        tree = f"<p:sld {DRAWN} {opening}><p:cSld><p:spTree>{inside}</p:spTree></p:cSld></p:sld>"
        parts[f"ppt/slides/slide{9 - place}.xml"] = prolog + tree
    return packed(parts)


def test_slides_are_headings_with_their_paragraphs() -> None:
    rows = ("Item/Price", "Bed/31", "Dog/")
    cells = [[f"<a:tc>{shape(one)}</a:tc>" for one in row.split("/")] for row in rows]
    table = "".join(f"<a:tr>{''.join(row)}</a:tr>" for row in cells)
    run = "<a:p><a:r><a:t>On a </a:t></a:r><a:r><a:t>lead.</a:t></a:r><a:br/><a:fld><a:t>Always.</a:t></a:fld></a:p>"
    slides = (
        "|"
        + shape("At the lake.", "Since 1900.")
        + shape("Our", "hostel", role="ctrTitle")
        + shape("7", role="sldNum"),
        'show="0"|' + shape("Nobody sees this."),
        f"|{shape('Dogs', role='title')}<p:grpSp>{shape(role='body', text=run)}</p:grpSp>"
        f"<mc:AlternateContent><mc:Choice>{shape('Once.')}</mc:Choice><mc:Fallback>{shape('Twice.')}</mc:Fallback>"
        f"</mc:AlternateContent><p:graphicFrame><a:tbl>{table}</a:tbl></p:graphicFrame>",
    )
    document = document_from_bytes(pptx(*slides), "a.pptx", "pptx")
    found = sentences(document)
    assert [(one.text, one.heading) for one in found] == [
        ("At the lake.", "Our hostel"), ("Since 1900.", "Our hostel"), ("On a lead.", "Dogs"), ("Always.", "Dogs"),
        ("Once.", "Dogs"), ("Item, Price", "Dogs"), ("Bed, 31", "Dogs"), ("Dog", "Dogs"),
    ]  # fmt: skip
    assert all(document.text[one.start : one.end] == one.text for one in found)


def test_slides_that_ask_are_a_faq() -> None:
    slides = ["|" + shape(f"Is it {one}?", role="title") + shape(f"Very {one}.") for one in ("old", "new")]
    found = entries_of(document_from_bytes(pptx(*slides), "a.pptx", "pptx"))
    assert [(one.question, one.answer) for one in found] == [("Is it old?", "Very old."), ("Is it new?", "Very new.")]
    rows = ("Question/Answer", "How old?/Ten.", "And how far?/")
    cells = ["".join(f"<a:tc>{shape(one)}</a:tc>" for one in row.split("/")) for row in rows]
    merged = f'<a:tc vMerge="1">{shape("")}'
    table = "".join(f"<a:tr>{row}</a:tr>" for row in cells).replace(f"<a:tc>{shape('')}", merged)
    found = entries_of(document_from_bytes(pptx(f"|<a:tbl>{table}</a:tbl>"), "a.pptx", "pptx"))
    assert [(one.question, one.answer) for one in found] == [("How old?", "Ten."), ("And how far?", "Ten.")]


def epub(*pages: str | bytes, locked: str = "", prolog: str = "", spine: str = "") -> bytes:
    items = "".join(
        f'<item id="p{place}" href="c%20{place}.xhtml" media-type="application/xhtml+xml"/>'
        for place in range(len(pages))
    )
    listed = spine or "".join(f'<itemref idref="p{place}"/>' for place in reversed(range(len(pages))))
    picture = '<item id="cover" href="a.svg" media-type="image/svg+xml"/>'
    spine = f'<spine><itemref idref="cover"/>{listed}</spine>'
    package = f'<package xmlns="o"><manifest>{items}{picture}</manifest>{spine}</package>'
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": f'{prolog}<container><rootfile full-path="OPS/book.opf"/></container>',
        "META-INF/encryption.xml": f'<encryption><CipherReference URI="{locked}"/></encryption>',
        "OPS/book.opf": package,
    }
    return packed(parts | {f"OPS/c {place}.xhtml": page for place, page in enumerate(pages)})


XHTML = "<?xml version='1.0'?><!DOCTYPE html><html><head><title>No</title></head><body>{}</body></html>"


def test_a_book_is_read_page_by_page() -> None:
    first = "<h1>Care</h1><nav><p>Contents</p></nav><h2>Chalk &amp;<br/> more</h2><p>Use <b>acid</b>. Wipe it.</p>"
    last = "<ul><li>One</li><li>Two</li></ul><table><tr><td>Bed</td><td>31</td></tr></table>"
    book = epub(XHTML.format(last), XHTML.format(first), locked="OPS/font.otf")
    document = document_from_bytes(book, "a.epub", "epub")
    assert document.text == "Care\n\nChalk & more\n\nUse acid. Wipe it.\n\nOne\n\nTwo\n\nBed, 31"
    found = sentences(document)
    assert [one.text for one in found] == ["Use acid.", "Wipe it.", "One", "Two", "Bed, 31"]
    assert {one.heading for one in found} == {"Care > Chalk & more"}
    assert all(document.text[one.start : one.end] == one.text for one in found)


def test_asides_of_a_book_are_left_out() -> None:
    book = epub("<p>Read.</p>", "<p>Not read.</p>", spine='<itemref idref="p0"/><itemref idref="p1" linear="no"/>')
    assert document_from_bytes(book, "a.epub", "epub").text == "Read."


def test_a_book_may_name_its_document_type_and_its_pages_their_encoding() -> None:
    named = '<!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "http://openebook.org/oeb.dtd">'
    page = "<?xml version='1.0' encoding='{}'?><p>Café –</p>"
    pages = [page.format(name).encode(name) for name in ("windows-1252", "cp1252", "utf-8", "utf-16")]
    assert document_from_bytes(epub(*pages, prolog=named), "a.epub", "epub").text == "\n\n".join(["Café –"] * 4)


NO_SLIDES = r"is not a PowerPoint file \(\.pptx\), or damaged or encrypted$"
NO_BOOK = r"is not a book \(\.epub\), or damaged or encrypted$"
BAD = {
    "text": ("pptx", b"text", NO_SLIDES),
    "another folder": ("pptx", packed({"a.txt": "x"}), NO_SLIDES),
    "no title, no text": ("pptx", pptx("|" + shape(" ")), "has no text$"),
    "nested shapes": ("pptx", pptx("|" + "<p:grpSp>" * 5_000 + "</p:grpSp>" * 5_000), NO_SLIDES),
    "entities": ("pptx", pptx("|" + shape("&a;"), prolog=DECLARED), NO_SLIDES),
    "no pages": ("epub", epub(), "has no text$"),
    "a page that is not there": ("epub", epub("x").replace(b"c 0.xhtml", b"c_0.xhtml"), NO_BOOK),
    "a page that is not listed": ("epub", epub("x", spine='<itemref idref="p7"/>'), NO_BOOK),
    "no container": ("epub", packed({"a": "x"}), NO_BOOK),
    "declared": ("epub", epub("x", prolog=DECLARED), NO_BOOK),
    "an entity": ("epub", epub("x", prolog="<!DOCTYPE a SYSTEM 'a.dtd'><a>&b;</a>"), NO_BOOK),
    "no UTF-8": (
        "epub",
        epub("<p>caf\xe9</p>".encode("latin-1")),
        "OPS/c 0.xhtml: is not in UTF-8, and names no other encoding; a copy converted",
    ),
    "not in its encoding": (
        "epub",
        epub(b"<?xml version='1.0' encoding='windows-1252'?><p>\x81</p>"),
        "OPS/c 0.xhtml: is not in the encoding that it names, windows-1252; a copy converted",
    ),
    "protected": ("epub", epub("x", locked="OPS/c%200.xhtml"), r"is protected against copying \(DRM\), and"),
    "a bomb": ("epub", epub("<p>" + "x" * 12_000_000), r"unpacks to 12,\d{3},\d{3} bytes or more from"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "raw", "problem"), BAD.values(), ids=BAD)
def test_one_that_cannot_be_read_is_one_sentence(kind: str, raw: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=f"^a(: |, ){problem}"):
        document_from_bytes(raw, "a", kind)
