"""The teacher scores lists that nobody labelled, and some that somebody did, and writes them down part by part.

    python -m tools.default_model.teaching.scoring TEXTS.npz JUDGED.npz LARGE SMALL LORA READER.onnx OUT --seconds 600

LARGE and SMALL are folders of all-mpnet-base-v2 and all-MiniLM-L6-v2, LORA the adapter of the accurate model, READER
the present default's. Lists come in a random order, so a run that is cut off leaves a fair sample. Each part has, pair
after pair, the teacher's score, the present reader's, and the cosines by both encoders. `--turn 0 2` and `--turn 1 2`
are two runs that write every second part each.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from anselm.models.frames.dequantized import thaw
from tools.default_model.teaching.arrays import Data, Lists, from_sizes, join, labelled_lists, spread
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.rows import Row, by_width
from tools.default_model.teaching.small import WORDS, Small

Read = Callable[[Row], Tensor]

BUDGET = 131_072  # tokens at once
OWN, BY_WORDS, BY_MEANING = 3, 3, 3  # units of a list at most, and one by chance
PART = 16_384  # lists
LABELLED = 55_000  # lists
WANTED = {
    "sentences": 110_000, "headed": 40_000, "passages": 20_000, "posts": 45_000, "manual answers": 60_000,
    "manual entries": 70_000, "manual sentences": 50_000, "terms": 15_000, "manual short answers": 80_000,
    "manual short entries": 35_000, "posts short answers": 20_000, "windows": 30_000, "glosses": 25_000,
}  # lists by the kind of pool  # fmt: skip

BEGAN = time.time()
torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape, and no two batches have the same


def say(*words: object) -> None:
    print(f"{time.time() - BEGAN:7.1f}", *words, flush=True)


def budget(data: Data) -> int:
    return BUDGET if data.device.type == "cuda" else 4096


def small_vectors(folder: Path, device: str, kind: torch.dtype) -> Callable[[Row], Tensor]:
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(folder, dtype=kind, add_pooling_layer=False).to(device).eval()

    def vectors(row: Row) -> Tensor:
        states = encoder(row.ids, attention_mask=row.shown.long()).last_hidden_state
        shown = row.shown[:, :, None].to(states.dtype)
        return functional.normalize(((states * shown).sum(1) / shown.sum(1)).float(), dim=1)

    return vectors


class Similarities:
    """Cosines by one encoder, each text read once."""

    def __init__(self, data: Data, numbering: str, read: Callable[[Row], Tensor], questions: np.ndarray) -> None:
        self.data, self.numbering, self.read = data, numbering, read
        every = np.arange(len(data.units))
        self.units = self._vectors(every, data.lengths[data.units].sum(axis=1), data.unit_rows)
        distinct = np.unique(questions)
        self.place = np.zeros(len(data.lengths), dtype=np.int64)
        self.place[distinct] = np.arange(len(distinct))
        self.questions = self._vectors(distinct, data.lengths[distinct], data.question_rows)

    def _vectors(self, numbers: np.ndarray, lengths: np.ndarray, rows: Callable[..., Row]) -> Tensor:
        parts, order = [], list(by_width(np.minimum(lengths, 254) + 2, budget(self.data)))
        with torch.inference_mode():
            for some in order:
                parts.append(self.read(rows(numbers[some], self.numbering)).half())
        back = torch.from_numpy(np.argsort(np.concatenate(order))).to(self.data.device)
        return torch.cat(parts)[back]

    def of(self, lists: Lists) -> np.ndarray:
        """(pairs,)"""
        asked, device, parts = self.place[lists.questions], self.units.device, []
        for start in range(0, len(asked), 1 << 19):
            inside = slice(start, start + (1 << 19))
            one = self.questions[torch.from_numpy(asked[inside]).to(device)].float()
            parts.append((one * self.units[torch.from_numpy(lists.units[inside]).to(device)].float()).sum(1))
        return torch.cat(parts).cpu().numpy()

    def nearest(self, query: np.ndarray, pool: np.ndarray, pools: np.ndarray, count: int) -> np.ndarray:
        """For each query units of its pool, -1 where there are too few. (queries, count)"""
        found = np.full((len(query), count), -1, dtype=np.int64)
        for number, (start, end) in enumerate(pairwise(pools)):
            mine, texts = np.flatnonzero(pool == number), self.units[start:end]
            for some in np.array_split(mine, max(1, len(mine) // 4096)):
                asked = self.questions[torch.from_numpy(self.place[query[some]]).to(texts.device)]
                if texts.device.type == "cpu":
                    asked, texts = asked.float(), texts.float()
                best = (asked @ texts.t()).topk(min(count, int(end - start)), dim=1).indices.cpu().numpy()
                found[some, : best.shape[1]] = best + start
        return found


def chosen_queries(data: Data, rng: np.random.Generator) -> np.ndarray:
    """So many of each kind of pool as are wanted."""
    names, pool = data.file["pool_names"].tolist(), data.file["query_pool"]
    kinds = [name if name in WANTED else name.split()[-1] for name in names]
    found = []
    for kind, wanted in WANTED.items():
        mine = np.flatnonzero(np.isin(pool, [number for number, one in enumerate(kinds) if one == kind]))
        found.append(rng.permutation(mine)[:wanted])
    return np.concatenate(found)


def unlabelled_lists(data: Data, similar: Similarities, chosen: np.ndarray, rng: np.random.Generator) -> Lists:
    """For each query its own units, those that share words, those of a like meaning, and any."""
    query, pool, own, near = (data.file[name][chosen] for name in ("query", "query_pool", "own", "near"))
    pools = data.file["pools"]
    meant = similar.nearest(query, pool, pools, OWN + BY_WORDS + BY_MEANING)
    drawn = pools[pool] + (rng.random(len(query)) * (pools[pool + 1] - pools[pool])).astype(np.int64)
    asked, sizes, units = [], [], []
    for number in range(len(query)):
        listed = dict.fromkeys([*own[number, :OWN].tolist(), *near[number, :BY_WORDS].tolist()])
        listed.pop(-1, None)
        fresh = [one for one in meant[number].tolist() if one >= 0 and one not in listed][:BY_MEANING]
        listed |= dict.fromkeys([*fresh, int(drawn[number])])
        if len(listed) > 2:
            asked.append(query[number])
            sizes.append(len(listed))
            units += listed
    return from_sizes(np.array(asked), np.array(sizes), np.array(units), np.full(len(units), -1, dtype=np.float32))


def some_labelled(data: Data, rng: np.random.Generator) -> Lists:
    """Some of the labelled lists, a quarter of their questions as people type them."""
    every = labelled_lists(data.file)
    kept = rng.permutation(len(every))[:LABELLED]
    pairs = spread(every.bounds[kept], every.sizes[kept])
    asked = np.where(rng.random(len(kept)) < 0.25, data.file["otherwise"][kept], every.asked[kept])
    return from_sizes(asked, every.sizes[kept], every.units[pairs], every.labels[pairs])


def pick(lists: Lists, kept: np.ndarray) -> Lists:
    pairs = spread(lists.bounds[kept], lists.sizes[kept])
    return from_sizes(lists.asked[kept], lists.sizes[kept], lists.units[pairs], lists.labels[pairs])


def pair_scores(data: Data, lists: Lists, numbering: str, score: Callable[[Row], Tensor]) -> np.ndarray:
    """(pairs,)"""
    widths, questions = data.widths(lists, numbering), lists.questions
    found = torch.empty(len(widths), device=data.device)
    with torch.inference_mode():
        for some in by_width(widths, budget(data)):
            rows = data.rows(questions[some], lists.units[some], numbering)
            found[torch.from_numpy(some).to(data.device)] = score(rows).float()
    return found.cpu().numpy()


def write(path: Path, lists: Lists, **columns: np.ndarray) -> None:
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(
        partial, asked=lists.asked.astype(np.int32), sizes=lists.sizes.astype(np.uint16),
        units=lists.units.astype(np.int32), labels=lists.labels.astype(np.float16),
        **{name: values.astype(np.float16) for name, values in columns.items()},
    )  # fmt: skip
    partial.rename(path)


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    given.out.mkdir(parents=True, exist_ok=True)
    rng, (turn, turns) = np.random.default_rng(3), given.turn
    data, judged = Data(given.texts, device), Data(given.judged, device)
    frozen = {name: one.to(device, kind) for name, one in load_file(given.large / "model.safetensors").items()}
    teacher = Large(frozen).to(device).eval()
    teacher.load_state_dict({name: one.float() for name, one in load_file(given.lora).items()})
    small, reader = small_vectors(given.small, device, kind), present_reader(given.reader, device, kind)
    if turn == 0:
        judge_all(judged, teacher, small, reader, given.out / "judged.npz")
    chosen = chosen_queries(data, rng)
    some = some_labelled(data, rng)
    asked = np.concatenate([some.asked, data.file["query"][chosen]])
    say("queries", len(chosen), "labelled lists", len(some))
    large_similar = Similarities(data, "large", teacher.vectors, asked)
    say("vectors", len(large_similar.units))
    small_similar = Similarities(data, "small", small, asked)
    every = join(some, unlabelled_lists(data, large_similar, chosen, rng))
    every = pick(every, rng.permutation(len(every)))
    say("lists", len(every), "pairs", len(every.units), "mean width", data.widths(every, "large").mean())
    for number, start in enumerate(range(0, len(every), PART)):
        if number % turns != turn:
            continue
        part = pick(every, np.arange(start, min(start + PART, len(every))))
        write(given.out / f"part{number:03}.npz", part, score=pair_scores(data, part, "large", teacher),
              reader=pair_scores(data, part, "small", reader), large=large_similar.of(part),
              small=small_similar.of(part))  # fmt: skip
        say("part", number, "of", -(-len(every) // PART), "pairs", len(part.units))
        if time.time() - BEGAN > given.seconds:
            break
    (given.out / f"done-{turn}-of-{turns}").write_text("done\n")
    say("done")


def judge_all(judged: Data, teacher: Large, small: Read, reader: Read, path: Path) -> None:
    """The dev lists, by all of them."""
    look = labelled_lists(judged.file)
    cosines = {name: Similarities(judged, name, read, look.asked).of(look)
               for name, read in (("large", teacher.vectors), ("small", small))}  # fmt: skip
    scores = pair_scores(judged, look, "large", teacher)
    write(path, look, score=scores, reader=pair_scores(judged, look, "small", reader), **cosines)
    say("judged", len(look), "lists", len(look.units), "pairs")


def present_reader(path: Path, device: str, kind: torch.dtype) -> Read:
    weights = {name: one.to(device) for name, one in thaw(path).items() if one.is_floating_point()}
    model = Small({**weights, WORDS: weights[WORDS].to(kind)}).to(device).eval()
    with torch.inference_mode():
        own = model.cast()
    return lambda row: model(row, own)[0]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "judged", "large", "small", "lora", "reader", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seconds", type=float, default=600, help="after which no further part is begun")
    parser.add_argument("--turn", type=int, nargs=2, default=(0, 1), metavar=("NUMBER", "OF"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
