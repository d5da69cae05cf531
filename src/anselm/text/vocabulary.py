"""Words as numbers: what a model with a table of word vectors reads instead of text.

A word with an underscore is a phrase (text/phrases.py): its words, where they come together, are read as one. With
`lemmas`, words are read as their dictionary forms first (text/lemmas.py); a file of words does not tell, so whoever
saves one keeps it beside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from anselm.errors import FormatError, InputError
from anselm.files import read_lines, write_atomically
from anselm.text.lemmas import find_lemmatiser
from anselm.text.lemmas import lemmas as lemmas_of
from anselm.text.phrases import JOINT, join_phrases
from anselm.text.tokens import words as words_of

PAD, UNKNOWN = 0, 1
_FIRST = 2  # the number of the first word
_ONE_WORD = re.compile(r"[^\s\ufeff]+")  # no byte order mark, since reading a file drops one at its beginning


@dataclass(frozen=True)
class Vocabulary:
    """`words` are without PAD and UNKNOWN: word i has the number i + 2. Called with texts, it gives their numbers."""

    words: tuple[str, ...]
    lemmas: bool = False

    def __post_init__(self) -> None:
        if self.lemmas:
            find_lemmatiser()  # that it is missing is said at once, not at the first text
        if mistake := _find_mistake(self.words):
            place, problem = mistake
            raise InputError(f"word {place + 1} of a vocabulary: {problem}")

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        min_count: int = 1,
        extra: Iterable[str] = (),
        phrases: Collection[str] = (),
        lemmas: bool = False,
    ) -> Vocabulary:
        """The words that occur `min_count` times or more: most frequent first, ties alphabetical; then `extra`.

        What is empty or holds a space is left out of `extra`: vectors have such words, texts have not.
        """
        counts: Counter[str] = Counter()
        joined = frozenset(phrases)
        for text in texts:
            counts.update(_read(text, joined, lemmas))
        ranked = sorted((-count, word) for word, count in counts.items() if count >= min_count)
        known = dict.fromkeys(word for _, word in ranked)
        known.update(dict.fromkeys(word for word in extra if _ONE_WORD.fullmatch(word)))
        if not known:
            raise InputError(f"no word occurs {min_count} times or more in the texts, so there is no vocabulary")
        return cls(tuple(known), lemmas)

    def __len__(self) -> int:
        """How many numbers there are: the words, PAD and UNKNOWN."""
        return len(self.words) + _FIRST

    def __call__(self, texts: list[str]) -> list[list[int]]:
        """The numbers of the words of each text. One without any word is one UNKNOWN, so that no text is empty."""
        number = self.numbers.get
        read = (_read(text, self.phrases, self.lemmas) for text in texts)
        return [[number(word, UNKNOWN) for word in sentence] or [UNKNOWN] for sentence in read]

    @cached_property
    def phrases(self) -> frozenset[str]:
        return frozenset(word for word in self.words if JOINT in word)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=_FIRST)}

    @cached_property
    def fingerprint(self) -> str:
        """To tell whether a table of vectors was made for these words in this order."""
        return sha256("\n".join(self.words).encode()).hexdigest()

    def save(self, path: Path) -> None:
        """One word per line."""
        with write_atomically(path) as file:
            file.writelines(f"{word}\n" for word in self.words)

    @classmethod
    def load(cls, path: Path, lemmas: bool = False) -> Vocabulary:
        found = tuple(line for _, line in read_lines(path))
        if mistake := _find_mistake(found):
            place, problem = mistake
            raise FormatError(path, problem, place + 1)
        return cls(found, lemmas)


def _read(text: str, phrases: Collection[str], lemmas: bool) -> list[str]:
    """The words of a text, as lemmas if so wanted, and then joined to phrases."""
    found = lemmas_of(words_of(text)) if lemmas else words_of(text)
    return join_phrases(found, phrases) if phrases else found


def _find_mistake(words: Sequence[str]) -> tuple[int, str] | None:
    """The place of the first word that cannot stand there, and why."""
    if not words:
        return 0, "there is none; at least one word is needed"
    seen: set[str] = set()
    for place, word in enumerate(words):
        if not _ONE_WORD.fullmatch(word):
            return place, f"{word!r} is not one word without spaces"
        if word in seen:
            return place, f"{word!r} is there already as word {words.index(word) + 1}; each may be there once"
        seen.add(word)
    return None
