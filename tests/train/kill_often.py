"""A run that is killed again and again: kill_often.py FOLDER KILLS SEED

The run saves after every step. Each time a fork of this process trains until it is killed with SIGKILL at a random
moment, and the state that it leaves must load; the next one goes on from there. At last one is left alone, and must
end like the undisturbed run in FOLDER/whole. Forks start with everything imported, so that the moments fall into
training and saving.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from standin import EVERYTHING, make_loop

from anselm.train.state import load_state

TRAINING = replace(EVERYTHING, epochs=12, patience=0)
TOTAL = 12 * 5  # steps


def train_in_a_fork(folder: Path, kill_after: float | None = None) -> bool:
    """Whether it was killed."""
    child = os.fork()
    if child == 0:
        make_loop(folder, TRAINING).run()
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main(folder: Path, kills: int, seed: int) -> None:
    """Prints the steps that the killed forks had saved."""
    rng, reached, run = random.Random(seed), [], 0
    torch.set_num_threads(1)  # threads do not survive a fork
    make_loop(folder / "whole", TRAINING)  # imports the last of what a fork needs
    began = time.perf_counter()
    train_in_a_fork(folder / "whole")
    longest = (time.perf_counter() - began) / 3
    while len(reached) < kills:
        place = folder / f"killed-{run}"
        if train_in_a_fork(place, kill_after=rng.uniform(0, longest)):
            state = load_state(place / "state.safetensors")  # raises where it is not whole
            reached.append(state.numbers["progress"]["step"] if state else 0)
            run += bool(reached[-1] == TOTAL)  # nothing is left to be killed
        else:
            run += 1
    for place in folder.glob("killed-*"):
        train_in_a_fork(place)
    sys.stdout.write(json.dumps(reached))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
