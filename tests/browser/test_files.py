"""Files that are no text on the page: the service reads them, and the text area says what was found."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.packed_files import packed, table, xlsx

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
QUESTION = "When does the shop open?"
BOOK = xlsx(table("Question/Answer", "Where do I park?/🐙 Behind the house.", "When do you open?/We open at nine."))
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PARAGRAPH = "<w:p><w:r><w:t>Parking is free. We open the shop at nine.</w:t></w:r></w:p>"
WORD = packed({"word/document.xml": f"<w:document {W}><w:body>{PARAGRAPH}</w:body></w:document>"})
UNREAD = "faq.xlsx\nIt is read when you rank."


def choose(page: Page, name: str = "faq.xlsx", raw: bytes = BOOK) -> None:
    page.fill("#question", QUESTION)
    page.set_input_files("#file", {"name": name, "mimeType": "", "buffer": raw})
    page.wait_for_selector(f"#source:has-text('{name}')")


def test_a_spreadsheet_is_dropped_and_read(visit: Visit) -> None:
    page = visit()
    page.fill("#question", QUESTION)
    page.evaluate(
        """(content) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], "FAQ.XLSX"));
        document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }""",
        base64.b64encode(BOOK).decode(),
    )
    page.wait_for_selector("#source:has-text('FAQ.XLSX')")
    assert page.input_value("#text") == "FAQ.XLSX\nIt is read when you rank."
    assert page.is_disabled("#kind")
    page.click("#rank")
    page.wait_for_selector(".filed:has-text('When do you open?')")
    assert page.input_value("#text") == "FAQ.XLSX\n2 entries were read."
    assert "FAQ.XLSX, line 3" in (page.text_content(".answers > li .place") or "")
    assert page.text_content(".document mark") == "We open at nine."
    page.click(".spot >> nth=1")
    assert page.text_content(".document mark") == "🐙 Behind the house."
    page.wait_for_selector("#legend:has-text('Marked are')")
    assert page.locator("#results .answers mark").count() > 0


def test_the_sentences_of_a_word_file(visit: Visit) -> None:
    page = visit()
    choose(page, "manual.docx", WORD)
    page.focus("#text")
    page.press("#text", "Control+Enter")
    page.wait_for_selector(".place:has-text('manual.docx, line 1')")
    assert page.input_value("#text") == "manual.docx\n2 sentences were read."
    assert page.text_content(".document mark") == "We open the shop at nine."


@pytest.mark.parametrize("way", ["type", "fill", "paste", "file"])
def test_what_is_typed_takes_the_place_of_a_file(visit: Visit, way: str) -> None:
    page = visit()
    choose(page)
    assert page.input_value("#text") == UNREAD
    if way == "type":
        page.focus("#text")
        page.keyboard.type("At nine.")
    elif way == "fill":
        page.fill("#text", "At nine.")
    elif way == "paste":
        page.focus("#text")
        page.evaluate(
            """() => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "At nine.");
            document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
        }"""
        )
        page.keyboard.insert_text("At nine.")
    else:
        page.set_input_files("#file", {"name": "a.md", "mimeType": "", "buffer": b"At nine."})
        page.wait_for_selector("#source:has-text('a.md')")
    assert page.input_value("#text") == "At nine."
    assert page.text_content("#source") == ("a.md" if way == "file" else "")
    assert page.input_value("#kind") == ("markdown" if way == "file" else "lines")
    assert page.is_enabled("#kind")
    page.click("#rank")
    page.wait_for_selector(".answers > li:only-child:has-text('At nine.')")


def test_a_file_that_cannot_be_read_is_said_to_be(visit: Visit) -> None:
    page = visit()
    choose(page, raw=BOOK[:100])
    page.click("#rank")
    page.wait_for_selector("#problem:has-text('Faq.xlsx: is not an Excel file (.xlsx), or damaged or encrypted.')")
    assert page.input_value("#text") == UNREAD
    page.set_input_files("#file", {"name": "b.pdf", "mimeType": "", "buffer": b""})
    page.wait_for_selector("#problem:has-text('b.pdf is empty.')")
    page.set_input_files("#file", {"name": "b.pdf", "mimeType": "", "buffer": bytes(13_000_000)})
    page.wait_for_selector("#problem:has-text('b.pdf is too large; 12,572,912 bytes are read.')")


def test_a_link_and_a_program_hold_the_file(visit: Visit, address: str) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    choose(page)
    page.click("#rank")
    page.wait_for_selector("#legend:has-text('Marked are')")
    page.click("#copy-curl")
    page.wait_for_selector("#copy-curl:has-text('Copied')")
    command = ["bash", "-c", page.evaluate("navigator.clipboard.readText()")]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["results"][0]["line"] == 3
    page.click("#copy-link")
    page.wait_for_selector("#copy-link:has-text('Copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit(link.removeprefix(address))
    other.wait_for_selector(".place:has-text('faq.xlsx, line 3')")
    assert other.input_value("#text") == "faq.xlsx\n2 entries were read."
