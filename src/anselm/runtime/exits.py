"""A reader in parts: after each part but the last, a small head estimates what the whole would say of a pair.

Where the estimate is hopeless, it stands, and the layers above are not computed. What decides is the pair's own score,
without what the length of the answer adds to it, and not its list's: so it still depends on nothing but the pair.
Between an exit and `SOFT` above it, estimate and reading are mixed, so that a score is a continuous function of the
signals, and the last bit of a sum changes only the last bit.

    signals = reading + (1 - w) (estimate - reading),   w = (estimated score - exit) / SOFT, from 0 to 1

Nobody leaves where the similarity is not the reader's own, which is with long answers, nor where the estimates are
poor, which is with long questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.models.features import Lists
from anselm.models.general import Config, reader_files, score_weights
from anselm.runtime.engines import BEFORE, FIRST, LAST, MIDDLE, OUTPUT, PAIRS, STATES, Graph, open_graph

SOFT = 0.5
ASKED = 16  # tokens of a question; with 32, forum threads lost 0.005 MAP on dev


@dataclass(frozen=True)
class Parts:
    """As an engine. There is one exit fewer than graphs."""

    graphs: Sequence[Graph]
    exits: Sequence[float]  # scores
    weights: Sequence[float]  # of both signals in a score

    def __call__(self, rows: Mapping[str, Any]) -> NDArray[np.float32]:
        return self._read(0, rows)

    def to_the_end(self) -> Parts:
        """The same, and nobody leaves."""
        return replace(self, exits=[-np.inf for _ in self.exits])

    def _read(self, place: int, rows: Mapping[str, Any]) -> NDArray[np.float32]:
        found = self.graphs[place](rows)
        signals = found[OUTPUT]
        if place == len(self.exits):
            return signals
        w = np.clip((signals @ np.array(self.weights) - self.exits[place]) / SOFT, 0, 1).astype(np.float32)
        on = np.flatnonzero(w)
        if len(on):
            further = {BEFORE: found[STATES][on], "mask": rows["mask"][on], "types": rows["types"][on]}
            reading = self._read(place + 1, further)
            signals[on] = reading + (1 - w[on, None]) * (signals[on] - reading)
        return signals


def open_parts(folder: Path, config: Config, threads: int | None = None) -> Parts:
    """The reader of a checkpoint."""
    files = reader_files(len(config.exits))
    kinds = [FIRST, *(MIDDLE for _ in files[2:]), LAST] if config.exits else [PAIRS]
    graphs = [open_graph(folder / file, threads, (kind,)) for file, kind in zip(files, kinds, strict=True)]
    return Parts(graphs, config.exits, score_weights(config))


def may_leave(lists: Lists, config: Config) -> NDArray[np.bool_]:
    """Which pairs an exit is for. (pairs,)"""
    asked, said = np.repeat(lists.questions, lists.sizes), lists.candidates
    return np.asarray((lists.texts.lengths[asked] <= ASKED) & (lists.texts.lengths[said] <= config.long))
