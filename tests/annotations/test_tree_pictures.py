"""Trees as a figure: whole XML of attributes alone, and the same trees in words and values."""

from __future__ import annotations

from xml.etree import ElementTree

from anselm.annotations.tree_pictures import tree_figure
from anselm.annotations.trees import Tree, read_brackets

QUESTION = "(S (WP Who) (VP (VBZ won)) (. ?))"


def test_a_figure_tells_the_trees_three_times() -> None:
    found = tree_figure([("question", read_brackets(QUESTION)), ("answer", Tree("X", (Tree("X", word="<Ann\x01&>"),)))])
    drawn = ElementTree.fromstring(found.svg)
    words = ["".join(part.itertext()) for part in drawn.iter() if part.tag.endswith("text")]
    assert sorted(words) == sorted(["S", "WP", "Who", "VP", "VBZ", "won", ".", "?", "X", "X", "<Ann\ufffd&>"])
    assert {part.tag.rpartition("}")[2] for part in drawn.iter()} == {"svg", "rect", "text", "line"}
    assert not any("style" in part.attrib or "class" in part.attrib for part in drawn.iter())
    assert drawn.get("aria-label") == found.title == "How the model reads question and answer"
    assert found.sentences[0] == f"The tree of the question: {QUESTION}"
    assert found.values["trees"][0] == {"of": "question", "tree": QUESTION}
