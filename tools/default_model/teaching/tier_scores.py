"""What the tiers make of the lists that verdicts are fitted on (prepare_judged.py), read on a GPU.

    python -m tools.default_model.teaching.tier_scores JUDGED.npz LARGE SMALL LORA READER.onnx OUT.npz

Pair after pair: the accurate model's reader (`score`) and cosine (`large`), the default's (`reader`, `small`). Cosines
are also of what a candidate is compared by and of its text alone (`large_compared`, `large_alone`, and so on). Nothing
is rounded, and candidates are cut, not read in windows.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from tools.default_model.teaching.arrays import Data, Lists, labelled_lists
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.scoring import Similarities, pair_scores, present_reader, say, small_vectors, write


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    data = Data(given.judged, device)
    lists = labelled_lists(data.file)
    small = cosines(Similarities(data, "small", small_vectors(given.small, device, kind), lists.asked), lists)
    reader = pair_scores(data, lists, "small", present_reader(given.reader, device, kind))
    write(given.out, lists, reader=reader, **small)
    say("default", len(lists.units), "pairs")
    frozen = {name: one.to(device, kind) for name, one in load_file(given.large / "model.safetensors").items()}
    teacher = Large(frozen).to(device).eval()
    teacher.load_state_dict({name: one.float() for name, one in load_file(given.lora).items()})
    large = cosines(Similarities(data, "large", teacher.vectors, lists.asked), lists)
    write(given.out, lists, reader=reader, **small, **large, score=pair_scores(data, lists, "large", teacher))
    say("done")


def cosines(similar: Similarities, lists: Lists) -> dict[str, np.ndarray]:
    """By what is read of each candidate, by what it is compared by, and by its text alone."""
    return {
        name: similar.of(replace(lists, units=similar.data.file[column].astype(np.int64)))
        for name, column in columns(similar.numbering).items()
    }


def columns(name: str) -> dict[str, str]:
    """What a cosine is called, and of which units it is."""
    return {name: "listed", f"{name}_compared": "compared", f"{name}_alone": "alone"}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("judged", "large", "small", "lora", "reader", "out"):
        parser.add_argument(name, type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
