"""Train the cross-encoder of the default ranker again. Needs ANSELM_DATA and torch; better with a GPU.

    python scripts/train_default.py reader                        # the mean of seeds 1 to 4
    python scripts/train_default.py reader-selqa --without selqa  # to measure on a corpus that was held out

Each seed trains a model on the lists of anselm.recipes.mixture; the mean of their weights is saved. The runs begin with
the same weights and differ in the order of the lists. No dev set has a say: the running mean at the last step is kept,
since any dev set would choose for its own kind of question.

The shipped weights came from a run of the same recipe on one H200, and not bit by bit from this code: the lists are of
the same questions, but the wrong candidates that joined them were drawn otherwise.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import Tensor

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.files import write_folder_atomically
from anselm.models.crossencoder import CrossEncoder, build
from anselm.recipes.mixture import load_lists, mixture
from anselm.train.loop import Loop
from anselm.train.training import Progress, Training

CONFIG = {"max_length": 192, "max_question": 64, "similarity": True}
HEADS_SEED = 1


def train(questions: Sequence[Question], seed: int, config: Mapping[str, object] = CONFIG) -> CrossEncoder:
    torch.manual_seed(HEADS_SEED)  # the heads are drawn at random; runs that share them can be averaged
    model = build("cross-encoder", config)
    # Half of all weights. They stay those of the untouched encoder, whose similarity the second head has to estimate.
    model.encoder.get_input_embeddings().requires_grad_(False)
    training = Training(
        epochs=2, rate=1e-4, batch_lists=64, batch_tokens=131_072, average=0.999, seed=seed,
        precision="bf16" if torch.cuda.is_available() else "no",
    )  # fmt: skip

    def watch(progress: Progress) -> None:
        if progress.step % training.log_steps == 0:
            print(f"seed {seed}: step {progress.step} of {progress.steps}, loss {progress.loss}", flush=True)

    with TemporaryDirectory() as folder:
        Loop(model, questions, training, Path(folder), watch=watch, about=asdict(model.config)).run()
    return model.cpu().eval()


def mean_weights(models: Sequence[CrossEncoder]) -> dict[str, Tensor]:
    """One model of several that were fine-tuned from the same encoder (model soups; Wortsman et al., 2022)."""
    states = [model.state_dict() for model in models]
    return {name: torch.stack([state[name] for state in states]).mean(dim=0) for name in states[0]}


def spread_over(questions: Sequence[Question], limit: int) -> Sequence[Question]:
    """About so many, of every kind."""
    return questions[:: max(1, len(questions) // limit)][:limit]


def main() -> None:
    parser = argparse.ArgumentParser(description="train the cross-encoder of the default ranker")
    parser.add_argument("out", type=Path, help="a new checkpoint folder")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--without", action="append", default=[], metavar="CORPUS", help="hold a corpus out")
    parser.add_argument("--limit", type=int, metavar="LISTS", help="train on so many lists only, to try it")
    given = parser.parse_args()
    if given.out.exists():  # before the training, not after it
        raise InputError(f"{given.out} exists already; give the name of a new folder")
    questions: Sequence[Question] = mixture(load_lists, given.without)
    if given.limit:
        questions = spread_over(questions, given.limit)
    print(f"{len(questions):,} lists", flush=True)
    models = [train(questions, seed) for seed in given.seeds]
    models[0].load_state_dict(mean_weights(models))
    with write_folder_atomically(given.out) as folder:
        models[0].save(folder)


if __name__ == "__main__":
    main()
