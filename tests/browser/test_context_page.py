"""The page of the graph view: graphs can be switched off, a sentence shows its own lines, and nothing is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from anselm.ranking.context_pictures import save_picture
from anselm.ranking.contexts import Context
from anselm.scorer import Perspective

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    near = np.eye(4, k=1) + np.eye(4, k=-1)
    all_of_them = (Perspective("near", "are neighbours", near), Perspective("all", "are here", np.ones((4, 4))))
    texts = ("We open at nine.", "Parking is free.", "It is closed on Sundays.", "Dogs may come in.")
    path = tmp_path / "graph.html"
    save_picture(Context("When do you open?", "m", texts, all_of_them, np.arange(4.0), -np.arange(4.0)), path)
    return path


def test_switches_and_pointer(browser: Browser, drawn: Path) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(drawn.as_uri())
    near = page.locator(".lane[data-lane=near]")
    assert near.is_visible()
    page.uncheck("[data-switch=near]")
    assert not near.is_visible()
    assert page.locator(".lane[data-lane=all]").is_visible()
    page.check("[data-switch=near]")
    assert near.is_visible()
    page.hover(".row[data-row='3'] text >> nth=-1")
    assert near.locator(".edge:not(.dim)").evaluate_all("all => all.map(e => e.dataset.ends)") == ["2 3"]
    page.hover(".switches")
    assert page.locator(".dim").count() == 0
    assert asked == [drawn.as_uri()]
    assert problems == []
    page.close()


def test_axe_finds_nothing(browser: Browser, drawn: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="anselm[browser] is not installed")
    page = browser.new_page()
    page.goto(drawn.as_uri())
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()
