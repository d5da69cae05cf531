"""How to train, and where a run is: what goes into the loop and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anselm.checkpoints.settings import check_choice, check_names, check_types, current_names
from anselm.errors import InputError
from anselm.train.sampling import Sampling

CHOICES = {  # names alone: what they stand for needs torch, and a recipe is read without
    "loss": ("pointwise", "pairwise", "listwise"),
    "optimizer": ("adamw", "adadelta", "rmsprop", "rmsprop-tf", "sgd"),
    "schedule": ("constant", "linear", "cosine"),
    "precision": ("no", "bf16"),
}
LEAST = {
    "batch_lists": 1,
    "batch_tokens": 1,
    "log_steps": 1,
    "patience": 0,
    "clip": 0,
    "decay": 0,
    "seed": 0,
}
SHARES = ("smoothing", "warmup", "average")
WITHOUT_EFFECT = ("log_steps", "save_seconds")  # on the weights, so they may change when a run is resumed


@dataclass(frozen=True)
class Training:
    """Every choice of a run. The dev metric decides which weights are kept, and when to stop."""

    epochs: float = 3.0
    loss: str = "listwise"
    smoothing: float = 0.0
    margin: float = 0.1
    optimizer: str = "adamw"
    learning_rate: float = 5e-5
    head_rate: float | None = None
    decay: float = 0.01
    momentum: float = 0.9
    schedule: str = "linear"
    warmup: float = 0.1  # share of all steps
    clip: float = 1.0  # largest norm of the gradient; 0: any
    batch_lists: int = 32  # on all devices together
    batch_tokens: int = 32_768  # about so many tokens, padding included, are on a device at once
    sampling: Sampling = field(default_factory=Sampling)
    average: float = 0.0  # decay of a running mean of the weights, which is then what is evaluated and kept; 0: none
    patience: int = 0  # stop after so many evaluations without a better one; 0: never
    evaluations: float = 1.0  # per epoch
    keep_start: bool = False  # whether the weights it begins with may be the best: those of a model that is trained
    seed: int = 1
    precision: str = "no"
    log_steps: int = 20  # from one line of the log to the next: looking at the loss makes a GPU wait
    save_seconds: float = 600.0  # between evaluations too the state is saved, so that a kill costs no more than this

    def __post_init__(self) -> None:
        check_types(self)
        for name, known in CHOICES.items():
            check_choice(name, getattr(self, name), known)
        for name in ("epochs", "learning_rate", "evaluations"):
            if not (value := getattr(self, name)) > 0:
                raise InputError(f"{name} is {value}; it must be above 0")
        for name, least in LEAST.items():
            if not (value := getattr(self, name)) >= least:
                raise InputError(f"{name} is {value}; it must be at least {least}")
        for name in SHARES:
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise InputError(f"{name} is {value}; it must be between 0 and 1")


def make_training(settings: Mapping[str, Any]) -> Training:
    """Settings as they stand in a recipe; an unknown one is named."""
    settings = current_names(settings)
    check_names("training setting", settings, Training)
    sampling = settings.get("sampling", {})
    if not isinstance(sampling, Mapping):
        raise InputError(f"sampling is {sampling!r}, but must be like {{ kind = 'list', negatives = 3 }}")
    check_names("setting of the sampling:", sampling, Sampling)
    return Training(**{**settings, "sampling": Sampling(**sampling)})


@dataclass
class Progress:
    """Where a run is."""

    steps: int  # in all, if patience does not end the run before
    step: int = 0
    epoch: int = 0
    place: int = 0  # batches of this epoch that are done
    rate: float = 0.0  # of the last step
    loss: float | None = None  # mean since the line of the log before
    dev: float | None = None
    start: float | None = None  # dev before the first step, where that counts
    best: float | None = None
    best_step: int = 0
    waited: int = 0  # evaluations since the best
    seconds: float = 0.0  # from the start, without the time in which the run was interrupted


def evaluation_steps(steps: int, every: float) -> set[int]:
    """After which steps to evaluate: the last is always one."""
    return {round(every * i) for i in range(1, int(steps / every) + 1)} | {steps}
