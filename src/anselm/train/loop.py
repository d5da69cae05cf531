"""The loop. It knows nothing of any model: it picks lists, asks the model to collate and score them, and steps.

What is random follows from the seed and a place in the run alone: an epoch's negatives and batches (`sampling`,
`packing`) from its number, a step's dropout from its number and the process. With the state on disk (`state`) a run
that was killed and started again ends with the same weights as one that was not.

Several processes (torchrun, accelerate launch) share each batch out, list by list. All of them follow the first one in
what has to be decided, and it alone writes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.data.question import Question
from anselm.encoding.lists import Indices, Lists
from anselm.encoding.packing import pack
from anselm.errors import InputError
from anselm.train.averaging import RunningMean
from anselm.train.hyperparameters import Progress, Training, evaluation_steps
from anselm.train.identity import differences, identity
from anselm.train.log import add_line, cut_after
from anselm.train.losses import check_trainable, make_loss
from anselm.train.optimizers import make_optimizer, make_schedule
from anselm.train.processes import agree, gather_number, join_processes
from anselm.train.sampling import sample
from anselm.train.state import State, forget_scratch, load_state, optimizer_state, restore_optimizer, save_state
from anselm.train.trainable import Trainable

STATE, LOG = "state.safetensors", "log.jsonl"  # in the folder of a run

Metric = Callable[[], float]  # of the model as it is now, on dev; more is better
Watch = Callable[[Progress], None]


def unwatched(progress: Progress) -> None:
    """Nobody looks on."""


class Loop:
    """One training run.

    `folder` holds its state and its log, and has to be one that all processes see; without one, nothing is left of a
    run that is stopped. `watch` is told about every step, in the first process. `about` is what else makes the run what
    it is, such as the model's configuration: with another one it is not resumed.
    """

    def __init__(
        self,
        model: Trainable,
        questions: Sequence[Question],
        training: Training,
        folder: Path | None,
        metric: Metric | None = None,
        watch: Watch = unwatched,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.model, self.training, self.metric, self.watch = model, training, metric, watch
        self.folder = folder
        self.accelerator = join_processes()
        self.loss = make_loss(training.loss, training.smoothing, training.margin)

        self.questions = [question for question in questions if question.candidates]
        if not self.questions:
            raise InputError(f"there is nothing to train on: {len(questions)} lists, none of them with a candidate")
        self.lists = model.featurize(self.questions)
        self.mined: NDArray[np.float64] | None = None  # scores of all candidates, which tell the hard negatives
        first_lists, first_batches = self._plan(0)
        check_trainable(first_lists, training.loss)
        self.progress = Progress(steps=max(1, round(training.epochs * len(first_batches))))
        self.due = evaluation_steps(self.progress.steps, len(first_batches) / training.evaluations)

        self.plain = cast(nn.Module, model)
        self.module: nn.Module = self.accelerator.prepare(self.plain)  # on its device, together with other processes
        self.placed = model.place(self.lists, self.accelerator.device)
        self.optimizer = make_optimizer(
            self.plain,
            training.optimizer,
            training.learning_rate,
            training.decay,
            training.momentum,
            training.head_rate,
        )
        warmup = round(training.warmup * self.progress.steps)
        self.schedule = make_schedule(self.optimizer, training.schedule, warmup, self.progress.steps)
        self.mean = RunningMean(self._trained(), training.average)
        self.best: dict[str, Tensor] = {}  # weights, on the host: they are needed once, and a GPU's memory is dear
        self.unseen: list[Tensor] = []  # loss and gradient norm of the steps since the last look
        self.began = self.saved = time.perf_counter()
        processes = self.accelerator.num_processes
        self.identity = identity(training, self.lists, self._weights(), processes, about or {})

    def run(self) -> Progress:
        """Train from the beginning, or from where an earlier run of the same folder stopped; keep the best weights."""
        self._resume()
        if self.training.keep_start and self.progress.step == 0:
            self._evaluate()
            self.progress.start = self.progress.dev
        while not self._finished():
            self._epoch()
        copy_into(self._weights(), self.best)
        return self.progress

    def _epoch(self) -> None:
        """What is left of the epoch that the run is in."""
        lists, batches = self._plan(self.progress.epoch)
        self.module.train()
        for batch in batches[self.progress.place :]:
            self._step(lists.pick(batch))
            if self.progress.step in self.due:
                self._look()
                self._evaluate()
                self._save()
            elif self.progress.step % self.training.log_steps == 0:
                self._look()
                if time.perf_counter() - self.saved >= self.training.save_seconds:
                    self._save()
            if self.accelerator.is_main_process:
                self.watch(self.progress)
            if self._finished():
                return
        self.progress.epoch, self.progress.place = self.progress.epoch + 1, 0

    def _finished(self) -> bool:
        tired = 0 < self.training.patience <= self.progress.waited
        return tired or self.progress.step >= self.progress.steps

    def _plan(self, epoch: int) -> tuple[Lists, list[Indices]]:
        """The lists of an epoch, and its batches of them."""
        if self.training.sampling.kind == "hard" and epoch > 0 and self.progress.place == 0:
            self.mined = agree(self.accelerator, np.concatenate(self.model.score(self.questions)))
        rng = np.random.default_rng([self.training.seed, epoch])
        lists = sample(self.lists, self.training.sampling, rng, self.mined)
        budget = self.training.batch_tokens * self.accelerator.num_processes
        return lists, pack(self.model.widths(lists), lists.sizes, budget, self.training.batch_lists, rng)

    def _step(self, batch: Lists) -> None:
        torch.manual_seed(self._seed())
        total, count = self._loss_of(batch)
        sums = self.accelerator.reduce(torch.stack([total.detach(), count.to(total.dtype)]), reduction="sum")  # (2,)
        everyone = sums[1].clamp(min=1)
        # Gradients are averaged over processes; so scaled, they are those of the mean loss of the whole batch.
        self.accelerator.backward(total * self.accelerator.num_processes / everyone)
        norm = self.accelerator.clip_grad_norm_(self.module.parameters(), self.training.clip or math.inf)
        self.optimizer.step()
        self.progress.rate = float(self.schedule.get_last_lr()[0])
        self.schedule.step()
        self.optimizer.zero_grad()
        self.progress.step, self.progress.place = self.progress.step + 1, self.progress.place + 1
        self.mean.update(self.progress.step)
        self.unseen.append(torch.stack([sums[0] / everyone, norm]))

    def _seed(self) -> int:
        place = [self.training.seed, self.progress.step, self.accelerator.process_index]
        return int(np.random.SeedSequence(place).generate_state(1)[0])

    def _loss_of(self, batch: Lists) -> tuple[Tensor, Tensor]:
        """The loss of this process's share of a batch: its sum, and how many it is a sum of.

        Where there are fewer lists than processes, one without any does the first one's share, which counts for
        nothing: backward waits for all processes.
        """
        process, processes = self.accelerator.process_index, self.accelerator.num_processes
        idle = process >= len(batch)
        collated = self.model.collate(self.placed, batch.part(0 if idle else process, processes))
        with torch.autocast(self.accelerator.device.type, torch.bfloat16, enabled=self.training.precision == "bf16"):
            scores = self.module(collated)  # (pairs,)
        total, count = self.loss(scores.float(), collated.labels, collated.layout)
        return (total * 0, count * 0) if idle else (total, count)

    def _look(self) -> None:
        """Check and log the steps since the last look, with one transfer from the device."""
        seen = torch.stack(self.unseen).tolist()  # (steps, 2)
        self.unseen.clear()
        for step, (loss, norm) in enumerate(seen, start=self.progress.step - len(seen) + 1):
            if not math.isfinite(loss + norm):
                kept = f". What {self.folder} holds is from before that step" if self.folder else ""
                raise InputError(
                    f"at step {step} the loss is {loss} and the norm of its gradient {norm}: try a lower rate than "
                    f"{self.training.learning_rate}, or more warm-up{kept}"
                )
        self.progress.loss = sum(loss for loss, _ in seen) / len(seen)
        self._log({"loss": self.progress.loss, "norm": seen[-1][1], "rate": self.progress.rate})

    def _evaluate(self) -> None:
        """Keep the weights, or their running mean, if dev says that they are the best; without dev, the last."""
        progress = self.progress
        if not all(bool(weights.isfinite().all()) for weights in self._trained().values()):
            rate = self.training.learning_rate
            raise InputError(f"after step {progress.step} some weights are no numbers: try a lower rate than {rate}")
        with self.mean.in_place():
            progress.dev = self._measure()
            if progress.dev is None or progress.best is None or progress.dev > progress.best:
                progress.best, progress.best_step, progress.waited = progress.dev, progress.step, 0
                self.best = {name: tensor.detach().to("cpu", copy=True) for name, tensor in self._weights().items()}
            else:
                progress.waited += 1
        self.module.train()
        if self.metric:
            self._log({"dev": progress.dev, "best": progress.best})

    def _measure(self) -> float | None:
        if self.metric is None:
            return None
        value = float(agree(self.accelerator, np.array([self.metric()], dtype=np.float64))[0])
        if not math.isfinite(value):
            raise InputError(f"the dev metric is {value} at step {self.progress.step}")
        return value

    def _log(self, record: Mapping[str, float | None]) -> None:
        self.progress.seconds = time.perf_counter() - self.began
        if self.folder and self.accelerator.is_main_process:
            line = {"step": self.progress.step, **record, "seconds": round(self.progress.seconds, 3)}
            add_line(self.folder / LOG, line)

    def _trained(self) -> dict[str, Tensor]:
        return {name: tensor for name, tensor in self.plain.named_parameters() if tensor.requires_grad}

    def _weights(self) -> dict[str, Tensor]:
        """All that a step may change in the model; what is frozen is not copied about."""
        return self._trained() | dict(self.plain.named_buffers())

    def _save(self) -> None:
        """Write what `_restore` reads."""
        if self.folder and self.accelerator.is_main_process:
            moments, optimizer = optimizer_state(self.optimizer)
            tensors: dict[str, Mapping[str, Tensor]] = {
                "weights": self._weights(),
                "best": self.best,
                "mean": self.mean.mean,
                "moments": moments,
                "mined": {} if self.mined is None else {"scores": torch.from_numpy(self.mined)},
            }
            numbers = {
                "run": self.identity,
                "progress": asdict(self.progress),
                "optimizer": optimizer,
                "schedule": self.schedule.state_dict(),
            }
            save_state(State(tensors, numbers), self.folder / STATE)
        self.saved = time.perf_counter()

    def _restore(self, state: State, path: Path) -> None:
        """Read what `_save` wrote."""
        if difference := next(differences(state.numbers["run"], self.identity), None):
            raise InputError(f"{path} is the state of another run: {difference}; give another folder, or remove it")
        copy_into(self._weights(), state.tensors["weights"])
        self.best = dict(state.tensors.get("best", {}))
        copy_into(self.mean.mean, state.tensors.get("mean", {}))
        restore_optimizer(self.optimizer, state.tensors.get("moments", {}), state.numbers["optimizer"])
        if mined := state.tensors.get("mined"):
            self.mined = mined["scores"].numpy()
        self.progress = Progress(**state.numbers["progress"])
        self.schedule.load_state_dict(state.numbers["schedule"])

    def _resume(self) -> None:
        if self.folder:
            self._find_state(self.folder)
        self.saved = time.perf_counter()
        self.began = self.saved - self.progress.seconds

    def _find_state(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror or error}") from None
        if state := load_state(folder / STATE):
            self._restore(state, folder / STATE)
        if len(set(steps := gather_number(self.accelerator, self.progress.step))) > 1:
            raise InputError(f"the processes found states of different steps, {steps}: do all of them see {folder}?")
        if self.accelerator.is_main_process:
            forget_scratch(folder / STATE)
            cut_after(folder / LOG, self.progress.step)


@torch.no_grad()
def copy_into(targets: Mapping[str, Tensor], sources: Mapping[str, Tensor]) -> None:
    for name, source in sources.items():
        targets[name].copy_(source)
