"""HTML to text: by hand, and beside the standard library's parser."""

from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.html import html_pieces
from anselm.text.pieces import Cleaned


def clean(source: str) -> str:
    return Cleaned(html_pieces(source)).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<h1>Title</h1>text<ul><li>a<li>b</ul>", "Title\n\ntext\n\na\n\nb"),
        ("a <b>bo</b>ld\n   <i>word</i>", "a bold word"),
        ("Tom &amp; Jerry &lt;3 &#233;&#xe9; &nbsp; &copy 5 &unknown; AT&T", "Tom & Jerry <3 éé © 5 &unknown; AT&T"),
        ("one<br>two<br/>\n<br />three", "one two\n\nthree"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", "a, b\n\nc, d"),
        ("<table><tr><td><p>layout</p></td><td></td></tr></table>", "layout"),
        ("<html><head><title>T</title><style>p<a{}</style></head><body>b</body></html>", "b"),
        ("x<script>if (a<b) document.write('</p>')</script>y", "xy"),
        ("<SCRIPT type=a>x</SCRIPT>y<nav><a>menu</a></nav>z<svg/>!", "yz!"),
        ("<nav-bar>kept</nav-bar>", "kept"),
        ("a<footer><p>Imprint</p></footer>b</footer>c", "a\n\nb\n\nc"),
        ("a<aside>x<aside>y</aside>z</aside>b", "a\n\nb"),
        ("a<div class=m role='navigation'><div>Home</div>Shop</div><div role=note>b</div>", "a\n\nb"),
        ("a<DIV ROLE=navigation/>b", "a\n\nb"),
        ("a<footer>Imprint", "a"),
        ("a<!-- <p>b --> c<!---->d<!doctype html><?xml version='1'?>e", "a cde"),
        ('<a title="a > b" href=x>link</a>', "link"),
        ("3 < 4 and 5 > 2", "3 < 4 and 5 > 2"),
        ("a<b", "a"),  # as in a browser: a tag that never ends
        ("a<!-- b", "a"),
        ("a<script>b", "a"),
        ("<pre>x = 1\n\ny = 2</pre>", "x = 1 y = 2"),
    ],
)
def test_by_hand(source: str, expected: str) -> None:
    assert clean(source) == expected


TEXTS = st.text(alphabet="ab &<>é.;\n", max_size=12)
TAGS = st.sampled_from(["p", "div", "b", "i", "span class='x'", 'a href="y>z"', "li", "td", "h2"])
PAGES = st.recursive(
    TEXTS.map(escape),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.tuples(TAGS, inner).map(lambda made: f"<{made[0]}>{made[1]}</{made[0].split()[0]}>"),
        st.just("<!-- no <b> -->"),
        st.just("<script>var no = '<b>';</script>"),
    ),
    max_leaves=12,
)


class Reference(HTMLParser):
    """The text outside scripts, by the standard library."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.script = "", False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self.script = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self.script else data


@given(PAGES)
def test_the_same_characters_as_the_standard_librarys_parser(page: str) -> None:
    reference = Reference()
    reference.feed(page)
    reference.close()
    ours = clean(page).replace(", ", " ")  # between cells
    assert "".join(ours.split()) == "".join(reference.text.split())


@given(PAGES)
def test_every_span_leads_back_to_its_source(page: str) -> None:
    cleaned = Cleaned(html_pieces(page))
    ends = [cleaned.source_span(position, position + 1) for position in range(len(cleaned.text))]
    assert ends == sorted(ends)
    for character, (start, end) in zip(cleaned.text, ends, strict=True):
        assert character.isspace() or character == "," or page[start:end] in (character, escape(character))


@pytest.mark.parametrize(
    "unit", ["<", "<a ", '<a b="', "<!--", "<script>", "<nav>", "</", "&", "&#", "<br>", "<p>", "<a ="]
)
def test_long_runs_finish(unit: str) -> None:
    assert len(clean(unit * 100_000)) <= len(unit) * 100_000
