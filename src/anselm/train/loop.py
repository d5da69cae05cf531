"""The loop. It knows nothing of any model: it picks lists, asks the model to collate and score them, and steps.

An epoch is planned from the seed and its number alone (`sampling`, `packing`); random states are saved with everything
else, so a run that was killed and started again ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from accelerate import Accelerator
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.data.question import Question
from anselm.errors import InputError
from anselm.models.features import Lists, Picked
from anselm.models.packing import pack
from anselm.models.scorer import Scores
from anselm.train.losses import make_loss
from anselm.train.optimizers import make_optimizer, make_schedule
from anselm.train.sampling import Sampling, sample
from anselm.train.state import State, load_state, optimizer_tensors, restore_optimizer, save_state


class Trainable(Protocol):
    """What the loop asks of a model, which is an nn.Module besides."""

    def featurize(self, questions: Sequence[Question]) -> Lists: ...
    def place(self, lists: Lists, device: torch.device) -> Any: ...
    def collate(self, placed: Any, picked: Picked) -> Any: ...
    def score(self, questions: Sequence[Question]) -> list[Scores]: ...


@dataclass(frozen=True)
class Training:
    """How to train. The dev metric decides which epoch's weights are kept, and when to stop."""

    epochs: float = 3.0
    loss: str = "listwise"
    smoothing: float = 0.0
    margin: float = 0.1
    optimizer: str = "adamw"
    rate: float = 5e-5
    head_rate: float | None = None
    decay: float = 0.01
    momentum: float = 0.9
    schedule: str = "linear"
    warmup: float = 0.1  # share of all steps
    clip: float = 1.0
    batch_lists: int = 32
    batch_tokens: int = 32_768  # at most so many tokens, padding included, are on a device at once
    sampling: Sampling = field(default_factory=Sampling)
    average: float = (
        0.0  # decay of the running mean of the weights that is evaluated and kept; 0: the weights themselves
    )
    patience: int = 0  # stop after so many evaluations without a better one; 0: never
    evaluations: int = 1  # per epoch
    seed: int = 1
    precision: str = "no"  # or bf16


@dataclass
class Progress:
    """Where a run is."""

    step: int = 0
    epoch: int = 0
    place: int = 0  # batches of this epoch that are done
    best: float = -math.inf
    best_step: int = 0
    waited: int = 0


Metric = Callable[[], float]
Watch = Callable[[dict[str, Any]], None]


class Loop:
    """One training run; `folder` holds its state and its log."""

    def __init__(
        self,
        model: Any,
        questions: Sequence[Question],
        training: Training,
        folder: Path,
        metric: Metric | None = None,
        watch: Watch = lambda record: None,
    ) -> None:
        self.training, self.folder, self.metric, self.watch = training, folder, metric, watch
        torch.manual_seed(training.seed)
        self.accelerator = Accelerator(mixed_precision=training.precision)
        self.plain: Any = model
        self.lists: Lists = model.featurize(questions)
        self.loss = make_loss(training.loss, training.smoothing, training.margin)
        check_trainable(self.lists, training.loss)
        self.mined: NDArray[np.float64] | None = None  # scores from which hard negatives are taken
        self.mined_in = 0  # the epoch they were made for
        self.questions = questions if training.sampling.kind == "hard" else ()
        self.steps_per_epoch = len(self._plan(0)[1])
        self.steps = max(1, round(training.epochs * self.steps_per_epoch))
        optimizer = make_optimizer(
            model, training.optimizer, training.rate, training.decay, training.momentum, training.head_rate
        )
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.schedule = make_schedule(optimizer, training.schedule, round(training.warmup * self.steps), self.steps)
        self.raw_optimizer = optimizer
        self.placed = model.place(self.lists, self.accelerator.device)
        self.mean = [p.detach().clone() for p in self._parameters()] if training.average else []
        self.best_weights: dict[str, Tensor] = {}
        self.progress = Progress()

    def run(self) -> Progress:
        """Train from the beginning, or from where an earlier run of the same folder stopped."""
        self._resume()
        due = self._due()
        while not self._finished():
            lists, batches = self._plan(self.progress.epoch)
            for batch in batches[self.progress.place :]:
                self._step(lists, batch)
                self.progress.place += 1
                if self.progress.step in due:
                    self._evaluate()
                if self._finished():
                    break
            else:
                self.progress.epoch, self.progress.place = self.progress.epoch + 1, 0
        self._keep_best()
        return self.progress

    def _plan(self, epoch: int) -> tuple[Lists, list[Any]]:
        """The lists of an epoch and its batches."""
        rng = np.random.default_rng([self.training.seed, epoch])
        self._mine(epoch)
        lists = sample(self.lists, self.training.sampling, rng, self.mined)
        budget = self.training.batch_tokens * max(1, self.accelerator.num_processes)
        return lists, pack(lists.longest + 3, lists.sizes, budget, self.training.batch_lists, rng)

    def _mine(self, epoch: int) -> None:
        """For hard negatives: what the model says at the start of an epoch. It is saved, to resume within the epoch."""
        if self.questions and epoch > self.mined_in:
            self.mined, self.mined_in = np.concatenate(self.plain.score(self.questions)), epoch

    def _step(self, lists: Lists, batch: Any) -> None:
        self.model.train()
        whole = lists.pick(batch)
        world = self.accelerator.num_processes
        picked = whole.part(self.accelerator.process_index, world) if world > 1 else whole
        total, count = self._loss_of(picked)
        everyone = self.accelerator.reduce(count.float(), reduction="sum").clamp(min=1)
        loss = total * world / everyone  # data-parallel training averages gradients over processes
        self.accelerator.backward(loss)
        mean = self.accelerator.reduce(total.detach(), reduction="sum") / everyone
        if self._looks() and not torch.isfinite(mean):
            raise InputError(
                f"the loss is {float(mean)} at step {self.progress.step + 1}; lower the learning rate or clip. "
                f"The last good state is in {self.folder}"
            )
        if self.training.clip:
            self.accelerator.clip_grad_norm_(self.model.parameters(), self.training.clip)
        self.optimizer.step()
        self.schedule.step()
        self.optimizer.zero_grad()
        self.progress.step += 1
        self._average()
        self.watch({"step": self.progress.step, "steps": self.steps, "loss": mean, "lists": len(batch)})

    def _loss_of(self, picked: Picked) -> tuple[Tensor, Tensor]:
        if not len(picked.sizes):  # more processes than lists: this one only takes part in the sums
            zero = sum(p.sum() for p in self.model.parameters() if p.requires_grad) * 0.0
            return zero, torch.zeros((), device=self.accelerator.device)
        collated = self.plain.collate(self.placed, picked)
        with self.accelerator.autocast():
            scores = self.model(collated)
        return self.loss(scores.float(), collated.labels, collated.sizes)

    def _average(self) -> None:
        """A running mean that begins as a plain one, so that the start does not linger in it."""
        if self.mean:
            decay = min(self.training.average, (self.progress.step) / (self.progress.step + 10))
            torch._foreach_lerp_(self.mean, [p.detach() for p in self._parameters()], 1 - decay)

    def _parameters(self) -> list[nn.Parameter]:
        return [parameter for parameter in self.plain.parameters() if parameter.requires_grad]

    def _due(self) -> set[int]:
        """The steps after which to evaluate and save: the end is always one."""
        every = self.steps_per_epoch / self.training.evaluations
        return {round(every * i) for i in range(1, int(self.steps / every) + 1)} | {self.steps}

    def _finished(self) -> bool:
        tired = bool(self.training.patience) and self.progress.waited >= self.training.patience
        return tired or self.progress.step >= self.steps

    def _looks(self) -> bool:
        """Looking at a number makes a GPU wait for it, so there the loss is looked at now and then."""
        return self.accelerator.device.type == "cpu" or self.progress.step % 20 == 0

    def _evaluate(self) -> None:
        began = time.perf_counter()
        with self._averaged():
            value = self.metric() if self.metric else -float(self.progress.step)
            if self.metric is None or value > self.progress.best:
                self.progress.best, self.progress.best_step, self.progress.waited = value, self.progress.step, 0
                self.best_weights = {k: v.detach().clone() for k, v in self.plain.state_dict().items()}
            else:
                self.progress.waited += 1
        record = {"step": self.progress.step, "dev": value, "best": self.progress.best}
        self.watch(record)
        if self.accelerator.is_main_process:
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(record | {"seconds": round(time.perf_counter() - began, 3)}) + "\n")
            self._save()
        self.accelerator.wait_for_everyone()

    def _averaged(self) -> Any:
        return _Swapped(self._parameters(), self.mean)

    def _keep_best(self) -> None:
        if self.best_weights:
            self.plain.load_state_dict(self.best_weights)

    def _save(self) -> None:
        moments, numbers = optimizer_tensors(self.raw_optimizer)
        tensors = {f"model.{name}": tensor for name, tensor in self.plain.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best_weights.items()}
        tensors |= {f"mean.{i}": tensor for i, tensor in enumerate(self.mean)}
        tensors |= moments | random_states()
        if self.mined is not None:
            tensors["mined"] = torch.from_numpy(self.mined)
        numbers = {
            "progress": asdict(self.progress),
            "optimizer": numbers,
            "schedule": self.schedule.state_dict()["last_epoch"],
            "training": json.loads(json.dumps(asdict(self.training))),
            "lists": len(self.lists),
            "mined_in": self.mined_in,
        }
        save_state(State(tensors, numbers), self.folder / "state")

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        state = load_state(self.folder / "state")
        if state is None:
            return
        same = json.loads(json.dumps(asdict(self.training))) == state.numbers["training"]
        if not same or state.numbers["lists"] != len(self.lists):
            raise InputError(f"{self.folder} holds the state of another run; give another folder, or remove it")
        device = self.accelerator.device
        part = {
            prefix: {k.removeprefix(prefix): v.to(device) for k, v in state.tensors.items() if k.startswith(prefix)}
            for prefix in ("model.", "best.", "mean.")
        }
        self.plain.load_state_dict(part["model."])
        self.best_weights = part["best."]
        self.mean = [part["mean."][str(i)] for i in range(len(self.mean))]
        restore_optimizer(self.raw_optimizer, state.tensors, state.numbers["optimizer"])
        self.schedule.last_epoch = state.numbers["schedule"]
        for group, rate in zip(self.raw_optimizer.param_groups, self.schedule.get_lr(), strict=True):
            group["lr"] = rate
        self.progress = Progress(**state.numbers["progress"])
        self.mined_in = state.numbers["mined_in"]
        self.mined = state.tensors["mined"].numpy() if "mined" in state.tensors else None
        set_random_states(state.tensors)


class _Swapped:
    """The averaged weights in the place of the model's, for the time of a `with` block."""

    def __init__(self, parameters: list[nn.Parameter], mean: list[Tensor]) -> None:
        self.parameters, self.mean = parameters, mean

    def __enter__(self) -> None:
        self._swap()

    def __exit__(self, *error: object) -> None:
        self._swap()

    def _swap(self) -> None:
        with torch.no_grad():
            for parameter, mean in zip(self.parameters, self.mean, strict=False):
                kept = parameter.detach().clone()
                parameter.copy_(mean)
                mean.copy_(kept)


def random_states() -> dict[str, Tensor]:
    states = {"random.cpu": torch.get_rng_state()}
    return states | ({"random.cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else {})


def set_random_states(tensors: dict[str, Tensor]) -> None:
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])


def check_trainable(lists: Lists, loss: str) -> None:
    """A corpus that a loss can learn nothing from is a mistake, not a run without progress."""
    if not (lists.labels > 0).any():
        raise InputError("there is no relevant candidate in the training data, so there is nothing to learn")
    if loss != "pointwise" and (lists.sizes < 2).all():
        raise InputError(f"every list has one candidate: the {loss} loss compares candidates; use pointwise")
