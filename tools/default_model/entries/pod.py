"""Perl's documentation (POD)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from tools.default_model.entries.blocks import QUESTION, Block, is_plain, squeeze

NESTED = 4  # B<I<...>> and the like
ESCAPES = {"lt": "\x01", "gt": "\x02", "sol": "/", "verbar": "|"}  # < and > only when all codes are gone


def read(document: str) -> Iterator[Block]:
    reading = False
    for paragraph in re.split(r"\n\s*\n", re.sub(r"(?s)=begin .*?=end [^\n]*", "", document)):
        text = paragraph.strip()
        command = re.match(r"=(cut|head|item|[a-z]+)(\d?)\s*(.*)", text, re.S)
        if command:
            reading = command[1] != "cut"
        if not reading or not text:
            continue
        if command and command[1] == "head":
            yield Block(_plain(command[3]), int(command[2] or 1))
        elif command and command[1] == "item" and not re.fullmatch(r"[\d.*]*", command[3].strip()):
            yield Block(_plain(command[3]).lstrip("* "), QUESTION)
        elif not command:
            code = paragraph.lstrip("\n").startswith((" ", "\t"))
            yield Block(squeeze(text), code=not is_plain(text)) if code else Block(_plain(text))


def _plain(text: str) -> str:
    """Without formatting codes: C<open> is open, L<the manual|perlop> is the manual."""
    for _ in range(NESTED):
        text = re.sub(r"L<(?:([^|<>]*)\|)?([^<>]*)>", lambda match: match[1] or match[2], text)
        text = re.sub(r"[XZ]<[^<>]*>", "", text)
        text = re.sub(r"[BCIFS]<<+ (.*?) >+>", r"\1", text, flags=re.S)
        text = re.sub(r"E<(\w+)>", lambda match: ESCAPES.get(match[1], html.unescape(f"&{match[1]};")), text)
        text = re.sub(r"[BCIFSU]<([^<>]*)>", r"\1", text)
    return squeeze(text.replace("\x01", "<").replace("\x02", ">"))
