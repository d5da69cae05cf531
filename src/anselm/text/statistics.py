"""How common each word is in a collection: what idf and length normalisation are computed from."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from anselm.errors import FormatError
from anselm.files import write_atomically
from anselm.saved_json import read_saved


@dataclass(frozen=True)
class Statistics:
    """Number of documents, their mean length in words, and in how many of them each word occurs."""

    documents: int
    mean_length: float
    frequency: Mapping[str, int]

    @classmethod
    def fit(cls, documents: Iterable[Iterable[str]]) -> Statistics:
        """Count documents given as words; streamed, so only the vocabulary is held."""
        frequency: Counter[str] = Counter()
        count = length = 0
        for words in documents:
            counts = words if isinstance(words, Counter) else Counter(words)
            frequency.update(counts.keys())
            count += 1
            length += counts.total()
        return cls(count, length / count if count else 0.0, frequency)

    def check(self) -> None:
        """Raise ValueError where the numbers cannot be counts of anything."""
        if not (self.documents >= 0 and 0 <= self.mean_length < math.inf):
            raise ValueError(f"{self.documents} documents of {self.mean_length} words")
        for word, count in self.frequency.items():
            if type(count) is not int or not 0 <= count <= self.documents:
                raise ValueError(f"{word!r} occurs in {count!r} of {self.documents} documents")

    def save(self, path: Path) -> None:
        with write_atomically(path) as file:
            json.dump(vars(self), file, ensure_ascii=False)

    @classmethod
    def load(cls, path: Path) -> Statistics:
        record = read_saved(path)
        try:
            found = cls(int(record["documents"]), float(record["mean_length"]), dict(record["frequency"]))
            found.check()
            return found
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(path, f"not word statistics as Anselm writes them ({error})") from None
