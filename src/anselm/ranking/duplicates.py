"""Near-duplicates in a ranked list: answers that say the same in almost the same words.

Two texts are near-duplicates when their sets of three-word shingles (runs of three folded words) have a Jaccard
similarity |A ∩ B| / |A ∪ B| of at least `THRESHOLD`, 0.8. The runs reach over both ends of a text, so that each word is
in three of them: one word in 25 may differ, wherever it stands, or one be added to 20; "we open at nine" and "we open
at ten" are two answers.

Best first, each text that is no near-duplicate of one kept before is kept and stands for those that come after it. So
all that is folded is near to what stands for it, and not only to something that is near to that.

Comparing all pairs is not needed (prefix filtering; Chaudhuri, Ganti and Kaushik, 2006): with the shingles of all texts
in one order, rare ones first, two sets of similarity t share one of the first |A| - t |A| + 1 of A and of B. Only these
are looked up, and being rare they lead to few texts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from anselm.text.tokens import words

THRESHOLD = 0.8
EDGE = ("", "")  # stands for the words before the first and after the last

Shingle = tuple[str, str, str]


def representatives(texts: Sequence[str], threshold: float = THRESHOLD) -> list[int]:
    """For each text, best first, the place of what stands for it: the first kept that it is near to, or itself.

    >>> representatives(["We open at nine.", "Parking is free.", "we open at nine"])
    [0, 1, 0]
    """
    sets = number_by_rarity([shingles(text) for text in texts])
    kept: defaultdict[int, list[int]] = defaultdict(list)  # places of what is kept, by each of its rare shingles
    heads = []
    for place, found in enumerate(sets):
        rare = sorted(found)[: prefix_length(len(found), threshold)]
        near = sorted({head for number in rare for head in kept.get(number, ())})
        heads.append(next((head for head in near if similarity(sets[head], found) >= threshold), place))
        if heads[-1] == place:
            for number in rare:
                kept[number].append(place)
    return heads


def number_by_rarity(sets: Sequence[frozenset[Shingle]]) -> list[frozenset[int]]:
    """The same sets of numbers; the rarest shingle is 0."""
    frequency = Counter(chain.from_iterable(sets))
    # Among equally rare ones any order will do: what is looked up may differ by it, what is found does not.
    numbers = {shingle: number for number, shingle in enumerate(sorted(frequency, key=frequency.__getitem__))}
    return [frozenset(map(numbers.__getitem__, found)) for found in sets]


def shingles(text: str) -> frozenset[Shingle]:
    found = words(text) or text.split()  # of a text without a word, what it is made of
    padded = [*EDGE, *found, *EDGE]
    return frozenset(zip(padded, padded[1:], padded[2:], strict=False))


def similarity(a: frozenset[int], b: frozenset[int]) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def prefix_length(size: int, threshold: float) -> int:
    least = math.ceil(threshold * size - 1e-9)  # shared by two similar sets; 0.8 * 15 must not round up to 13
    return size - least + 1
