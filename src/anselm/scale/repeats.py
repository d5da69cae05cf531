"""Ids that come in two pieces of one file. A worker sees its own piece alone, so digests are kept and compared."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from anselm.scale.input_parts import uncut
from anselm.scale.manifest import PartRecord

SIZE = 8  # bytes of a digest: among a hundred million ids, two different ones share theirs once in 3,700 runs


def pack_ids(ids: Iterable[str]) -> str:
    return base64.b64encode(b"".join(blake2b(id.encode(), digest_size=SIZE).digest() for id in ids)).decode()


def find_repeats(records: Iterable[PartRecord]) -> list[str]:
    """A sentence for each list whose id an earlier piece has."""
    files = defaultdict[str, list[PartRecord]](list)
    for record in records:
        if record.ids:
            files[uncut(record.name)].append(record)
    return [sentence for name in sorted(files) for sentence in compare_pieces(files[name])]


def compare_pieces(pieces: list[PartRecord]) -> list[str]:
    pieces = sorted(pieces, key=lambda record: record.name)
    digests = [np.frombuffer(base64.b64decode(record.ids), dtype=np.uint64) for record in pieces]
    starts = np.cumsum([0, *map(len, digests)])
    _, first, which = np.unique(np.concatenate(digests), return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which] != np.arange(len(which)))

    def name(place: int) -> str:
        piece = int(np.searchsorted(starts, place, side="right")) - 1
        return f"list {place - starts[piece] + 1} of {pieces[piece].name}"

    return [f"{name(int(place))} has the id of {name(int(first[which[place]]))}" for place in again]
