"""Train the teacher on the labelled lists. Needs a GPU; a CPU does a few steps, to try it.

    python -m tools.default_model.teaching.teach TEXTS.npz JUDGED.npz LARGE WORK --seconds 240

TEXTS is what prepare_teaching.py wrote, JUDGED dev lists (prepare_judged.py), LARGE a folder with the large encoder. It
is told how many seconds it has; the rate falls with the time that is left. WORK/lora.safetensors is what scoring.py
reads then, and students (pupils.py) learn from what that writes.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tools.default_model.teaching.arrays import Data, Lists, labelled_lists, spread, steps
from tools.default_model.teaching.judging import judge, spell
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.lessons import Clock
from tools.default_model.teaching.losses import labelled_loss
from tools.default_model.teaching.rows import by_width
from tools.default_model.teaching.scoring import Similarities, pair_scores, say

STEP, CHUNK = 131_072, 49_152  # tokens of a step, and of what is read at once
RATE = 5e-4
REMOVED, OTHERWISE = 0.2, 0.25  # of the lists: their answers taken out; their questions as people type them
LEVEL = 0.5
WEIGHTS = (0.0, 4.0, 8.0, 12.0, 16.0, 24.0)  # of the similarity, to look at


@dataclass(frozen=True)
class Labelled:
    lists: Lists
    otherwise: np.ndarray  # (lists,) their questions as people type them
    widths: np.ndarray  # (pairs,) tokens


def step_loss(teacher: Large, data: Data, every: Labelled, some: np.ndarray, rng: np.random.Generator) -> Tensor:
    """Of some of the lists."""
    lists = every.lists
    pairs, sizes = spread(lists.bounds[some], lists.sizes[some]), lists.sizes[some]
    typed = rng.random(len(some)) < OTHERWISE
    asked = np.repeat(np.where(typed, every.otherwise[some], lists.asked[some]), sizes)
    owner, labels = np.repeat(np.arange(len(some)), sizes), lists.labels[pairs]
    kept = ~((rng.random(len(some)) < REMOVED)[owner] & (labels > 0))
    asked, units, widths = asked[kept], lists.units[pairs][kept], every.widths[pairs][kept]
    order = list(by_width(widths, CHUNK))
    scores = torch.cat([teacher(data.rows(asked[part], units[part], "large")) for part in order])
    back = data._put(np.argsort(np.concatenate(order)))
    return labelled_loss(scores[back], data._put(labels[kept]), data._put(owner[kept]), len(some), LEVEL)


def train(teacher: Large, data: Data, seconds: float, epochs: int) -> None:
    lists, rng, clock = labelled_lists(data.file), np.random.default_rng(7), Clock(seconds, 1e12)
    every = Labelled(lists, data.file["otherwise"], data.widths(lists, "large"))
    chosen = [one for one in teacher.parameters() if one.requires_grad]
    cuda = data.device.type == "cuda"
    optimizer = torch.optim.AdamW(chosen, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98), fused=cuda)
    number = 0
    teacher.train()
    for _ in range(epochs):
        for some in steps(lists, every.widths, STEP if cuda else 4096, rng):
            number += 1
            value = step_loss(teacher, data, every, some, rng)
            value.backward()
            torch.nn.utils.clip_grad_norm_(chosen, 1.0)
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(number / 60, 1 - clock.gone)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            if number % (50 if cuda else 1) == 0:
                say(f"step {number}, loss {float(value):.4f}, {clock.gone:.2f} of the time")
            if clock.gone >= 1 or (not cuda and number >= 3):
                break
    teacher.eval()


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    torch.manual_seed(1)
    data, judged = Data(given.texts, device), Data(given.judged, device)
    frozen = {name: one.to(device, kind) for name, one in load_file(given.large / "model.safetensors").items()}
    teacher = Large(frozen).to(device).eval()
    train(teacher, data, given.seconds, given.epochs)
    state = {name: one.detach().half().contiguous() for name, one in teacher.state_dict().items()}
    save_file(state, given.work / "lora.safetensors")
    look = labelled_lists(judged.file)
    scores = pair_scores(judged, look, "large", teacher)
    similar = Similarities(judged, "large", teacher.vectors, look.asked).of(look)
    for weight in WEIGHTS:
        table = judge(judged.file, look, scores + weight * similar, lambda name: True)
        say(f"teacher, + {weight} similarity", spell(table))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "judged", "large", "work"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--epochs", type=int, default=3, help="at most")
    return parser.parse_args()


if __name__ == "__main__":
    main()
