"""The licence of a package, from its copyright file."""

from __future__ import annotations

import re

LONGEST = 90  # characters of what is kept
FREE = re.compile(
    r"\b(A?L?GPL|GFDL|(Free Documentation|General Public) Licen[sc]e|Artistic|Expat|BSD|Apache|CC0|CC-BY(?!-N)|BSL"
    r"|(MIT|PD|ISC)\b|Attribution-?\s?Share-?\s?Alike|MPL|Mozilla Public|PSF|zlib|public[ -]domain|Unlicense"
    r"|LPPL|NCSA|WTFPL|PostgreSQL|Redistribution and use in source|Permission is hereby granted, free of charge"
    r"|Permission to use, copy, modify|granted, without written agreement|copy and distribute modified versions)",
    re.I,
)
NOT_FREE = re.compile(r"non-?free|proprietary|BY[- ]?(NC|ND)|non-?commercial|with invariant sections", re.I)


def find_licence(copyright_file: str) -> str:
    """Of the whole and of its documentation where that differs; "" where none is recognized."""
    stanzas = [stanza for stanza in re.split(r"\n\s*\n", copyright_file) if re.search("^Files:", stanza, re.M)]
    whole = [stanza for stanza in stanzas if re.search(r"^Files:\s*\*", stanza, re.M)] or stanzas
    documentation = [stanza for stanza in stanzas if re.search("^Files:.*(doc|help|faq|manual)", stanza, re.M | re.I)]
    heads = (re.search(r"^License:[ \t]*(\S.*)", stanza, re.M) for stanza in whole[:1] + documentation[:2])
    names = "; ".join(dict.fromkeys(head[1].strip() for head in heads if head))
    if FREE.search(names) or NOT_FREE.search(names):
        return names[:LONGEST]
    text = " ".join(copyright_file.split())
    found = [*NOT_FREE.finditer(text), *FREE.finditer(text)]  # what is not free first, so that it is never cut off
    return ", ".join(dict.fromkeys(match[0] for match in found))[:LONGEST]


def is_free(licence: str) -> bool:
    return bool(FREE.search(licence)) and not NOT_FREE.search(licence)
