"""Words that are no names, wherever they stand: what a capital says depends on them."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from anselm.text.abbreviations import STARTERS
from anselm.text.tokens import STOPWORDS


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never part of a name's edge, even with a capital: "The", "In", "However". Names of one letter are initials.
FUNCTION = (STARTERS | STOPWORDS) - {"us", "may"} | listed("""
    about above across afterwards against along alongside already always amongst anybody anyone anything apart around
    because become becoming below beneath beside besides beyond can't cannot certainly consequently couldn't didn't
    doesn't doing either else especially etc ever everyone everything except few finally first five former four
    generally hadn't hasn't haven't he'd he'll hers herself himself i'd i'll i've indeed inside into isn't itself just
    last lastly latter less like likewise maybe me might more most mostly much must myself near nearly neither never
    next nobody none nor nothing notably off often ok okay onto originally otherwise ought ours ourselves out outside
    own per perhaps probably quite rather recently same second shall shan't she'd she'll shouldn't similarly six
    sometimes somewhat soon still ten than thank thanks them themselves they'd they'll they've third thousand together
    too toward towards typically unlike unless up upon usually very via wasn't we'd we'll we're we've well weren't
    whatever whenever whereas wherever whether whichever whoever whole whom will within without won't wouldn't yes you'd
    you'll you're you've yours yourself yourselves approximately
""")

# Endings of words that are no names; with those the list need not be long.
ENDINGS = ("tion", "tions", "ness", "ment", "ments", "ally", "ously", "ility")


@cache
def ordinary_words() -> frozenset[str]:
    """Words that texts write in lower case inside a sentence, nearly always: the 4,800 most frequent."""
    return frozenset(Path(__file__).with_name("ordinary_words.txt").read_text(encoding="ascii").split())


@lru_cache(maxsize=1 << 16)
def is_ordinary(word: str) -> bool:
    """Whether a word, folded, is one that gets a capital only because it begins a sentence."""
    known = ordinary_words()
    plain = word.replace("’", "'")
    if plain == "may" or plain in FUNCTION or plain in known or plain.removesuffix("s") in known:
        return True
    return len(plain) > 6 and plain.endswith(ENDINGS)
