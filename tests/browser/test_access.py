"""For everybody: axe finds nothing, a phone has room, a keyboard is enough, a key stays in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Visit = Callable[..., "Page"]
PAGES = ("/", "/?example=faq", "/?example=manual", "/?example=none", "/results")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(visit: Visit, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="anselm[browser] is not installed")
    for path in PAGES:
        page = visit(path, width, color_scheme=scheme, bypass_csp=True)  # axe comes from outside
        if path != "/results":
            page.wait_for_selector("#tools:not([hidden])")
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_has_room(visit: Visit, path: str) -> None:
    page = visit(path, 360)
    if path == "/":
        page.fill("#text", "a" * 500 + "\n" + "b" * 500)
        page.select_option("#other", "bm25")
        page.wait_for_selector(".rankings.two")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_keyboard_is_enough(visit: Visit) -> None:
    page = visit()
    page.wait_for_selector("#tools:not([hidden])")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    wanted = ["Skip to the content", "question", "text", "file", "kind", "model", "other", "rank", "threshold"]
    wanted += ["1 near-duplicate folded", "copy-link", "copy-curl", "copy-python", "copy-json"]
    assert [one for one in reached if one in wanted][: len(wanted)] == wanted


def test_a_key_is_asked_for_and_kept_nowhere(visit: Visit, browser: Browser) -> None:
    with serving("--model", "bm25", ANSELM_API_KEYS="secret") as base:
        page = visit("/", base=base)
        page.fill("#question", "Is the sky red?")
        page.click("#rank")
        page.wait_for_selector("#problem:has-text('An API key is needed')")
        assert page.evaluate("document.activeElement.id") == "key"
        page.fill("#key", "secret")
        page.press("#key", "Enter")
        page.wait_for_selector("#asked:has-text('Is the sky red?')")
        page.wait_for_selector("#legend:has-text('Marked are')")
        assert page.is_hidden("#problem")
        kept = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])")
        assert "secret" not in kept
        page.reload()
        assert page.input_value("#key") == ""
