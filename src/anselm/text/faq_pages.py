"""FAQs that are pages: Markdown, HTML, Word files and the like with a question in each heading, tables of questions and
answers, or texts with "Q:" and "A:".

A heading with text of its own is an entry. A heading without is a section, and so is every heading above an entry: the
entry's meta["section"] tells. Below a question with an answer, headings that ask nothing are parts of that answer. A
table of contents is no text: nothing but links to other places of the page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from anselm.errors import FormatError
from anselm.text.faq import Entry, LineNumbers, Skip
from anselm.text.outlines import Heading, Outline, join_titles
from anselm.text.page_tables import FaqTable
from anselm.text.pieces import Cleaned, Piece, cut
from anselm.text.questions import SHARE, Block, ends_as_question, is_question

_BOLD = r"(?:\*\*|__|<(?:b|strong)>|</(?:b|strong)>)?+"
_OPENING = rf"[ \t>]*+(?:(?:[-*+•]|\d{{1,9}}[.)])[ \t]++|<(?:p|div|li)\b[^<>]*+>)?+{_BOLD}"
_CLOSING = rf"[ \t]?\d{{0,4}}+{_BOLD}[ \t]?[:.)]{_BOLD}(?=\s|\Z)"
_MARK = re.compile(
    rf"^{_OPENING}(?:(?P<question>Q|Question|Frage)|(?P<answer>A|Answer|Antwort)){_CLOSING}"
    rf"|(?:(?<=[?!.？*_>)]\s)|(?<=[?>])){_BOLD}(?P<inline>A|Answer|Antwort)[ \t]?\d{{0,4}}+{_BOLD}:{_BOLD}(?=\s|\Z)",
    re.MULTILINE,
)
_Q_TITLE = re.compile(r"(?:Q|Question|Frage)[ ]?\d{0,4}[ ]?[:.)]\s+")
_CONTENTS = re.compile(
    r"!?\[[^\[\]\n]*+\]\(#[^()\s]*+\)|<a\s(?:(?!href=)[^<>])*+href=[\"']?#[^<>]*+>[^<]*+</a>", re.IGNORECASE
)
_LONGEST_TITLE = 8  # words, above questions that are marked
_LONGEST_ANSWER = 150  # words, below a heading without a question mark
_HAS_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Part:
    """A heading with the text of its own, from start to end; the text before the first heading has none."""

    above: tuple[Heading, ...]
    heading: Heading | None
    start: int
    end: int


class _Span(NamedTuple):
    start: int
    end: int


class Page:
    """A source with its pieces and headings."""

    def __init__(
        self, source: str, pieces: Sequence[Piece], headings: Sequence[Heading], tables: Sequence[FaqTable] = ()
    ) -> None:
        self.source, self.pieces, self.tables = source, pieces, sorted(tables, key=attrgetter("start"))
        self._starts = [table.start for table in self.tables]
        self.outline = Outline([heading for heading in headings if not self._is_tabled(heading.start)])

    def is_faq(self) -> bool:
        """Whether most headings with text are questions, two answers are marked, or tables of them are much of it."""
        if sum(len(table.rows) for table in self.tables) >= 2 and self._are_much(self.tables):
            return True
        _, *parts = self._parts()
        leaves = [part for index, part in enumerate(parts) if self.outline.is_leaf(index)]
        if len(parts) >= 2 and sum(map(self._asks, leaves)) * 2 > len(leaves):
            return True
        marked = [_Span(one[0], one[2][1]) for part in self._parts() for one in self._marked(part)]
        return len(marked) >= 2 and self._are_much(marked)

    def _asks(self, part: Part) -> bool:
        """A heading by its mark, or by its first word over a text as short as an answer: manuals say "How it works"."""
        title = part.heading.title if part.heading else ""
        short = len(self._clean(part.start, part.end)[0].split()) <= _LONGEST_ANSWER
        return ends_as_question(title) or (short and is_question(title))

    def bare(self, block: Block) -> Block:
        """Without its text where it stands in a table, whose questions are no headings."""
        return block._replace(text="") if self._is_tabled(block.start) else block

    def _is_tabled(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self.tables[index].end

    def _are_much(self, spans: Sequence[FaqTable | _Span]) -> bool:
        """Whether so much of the text stands in them that the page is about it."""
        inside = sum(len(self._clean(span.start, span.end)[0]) for span in spans)
        return inside * SHARE >= len(self._clean(0, len(self.source))[0])

    def entries(self, place: object, skip: Skip) -> list[Entry]:
        lines = LineNumbers(self.source)
        found: list[Entry] = []
        for part in self._answers():
            first, last = (bisect_left(self._starts, position) for position in (part.start, part.end))
            if inside := self.tables[first:last]:
                found += self._tabled(part, inside, lines)
            elif marked := self._marked(part):
                section = (*part.above, part.heading) if part.heading else ()
                if len(_words(self._clean(part.start, marked[0][0])[0])) > _LONGEST_TITLE:
                    found += self._between(part, part.start, marked[0][0], lines)
                for begin, question, answer in marked:
                    asked = self._clean(*question)[0]
                    found.append(self._entry(asked, answer, section, lines.at(begin)))
            elif part.heading:
                title = _Q_TITLE.sub("", part.heading.title, count=1)
                span = (part.start + self._answer_mark(part), part.end)
                found.append(self._entry(title, span, part.above, lines.at(part.heading.start)))
            else:
                found.append(self._entry("", (part.start, part.end), (), lines.at(part.start)))
        return [entry for entry in found if self._is_answered(entry, place, skip)]

    def _tabled(self, part: Part, tables: Sequence[FaqTable], lines: LineNumbers) -> Iterator[Entry]:
        """The rows of the tables, and the text between them."""
        section = (*part.above, part.heading) if part.heading else ()
        position = part.start
        for table in tables:
            yield from self._between(part, position, table.start, lines)
            position = min(table.end, part.end)
            for row in table.rows:
                entry = self._entry(self._clean(*row.question)[0], row.answer, section, lines.at(row.question[0]))
                others = {name: self._clean(*span)[0] for name, span in row.others.items()}
                yield replace(entry, meta={**entry.meta, **others})
        yield from self._between(part, position, part.end, lines)

    def _between(self, part: Part, start: int, end: int, lines: LineNumbers) -> Iterator[Entry]:
        if _HAS_WORD.search(Cleaned(cut(self.pieces, start, end)).text):
            title = part.heading.title if part.heading else ""
            yield self._entry(title, (start, end), part.above, lines.at(start))

    def _is_answered(self, entry: Entry, place: object, skip: Skip) -> bool:
        if not entry.answer:
            skip(FormatError(place, f"there is no answer to {entry.question!r:.80}", entry.line))
        return bool(entry.answer)

    def _entry(self, question: str, span: tuple[int, int], section: Sequence[Heading], line: int) -> Entry:
        answer, start, end = self._clean(*span)
        return Entry(question, answer, start, end, line, meta={"section": join_titles(section)} if section else {})

    def _parts(self) -> Iterator[Part]:
        headings = self.outline.headings
        starts = [*(heading.start for heading in headings), len(self.source)]
        yield Part((), None, 0, starts[0])
        for index, heading in enumerate(headings):
            yield Part(self.outline.above(index), heading, heading.end, min(starts[index + 1], heading.until))

    def _answers(self) -> Iterator[Part]:
        """The parts with text; those below a question that ask nothing are joined to it."""
        answering: Part | None = None
        for part in self._parts():
            if answering and part.heading and answering.heading in part.above and not is_question(part.heading.title):
                answering = Part(answering.above, answering.heading, answering.start, part.end)
                continue
            if answering:
                yield answering
            answering = None
            if self._has_text(part):
                if part.heading and is_question(part.heading.title):
                    answering = part
                else:
                    yield part
        if answering:
            yield answering

    def _has_text(self, part: Part) -> bool:
        text = Cleaned(cut(self.pieces, part.start, part.end)).text
        if not _HAS_WORD.search(text):
            return False
        links = _CONTENTS.finditer(self.source, part.start, part.end)
        linked = sum(len(_words(Cleaned(cut(self.pieces, *link.span())).text)) for link in links)
        return linked < len(_words(text))

    def _marked(self, part: Part) -> list[tuple[int, tuple[int, int], tuple[int, int]]]:
        """(begin, span of the question, span of the answer) of each "Q: ... A: ..." in a part."""
        marks = list(_MARK.finditer(self.source, part.start, part.end))
        asked = [index for index, mark in enumerate(marks) if mark["question"]]
        found = []
        for index, following in pairwise([*asked, len(marks)]):
            end = marks[following].start() if following < len(marks) else part.end
            if index + 1 < following:
                answer = marks[index + 1]
                found.append((marks[index].start(), (marks[index].end(), answer.start()), (answer.end(), end)))
            else:
                found.append((marks[index].start(), (marks[index].end(), end), (end, end)))
        return found if any(start < end for _, _, (start, end) in found) else []

    def _answer_mark(self, part: Part) -> int:
        """How much of a part its "A:" takes, if it has one."""
        mark = _MARK.search(self.source, part.start, part.end)
        if not mark or mark["question"] or ":" not in mark[0] or self.source[part.start : mark.start()].strip():
            return 0
        return mark.end() - part.start

    def _clean(self, start: int, end: int) -> tuple[str, int, int]:
        """The text between, without markup and white space around it, and where it stands."""
        cleaned = Cleaned(cut(self.pieces, start, end))
        text = cleaned.text.strip()
        if not _HAS_WORD.search(text):
            return "", start, start
        lead = len(cleaned.text) - len(cleaned.text.lstrip())
        return text, *cleaned.source_span(lead, lead + len(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
