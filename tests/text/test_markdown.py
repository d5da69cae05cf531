"""Markdown to text: by hand, and that plain prose comes through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.markdown import markdown_pieces
from anselm.text.pieces import Cleaned


def clean(source: str) -> str:
    return Cleaned(markdown_pieces(source)).text


CASES = [
    ("", ""),
    ("A line\nthat goes on.\n\nA new one.", "A line that goes on.\n\nA new one."),
    ("# Title\ntext\n## Other ##\nmore", "Title\n\ntext\n\nOther\n\nmore"),
    ("Title\n=====\ntext\n\nOther\n---\nmore", "Title\n\ntext\n\nOther\n\nmore"),
    ("a **bold** and *thin* and __both__ _ways_ ~~gone~~ ***three***", "a bold and thin and both ways gone three"),
    ("*open\n\nshut* and *one *two*", "*open\n\nshut* and *one two"),
    ("2* 3 and 4*", "2* 3 and 4*"),
    ("snake_case __init__ 2 * 3 * 4 f(*x) 2**n", "snake_case init 2 * 3 * 4 f(*x) 2**n"),
    ('[text](http://a.b/c_(d) "title") and [two\nlines](<x y>)', "text and two lines"),
    ("![alt](a.png) [![badge](b.svg)](c)", "alt badge"),
    ('[text][ref] [ref] [Ref][] [none] a[1][2]\n\n[ref]: http://x "T"', "text ref Ref [none] a[1][2]"),
    ("A claim[^1].\n\n[^1]: The note.", "A claim.\n\nThe note."),
    ("Run `rm *x*` or ``a`b`` \\*now\\*", "Run rm *x* or a`b *now*"),
    ("before\n```sh\npip install *x*\n\n# twice\n```\nafter", "before\n\npip install *x* # twice\n\nafter"),
    ("~~~\nnever closed *", "never closed *"),
    ("- one\n  goes on\n* two\n+ [x] three\n1. four\n2) five", "one goes on\n\ntwo\n\nthree\n\nfour\n\nfive"),
    ("> quoted *and\n> wrapped*\n>\n> next", "quoted and wrapped\n\nnext"),
    ("| a | b |\n|---|:-:|\n| c\\|d | `x|y` |\nend", "a, b\n\nc|d, x|y\n\nend"),
    ("either | or", "either | or"),
    ("a\n\n* * *\n\nb\n\n___\nc", "a\n\nb\n\nc"),
    ("---\ntitle: x\n---\ntext", "text"),
    ("a <!-- no\n\nno --> b <b>c</b><br>d\n<div>e</div>", "a b c d\n\ne"),
    ("&copy; &amp; AT&T <https://a.b> <me@c.d> 1 < 2 &copy 3", "© & AT&T https://a.b me@c.d 1 < 2 &copy 3"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_by_hand(source: str, expected: str) -> None:
    assert clean(source) == expected


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_windows_line_ends(source: str, expected: str) -> None:
    assert clean(source.replace("\n", "\r\n")) == expected


@given(st.lists(st.from_regex(r"[A-Za-z0-9,;']{1,8}", fullmatch=True), min_size=1))
def test_prose_comes_through(words: list[str]) -> None:
    assert clean("\n".join(words)) == clean(" ".join(words)) == " ".join(words)


MARKS = [
    "*",
    "**",
    "_",
    "`",
    "```",
    "\n",
    "\n\n",
    "# ",
    "- ",
    "> ",
    "|",
    "[",
    "]",
    "](u)",
    "![",
    "[^1]",
    "<b>",
    "&amp;",
    "\\",
    "---",
]


@given(st.lists(st.one_of(st.sampled_from(MARKS), st.from_regex(r"[a-z ]{1,5}", fullmatch=True))).map("".join))
def test_words_are_never_lost_outside_marks_and_spans_are_in_order(source: str) -> None:
    cleaned = Cleaned(markdown_pieces(source))
    spans = [cleaned.source_span(position, position + 1) for position in range(len(cleaned.text))]
    assert spans == sorted(spans)
    for character, (start, end) in zip(cleaned.text, spans, strict=True):
        assert not character.isalpha() or source[start:end] == character


@pytest.mark.parametrize(
    "unit", ["[", "](", "[a](", "*", "a* ", "`", "``a", "\n```", "\n> ", "\n|", "<a ", "\n[a]:", "\\", "- "]
)
def test_long_runs_finish(unit: str) -> None:
    assert len(clean(unit * 30_000)) <= len(unit) * 30_000
