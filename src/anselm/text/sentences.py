"""Sentence boundaries by rule: every stop before a space is a candidate, and what stands around it decides.

A blank line, a heading and a list item always end what came before; any other single line break is a wrapped line.
Every pattern begins at a fixed character and gives nothing back (possessive: *+), so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from anselm.text.abbreviations import EITHER, EXCLAIMING, LEADING, NUMBERED, STARTERS

_LINE_END = r"\r\n\x0b\x0c\x85\u2028\u2029"
_INDENT = rf"[^\S{_LINE_END}]*+"
_BREAK = re.compile(
    rf"[{_LINE_END}](?:(?<=\r)\n)?+"
    rf"(?:(?<=[\x0c\u2029])"  # the end of a page or a paragraph
    rf"|{_INDENT}(?=[{_LINE_END}])"  # a blank line
    rf"|(?={_INDENT}(?:[-*+•‣▪●○◦·–—|]|\(?\d{{1,3}}[.)]|\(?[a-zA-Z]\))(?!\S))"  # before a list item or a table row
    rf"|{_INDENT}#{{1,6}}[ \t][^{_LINE_END}]*+"  # a heading, to the end of its line
    rf"|{_INDENT}[-=*_]{{3,}}+{_INDENT}(?![^{_LINE_END}]))"  # a line drawn with ---, === or ***
)
_MARK = "[.!?…‼⁇⁈⁉؟۔।॥。！？｡]"
_STOP = re.compile(
    rf"({_MARK}(?<!{_MARK}{_MARK}){_MARK}*+)"  # the first mark comes first: it is what makes the search fast
    r"[\"'”’»›)\]}*_」』）】〉》]*+"
    r"(?:(?:\[[^\[\]]{1,30}+\])*+(?::\d[\d–:-]*+)?+(?!\S)"  # citations, as in "ended.[12][note 3]:45"
    r"|(?<=[。！？｡」』）】〉》])(?![とっ]))"  # no space is needed here; 「……。」と goes on
)
_NEXT = re.compile(r"\s*+[\"'“‘«‹(\[{¿¡*_—–-]*+((?:\w[\w'’]{0,20}+)?+)(.?)", re.DOTALL)
_LAST = re.compile(r"\w[\w.&]*$")
_ENUMERATOR = re.compile(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})")
_ABBREVIATED = re.compile(
    r"[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]"  # an initial
    r"|(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}"  # U.S, Ph.D, a.m
    r"|[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}"  # Blvd, Sgt: a capital and no vowel; nobody can list them all
)
_LOOK_BACK = 24  # characters; longer than any abbreviation


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences: trimmed, in order, together covering every non-space character."""
    spans = []
    start = 0
    for end in _boundaries(text):
        sentence = text[start:end].rstrip()
        begin = start + len(sentence) - len(sentence.lstrip())
        if sentence:
            spans.append((begin, start + len(sentence)))
        start = end
    return spans


def _boundaries(text: str) -> Iterator[int]:
    """Positions at which a sentence ends, the end of the text being the last."""
    lines = _BREAK.finditer("\n" + text)  # so that a heading on the first line is like any other
    edges = sorted({0, len(text)} | {max(0, edge - 1) for line in lines for edge in line.span()})
    lower = text.islower()  # somebody who never writes a capital still writes sentences
    for start, end in pairwise(edges):
        begin = start
        for stop in _STOP.finditer(text, start, end):
            if _ends_sentence(text[max(begin, stop.start() - _LOOK_BACK) : stop.start()], stop, end, lower):
                begin = stop.end()
                yield begin
        yield end


def _ends_sentence(before: str, stop: re.Match[str], end: int, lower: bool) -> bool:
    """Whether a stop, with `before` in the sentence so far, ends the sentence; `lower`: small letters may begin one."""
    marks = stop[1]
    following = _NEXT.match(stop.string, stop.end(), end)
    if marks[-1] in "。！？｡" or following is None:  # _NEXT matches everywhere
        return True
    word, after = following.groups()
    if word[:1].islower() and not word[1:2].isupper() and not lower:  # but iPhone may begin a sentence
        return False
    if before.endswith(("(", "[")) or (not word and after and after in ".…+=<>−×&/"):  # "(!)"; ". . ."; "n! + 1"
        return False
    token = _LAST.search(before)
    if token is None:
        return True
    if marks != ".":
        return token[0].casefold() not in EXCLAIMING
    return not _ENUMERATOR.fullmatch(before) and not _wants(token[0], word, after)


def _wants(token: str, word: str, after: str) -> bool:
    """Whether "token." is an abbreviation that goes on with `word`, which stands before the character `after`."""
    name = token.casefold()
    if name in LEADING or (name in NUMBERED and word[:1].isdigit()):
        return True
    if name in EITHER or _ABBREVIATED.fullmatch(token):
        return word.casefold() not in STARTERS or after == "."  # the A of "J. A. Smith" starts nothing
    return False
