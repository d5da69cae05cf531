"""Train the cross-encoder of the default ranker again, and first its teacher. Needs ANSELM_DATA, torch and a GPU.

    python -m tools.default_model.collect_entries entries.jsonl
    python -m tools.default_model.train_default teacher entries.jsonl teacher
    python -m tools.default_model.train_default reader entries.jsonl reader --teacher teacher
    python -m tools.default_model.train_default reader entries.jsonl other --teacher teacher --seeds 1 --without selqa

The teacher is a large cross-encoder, trained on the lists of mixture.py but those of Stack Exchange and
SelQA, so that a reader that was held out from one of them is not told about it by its teacher. The reader is a small
one. It learns from the labels and from what the teacher says of the same lists. It is trained twice: whole, and then,
from there on, as one whose upper layers read the question alone (anselm.layers.funnel). Each seed trains one; the mean
of their weights is what counts. They begin with the same weights and differ in the order of the lists. No dev set has a
say: the running mean at the last step is kept, since any dev set would choose for its own kind of question.

The shipped weights came from runs of the same recipe on one H200, and not bit by bit from this code: the entries were
collected, and the nearly right sentences made, by other code, nine sources of entries were left out to be measured on,
and the teacher and the narrowing runs began with weights that had been rounded to int8 for the way to the machine. The
readers had a second head, which nothing uses any more; those that were held out from a corpus were narrow from the
start, and trained for three epochs.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from anselm.checkpoints.catalogue import load_model
from anselm.checkpoints.checksums import write_checkpoint
from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.errors import AnselmError, InputError
from anselm.models.crossencoder import CrossEncoder, build
from anselm.outputs import check_new
from anselm.train.hyperparameters import Progress, Training
from anselm.train.loop import Loop
from tools.default_model.mixture import load_lists, mixture
from tools.default_model.softening import soften

LARGE = "sentence-transformers/all-mpnet-base-v2"
LENGTHS = {"max_length": 192, "max_question": 64}
BATCHES: dict[str, Any] = {"batch_lists": 64, "batch_tokens": 131_072}
TEACHER: dict[str, Any] = {"epochs": 1.5, "learning_rate": 4e-5, "average": 0.998}
READER: dict[str, Any] = {"epochs": 2.0, "learning_rate": 1e-4, "average": 0.999}
NARROWING: dict[str, Any] = {"candidate_layers": 4, "pooling": "first"}
SHARE = 0.7  # of the teacher in the labels
UNTAUGHT = ("stackexchange", "selqa")
HEADS_SEED = 1


def train(
    questions: Sequence[Question],
    config: Mapping[str, object],
    settings: Mapping[str, Any],
    start: CrossEncoder | None = None,
) -> CrossEncoder:
    """From the encoder as it was published, or from a model that has the same weights in another form."""
    torch.manual_seed(HEADS_SEED)  # the heads are drawn at random; runs that share them can be averaged
    model = build("cross-encoder", config)
    if start is not None:
        model.load_state_dict(start.state_dict())
    # Half of a small model's weights, which stay those of the untouched encoder.
    model.encoder.get_input_embeddings().requires_grad_(False)
    training = Training(**BATCHES, **settings, precision="bf16" if torch.cuda.is_available() else "no")

    def watch(progress: Progress) -> None:
        if progress.step % training.log_steps == 0:
            print(f"step {progress.step} of {progress.steps}, loss {progress.loss}", flush=True)

    with TemporaryDirectory() as folder:
        Loop(model, questions, training, Path(folder), watch=watch, about=asdict(model.config)).run()
    return model.cpu().eval()


def train_teacher(questions: Sequence[Question], base: str) -> CrossEncoder:
    return train(questions, {**LENGTHS, "base": base}, TEACHER)


def train_reader(questions: Sequence[Question], teacher: CrossEncoder, seeds: Sequence[int]) -> CrossEncoder:
    on_gpu = teacher.cuda() if torch.cuda.is_available() else teacher
    softened = list(soften(questions, on_gpu.score(questions), SHARE))
    runs = [{**READER, "seed": seed} for seed in seeds]
    whole = mean_model([train(softened, LENGTHS, run) for run in runs])
    return mean_model([train(softened, {**LENGTHS, **NARROWING}, run, whole) for run in runs])


def mean_model(models: Sequence[CrossEncoder]) -> CrossEncoder:
    """One model of several that were fine-tuned from the same weights (model soups; Wortsman et al., 2022)."""
    states = [model.state_dict() for model in models]
    models[0].load_state_dict({name: torch.stack([state[name] for state in states]).mean(dim=0) for name in states[0]})
    return models[0]


def spread_over(questions: Sequence[Question], limit: int) -> Sequence[Question]:
    """About so many, of every kind."""
    return questions[:: max(1, len(questions) // limit)][:limit]


def main() -> None:
    given = parse()
    check_new(given.out)  # before the training, not after it
    without = {*given.without, *(UNTAUGHT if given.what == "teacher" else ())}
    questions: Sequence[Question] = mixture(load_lists, without, load_dataset(given.entries).questions)
    if given.limit:
        questions = spread_over(questions, given.limit)
    print(f"{len(questions):,} lists", flush=True)
    if given.what == "teacher":
        model = train_teacher(questions, given.base)
    else:
        teacher = load_model(given.teacher)
        if not isinstance(teacher, CrossEncoder):
            raise InputError(f"{given.teacher} is not a cross-encoder, which a teacher is")
        model = train_reader(questions, teacher, given.seeds)
    with write_checkpoint(given.out) as folder:
        model.save(folder)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="train the cross-encoder of the default ranker, or its teacher")
    parser.add_argument("what", choices=("teacher", "reader"))
    parser.add_argument("entries", type=Path, help="what tools/default_model/collect_entries.py wrote")
    parser.add_argument("out", type=Path, help="a new checkpoint folder")
    parser.add_argument("--base", default=LARGE, help="of the teacher: an encoder's folder, or its name on the hub")
    parser.add_argument("--teacher", type=Path, help="of the reader: the folder of a trained teacher")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4], help="of the reader")
    parser.add_argument("--without", action="append", default=[], metavar="CORPUS", help="hold a corpus out")
    parser.add_argument("--limit", type=int, metavar="LISTS", help="train on so many lists only, to try it")
    given = parser.parse_args()
    if given.what == "reader" and given.teacher is None:
        parser.error("a reader needs --teacher")
    return given


if __name__ == "__main__":
    try:
        main()
    except AnselmError as error:
        sys.exit(str(error))
