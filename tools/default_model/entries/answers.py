"""The answer of an entry: blocks of text joined and trimmed, and whether they can be one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tools.default_model.entries.blocks import Block, is_plain, squeeze

LIMIT = 400  # words
SHORTEST, SHORTEST_OF_TOPIC = 8, 15
WORDS = "the a an of to and in is are it you that for on with as be this can if not or by from your will have do at use"
COMMON = frozenset(WORDS.split())
LABEL = re.compile(r"^[\[(:]?(A|Answer|Ans)\s*#?\d*[\])]?\s*[:.)-]\s*")
FOOTER = re.compile(
    r"(This (document|file|page|FAQ) (was|is) (generated|maintained|copyright)|Copyright (\(c\)|©|\d{4})|©|Next: "
    r"|((Return|Back) to|Go to) (the )?(FAQ|top|index|table|contents)|Last (modified|updated|change)|Generated (by|on)"
    r"|Permission is (hereby )?granted|Retrieved from |Privacy Statement).*$",
    re.I,
)
# A reference whose name is lost ("For more, see ."), and a last sentence that introduces what is not there.
DANGLING = re.compile(r"(?<=[.!?] )[^.!?]{0,200}\b(see|described in|refer to|in|see also|and)\s*\.(?=\s|$)")
INTRODUCTION = re.compile(r"(^|(?<=[.!?])\s)([^.!?]|[.!?](?=\S))*(:|\b(below|following( example)?|as follows)\.)$")
ELSEWHERE = re.compile(
    r"\b(above|previous|below|next) (question|answer|section|entry|item)|see (the )?(above|below|previous|question"
    r"|section|item|\d)|^(see|this (section|chapter|page|document) (describes|contains|lists)|contents)\b"
    r"|\b(TODO|FIXME|XXX|lorem ipsum|to be written|under construction)\b",
    re.I,
)
REFUSED = re.compile(
    r"\ufffd|^(Q|Question)\s?\d*[:.]|^From:|^>|^[a-z]+@|^[,.;:)=]|(\s>\s?\w.*){3}|\b(of|under|by) this License\b"
    r"|Invariant Sections|WITHOUT ANY WARRANTY|Free Documentation License, Version"
)


def join(blocks: Iterable[Block]) -> str:
    """The text of blocks; code that outweighs the prose is left out."""
    parts = list(blocks)
    if 2 * sum(block.words for block in parts if block.code) > sum(block.words for block in parts):
        parts = [block for block in parts if not block.code]
    text = LABEL.sub("", " ".join(block.text if block.code else _end(block.text) for block in parts))
    text = text[:-600] + FOOTER.sub("", text[-600:])
    text = squeeze(re.sub(r"[-*=_~#|+]{3,}|\(\s*\)", " ", text)).lstrip("-*=_~+#.| ")
    text = _cut(re.sub(r"\s+([,.;:!?)\]])(?=\s|$)", r"\1", text))
    return INTRODUCTION.sub("", squeeze(DANGLING.sub("", text)))


def _end(text: str) -> str:
    """An item of a list ends like a sentence."""
    return text if text.endswith(tuple('.!?:;,…"”)')) else f"{text}."


def _cut(text: str) -> str:
    """At the end of the last sentence that is within the limit."""
    words = text.split()
    if len(words) <= LIMIT:
        return text
    return re.sub(r"(?s)(.{400}.*[.!?][\"”’')]*)\s.*", r"\1", " ".join(words[:LIMIT]))


def is_about(title: str, answer: str) -> bool:
    """Whether a text is long enough and about a title: of two words that count both must be in it, of more any."""
    counts = [word for word in re.findall("[a-z]{3,}", title.lower()) if word not in COMMON]
    hits = sum(word[: max(4, len(word) - 3)] in answer.lower() for word in counts)
    return len(answer.split()) >= SHORTEST_OF_TOPIC and (hits >= 1 if len(counts) > 2 else hits == len(counts) > 0)


def is_answer(question: str, answer: str) -> bool:
    """Whether this is English prose that says something, not a list of contents, a mail or a pointer to elsewhere."""
    words = answer.lower().split()
    if len(words) < SHORTEST or REFUSED.search(answer) or answer.lower().startswith(question.lower()):
        return False
    if len(words) < 25 and ELSEWHERE.search(answer):
        return False
    if answer.count("?") >= 4 and answer.count("?") * 14 > len(words):
        return False
    common = sum(word.strip(".,") in COMMON for word in words)
    foreign = sum(ord(letter) > 127 for letter in answer)
    return common >= 0.17 * len(words) and foreign <= 0.07 * len(answer) and is_plain(answer)
