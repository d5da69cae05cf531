"""The default's folder with another reader: the weights of a student that teaching/pupils.py trained, rounded to int8.

    python -m tools.default_model.make_student OUT ENTRIES.jsonl WEIGHTS.safetensors ... [--share 0.5] [--blend A B]

`--share` of the student's weights and the rest of the present reader's. OUT has the present calibration, which
calibrate_default.py fits anew, and the present card. Needs ANSELM_DATA, for lists to see the ranges on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor

from anselm.checkpoints.blend import Config
from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import READER_GRAPH, Checkpoint
from anselm.checkpoints.checksums import copy_checkpoint, renew_checksums, write_checkpoint
from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.errors import AnselmError
from anselm.export.exporter import batches, pair_rows, to_onnx, write_graph
from anselm.export.quantize import quantize
from anselm.models.crossencoder import CrossEncoder
from anselm.models.frames.dequantized import fill, thaw
from anselm.models.frames.device_networks import Pairs
from tools.default_model.general import write_config
from tools.default_model.make_default import TERMS, some_lists
from tools.default_model.mixture import load_lists, mixture


def make_student(out: Path, model: CrossEncoder, seen: Sequence[Question], config: Config) -> None:
    graph = quantize(to_onnx(Pairs(model), model.encoder, ("ids", "mask", "types")), batches(pair_rows(model, seen)))
    with write_checkpoint(out) as folder:
        copy_checkpoint(SHIPPED / DEFAULT, folder)
        with renew_checksums(folder, READER_GRAPH):
            write_graph(graph, folder / READER_GRAPH)
        write_config(folder, config, TERMS)


def student(files: Sequence[Path], share: float) -> CrossEncoder:
    """The present reader with these weights, or with some of them."""
    model = CrossEncoder.build("cross-encoder", {"base": DEFAULT})
    path = SHIPPED / DEFAULT / READER_GRAPH
    before = thaw(path)
    taught = {name: one.float() for file in files for name, one in load_file(file).items()}
    fill(model, {name: mean(one, taught.get(name), share) for name, one in before.items()}, path)
    return model.eval()


def mean(before: Tensor, taught: Tensor | None, share: float) -> Tensor:
    return before if taught is None else (1 - share) * before + share * taught.reshape(before.shape)


def main() -> None:
    options = parse()
    config = Config.read(Checkpoint.read(SHIPPED / DEFAULT))
    if options.blend:
        config = replace(config, blend=tuple(options.blend))
    if options.blend_entries:
        config = replace(config, entries=tuple(options.blend_entries))
    seen = some_lists(mixture(load_lists, entries=load_dataset(options.entries).questions))
    make_student(options.out, student(options.weights, options.share), seen, config)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("entries", type=Path, help="what tools/default_model/collect_entries.py wrote")
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--blend", type=float, nargs=2)
    parser.add_argument("--blend-entries", type=float, nargs=2)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except AnselmError as error:
        sys.exit(str(error))
