"""Headings: where they are, what is none, and which stand above a place."""

from __future__ import annotations

import pytest

from anselm.text.kinds import headings_of, pieces_of
from anselm.text.outlines import Outline, join_titles
from anselm.text.questions import is_question


def outline(source: str, kind: str) -> Outline:
    return Outline(headings_of(source, kind, pieces_of(source, kind)))


def titles(source: str, kind: str = "markdown") -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in outline(source, kind).headings]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("# One *two* #\n\ntext\n### [Three](x)\n", [(1, "One two"), (3, "Three")]),
        ("One\n===\n\nText\nand text\n---\n\nTwo\n--", [(1, "One"), (2, "Two")]),
        ("---\na: b\n---\n# One", [(1, "One")]),
        ("```\n# no\n**No?**\n\nno\n---\n```\n\n**One?**\n\n- **Two**?\n", [(7, "One?"), (7, "Two?")]),
        ("**Bold.**\n\nAn **inner?** one\n\n| a |\n---\n\n- item\n---\n\n#none", []),
    ],
)
def test_headings_of_markdown(source: str, found: list[tuple[int, str]]) -> None:
    assert titles(source) == found


def test_headings_of_html() -> None:
    source = "<h1>A &amp; <b>b</b></h1><h3 class='h2'>C</H3><dl><dt>D<dd>e<dt>F</dt></dl><!--<h1>no</h1>--><h2> </h2>"
    assert titles(source, "html") == [(1, "A & b"), (3, "C"), (8, "D"), (8, "F")]


def test_what_stands_above_a_place() -> None:
    source = "0\n# A\n1\n## B\n2\n### C\n3\n## D\n4\n"
    found = outline(source, "markdown")
    above = {digit: join_titles(found.path(source.index(digit))) for digit in "01234"}
    assert above == {"0": "", "1": "A", "2": "A > B", "3": "A > B > C", "4": "A > D"}
    assert [found.is_leaf(index) for index in range(4)] == [False, False, True, True]
    assert [letter for letter in "0A1B" if found.is_heading(source.index(letter))] == ["A", "B"]


def test_what_has_ended_stands_above_nothing() -> None:
    source = "<details><summary>A</summary>b</details><dl><dt>C<dd>d</dl>"
    found = outline(source, "html")
    assert join_titles(found.path(source.rindex("d<"))) == "C"
    assert found.above(1) == ()


def test_details_and_definitions_end() -> None:
    source = "<h1>A</h1><details><summary>B</summary>9</details>2<dl><dt>C<dd>3</dl>4<footer>5"
    found = outline(source, "html")
    above = {digit: join_titles(found.path(source.rindex(digit))) for digit in "92345"}
    assert above == {"9": "A > B", "2": "A", "3": "A > C", "4": "A", "5": "A"}


@pytest.mark.parametrize(
    "title",
    [
        "Where?",
        "How to descale",
        "what’s new",
        "Can't I pay?",
        "Don’t you ship",
        "“Is it free”",
        "为什么？",
        "¿Cuándo?",
    ],
)
def test_questions(title: str) -> None:
    assert is_question(title)


@pytest.mark.parametrize(
    "title", ["Opening hours", "Whatever else", "Can-openers", "Island", "Domain names", "FAQ", "Q&A"]
)
def test_no_questions(title: str) -> None:
    assert not is_question(title)
