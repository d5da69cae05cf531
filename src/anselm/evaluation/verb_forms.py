"""The forms of English verbs that a statement needs where its question had do, does or did."""

from __future__ import annotations

BE = frozenset(("is", "are", "was", "were", "am"))
DO = frozenset(("do", "does", "did"))
OTHERS = frozenset(("can", "could", "will", "would", "has", "have", "had", "should", "may", "might", "must"))
_IRREGULAR = """
    be:was become:became begin:began bear:bore break:broke bring:brought build:built buy:bought catch:caught
    choose:chose come:came cost:cost cut:cut die:died do:did draw:drew drive:drove eat:ate fall:fell feel:felt
    fight:fought find:found fly:flew forget:forgot get:got give:gave go:went grow:grew have:had hear:heard
    hide:hid hit:hit hold:held keep:kept know:knew lead:led leave:left lend:lent let:let lie:lay lose:lost
    make:made mean:meant meet:met pay:paid put:put read:read ride:rode ring:rang rise:rose run:ran say:said
    see:saw sell:sold send:sent set:set shoot:shot sing:sang sit:sat sleep:slept speak:spoke spend:spent
    spread:spread stand:stood steal:stole strike:struck swim:swam take:took teach:taught tell:told think:thought
    throw:threw understand:understood wear:wore win:won write:wrote
"""
_PAST = dict(pair.split(":") for pair in _IRREGULAR.split())
VOWELS = "aeiou"


def past(verb: str) -> str:
    """wrote, carried, stopped, lived, worked."""
    if (known := _PAST.get(verb)) is not None:
        return known
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in VOWELS:
        return f"{verb[:-1]}ied"
    if _doubles(verb):
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"


def third_person(verb: str) -> str:
    """has, goes, carries, watches, works."""
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _doubles(verb: str) -> bool:
    """One syllable that ends in one vowel and one consonant."""
    if len(verb) < 3 or sum(letter in VOWELS for letter in verb) != 1:
        return False
    return verb[-2] in VOWELS and verb[-1] not in VOWELS + "wxy"
