"""What a pool holds: a passage, or an entry with a question and an answer, with its place and what else is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anselm.data.formats.records import RecordError, check_parts, check_readable, check_some_text
from anselm.data.objects import candidate_from_object, has_id
from anselm.data.question import Candidate
from anselm.errors import FormatError

MAX_ID = 1_000  # characters
MOST_BYTES = 2_000  # of an id or a source: more no index of PostgreSQL takes
_TITLES = ("heading", "title")
_OFFSETS = ("start", "end", "line")


@dataclass(frozen=True, slots=True)
class Item:
    """`text` is the passage or, of an entry, the answer to `question`; `heading` is its title, or what stands above it.

    `start`, `end` and `line` are its place in the `source`, and `meta` is given back as it came.
    """

    id: str
    text: str
    question: str = ""
    heading: str | None = None
    source: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def candidate(self) -> Candidate:
        """As the ranker reads it."""
        return Candidate(self.id, self.text, None, self.meta, self.question, self.heading)

    @property
    def content(self) -> str:
        """All of it that is searched: of an entry both its question and its answer."""
        return self.candidate.content

    @property
    def hash(self) -> str:
        """Of what is searched: a vector belongs to a text, and not to what the text is replaced with."""
        return hash_text(self.content)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what `item_from_object` makes the same item of."""
        empty: dict[str, Any] = {
            "question": "",
            "heading": None,
            "start": 0,
            "end": 0,
            "line": 0,
            "meta": {},
        }
        return {key: value for key, value in asdict(self).items() if key not in empty or value != empty[key]}


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def item_from_object(value: Any, position: int = 0) -> Item:
    """From what `Ranker.rank` takes as a candidate, or a mapping that also has a title and a place.

    What has no id is known by its text, so that it may come again.
    """
    if isinstance(value, Item):
        return checked(value)
    given = dict(value) if isinstance(value, Mapping) else {}
    own = {name: given.pop(name, None) for name in (*_TITLES, "source", *_OFFSETS)}
    candidate = candidate_from_object(given if isinstance(value, Mapping) else value, position)
    named = own["title"] if own["heading"] is None else own["heading"]
    title = candidate.heading if isinstance(value, Candidate) else named
    if not isinstance(title, str | None) or not isinstance(own["source"], str | None):
        raise RecordError("a title and a source must be strings")
    places = [own[name] or 0 for name in _OFFSETS]
    start, end, line = places
    found = Item("", candidate.text, candidate.question, title, own["source"] or "", start, end, line, candidate.meta)
    return checked(replace(found, id=candidate.id if has_id(value) else found.hash))


def checked(item: Item) -> Item:
    """That it can be kept, and read."""
    if not all(type(place) is int and 0 <= place < 2**62 for place in (item.start, item.end, item.line)):
        raise RecordError("start, end and line must be whole numbers from 0 on")
    if not all(isinstance(text, str) for text in (item.id, item.text, item.question, item.source, item.heading or "")):
        raise RecordError(f"id, text, question, heading and source of passage {item.id!r:.60} must be strings")
    check_parts(item.candidate, f"passage {item.id!r:.60}")
    check_readable(item.source, f"the source of passage {item.id!r:.60}")
    check_some_text(item.text, f"the text of passage {item.id!r:.60}")
    if not 0 < len(item.id) <= MAX_ID:
        raise RecordError(f"the id {item.id!r:.60} must have from 1 to {MAX_ID:,} characters")
    if "\0" in item.id + item.content + item.source:
        raise RecordError(f"passage {item.id!r:.60} holds a NUL character, which is no text")
    if len(item.id.encode()) > MOST_BYTES or len(item.source.encode()) > MOST_BYTES:
        raise RecordError(f"the id and the source of passage {item.id!r:.60} may have {MOST_BYTES:,} bytes each")
    try:
        if has_nul(json.loads(write_meta(item.meta))):
            raise ValueError("it holds a NUL character")
        write_meta(item.meta).encode()
    except (TypeError, ValueError) as error:
        raise RecordError(f"the meta of passage {item.id!r:.60} cannot be kept as JSON: {error}") from None
    return item


def has_nul(value: Any) -> bool:
    """Whether there is one in a string of what JSON holds: PostgreSQL keeps none."""
    if isinstance(value, str):
        return "\0" in value
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(map(has_nul, inner))


def kept_item(place: object, values: Sequence[Any]) -> Item:
    """From what a database holds, in which somebody may have written by hand."""
    item = Item(*values)
    texts = (item.id, item.text, item.question, item.heading or "", item.source)
    places = (item.start, item.end, item.line)
    sound = all(isinstance(text, str) for text in texts) and all(type(number) is int for number in places)
    if not sound or not isinstance(item.meta, Mapping):
        raise FormatError(place, f"passage {item.id!r:.60} is not as Anselm writes it; delete it, and add it again")
    return item


def write_meta(meta: Mapping[str, Any]) -> str:
    return json.dumps(dict(meta), ensure_ascii=False, allow_nan=False)
