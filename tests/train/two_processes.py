"""What several processes do together, each run in a folder of its own: torchrun ... two_processes.py FOLDER"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

from accelerate import PartialState
from standin import EVERYTHING, StandIn, dev_metric, make_loop

from anselm.errors import InputError
from anselm.train.hyperparameters import Progress

# 13 lists in batches of 4: the last batch has a single list, so that one process has none.
SHARED = {
    loss: replace(EVERYTHING, loss=loss, batch_lists=4, patience=2, save_seconds=600)
    for loss in ("pointwise", "pairwise", "listwise")
}
MIDDLE = 7  # a step in the middle of an epoch


def main(folder: Path) -> None:
    for loss, training in SHARED.items():
        make_loop(folder / loss, training, dropout=0.0).run()
    disagree(folder / "disagreeing")
    resume(folder)
    look_elsewhere(folder)


def disagree(folder: Path) -> None:
    """The metric of each process says something else: were each to follow its own, they would stop apart."""
    model = StandIn()
    metric, sign = dev_metric(model), 1 - 2 * PartialState().process_index
    make_loop(folder, SHARED["listwise"], model=model, metric=lambda: sign * metric()).run()


def resume(folder: Path) -> None:
    """What the state was in the middle of a whole run is run to the end: also dropout, which differs by process."""

    def copy(progress: Progress) -> None:
        if progress.step == MIDDLE:
            shutil.copytree(folder / "whole", folder / "resumed")

    make_loop(folder / "whole", watch=copy).run()
    make_loop(folder / "resumed").run()


def look_elsewhere(folder: Path) -> None:
    """A process that does not see the folder of the first."""
    process = PartialState().process_index
    try:
        make_loop(folder / ("elsewhere" if process else "whole")).run()
    except InputError as error:
        (folder / f"error-{process}").write_text(str(error), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
