"""What the tiers make of the lists that verdicts are fitted on (prepare_judged.py), read on a GPU.

    python -m tools.default_model.teaching.tier_scores JUDGED.npz LARGE SMALL LORA READER.onnx OUT.npz

Pair after pair: the accurate model's reader (`score`) and cosine (`large`), the default's (`reader`, `small`). Nothing
is rounded, and candidates are cut, not read in windows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from anselm.models.frames.dequantized import thaw
from tools.default_model.teaching.arrays import Data, labelled_lists
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.scoring import Similarities, pair_scores, say, small_vectors, write
from tools.default_model.teaching.small import WORDS, Small


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    data = Data(given.judged, device)
    lists = labelled_lists(data.file)
    small = Similarities(data, "small", small_vectors(given.small, device, kind), lists.asked).of(lists)
    reader = reader_scores(given.reader, data, kind)
    write(given.out, lists, small=small, reader=reader)
    say("default", len(lists.units), "pairs")
    frozen = {name: one.to(device, kind) for name, one in load_file(given.large / "model.safetensors").items()}
    teacher = Large(frozen).to(device).eval()
    teacher.load_state_dict({name: one.float() for name, one in load_file(given.lora).items()})
    large = Similarities(data, "large", teacher.vectors, lists.asked).of(lists)
    write(given.out, lists, small=small, reader=reader, large=large, score=pair_scores(data, lists, "large", teacher))
    say("done")


def reader_scores(path: Path, data: Data, kind: torch.dtype) -> np.ndarray:
    weights = {name: one.to(data.device) for name, one in thaw(path).items() if one.is_floating_point()}
    model = Small({**weights, WORDS: weights[WORDS].to(kind)}).to(data.device).eval()
    with torch.inference_mode():
        own = model.cast()
    return pair_scores(data, labelled_lists(data.file), "small", lambda row: model(row, own)[0])


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("judged", "large", "small", "lora", "reader", "out"):
        parser.add_argument(name, type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
