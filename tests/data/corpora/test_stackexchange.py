"""Stack Exchange: posts become lists, HTML becomes text, votes become labels."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from anselm.data.corpora.stackexchange import CORPORA, find_right, read_posts, to_plain_text
from anselm.errors import FormatError

[STACKEXCHANGE] = CORPORA


def row(**attributes: object) -> str:
    values = {"CreationDate": "2020-01-01", "Body": "<p>text</p>", "Score": 0, **attributes}
    return "  <row " + " ".join(f'{name}="{escape(str(value))}"' for name, value in values.items()) + " />\n"


def question(id: int, **attributes: object) -> str:
    return row(Id=id, PostTypeId=1, **{"Title": "A title", "Tags": "<tea><milk>", **attributes})


def answer(id: int, parent: int, score: object = 0, **attributes: object) -> str:
    return row(Id=id, PostTypeId=2, ParentId=parent, Score=score, **attributes)


def save(folder: Path, *rows: str) -> Path:
    path = folder / "Posts.xml"
    text = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "".join(rows) + "</posts>\n"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_question_with_its_answers_wherever_they_stand(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        answer(5, 1, 3, Body="<p>Milk &amp; tea</p>", OwnerUserId=9),  # before its question
        question(1, AcceptedAnswerId=8, Body="<p>Which first?</p>", Score=4),
        question(2),
        row(Id=3, PostTypeId=5),  # a tag wiki
        answer(7, 2),  # the only one: nothing to rank
        answer(8, 1, 1),
    )
    [found] = read_posts(path)
    assert (found.id, found.text) == ("1", "A title\nWhich first?")
    assert found.meta == {"title": "A title", "tags": ["tea", "milk"], "score": 4, "date": "2020-01-01"}
    assert [(c.id, c.text, c.label) for c in found.candidates] == [("5", "Milk & tea", 0.0), ("8", "text", 1.0)]
    assert found.candidates[0].meta == {"score": 3, "accepted": False, "date": "2020-01-01", "user": "9"}
    assert found.candidates[1].meta["accepted"]


def test_fewer_answers_may_be_asked_for_and_tags_may_have_bars(tmp_path: Path) -> None:
    path = save(tmp_path, question(1, Tags="|tea|milk|"), answer(2, 1))
    assert list(read_posts(path)) == []
    assert [found.meta["tags"] for found in read_posts(path, min_answers=1)] == [["tea", "milk"]]


@pytest.mark.parametrize(
    ("scores", "accepted", "right"),
    [
        ({"a": 1, "b": 9}, "a", {"a"}),  # the asker's word counts more than votes
        ({"a": 1, "b": 9}, None, {"b"}),
        ({"a": 1, "b": 9}, "gone", {"b"}),  # the accepted answer was deleted
        ({"a": 2, "b": 2, "c": 1}, None, {"a", "b"}),
        ({"a": 0, "b": -1}, None, set()),
    ],
)
def test_which_answers_are_right(scores: dict[str, int], accepted: str | None, right: set[str]) -> None:
    assert find_right(scores, accepted) == right


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p>\n\n<p>two\nthree</p>\n", "One\n\ntwo three"),
        ("a &lt; b &amp;&amp; c &#233; &hellip;", "a < b && c é …"),
        ('see <a href="http://x.org/?a=1">this <b>page</b></a>.', "see this page."),
        ("<ul>\n<li>one</li>\n<li><p>two</p></li>\n</ul>after", "one\n\ntwo\n\nafter"),
        ("<pre><code>if x:\n    y()\n</code></pre>\n<p>then  <code>z()</code></p>", "if x:\n    y()\n\nthen z()"),
        ("<p>so:</p><PRE class='lang-py'>\n\n  <span>a</span> &lt; b\n\n  c\n</PRE>", "so:\n\n  a < b\n\n  c"),
        ("a<br>b<br/>c<hr>d", "a b c\n\nd"),
        ('<p>that<img src="x.png" alt="a  cup &amp; tea" />there</p>', "that a cup & tea there"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a, b\n\n1, 2"),
        ("<blockquote>\n  <p>quoted</p>\n</blockquote>\n</pre>left  open <b>", "quoted\n\nleft open"),
        ("<p> spaced <b> out</b></p><ul><li> one</li></ul>", "spaced out\n\none"),
        ("", ""),
    ],
)
def test_html_becomes_plain_text(html: str, text: str) -> None:
    assert to_plain_text(html) == text


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ((question(1), question(1)), "line 4: the id 1 occurs twice"),
        ((question(1), answer(2, 1), answer(2, 1)), "line 3: two answers to question 1 have the same id"),
        ((question(1), answer(2, 1, "many")), "line 4: the score is 'many', not a whole number"),
        ((row(Id=2, PostTypeId=2),), "line 3: <row> has no attribute ParentId"),
        (("<row",), "line 3: not well-formed XML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, rows: tuple[str, ...], problem: str) -> None:
    with pytest.raises(FormatError, match=rf"Posts\.xml, {problem}"):
        list(read_posts(save(tmp_path, *rows)))


@pytest.mark.parametrize("split", STACKEXCHANGE.splits)
@pytest.mark.parametrize("protocol", STACKEXCHANGE.protocols)
def test_real_splits_have_their_counts(split: str, protocol: str, real_data: Path) -> None:
    questions = list(STACKEXCHANGE.read(split, protocol, real_data))
    assert len({found.id for found in questions}) == len(questions)
    texts = [text for found in questions for text in (found.text, *(c.text for c in found.candidates))]
    assert all(text.strip() for text in texts)
    assert not any("<p>" in text or "&lt;" in text for text in texts)
    assert None not in vars(STACKEXCHANGE.splits[split].counts[protocol]).values()
