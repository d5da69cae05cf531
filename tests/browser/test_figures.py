"""What a model has to show of a list, on the page: graphs and trees, with small models that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pictured_checkpoints import save_pictured
from tests.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Visit = Callable[..., "Page"]
LINES = "Ada Lovelace wrote <b>notes</b>.\nParking is free.\nThe notes of Ada Lovelace have seven parts."


@pytest.fixture(scope="module")
def pictured(browser: Browser, tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folders = save_pictured(tmp_path_factory.mktemp("pictured"), tiny_encoder)
    options = [part for folder in folders for part in ("--model", str(folder))]
    with serving(*options, "--model", "bm25") as address:
        yield address


def rank(page: Page, model: str) -> None:
    page.fill("#question", "Who wrote notes?")
    page.fill("#text", LINES)
    page.select_option("#model", model)
    page.click("#rank")
    page.wait_for_selector("#asked:has-text('Who wrote notes?')")
    page.wait_for_selector(f".model:has-text('{model}')")


def test_the_first_view_has_its_picture_without_javascript(visit: Visit, pictured: str) -> None:
    plain, lively = visit(base=pictured, java_script_enabled=False), visit(base=pictured)
    lively.wait_for_selector("#tools:not([hidden])")
    assert plain.locator(".figure svg .lane").count() == lively.locator(".figure svg .lane").count() == 4
    assert plain.text_content("#results") == lively.text_content("#results")


def test_graphs_of_what_is_asked(visit: Visit, pictured: str) -> None:
    page = visit(base=pictured)
    rank(page, "graphs")
    page.wait_for_selector(".figure svg:has-text('Who wrote notes?')")
    rows = page.locator(".figure svg .row title").all_text_contents()
    assert rows == LINES.splitlines()  # in the order of the source, and markup is a text
    shared = page.locator(".lane[data-lane=entity] .edge")
    assert [shared.get_attribute("data-ends"), shared.text_content()] == ["0 2", "ada lovelace"]
    page.locator(".figure .row[data-row='1'] text").last.hover()
    assert "dim" in (shared.get_attribute("class") or "")
    page.hover("#asked")
    assert "dim" not in (shared.get_attribute("class") or "")
    page.click(".figure summary")
    assert page.locator(".figure li").count() == 4


def test_trees_of_what_is_asked(visit: Visit, pictured: str) -> None:
    page = visit(base=pictured)
    rank(page, "trees")
    page.wait_for_selector(".figure svg:has-text('wrote')")
    best = page.locator(".answers .said > p").first.text_content()
    drawn = page.locator(".figure svg text").all_text_contents()
    assert "Who" in drawn
    assert best is not None
    assert best.split()[0] in drawn
    page.click(".figure summary")
    assert "Of the question, most attention was drawn by" in (page.text_content(".figure li") or "")


def test_two_models_and_one_without_pictures(visit: Visit, pictured: str) -> None:
    page = visit(base=pictured)
    page.select_option("#other", "trees")
    page.wait_for_selector(".figure h3:has-text('What drew attention in question and answer: trees')")
    assert page.locator(".figure").count() == 2
    page.select_option("#other", "")
    page.select_option("#model", "bm25")
    page.wait_for_selector(".model:has-text('bm25')")
    page.wait_for_selector("#legend:has-text('Marked are')")
    assert page.locator(".figure").count() == 0


def test_a_keyboard_reaches_the_picture_and_a_phone_has_room(visit: Visit, pictured: str) -> None:
    page = visit(base=pictured, width=360)
    page.wait_for_selector("#tools:not([hidden])")
    page.focus(".picture")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "In words"
    page.keyboard.press("Enter")
    assert page.is_visible(".figure li >> nth=0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, pictured: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="anselm[browser] is not installed")
    page = visit(base=pictured, color_scheme=scheme, bypass_csp=True)
    page.wait_for_selector("#tools:not([hidden])")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
