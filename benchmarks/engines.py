"""Ways to run one cross-encoder on a CPU: pairs per second on WikiQA's test pairs, how far scores move, cold start.

    python -m benchmarks.engines [CHECKPOINT]

All ways take turns within one run, since a shared machine is not equally fast all the time. Without a checkpoint the
model is all-MiniLM-L6-v2 with a random head. Needs ANSELM_DATA and the extras `export` and `openvino`.
"""

# ruff: noqa: T201

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from anselm.checkpoints.checkpoint import GRAPH, Checkpoint
from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.errors import AnselmError
from anselm.runtime import pairs
from anselm.runtime.engines import VARIABLE
from anselm.runtime.pairs import ExportedPairs
from benchmarks.start import seconds

Way = Callable[[Sequence[Question]], list[np.ndarray]]

QUESTIONS = 60  # of 243, so that a run takes minutes
ROUNDS = 5
UNSORTED = 32  # pairs of a batch, in the order in which they come: as FlashRank runs its models


def main() -> None:
    try:
        from anselm.export.exporter import example_questions, export

        with tempfile.TemporaryDirectory() as scratch:
            torch, exact, int8, dynamic, blocks = (Path(scratch) / name for name in ("t", "f", "i", "d", "b"))
            shutil.copytree(sys.argv[1], torch) if len(sys.argv) > 1 else build(torch)
            export(torch, exact, example_questions(), int8=False)
            export(torch, int8, example_questions())
            quantize_dynamically(exact, dynamic)
            quantize_blocks(exact, blocks)
            compare(torch, exact, int8, dynamic, blocks)
            cold_start(int8)
    except (ImportError, AnselmError) as error:
        print(f"\n## Engines: left out, {error}")


def build(folder: Path) -> None:
    import torch

    from anselm.models.crossencoder import build

    torch.manual_seed(1)
    folder.mkdir()
    build("cross-encoder", {}).save(folder)


def quantize_dynamically(exact: Path, folder: Path) -> None:
    """The usual way: the range of activations is that of the whole batch."""
    from onnxruntime.quantization import quantize_dynamic

    shutil.copytree(exact, folder)
    quantize_dynamic(exact / GRAPH, folder / GRAPH, per_channel=True)


def quantize_blocks(exact: Path, folder: Path) -> None:
    """Weights in blocks of 32 with a scale each, and activations rounded per block within the kernel."""
    import onnx
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    shutil.copytree(exact, folder)
    quantizer = MatMulNBitsQuantizer(onnx.load(exact / GRAPH), bits=8, block_size=32, accuracy_level=4)
    quantizer.process()
    onnx.save(quantizer.model.model, folder / GRAPH)


def opened(folder: Path, engine: str) -> ExportedPairs:
    os.environ[VARIABLE] = engine
    return pairs.load(Checkpoint.read(folder))


def unsorted(model: ExportedPairs) -> Way:
    """Batches in the order of the input, each as wide as its widest pair."""
    from anselm.encoding.lists import encode_lists
    from anselm.runtime.rows import lay_out

    def score(questions: Sequence[Question]) -> list[np.ndarray]:
        rows = lay_out(encode_lists(questions, model.tokenizer), model.tokenizer, model.reading)
        batches = np.split(np.arange(len(rows.starts)), range(UNSORTED, len(rows.starts), UNSORTED))
        return [model.engine(rows.pad_rows(pairs, int(rows.widths[pairs].max())))[:, 0] for pairs in batches]

    return score


def compare(torch: Path, exact: Path, int8: Path, dynamic: Path, blocks: Path) -> None:
    from anselm.checkpoints.catalogue import load_model

    questions = load_dataset("wikiqa", "test")[:QUESTIONS]
    ways: dict[str, Way] = {
        "torch, float32": load_model(torch).score,
        "ONNX Runtime, float32": opened(exact, "onnxruntime").score,
        "ONNX Runtime, int8 as exported": opened(int8, "onnxruntime").score,
        "ONNX Runtime, int8 with dynamic ranges": opened(dynamic, "onnxruntime").score,
        "the same in unsorted batches of 32 (FlashRank's way)": unsorted(opened(dynamic, "onnxruntime")),
        "ONNX Runtime, int8 in blocks (MatMulNBits)": opened(blocks, "onnxruntime").score,
        "OpenVINO, float32": opened(exact, "openvino").score,
        "OpenVINO, int8 as exported": opened(int8, "openvino").score,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    scores: dict[str, np.ndarray] = {}
    for _ in range(ROUNDS):
        for name, score in ways.items():
            began = time.perf_counter()
            scores[name] = np.concatenate(score(questions))
            times[name].append(time.perf_counter() - began)
    expected = scores["torch, float32"]
    print(
        f"\n## Engines ({len(expected):,} pairs of WikiQA's test set, tokenizing included, {ROUNDS} rounds in turn)\n"
    )
    print("| way | pairs/s | ratio | drift, rms | drift, most | alone or together |\n|---|---|---|---|---|---|")
    base = np.median(times["ONNX Runtime, float32"])
    for name, score in ways.items():
        middle = np.median(times[name])
        moved = np.abs(scores[name] - expected) / expected.std()
        alone = np.concatenate([np.concatenate(score([question])) for question in questions[:20]])
        company = np.abs(alone - scores[name][: len(alone)]).max() / expected.std()
        print(
            f"| {name} | {len(expected) / middle:.0f} | {base / middle:.2f} | {np.sqrt(np.mean(moved**2)):.4f} "
            f"| {moved.max():.3f} | {company:.0e} |"
        )


def cold_start(folder: Path) -> None:
    path = folder / "candidates.txt"
    path.write_text("".join(f"Answer {i} says that the shop opens at {i} in the morning.\n" for i in range(30)))
    print("\n| `anselm rank`, 30 candidates, a new process | seconds |\n|---|---|")
    for engine in ("onnxruntime", "openvino"):
        os.environ[VARIABLE] = engine
        spent = seconds(sys.executable, "-m", "anselm", "rank", "When?", "-c", str(path), "--model", str(folder))
        print(f"| {engine} | {spent:.2f} |")


if __name__ == "__main__":
    main()
