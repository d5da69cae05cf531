"""Plain text, Markdown and reStructuredText: underlined headings, and paragraphs that are or begin with a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tools.default_model.entries.blocks import QUESTION, Block, is_plain, squeeze
from tools.default_model.entries.headings import asks, clean_heading

RULE = re.compile(r"\s*([=\-~^*\"#+_])\1{2,}\s*")
OVERLINE = re.compile(r"^([=\-~^*\"#+]{4,})\n(.+)\n\1$", re.M)
ALONE = re.compile(r"^(#{1,5} .*$| *\[[QA]\]| {0,4}\(?(A(nswer)?\d*|Q(uestion)?\s?[\d.]*)[:.)] )", re.M)
NUMBERED = re.compile(
    r"\s*(\(?Q(uestion)?\s?[\d.]*\s?[:.)]|\[?\(?\d+(\.\d+)*[.)\]:]*\s|\d+[a-z]?[.)]|[A-Z]\d+[.:)]|\*\s)"
)
MARKUP = re.compile(r"``?|\*\*|:\w+:(?=`)|</?(a|b|i|p|br|code|em|strong|span|tt)\b[^>]*>|\[\[[\w\-:.]+\]\]")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|link:\S+?\[([^\]]*)\]|`([^`<>]+) <[^<>]+>`_*")
LONGEST = 4  # lines of a question


def read(document: str) -> Iterator[Block]:
    document = document.replace("\r", "").replace("\f", "\n").expandtabs()
    document = re.sub(r"^(From|Date|Updated|File): .*\n", "", document, flags=re.M)  # of mails, and of Info's nodes
    document = OVERLINE.sub(r"\n\2\n\1", re.sub(".\b", "", document))  # bold in old files: each letter typed twice
    document = re.sub(r"^(#{1,5} .*)$", r"\1\n", ALONE.sub(r"\n\1", document), flags=re.M)
    fenced = False
    for paragraph in re.split(r"\n\s*\n", document):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        fences = sum(line.strip().startswith("```") for line in lines)
        if fenced or fences:
            yield Block(_plain(lines), code=True)
        elif lines and not lines[0].startswith(".. ") and not RULE.fullmatch(lines[0]):
            yield from _blocks(lines)
        fenced ^= fences % 2 == 1


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Of one paragraph."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    rule = next((place for place, line in enumerate(lines[:4]) if place and RULE.fullmatch(line)), 0)
    if rule and indent < 3:
        yield Block(_plain(lines[:rule]), 2 if "=" in lines[rule] else 3)
        yield Block(_plain(lines[rule + 1 :]))
    elif lines[0].startswith("#") and (marks := re.match(r"(#{1,5}) ", lines[0])):
        yield Block(_plain(lines)[marks.end() :].rstrip("# "), len(marks[1]))
    elif end := _question(lines, indent):
        yield Block(_plain(lines[:end]), QUESTION)
        yield Block(_plain(lines[end:]))
    else:
        text = _plain(lines)
        yield Block(text, code=indent >= 4 and not is_plain(text))


def _question(lines: Sequence[str], indent: int) -> int:
    """How many lines of a paragraph are a question, at its beginning; 0 for none."""
    numbered = NUMBERED.match(lines[0])
    marked = bool(numbered and numbered[1].lstrip("(").upper().startswith("Q"))
    whole = clean_heading(_plain(lines))
    alone = len(lines) <= LONGEST and asks(whole) and (numbered or indent <= 4)
    asked = alone or (marked and len(lines) <= LONGEST + 2)
    if asked and whole.endswith("?"):
        return len(lines)
    for end in range(1, min(LONGEST, len(lines))):
        hangs = end == 1 and indent < 3 and re.match(rf" {{{indent + 1}}}", lines[1])
        head = clean_heading(_plain(lines[:end]))
        if (numbered or hangs) and asks(head) and (head.endswith("?") or not asked):
            return end
    return len(lines) if asked else 0


def _plain(lines: Sequence[str]) -> str:
    text = LINK.sub(lambda match: match[1] or match[2] or match[3] or "", " ".join(lines))
    return squeeze(MARKUP.sub("", text))
