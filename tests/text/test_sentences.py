"""Sentence boundaries: golden cases written by hand, and properties that hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.sentences import sentence_spans

# A bar marks each boundary; it is taken out before the text is split.
GOLDEN = r"""
The cat sat.| It slept.
No stop at the end
Mr. Smith met Mrs. Jones.| They talked.
Dr. Who saw Prof. Song and Sgt. Benton.| All were well.
Fr. Sorin and Rev. Walsh built it.| Both were priests.
Use a tool, e.g. Git, or a friend, i.e. Bob.| Then push.
Read a paper, e.g. The Times.| It helps.
Doctor Who (a.k.a. The Doctor) travels.| He is old.
She lives in the U.S. with her dog.| It barks.
He moved to the U.S.| In 1990 he left.
He moved to the U.S. Army base in Texas.| It was hot.
Apple Inc. Chairman Levinson spoke.| Nobody heard.
He works at Apple Inc.| The office is large.
St. Louis is near.| Mt. Everest is not.
Madison Ave. and 81st St.| A friend came.
See No. 5, Fig. 3 and p. 12 of vol. 2.| Then stop.
Did he say no?| He did say no.| Then we went.
Ali vs. Frazier was the fight.| It was long.
J. K. Rowling wrote it.| J. R. R. Tolkien did not.
Harry S. Truman was president.| So was J. A. Garfield.
Л. Н. Толстой написал.| Это первое.
Take vitamin C.| It helps.
On Jan. 3 it snowed.| On Dec. 24 it rained.
I sat in the sun.| Then I left.
It costs 3.50 dollars.| Pi is 3.14.| Good.
It ended in 1990.| 25 people came.
His rating was 99.4.| Newton threw.
Well... maybe.| Wait...| What was that?
I thought … perhaps not.| Yes…| No.
He paused . . . and went on . . .| Good.
What?!| No way!!!| Really.
He said "Stop."| Then he left.
(He left.)| She stayed.
“Why?” she asked.| “Because!” he cried.
'Go.'| 'No.'
«Non.»| «Si.»
**Bold claim.**| Next.
He quoted [...] from it.| It was short (!) and good.
We (?) Germans like [...] Austrians.
It ended.[12]| It began again.[citation needed]| He left.:33| Often he stayed.
Search on Yahoo! Answers or Yahoo! Mail.| It works.
We use Yahoo! for mail.| Do you?
See https://example.com/a.b?c=d.html.| It is there.
Mail bob.b@example.com or www.example.org.| He answers.
Open setup.py and README.md.| Run it.
Install Python 3.11.2 now.| Version 2.0 is old.
Node.js is fast.| ASP.NET is not.| The .ipg files are gone.
It was 5 p.m. on Monday.| He came at 6 a.m.| The door was shut.
She has a Ph.D. in law.| He has none.
Smith et al. (1990) showed it.| Nobody cared.
We sell pens, ink, etc. and paper.| We sell pens etc.| Paper is free.
I like it.| iPhone users do not.
Martin Luther King Jr. Day is in January.| It is cold.
Roe v. Wade was decided.| It stood.
The No. 1 song, Op. 53, is long.| Listen to Op. 10.
He lived on Sunset Blvd. Number five was his.
It ran 300 km.| Maximum speed was low.
1. Open the box.| 2. Close it.| IV. Rest.
n! + 1 is odd.| So is 7.
Élan is needed.| Übung macht den Meister.
मैं घर जाता हूँ।| वह आता है।
هل أنت هنا؟| نعم.
今日は晴れ。|明日は雨！|本当？|はい。
彼は「そうだ。」と言った。|彼女は笑った。
「行こう。」|「うん。」
i never use capitals.| my shift key is broken!| ask dr. smith.
This\u00a0one ends.|\u2003That\u00a0does too.
The tokens were split .| The stop stands alone .
""".strip().splitlines()

LINES = [
    "A wrapped\nline goes on.| It\nends.",
    "A title|\n\nA paragraph without a stop|\n \t\nAnother",
    "Windows wraps\r\nlines too.|\r\n\r\nNew paragraph",
    "Old\rMac|\r\rParagraph",
    "To do:|\n- buy milk|\n- sell bread|\n  * or cake|\n• tea",
    "Steps:|\n1. Open it. |Wait.|\n2) Close it|\n(3) Rest|\na) well",
    "born in\n1984. |He lived",
    "# Heading|\nText follows.| More|\n## Other|\nEnd",
    "Title|\n=====|\nText|\n---|\nEnd",
    "#hashtag at the start\nof a wrapped line",
    "page one|\x0cpage two|\u2029paragraph",
    "well known for\nJ. K. Rowling's book.| Yes.",
]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize("case", [case.replace(r"\u00a0", "\u00a0").replace(r"\u2003", "\u2003") for case in GOLDEN])
def test_golden(case: str) -> None:
    assert split(case.replace("|", "")) == [sentence.strip() for sentence in case.split("|")]


@pytest.mark.parametrize("case", LINES)
def test_lines(case: str) -> None:
    assert split(case.replace("|", "")) == [sentence.strip() for sentence in case.split("|")]


def test_table_rows_are_apart() -> None:
    assert split("| a | b |\n| c | d |") == ["| a | b |", "| c | d |"]


def test_nothing_in_nothing_out() -> None:
    assert sentence_spans("") == sentence_spans(" \n\t\u3000") == []


PIECES = [
    ".",
    "!",
    "?",
    "…",
    "。",
    " ",
    "\n",
    "\r\n",
    "\x0c",
    '"',
    "(",
    ")",
    "[1]",
    ":3",
    "- ",
    "# ",
    "---",
    "1. ",
    "U.S.",
]
MIXED = st.lists(st.one_of(st.sampled_from([*PIECES, "Mr", "the", "The", "A", "と", "」"]), st.text(max_size=3))).map(
    "".join
)


@given(MIXED)
def test_spans_are_ordered_trimmed_and_cover_everything(text: str) -> None:
    spans = sentence_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(text[start:end] and text[start:end] == text[start:end].strip() for start, end in spans)
    covered = {position for start, end in spans for position in range(start, end)}
    assert all(position in covered for position, character in enumerate(text) if not character.isspace())


@given(MIXED, MIXED)
def test_a_blank_line_always_separates(first: str, second: str) -> None:
    joined = f"{first}\n\n{second}"
    assert not any(start < len(first) and end > len(first) + 2 for start, end in sentence_spans(joined))


PATHOLOGICAL = [
    ".",
    " ",
    '"',
    "a",
    "!?",
    ". ",
    ' "',
    '."',
    ".[",
    ".[1]",
    ".:1",
    "\n",
    "\n ",
    "\r\n",
    "\n#",
    "\n-",
    "。",
    "-",
    "U.S. ",
]


@pytest.mark.parametrize("unit", PATHOLOGICAL)
def test_long_runs_finish(unit: str) -> None:
    text = unit * (300_000 // len(unit)) + "x"
    assert sentence_spans(text)[-1][1] == len(text)
