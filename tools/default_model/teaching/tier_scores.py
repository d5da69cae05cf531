"""What the tiers make of the lists that verdicts are fitted on (prepare_judged.py), read on a GPU.

    python -m tools.default_model.teaching.tier_scores JUDGED.npz LARGE SMALL LORA READER.onnx OUT.npz

Pair after pair: the accurate model's reader (`score`) and cosine (`large`), the default's (`reader`, `small`). Nothing
is rounded, and candidates are cut, not read in windows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file

from tools.default_model.teaching.arrays import Data, labelled_lists
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.scoring import Similarities, pair_scores, present_reader, say, small_vectors, write


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    data = Data(given.judged, device)
    lists = labelled_lists(data.file)
    small = Similarities(data, "small", small_vectors(given.small, device, kind), lists.asked).of(lists)
    reader = pair_scores(data, lists, "small", present_reader(given.reader, device, kind))
    write(given.out, lists, small=small, reader=reader)
    say("default", len(lists.units), "pairs")
    frozen = {name: one.to(device, kind) for name, one in load_file(given.large / "model.safetensors").items()}
    teacher = Large(frozen).to(device).eval()
    teacher.load_state_dict({name: one.float() for name, one in load_file(given.lora).items()})
    large = Similarities(data, "large", teacher.vectors, lists.asked).of(lists)
    write(given.out, lists, small=small, reader=reader, large=large, score=pair_scores(data, lists, "large", teacher))
    say("done")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("judged", "large", "small", "lora", "reader", "out"):
        parser.add_argument(name, type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
