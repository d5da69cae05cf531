"""Students of the default beside its present reader: what means of their weights think of the dev lists, by family.

    python -m tools.default_model.teaching.shares JUDGED.npz PARTS/judged.npz READER.onnx OUT NAME=FOLDER,FOLDER ...

PARTS/judged.npz is what scoring.py wrote. A student is a name and the folders with its weights;
`A,A-2+B,B-2` is the mean of two. OUT has the scores,
pair after pair, of each share of each, and families.txt a row for each family with MAP / right first / area of the best
score in the present blend, and MAP at other weights of the similarity beside a weight of 1 for the reader.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from anselm.models.frames.dequantized import thaw
from tools.default_model.teaching.arrays import Data, Lists, labelled_lists
from tools.default_model.teaching.judging import Table, judge
from tools.default_model.teaching.lessons import entry_units
from tools.default_model.teaching.scoring import pair_scores, say
from tools.default_model.teaching.small import WORDS, Small

SHARES = (0.25, 0.5, 0.75, 1.0)
WEIGHTS = (3.0, 5.0, 7.0, 8.5, 10.0, 12.0, 15.0, 20.0, 30.0, 45.0)  # of the similarity
NOW, NOW_ENTRIES = 6.4 / 0.634, 30.0


def mixed(reader: dict[str, Tensor], taught: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """So much of what was taught, and the rest of the reader."""
    return {
        name: torch.lerp(one, taught[name].reshape(one.shape), share) if name in taught else one
        for name, one in reader.items()
    }


def taught_weights(folders: Sequence[str], device: str) -> dict[str, Tensor]:
    files = [path for folder in folders for path in sorted(Path(folder).glob("default-*.safetensors"))]
    return {name: one.to(device).float() for path in files for name, one in load_file(path).items()}


def scores_of(weights: dict[str, Tensor], judged: Data, look: Lists) -> np.ndarray:
    kind = torch.bfloat16 if judged.device.type == "cuda" else torch.float32
    model = Small({**weights, WORDS: weights[WORDS].to(kind)}).to(judged.device).eval()
    with torch.inference_mode():
        own = model.cast()
    return pair_scores(judged, look, "small", lambda row: model(row, own)[0])


def families(table: Table) -> Table:
    """Means over the sources of a family; pools have one of each."""
    rows: dict[str, list[dict[str, float]]] = {}
    for name, row in table.items():
        rows.setdefault(name if name.startswith("pools") else name.split("/")[0], []).append(row)
    return {
        family: {mark: float(np.mean([row[mark] for row in some])) for mark in ("map", "first", "auc")}
        for family, some in rows.items()
    }


def spell(judged: Data, look: Lists, scores: np.ndarray, cosines: np.ndarray) -> list[str]:
    """A line for each family: as blended now, then by the weight of the similarity."""
    entry = entry_units(judged)[look.units]
    by_weight = {
        weight: families(judge(judged.file, look, scores + np.where(entry, most, weight) * cosines, lambda name: True))
        for weight, most in (*((one, one) for one in WEIGHTS), (NOW, NOW_ENTRIES))
    }
    lines = []
    for family, now in by_weight[NOW].items():
        others = " ".join(f"{weight:g}:{by_weight[weight][family]['map']:.4f}" for weight in WEIGHTS)
        lines.append(f"{family:22} {now['map']:.4f} / {now['first']:.3f} / {now['auc']:.3f} | {others}")
    return lines


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given.out.mkdir(parents=True, exist_ok=True)
    judged = Data(given.judged, device)
    look = labelled_lists(judged.file)
    cosines = np.load(given.cosines)["small"].astype(np.float32)
    reader = {name: one.to(device) for name, one in thaw(given.reader).items() if one.is_floating_point()}
    runs = {"present": reader}
    for name, _, folders in (one.partition("=") for one in given.students):
        students = [taught_weights(some.split(","), device) for some in folders.split("+")]
        taught = {key: torch.stack([one[key] for one in students]).mean(dim=0) for key in students[0]}
        say(name, len(taught), "weights of", len(students), "students")
        runs |= {f"{name}-{share}": mixed(reader, taught, share) for share in SHARES}
    lines = []
    for name, weights in runs.items():
        scores = scores_of(weights, judged, look)
        np.savez_compressed(given.out / f"judged-{name}.npz", scores=scores.astype(np.float16))
        lines += [f"== {name}", *spell(judged, look, scores, cosines)]
        say(name)
    (given.out / "families.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    say("\n".join(lines))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("judged", "cosines", "reader", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("students", nargs="*")
    return parser.parse_args()


if __name__ == "__main__":
    main()
