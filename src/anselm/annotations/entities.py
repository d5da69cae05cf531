"""The entities of sentences, and which of them sentences share: what the entity graph is made of.

Sources: `rules` (names by their capitals, numbers, dates, money, percentages; needs nothing), `spacy` or
`spacy:PIPELINE`, `stanza` or `stanza:LANGUAGE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.annotation_cache import SHARED
from anselm.annotations.annotator import Annotation, Annotator
from anselm.annotations.installed import SpacyEntities, StanzaEntities
from anselm.annotations.proper_names import proper_names
from anselm.annotations.quantities import find_quantities
from anselm.errors import UnknownNameError

Names = frozenset[str]
LONGEST = 8  # words of a name of which parts are known


class RuleEntities:
    """By `proper_names` and `quantities`."""

    name = "rules"
    version = "1"
    costly = False

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return [tuple(sorted(set(self._names(text)))) for text in texts]

    def _names(self, text: str) -> Iterator[str]:
        start, rest = 0, []
        for found in find_quantities(text):
            yield found.name
            rest.append(text[start : found.start])
            start = found.end
        yield from proper_names("|".join([*rest, text[start:]]))  # no name runs across a number


SOURCES: Mapping[str, Callable[[str], Annotator]] = {
    "rules": lambda _: RuleEntities(),
    "spacy": SpacyEntities,
    "stanza": StanzaEntities,
}


def find_entities(texts: Sequence[str], source: str = "rules") -> list[Names]:
    """The names of the entities of each text, folded. What a text has depends on nothing but the text."""
    return [frozenset(names) for names in SHARED.annotate(entity_annotator(source), texts)]


def entity_annotator(source: str) -> Annotator:
    kind, _, which = source.partition(":")
    if kind not in SOURCES or (which and kind == "rules"):
        raise UnknownNameError("source of entities", source, SOURCES)
    return SOURCES[kind](which)


def shared_entities(names: Sequence[Names], partial: bool = False) -> NDArray[np.bool_]:
    """Which sentence has which of the S entities that at least two of these sentences share: (sentences, S).

    With `partial`, a shorter name counts as a longer one of the same sentences when its words are a part of it: a
    sentence on Cavill has the entity Henry Cavill, too.
    """
    held = holders(names, partial)
    shared = sorted(name for name, sentences in held.items() if len(sentences) > 1)
    table = np.zeros((len(names), len(shared)), dtype=np.bool_)
    for column, name in enumerate(shared):
        table[list(held[name]), column] = True
    return table


def holders(names: Sequence[Names], partial: bool) -> dict[str, set[int]]:
    """Which sentences have each entity."""
    found: dict[str, set[int]] = {}
    for sentence, own in enumerate(names):
        for name in own:
            found.setdefault(name, set()).add(sentence)
    return _with_parts(found) if partial else found


def _with_parts(holders: Mapping[str, set[int]]) -> dict[str, set[int]]:
    """Each name with those who have it or a part of it."""
    return {name: set(own).union(*(holders.get(part, ()) for part in _parts(name))) for name, own in holders.items()}


def _parts(name: str) -> Iterator[str]:
    """Contiguous parts that are names by themselves: not a figure, unless it may be a year."""
    words = name.split()[:LONGEST]
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            part = " ".join(words[start:end])
            if part != name and (not part.isdigit() or len(part) == 4):
                yield part
