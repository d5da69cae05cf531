"""A reader in parts: after each part but the last, a small head estimates what the whole would say of a pair.

Where the estimate is hopeless, it stands, and the layers above are not computed. A pair's own score decides, not its
list's: so its score still depends on nothing but the pair. Between an exit and `SOFT` above it, estimate and reading
are mixed, so that a score is a continuous function of the signals, and the last bit of a sum changes only the last bit.

    signals = estimate + w (reading - estimate),   w = (estimated score - exit) / SOFT, from 0 to 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.runtime.engines import OUTPUT, Graph

SOFT = 0.5
ASKED = 32  # tokens of a question; of longer ones, a forum's, the estimates are poor
STATES, BEFORE = "states", "before"  # what a part gives, and what the next one takes


@dataclass(frozen=True)
class Parts:
    """As an engine. There is one exit fewer than graphs."""

    graphs: Sequence[Graph]
    exits: Sequence[float]  # blended scores
    blend: Sequence[float]  # what relevance and similarity count
    long: int  # tokens of the second text; longer ones are read to the end, since other things count in their score

    def __call__(self, rows: Mapping[str, Any]) -> NDArray[np.float32]:
        said = rows["types"].sum(axis=1)  # with a [SEP]
        asked = rows["mask"].sum(axis=1) - said  # with [CLS] and [SEP]
        return self._read(0, rows, (said - 1 <= self.long) & (asked - 2 <= ASKED))

    def _read(self, place: int, rows: Mapping[str, Any], short: NDArray[np.bool_]) -> NDArray[np.float32]:
        found = self.graphs[place](rows)
        signals = found[OUTPUT]
        if place == len(self.exits):
            return signals
        mixed = np.clip((signals @ np.array(self.blend) - self.exits[place]) / SOFT, 0, 1)  # w above
        weights = np.where(short, mixed, 1).astype(np.float32)
        on = np.flatnonzero(weights)
        if len(on):
            further = {BEFORE: found[STATES][on], "mask": rows["mask"][on], "types": rows["types"][on]}
            signals[on] += weights[on, None] * (self._read(place + 1, further, short[on]) - signals[on])
        return signals
