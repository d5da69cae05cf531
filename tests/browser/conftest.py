"""A service with the default model in a process of its own, and a real Chromium that looks at its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
MISSING = "anselm[browser] is not installed"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason=MISSING)
    pytest.importorskip("fastapi", reason="anselm[serve] is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def address(browser: Browser) -> Iterator[str]:
    with serving() as found:
        yield found


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens a page; at the end, that it asked nobody else for anything and that the browser had nothing to complain of.

    The exceptions are answers of the service that a test asks for: a status of 400 or more is a complaint, too.
    """
    contexts, complaints, asked = [], [], []

    def opened(path: str = "/", width: int = 1280, base: str = address, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append((request.url, base)))
        page.goto(base + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [url for url, base in asked if not url.startswith(base)] == []
    assert [text for text in complaints if "Failed to load resource" not in text] == []
