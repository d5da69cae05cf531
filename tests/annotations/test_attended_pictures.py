"""Trees with shares of attention: as a picture and in a terminal."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from anselm.annotations.attended_pictures import attended_figure, attended_page, attended_svg
from anselm.cli.show.attention_drawings import draw_attended_tree
from anselm.scorer import AttendedPair, Constituent

ASKED = Constituent(
    "SQ", 1.0, (Constituent("WP", 0.5, (), "Who"), Constituent("VP", 0.25, (Constituent("VB", 0.2, (), "<is>"),)))
)
SAID = Constituent("S", 1.0, (Constituent("NN", 0.001, (), "a\x07b"),))
PAIR = AttendedPair(ASKED, SAID)


def test_a_picture_has_every_constituent_as_dark_as_its_share() -> None:
    root = ElementTree.fromstring(attended_svg(PAIR, "a < b"))
    space = "{http://www.w3.org/2000/svg}"
    texts = [one.text for one in root.iter(f"{space}text")]
    assert [text for text in texts if text in ("SQ", "WP", "VP", "VB", "S", "NN")] == [
        "SQ",
        "WP",
        "VP",
        "VB",
        "S",
        "NN",
    ]
    assert {"Who", "<is>", "a\ufffdb", "50%", "25%", "<1%"} <= set(texts)
    dark = [float(one.attrib["fill-opacity"]) for one in root.iter(f"{space}rect") if "fill-opacity" in one.attrib]
    assert dark == pytest.approx([0.85 * share**0.5 for share in (1, 0.5, 0.25, 0.2, 1, 0.001)], abs=1e-3)
    assert not re.search(r"<style|<script|style=|class=", attended_svg(PAIR))
    assert "a &lt; b" in attended_page(PAIR, "a < b")


def test_a_drawing_has_a_line_for_each_constituent() -> None:
    lines = draw_attended_tree(ASKED)
    assert [line.plain for line in lines] == [
        "██████████ 100%  SQ",
        "█████       50%  ├─ WP Who",
        "██▌         25%  └─ VP VB <is>",
    ]
    assert [line.plain for line in draw_attended_tree(ASKED, plain=True)][1] == "#####       50%  |- WP Who"
    assert draw_attended_tree(Constituent("TOP", 1.0))[0].plain == "██████████ 100%  TOP"


def test_a_figure_tells_the_same_in_words_and_values() -> None:
    found = attended_figure(PAIR)
    assert found.svg == attended_svg(PAIR)
    assert found.sentences[0] == "Of the question, most attention was drawn by Who (50%), <is> (20%)."
    asked, said = (one["tree"] for one in found.values["trees"])
    assert asked["children"][0] == {"label": "WP", "share": 0.5, "word": "Who"}
    assert said["label"] == "S"
