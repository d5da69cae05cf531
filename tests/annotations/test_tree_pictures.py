"""Trees as SVG: whole XML of attributes alone."""

from __future__ import annotations

from xml.etree import ElementTree

from anselm.annotations.tree_pictures import tree_svg
from anselm.annotations.trees import Tree, read_brackets

QUESTION = "(S (WP Who) (VP (VBZ won)) (. ?))"


def test_every_label_and_word_is_drawn_once() -> None:
    drawn = ElementTree.fromstring(
        tree_svg([read_brackets(QUESTION), Tree("X", (Tree("X", word="<Ann\x01&>"),))], "Two")
    )
    words = ["".join(part.itertext()) for part in drawn.iter() if part.tag.endswith("text")]
    assert sorted(words) == sorted(["S", "WP", "Who", "VP", "VBZ", "won", ".", "?", "X", "X", "<Ann\ufffd&>"])
    assert {part.tag.rpartition("}")[2] for part in drawn.iter()} == {"svg", "rect", "text", "line"}
    assert not any("style" in part.attrib or "class" in part.attrib for part in drawn.iter())
    assert drawn.get("aria-label") == "Two"
