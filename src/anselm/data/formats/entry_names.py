"""Which entries of a FAQ are meant by what people write down for them: an id, a question, or an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from anselm.data.formats.records import RecordError
from anselm.data.question import Candidate

PARTED = ";"
Places = Mapping[str, set[int]]


class EntryNames:
    """The places of the entries, by all that they may be called; `source` is what errors call the FAQ."""

    def __init__(self, entries: Sequence[Candidate], source: object) -> None:
        self.entries, self.source = entries, source
        self._ids = self._by(lambda entry: entry.id)
        self._questions = self._by(lambda entry: exactly(entry.question))
        self._loosely = self._by(lambda entry: loosely(entry.question))
        self._answers = self._by(lambda entry: exactly(entry.text))

    def places(self, written: str) -> set[int]:
        """Of one name or of several, parted by `;`, which may also stand within a name."""
        if (whole := self._find(written)) is not None:
            return whole
        parts = [part for part in written.split(PARTED) if part.strip()]
        return {place for part in parts for place in self._one(part)}

    def _one(self, name: str) -> set[int]:
        if (found := self._find(name)) is None:
            raise RecordError(
                f"{self.source} has no entry with the id, the question or the answer {name.strip()!r:.80}"
            )
        return found

    def _find(self, name: str) -> set[int] | None:
        """The id goes first, then the question as it is written, then without case and marks, then the answer."""
        key = exactly(name)
        for known in (self._ids, self._questions):
            if key in known:
                return known[key]
        near = self._loosely.get(loosely(name), set())
        if len(asked := sorted({exactly(self.entries[place].question) for place in near})) > 1:
            alike = " and ".join(f"{one!r:.60}" for one in asked[:2])
            raise RecordError(f"{name.strip()!r:.60} may be {alike} in {self.source}; write it as it stands there")
        return near or self._answers.get(key)

    def _by(self, called: Callable[[Candidate], str]) -> Places:
        found: dict[str, set[int]] = {}
        for place, entry in enumerate(self.entries):
            if name := called(entry):
                found.setdefault(name, set()).add(place)
        return found


def exactly(text: str) -> str:
    """But for surplus blanks."""
    return " ".join(text.split())


def loosely(text: str) -> str:
    """The words, whatever their case and the marks around them."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
