"""What each word of a sentence is: its part of speech, and the kind of entity that it belongs to.

By rule: words of closed classes and frequent ones from a list, capitals, endings, and the word before. Both are
features for a model, not a grammar. Parts of speech are those of the universal tag set, with names apart from nouns.
Of the 82,369 words of NLTK's treebank sample, punctuation aside, 91.7% are tagged as there, with lists that were looked
over on it (tests/annotations/test_tags.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from anselm.annotations.closed_classes import (
    ADJ,
    ADP,
    ADV,
    ALWAYS_VERBS,
    DET,
    MODALS,
    NOUN,
    NUM,
    OPEN,
    PARTS_OF_SPEECH,
    PRON,
    PROPN,
    SUBJECTS,
    VERB,
    known_parts,
    part_by_ending,
)
from anselm.annotations.entity_cues import (
    CALENDAR,
    CURRENCY,
    FIRST_NAMES,
    ORGANISATIONS,
    PERCENT,
    PLACES,
    TITLES,
    WITHIN,
)
from anselm.annotations.word_classes import is_ordinary

__all__ = ["ENTITY_TYPES", "PARTS_OF_SPEECH", "entity_types", "tag_words"]

# The order of both tables is what trained models number them by.
ENTITY_TYPES = ("none", "person", "place", "organisation", "name", "date", "number", "money", "percent")
NONE, PERSON, PLACE, ORGANISATION, NAME, DATE, NUMBER, MONEY, PER_CENT = ENTITY_TYPES


def tag_words(words: Sequence[str]) -> list[str]:
    """The part of speech of each word of a sentence."""
    tags: list[str] = []
    titled = len(words) > 3 and all(word != word.lower() for word in words if word[:1].isalpha())
    before = ""
    for place, word in enumerate(words):
        folded = word.casefold().replace("’", "'")
        if is_name(word, folded, opens=place == 0 or titled):
            tags.append(PROPN)
        elif any(letter.isdigit() for letter in word):
            tags.append(NUM)
        else:
            tags.append(_in_context(folded, before, tags[-1] if tags else ""))
        before = folded
    return tags


def is_name(word: str, folded: str, opens: bool) -> bool:
    """Whether its capital says that it is one; `opens`: that it may say something else."""
    if word == word.lower():
        return False
    if (part := known_parts().get(folded)) is not None:
        return part in OPEN and folded not in ALWAYS_VERBS and not opens
    return not (opens and is_ordinary(folded))


def _in_context(word: str, before: str, tag_before: str) -> str:
    """Of a word that is no name: what follows `to` or `can` is a verb, what follows `the` is none."""
    if word in ALWAYS_VERBS:
        return VERB
    known = known_parts().get(word)
    part = known or part_by_ending(word)
    if before in MODALS and part not in (ADV, ADP, DET, PRON, ADJ):
        return VERB
    if tag_before in (DET, ADJ) and part == VERB:
        if word.endswith("ed"):
            return ADJ
        return NOUN if not known or tag_before == ADJ else VERB
    if part is None and before in SUBJECTS:
        return VERB
    return part or NOUN


def entity_types(words: Sequence[str]) -> list[str]:
    """The kind of entity that each word of a sentence belongs to; `none` for most."""
    folded, tags = [word.casefold() for word in words], tag_words(words)
    types = [NONE] * len(words)
    start = 0
    while start < len(words):
        end = _run_end(tags, folded, start)
        if end > start:
            kind = _type_of(folded, tags, start, end)
            end += kind in (MONEY, PER_CENT)  # with what it is measured in
            types[start:end] = [kind] * (end - start)
        start = max(end, start + 1)
    return types


def _run_end(tags: Sequence[str], folded: Sequence[str], start: int) -> int:
    """Behind the name or the number that begins here; where it begins, if none does."""
    end = start
    while end < len(tags) and tags[end] in (PROPN, NUM):
        end += 1
        if end + 1 < len(tags) and folded[end] == "of" and tags[end - 1] == tags[end + 1] == PROPN:
            end += 1
    return end


def _type_of(folded: Sequence[str], tags: Sequence[str], start: int, end: int) -> str:
    own = frozenset(folded[start:end])
    before = folded[start - 1] if start else ""
    after = folded[end] if end < len(folded) else ""
    if own & CALENDAR or any(_is_year(word) for word in own):
        return DATE
    if all(tag == NUM for tag in tags[start:end]):
        return MONEY if after in CURRENCY else PER_CENT if after in PERCENT else NUMBER
    if own & ORGANISATIONS:
        return ORGANISATION
    if own & TITLES or before in TITLES or folded[start] in FIRST_NAMES:
        return PERSON
    return PLACE if own & PLACES or before in WITHIN else NAME


def _is_year(word: str) -> bool:
    return word[:4].isdigit() and word[4:] in ("", "s") and 1000 <= int(word[:4]) <= 2100
