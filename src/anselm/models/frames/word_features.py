"""What a Document Reader knows of each word besides its vector (Chen et al., 2017), as columns of texts.

    forms        numbers of the word as it is written, folded, and as a lemma, the same for the same form; 0: no word
    tags         numbers of its part of speech and of the type of the entity that it is in
    frequencies  how often its folded form occurs in the text, divided by the words of the text

Each is (texts, words, ...), as wide as the longest text that is read, zeros behind the last word. Forms are numbered
for some lists together: whether two words match is asked within them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from anselm.annotations.tags import ENTITY_TYPES, PARTS_OF_SPEECH, entity_types, tag_words
from anselm.encoding.lists import Lists, Numbering
from anselm.text.lemmas import lemmas
from anselm.text.tokens import cased_words, words

FORMS, TAGS, FREQUENCIES = "forms", "tags", "frequencies"
_PART = {name: number for number, name in enumerate(PARTS_OF_SPEECH)}
_TYPE = {name: number for number, name in enumerate(ENTITY_TYPES)}


@dataclass(frozen=True)
class Annotated:
    """A text, word by word."""

    forms: tuple[tuple[str, ...], ...]  # three: as written, folded, lemmas
    tags: NDArray[np.uint8]  # (words, 2)
    frequencies: NDArray[np.float32]  # (words,)


@lru_cache(maxsize=1 << 17)
def annotate(text: str) -> Annotated:
    """Kept, since dev lists are read after every epoch, and the sentences of a paragraph with each of its questions."""
    written, folded = cased_words(text), words(text)
    tags = [(_PART[part], _TYPE[kind]) for part, kind in zip(tag_words(written), entity_types(written), strict=True)]
    counts = Counter(folded)
    return Annotated(
        (tuple(written), tuple(folded), tuple(lemmas(folded))),
        np.array(tags, dtype=np.uint8).reshape(-1, 2),
        np.array([counts[word] / len(folded) for word in folded], dtype=np.float32),
    )


def add_word_features(lists: Lists, most: int) -> Lists:
    """With the columns of the first `most` words of each text."""
    width = min(most, int(lists.texts.lengths.max(initial=1)))
    count, numbering = len(lists.texts.strings), Numbering()
    forms = np.zeros((count, width, 3), dtype=np.int32)
    tags = np.zeros((count, width, 2), dtype=np.uint8)
    frequencies = np.zeros((count, width), dtype=np.float32)
    for row, text in enumerate(lists.texts.strings):
        known = annotate(text)
        shown = min(width, len(known.tags))
        for kind, form in enumerate(known.forms):
            forms[row, :shown, kind] = 1 + numbering.of(form[:shown])
        tags[row, :shown], frequencies[row, :shown] = known.tags[:shown], known.frequencies[:shown]
    return lists.add(texts={FORMS: forms, TAGS: tags, FREQUENCIES: frequencies})
