"""Words for lexical matching: folded so that two spellings of one word are one string.

What counts as a word (each choice favours a match between a question and an answer written by different people):

    Don’t, don't     -> don't           an apostrophe inside a word stays, as ' (without it we'll would be well)
    Rowling's, dogs' -> rowling, dogs   the possessive goes; so does the 's of what's and it's
    U.S., US, e.g.   -> us, us, eg      dots between single letters go
    3.14, v3.11.2    -> 3.14, v3.11.2   decimals and versions stay whole
    1,000,000        -> 1000000         thousands separators go
    well-known, a_b  -> well known a b  hyphens and underscores separate
    日本, ไทย         -> 日 本, ไ ท ย     scripts written without spaces give one word per character, marks attached
    ﬁne, Straße, Ａ   -> fine, strasse, a   NFKC and case folding
"""

from __future__ import annotations

import re
import unicodedata

# Combining marks are no letters to `re`, yet Hindi, Thai, Arabic and Hebrew words are full of them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0971-\u09e3\u0a01-\u0a75\u0a81-\u0ae3"
    "\u0b01-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c80-\u0ce3\u0d00-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e"
    "\u0eb1-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
)
# Han, kana, and the South-East Asian scripts: no spaces between words. For use inside [ ].
UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eb0\u0eb2\u0eb3\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3"
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ALONE = re.compile(f"[{UNSPACED}][{_MARKS}]*")
# What is written inside one word but is no part of it: dots of U.S., commas of 1,000, soft hyphens and joiners.
_GLUE = re.compile(r"\.(?<=\b[^\W\d_]\.)(?=[^\W\d_]\b)|,(?<=\d,)(?=\d{3}(?!\d))|[\u00ad\u200c\u200d]")
_WORD = re.compile(rf"(\w[\w{_MARKS}]*(?:'(?!s\b)\w[\w{_MARKS}]*|(?<=\d)\.(?=\d)\w+)*)(?:\.?'s\b)?")
_CASED = re.compile(_WORD.pattern, re.IGNORECASE)


def words(text: str) -> list[str]:
    """The folded words and numbers of a text, in order."""
    folded = text.lower() if text.isascii() else _fold(text)
    return _WORD.findall(_GLUE.sub("", folded.replace("_", " ")))


def cased_words(text: str) -> list[str]:
    """The same words with their case, one for each; where folding the case makes more of them, folded."""
    plain = text if text.isascii() else _separate(unicodedata.normalize("NFKC", text))
    found = _CASED.findall(_GLUE.sub("", plain.replace("_", " ")))
    folded = words(text)
    return found if len(found) == len(folded) else folded


def _fold(text: str) -> str:
    # Case folding may undo the normal form (and the other way round), hence the second pass.
    return _separate(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def _separate(normal: str) -> str:
    return _ALONE.sub(r" \g<0> ", normal.replace("’", "'").replace("ʼ", "'"))


# English function words; "us" is missing on purpose, since U.S. and US fold to it.
STOPWORDS = frozenset(
    words("""
    a about after again against all also am an and any are as at be because been before being below between both but
    by can cannot could did do does doing don't down during each few for from further had has have having he her here
    hers herself him himself his how i i'm if in into is isn't it its itself just me more most my myself no nor not now
    of off on once only or other our ours ourselves out over own same she should so some such than that the their
    theirs them themselves then there these they this those through to too under until up very was wasn't we were what
    when where which while who whom whose why will with would you your yours yourself yourselves
    """)
)
