"""Train a fast student of the "static" kind further on a CPU: each question is read once for all of its candidates.

    python -m tools.default_model.teaching.lean TEXTS.npz PARTS OUT WEIGHTS.safetensors ... --seconds 900

Computes what late.py does, list by list in place of pair by pair, which is several times less. Lists of long candidates
are taken less often.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from tools.default_model.teaching.arrays import Data, Lists, spread
from tools.default_model.teaching.late import SHARP, Late, unit
from tools.default_model.teaching.lessons import (
    BLEND,
    CLOSE,
    ENTRIES,
    Clock,
    Mean,
    blended,
    entry_units,
    mixed_shares,
    read_part,
)
from tools.default_model.teaching.losses import taught_loss
from tools.default_model.teaching.scoring import say

LISTS = 32  # of a step
MOST, MOST_ASKED, LONG, OFTEN = 128, 48, 90, 0.3  # pieces; lists with a longer candidate are taken so often
CHUNKS = 4
RATE, TABLE_RATE, SIMILAR = 7e-4, 1.2e-3, 2.0


@dataclass(frozen=True)
class Step:
    lists: Lists
    columns: dict[str, np.ndarray]
    some: np.ndarray


def steps(folder: Path, data: Data, rng: np.random.Generator) -> Iterator[Step]:
    paths = sorted(folder.glob("part[0-9][0-9][0-9].npz"))
    lengths = data.lengths[data.units].sum(axis=1)
    while True:
        for number in rng.permutation(len(paths)):
            lists, columns = read_part(paths[number])
            longest = np.maximum.reduceat(lengths[lists.units], lists.bounds[:-1])
            taken = (longest <= LONG) | (rng.random(len(lists)) < OFTEN)
            order = rng.permutation(np.flatnonzero(taken))
            for start in range(0, len(order) - LISTS + 1, LISTS):
                yield Step(lists, columns, order[start : start + LISTS])


class Flat:
    """Texts as padded rows of places in the pieces of a step."""

    def __init__(self, data: Data) -> None:
        self.ids = data.file["ids"].astype(np.int64)
        self.lengths = data.lengths
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.units = data.units

    def rows(
        self, texts: list[np.ndarray], lengths: np.ndarray, end: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        width = int(lengths.max()) + (end is not None)
        ids = np.zeros((len(texts), width), dtype=np.int64)
        shown = np.arange(width) < lengths[:, None]
        for row, text in zip(ids, texts, strict=True):
            row[: len(text)] = text
            if end is not None:
                row[len(text)] = end
        return ids, shown

    def text(self, number: int, most: int) -> np.ndarray:
        return self.ids[self.starts[number] : self.starts[number] + min(self.lengths[number], most)]

    def unit(self, number: int) -> np.ndarray:
        above, said = self.units[number]
        return np.concatenate([self.text(above, MOST), self.text(said, MOST)])[:MOST]


def score(model: Late, flat: Flat, step: Step) -> tuple[Tensor, Tensor]:
    """Of all pairs of a step: scores, and cosines of the texts as a whole."""
    lists, sizes = step.lists, step.lists.sizes[step.some]
    questions = [flat.text(number, MOST_ASKED) for number in lists.asked[step.some]]
    pairs = spread(lists.bounds[step.some], sizes)
    texts = [flat.unit(number) for number in lists.units[pairs]]
    asked_ids, asked = flat.rows(questions, np.array([len(one) for one in questions]), 102)
    lengths, owner = np.array([len(one) for one in texts]), np.repeat(np.arange(len(sizes)), sizes)
    which = np.unique(np.concatenate([asked_ids.ravel(), np.concatenate(texts), [0]]))
    table, rarity = model.table[torch.from_numpy(which)], model.rarity[torch.from_numpy(which)]
    small = torch.from_numpy(np.searchsorted(which, asked_ids))
    shown = torch.from_numpy(asked)
    states = functional.embedding(small, table) + model.place[: small.shape[1]]
    for layer in model.layers:
        states = layer(states, shown)
    weight = shown * torch.exp(rarity[small] + model.matter(states).squeeze(2))
    weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1e-6)
    whole = (weight[:, :, None] * states).sum(dim=1)
    sought = unit(model.probes(whole).unflatten(1, (-1, whole.shape[1])))
    context, units = model.context(states), unit(states)
    count = shown.sum(dim=1).float().log1p()
    order, scores, cosines = np.argsort(lengths, kind="stable"), [], []
    for part in np.array_split(order, CHUNKS):
        ids, inside = flat.rows([texts[place] for place in part], np.maximum(lengths[part], 1))
        mine, said = torch.from_numpy(owner[part]), torch.from_numpy(inside)
        longest = int(shown[mine].sum(dim=1).max()) + 1
        places = torch.from_numpy(np.searchsorted(which, ids))
        candidate = functional.embedding(places, table) * said[:, :, None]
        both = unit(candidate).transpose(1, 2)
        sim = torch.bmm(units[mine, :longest], both).masked_fill(~said[:, None], -1.0)
        signs = model.partners(
            sim, said[:, None], torch.from_numpy(asked_ids)[mine, :longest, None] == torch.from_numpy(ids)[:, None]
        )
        hidden = functional.relu(model.signs(signs) + context[mine, :longest])
        share = weight[mine, :longest]
        met = (share[:, :, None] * hidden).sum(dim=1)
        probed = torch.bmm(sought[mine], both).masked_fill(~said[:, None], -1.0).amax(dim=2)
        heavy = said * torch.exp(functional.embedding(places, rarity[:, None]).squeeze(2))
        product = unit(whole)[mine] * unit((heavy[:, :, None] * candidate).sum(dim=1))
        cosine = product.sum(dim=1, keepdim=True)
        size = torch.stack([said.sum(dim=1).float().log1p(), count[mine]], dim=1)
        found = torch.cat([met, model.dense(sim, share, said), probed, model.product(product * SHARP), cosine, size], 1)
        scores.append(model.head(functional.relu(model.wide(found))).squeeze(1))
        cosines.append(cosine.squeeze(1))
    back = torch.from_numpy(np.argsort(order))
    return torch.cat(scores)[back], torch.cat(cosines)[back]


def loss_of(model: Late, flat: Flat, step: Step, entry: np.ndarray) -> tuple[Tensor, Tensor, int]:
    """What is taught, alone and with the similarity; and of how many pairs."""
    sizes = step.lists.sizes[step.some]
    pairs = spread(step.lists.bounds[step.some], sizes)
    kept = {name: torch.from_numpy(values[pairs]) for name, values in step.columns.items()}
    taught = blended(kept["score"], kept["large"], torch.from_numpy(entry[step.lists.units[pairs]]), BLEND, ENTRIES)
    owner = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
    share = mixed_shares(taught, kept["labels"], owner, len(sizes))
    scores, cosines = score(model, flat, step)
    value = taught_loss(scores, taught, share, owner, torch.ones(len(sizes)), CLOSE)
    return value, value + SIMILAR * (cosines - kept["large"]).square().mean(), len(pairs)


def main() -> None:
    given = parse()
    torch.manual_seed(2)
    data = Data(given.texts, "cpu")
    state = {name: one.float() for path in given.weights for name, one in load_file(path).items()}
    layers = sum(name.endswith("qkv.bias") for name in state)
    probes = len(state["probes.bias"]) // state["table"].shape[1]
    model = Late(state["table"], state["rarity"], layers, "static", probes)
    model.load_state_dict(state)
    entry, flat, clock = entry_units(data), Flat(data), Clock(given.seconds, 1e12)
    tables = [model.table, model.rarity]
    others = [one for name, one in model.named_parameters() if name not in ("table", "rarity")]
    groups = [{"params": others, "weight_decay": 0.01}, {"params": tables, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)
    weights = list(model.parameters())
    mean, seen, shown, saved = Mean(weights, 0.995), 0, 0.0, time.time()
    for number, step in enumerate(steps(given.parts, data, np.random.default_rng(given.seed)), 1):
        plain, value, pairs = loss_of(model, flat, step, entry)
        value.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        for group, rate in zip(optimizer.param_groups, (RATE, TABLE_RATE), strict=True):
            group["lr"] = rate * clock.rate(number)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        mean.add(weights)
        seen, shown = seen + pairs, shown * 0.98 + float(plain.detach()) * 0.02 if number > 1 else float(plain.detach())
        if number % 25 == 0:
            say(f"step {number}, {seen / 1e6:.3f}M pairs, loss {shown:.4f}, {clock.gone:.3f} over")
        if clock.gone >= 1 or time.time() - saved > 120:
            saved = time.time()
            names = [name for name, _ in model.named_parameters()]
            kept = {name: one.contiguous() for name, one in zip(names, mean.weights, strict=True)}
            save_file(kept, given.out.with_suffix(".partial"))
            given.out.with_suffix(".partial").rename(given.out)
        if clock.gone >= 1:
            break


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "parts", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
