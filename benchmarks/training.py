"""Feeding a GPU: joining tokens on the device, beside tokenizing and padding each step, and a whole training step.

Needs a GPU, ANSELM_DATA, and the encoder all-MiniLM-L6-v2.
"""

# ruff: noqa: T201

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from anselm.data.datasets import load_dataset
from anselm.errors import AnselmError

PARTS = (("squad", "train-subset"), ("squadshifts", "wiki"), ("squadshifts", "amazon"), ("trecqa", "train-all"),
         ("wikiqa", "train"), ("semeval-2016", "train"), ("selqa", "dev"))  # fmt: skip
STEPS = 20


def main() -> None:
    problem = why_not()
    if problem:
        print(f"\n## Training: left out, {problem}")
    else:
        measure()


def why_not() -> str:
    """On a CPU the arithmetic takes so long that how a batch is made does not matter."""
    try:
        import torch

        from anselm.models.frames.pretrained import find_encoder

        find_encoder("all-MiniLM-L6-v2")
    except (ImportError, AnselmError) as error:
        return str(error)
    return "" if torch.cuda.is_available() else "there is no GPU"


def measure() -> None:
    import torch
    from tokenizers import Tokenizer

    from anselm.models.crossencoder import build
    from anselm.models.frames.pretrained import find_encoder
    from anselm.train.hyperparameters import Training
    from anselm.train.loop import Loop

    lists = [question for name, split in PARTS for question in load_dataset(name, split)]
    model = build("cross-encoder", {}).to("cuda")
    training = Training(epochs=1, batch_lists=64, batch_tokens=131_072, precision="bf16")
    loop = Loop(model, lists, training, Path(tempfile.mkdtemp()))
    planned, batches = loop._plan(0)
    texts = [[(question.text, c.text) for c in question.candidates] for question in loop.questions]
    tokenizer = Tokenizer.from_file(str(Path(find_encoder("all-MiniLM-L6-v2")) / "tokenizer.json"))
    tokenizer.enable_padding()

    def naive(index: int) -> None:
        encoded = tokenizer.encode_batch([pair for i in batches[index] for pair in texts[i]])
        for part in ("ids", "attention_mask", "type_ids"):
            torch.tensor([getattr(row, part) for row in encoded], device="cuda")

    def ours(index: int) -> None:
        model.collate(loop.placed, planned.pick(batches[index]))

    print(f"\n## Training ({torch.cuda.get_device_name()}; {len(planned.labels):,} pairs, batches of 64 lists)\n")
    print("| part | ms a batch | s an epoch |\n|---|---|---|")
    parts = {"tokenize and pad each step": naive, "join tokens on the device": ours}
    parts["a whole training step"] = lambda index: loop._step(planned.pick(batches[index]))
    for label, work in parts.items():
        value = seconds(work, torch.cuda.synchronize)
        print(f"| {label} | {1000 * value:.1f} | {value * len(batches):.1f} |")


def seconds(work: Callable[[int], None], wait: Callable[[], None]) -> float:
    for index in range(3):
        work(index)
    wait()
    began = time.perf_counter()
    for index in range(3, 3 + STEPS):
        work(index)
    wait()
    return (time.perf_counter() - began) / STEPS


if __name__ == "__main__":
    main()
