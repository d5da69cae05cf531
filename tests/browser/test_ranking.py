"""Ranking on the page as people do it: type, drop, compare, move the threshold, take it along."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
QUESTION = "When does the shop open?"
LINES = "Parking is free.\nWe open the shop at nine in the morning.\nIt's “closed” on <b>Sundays</b> & holidays."


def rank(page: Page, question: str = QUESTION, text: str = LINES, kind: str = "lines") -> None:
    page.fill("#question", question)
    page.fill("#text", text)
    page.select_option("#kind", kind)
    page.click("#rank")
    page.wait_for_selector(f"#asked:has-text('{question}')")
    page.wait_for_selector("#legend:has-text('Marked are')")


def test_the_first_view_is_ranked_without_javascript_and_stays_the_same_with_it(visit: Visit) -> None:
    for path in ("/", "/?example=faq", "/?example=manual", "/?example=none"):
        plain = visit(path, java_script_enabled=False)
        lively = visit(path)
        lively.wait_for_selector("#tools:not([hidden])")
        for part in ("#asked", "#results"):
            assert lively.text_content(part) == plain.text_content(part)
        assert lively.locator("#results mark").count() == plain.locator("#results mark").count() > 0


def test_type_and_rank(visit: Visit) -> None:
    page = visit()
    rank(page)
    answers = page.locator(".answers > li .said > p").all_text_contents()
    assert answers[0] == "We open the shop at nine in the morning."
    assert sorted(answers) == sorted(LINES.splitlines())  # markup is shown, not obeyed
    assert "open" in [text.lower() for text in page.locator("#results mark").all_text_contents()]
    assert page.locator("#asked mark").count() > 0
    assert "There is an answer." in (page.text_content("#status") or "")


def test_ctrl_enter_ranks_and_paragraphs_are_candidates(visit: Visit) -> None:
    page = visit()
    page.fill("#question", QUESTION)
    page.fill("#text", "Parking\nis free.\n\n \nWe open the shop\nat nine.\n")
    page.select_option("#kind", "paragraphs")
    page.press("#text", "Control+Enter")
    page.wait_for_selector(f"#asked:has-text('{QUESTION}')")
    assert page.locator(".answers > li").count() == 2
    assert page.locator(".answers > li .said > p").first.text_content() == "We open the shop\nat nine."


def test_both_halves_of_an_entry_are_marked(visit: Visit) -> None:
    page = visit()
    rank(page, text="question,answer\nWhen does the shop open?,At nine.\nIs parking free?,It is.\n", kind="csv")
    assert "open" in " ".join(page.locator(".filed mark").all_text_contents()).lower()


def test_the_threshold_acts_without_a_request(visit: Visit) -> None:
    page = visit()
    page.wait_for_selector("#slider:not([hidden])")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    assert page.text_content(".verdict") == "There is an answer."
    page.fill("#threshold", "100")
    assert page.text_content(".verdict.doubt") == "Perhaps an answer."
    assert "threshold 100%" in (page.text_content(".ranking") or "")
    page.press("#threshold", "Home")
    assert page.text_content(".verdict") == "There is an answer."
    assert asked == []


def test_what_is_open_stays_open(visit: Visit) -> None:
    page = visit()
    page.click(".folded summary")
    page.fill("#threshold", "90")
    assert page.is_visible(".folded li")
    page.select_option("#other", "bm25")
    page.wait_for_selector(".rankings.two")
    page.focus(".folded summary")
    page.wait_for_selector("#legend:has-text('Marked are')")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.is_visible(".folded li >> nth=0")


def test_two_models_side_by_side(visit: Visit) -> None:
    page = visit()
    page.select_option("#other", "bm25")
    page.wait_for_selector(".rankings.two")
    assert page.locator(".model").all_text_contents() == ["default", "bm25"]
    best = [page.locator(".ranking").nth(place).locator(".said > p").first.text_content() for place in (0, 1)]
    assert best[0] != best[1]  # the words alone do not tell why the sky is blue
    page.select_option("#other", "")
    page.select_option("#model", "bm25")
    page.wait_for_selector(".rankings:not(.two) .model:has-text('bm25')")


def test_a_document_shows_the_best_sentence_in_its_place(visit: Visit) -> None:
    """Offsets count code points, which letters beyond the first plane would shift in JavaScript."""
    text = "# 🐙🐙 The shop 🐙\r\n\r\nParking is free. We *open the shop* at nine. Dogs are welcome.\r\n"
    page = visit()
    page.fill("#question", QUESTION)
    page.set_input_files("#file", {"name": "<i>shop</i>.md", "mimeType": "", "buffer": text.encode()})
    page.wait_for_selector("#status:has-text('was read')", state="attached")
    assert page.input_value("#kind") == "markdown"
    page.click("#rank")
    page.wait_for_selector(".place:has-text('<i>shop</i>.md, line 3')")
    assert page.text_content(".document mark") == "We *open the shop* at nine."
    page.click(".spot >> nth=1")
    assert page.text_content(".document mark") != "We *open the shop* at nine."
    assert page.evaluate("document.activeElement.className") == "document"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('Question,"Answer"\nWhen?,At nine.', "csv"),
        ("id\tquestion\tanswer\n1\tWhen?\tAt nine.", "tsv"),
        ("\n# The shop\n\nIt opens at nine.", "markdown"),
        ("<!DOCTYPE html><p>At nine.", "html"),
        ("When is a question, and nine an answer.\nParking is free.", "lines"),
    ],
)
def test_a_pasted_text_is_read_as_what_it_is(visit: Visit, text: str, kind: str) -> None:
    page = visit()
    page.wait_for_selector("#tools:not([hidden])")
    page.evaluate(
        """(text) => {
        document.getElementById("text").select();
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", text);
        document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
    }""",
        text,
    )
    assert page.input_value("#kind") == kind


def test_what_is_asked_anew_is_no_example(visit: Visit) -> None:
    page = visit()
    assert page.locator(".examples [aria-current]").count() == 1
    rank(page)
    assert page.locator(".examples [aria-current]").count() == 0


def test_words_of_what_is_hardly_an_answer_are_not_marked(visit: Visit) -> None:
    page = visit()
    rank(page)
    rows = page.locator(".answers > li")
    likely = [int((shown or "").strip("%")) for shown in rows.locator(".likely").all_text_contents()]
    marked = [rows.nth(place).locator("mark").count() > 0 for place in range(rows.count())]
    assert [share >= 5 for share in likely] == marked
    assert {*marked} == {True, False}


def test_a_file_can_be_dropped(visit: Visit) -> None:
    page = visit()
    page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["question,answer\\nWhen?,At nine."], "faq.csv"));
        document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }""")
    page.wait_for_selector("#source:has-text('faq.csv')")
    page.fill("#question", "when do you open")
    page.click("#rank")
    page.wait_for_selector(".filed:has-text('When?')")


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [("#question", " ", "Ask a question first."), ("#text", "", "There is nothing to choose from")],
)
def test_what_is_missing_is_said_and_focused(visit: Visit, field: str, text: str, message: str) -> None:
    page = visit()
    page.fill(field, text)
    page.click("#rank")
    page.wait_for_selector(f"#problem:has-text('{message}')")
    assert page.evaluate("document.activeElement.id") == field[1:]
    assert page.get_attribute(field, "aria-invalid") == "true"


def test_errors_are_one_message(visit: Visit) -> None:
    page = visit()
    page.fill("#text", "no\n" * 1001)
    page.click("#rank")
    page.wait_for_selector("#problem:has-text('1,001 documents are too many; at most 1,000 are read.')")
    page.set_input_files("#file", {"name": "a.png", "mimeType": "", "buffer": b"PNG"})
    page.wait_for_selector("#problem:has-text('a.png cannot be read here')")
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "", "buffer": b"\xff\xfe\x00"})
    page.wait_for_selector("#problem:has-text('a.txt is not a text in UTF-8.')")
    page.route("**/v1/rerank", lambda route: route.abort())
    page.fill("#text", LINES)
    page.select_option("#kind", "lines")
    page.click("#rank")
    page.wait_for_selector("#problem:has-text('The service cannot be reached.')")
    page.unroute("**/v1/rerank")
    rank(page)
    assert page.is_hidden("#problem")


def test_a_link_holds_everything_and_sends_nothing(visit: Visit, address: str) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    rank(page)
    page.click("#copy-link")
    page.wait_for_selector("#copy-link:has-text('Copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(re.escape(address) + r"/#s=[\w-]+", link)
    other = visit(link.removeprefix(address))
    other.wait_for_selector(f"#asked:has-text('{QUESTION}')")
    other.wait_for_selector("#legend:has-text('Marked are')")
    assert other.input_value("#text") == LINES
    assert other.text_content("#results") == page.text_content("#results")
    assert other.url == link
    rank(other, "Is parking free?")
    assert other.url == address + "/"
    strange = page.evaluate("""async () => {
        const { fragmentOf } = await import("/page/sharing.js");
        return fragmentOf({ question: "Who?", text: "You.", kind: "lines", model: "no-such" });
    }""")
    visit("/" + strange).wait_for_selector("#problem:has-text('The link asks for no-such, which is not served here.')")
    broken = visit("/#s=nonsense")
    broken.wait_for_selector("#tools:not([hidden])")


def test_programs_that_are_copied_run(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    rank(page)

    def copied(form: str) -> str:
        page.click(f"#copy-{form}")
        page.wait_for_selector(f"#copy-{form}:has-text('Copied')")
        return str(page.evaluate("navigator.clipboard.readText()"))

    shown = json.loads(copied("json"))["results"]
    for command in (["bash", "-c", copied("curl")], [sys.executable, "-c", copied("python")]):
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        results = json.loads(found.stdout)["results"]
        assert [one["index"] for one in results] == [one["index"] for one in shown]
        assert results[0]["evidence"]


def test_a_misspelt_question_is_shown_as_it_was_read(visit: Visit) -> None:
    page = visit()
    page.fill("#question", "When do you opeen the shop?")
    page.fill("#text", LINES)
    page.select_option("#kind", "lines")
    page.click("#rank")
    page.wait_for_selector("#asked:has-text('When do you open the shop?')")
    assert page.locator("#results .quiet:has-text('Read as: When do you open the shop?')").count() == 1
    assert page.input_value("#question") == "When do you opeen the shop?"
