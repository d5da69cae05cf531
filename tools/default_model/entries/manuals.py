"""Help in XML, Mallard (GNOME) and DocBook (KDE and others): turned into HTML, and read as that."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

SECTION = re.compile("page|section|chapter|sect[1-5]|simplesect|appendix|article|preface|refsect1")
TAGS = {  # of HTML, for those of Mallard and DocBook; all others are left as they are
    "p": re.compile("(sim|formal)?para|member|seg"),
    "li": re.compile("listitem|item|step"),
    "dt": re.compile("term|glossterm|question"),
    "dd": re.compile("answer"),
    "pre": re.compile("screen|programlisting|literallayout|(cmd|func)?synopsis|listing"),
    "nav": re.compile(  # what is no text
        "subtitle|titleabbrev|links|desc|media|comment|cite|indexterm|screenshot|(informal)?(figure|table|equation)"
        "|caption|(inline)?mediaobject|footnote|anchor|remark|legalnotice|toc|bibliography|glossary|index|graphic|refentry"
        "|shortcut|author(group)?|othercredit|copyright|date|releaseinfo|abstract|keywordset|credit|license"
    ),
}
ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s+([\"'])(.*?)\2\s*>", re.S)
DEEPEST = 4  # an entity may hold others


def entities(document: str) -> dict[str, str]:
    """The names that a document defines, with what they stand for."""
    return {match[1]: match[3] for match in ENTITY.finditer(document)}


def to_html(document: str, named: Mapping[str, str]) -> str:
    """One file, which may be a part of a book; `named` are its entities."""
    guide = re.search(r"<link[^>]*type=.guide.[^>]*xref=.([\w-]+)", document)  # the page above this one
    body = re.sub(r"<\?.*?\?>|<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>|<!--.*?-->", "", document, flags=re.S)
    for _ in range(DEEPEST):
        body = re.sub(r"&([A-Za-z][\w.-]*);", lambda match: _value(match[1], named), body)
    body = re.sub(r"(</gui\w*>)\s*(?=<gui)", r"\1 &gt; ", body)  # File > Open
    body = re.sub(r"(</key(cap)?>)\s*(?=<key)", r"\1+", body)
    return (f"<h1>{guide[1]}</h1>" if guide else "") + re.sub(r"<(/?)([\w:]+)([^<>]*)>", Tags(), body)


def _value(name: str, named: Mapping[str, str]) -> str:
    if name in ("lt", "gt", "amp", "quot", "apos"):
        return f"&{name};"
    if name in named:
        return named[name]  # which may hold names of its own
    value = html.unescape(f"&{name};")
    if value.startswith("&"):  # most often the name of a program
        return name if any(letter.isupper() for letter in name) else name.capitalize()
    return value


class Tags:
    """The tag of HTML for each tag, from the first to the last."""

    def __init__(self) -> None:
        self.depth = 1
        self.begun = False  # whether a section has begun whose title is to come
        self.title = "p"

    def __call__(self, match: re.Match[str]) -> str:
        slash, name, rest = match.groups()
        if SECTION.fullmatch(name):
            self.depth += -1 if slash else 1
            self.begun = not slash
            return f"<{slash}div>"
        if name == "title":
            if not slash:
                heading = f"h{min(self.depth, 6)}" if self.begun else "p"
                self.title = "nav" if "type=" in rest else heading  # Mallard has other titles, for links
                self.begun &= "type=" in rest
            return f"<{slash}{self.title}>"
        new = next((tag for tag, names in TAGS.items() if names.fullmatch(name)), name)
        return f"<{slash}{new}{'/' if rest.endswith('/') else ''}>"
