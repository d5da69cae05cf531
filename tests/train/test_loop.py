"""The loop, with a model that is none of ours: exact resume, several processes, stopping, errors."""

# ruff: noqa: E402

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

from standin import EVERYTHING, Batch, StandIn, make_loop, make_questions
from torch import Tensor, nn

from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError, UnknownNameError
from anselm.train import state as state_module
from anselm.train.hyperparameters import Progress, Training, evaluation_steps
from anselm.train.processes import join_processes
from anselm.train.sampling import Sampling
from anselm.train.state import State, load_state

HERE = Path(__file__).parent
LOSSES = ("pointwise", "pairwise", "listwise")
PLAIN = Training(epochs=2, learning_rate=0.1, batch_lists=4, log_steps=1)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that nobody kills need not wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def assert_equal(found: Any, expected: Any) -> None:
    assert set(found) == set(expected)
    assert [name for name in found if not torch.equal(found[name], expected[name])] == []


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = make_loop(tmp_path / "run"), make_loop(None)
    loops[0].run()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("anselm.train.loop.save_state", None)
    loops[1].run()
    assert_equal(weights_of(loops[1].plain), weights_of(loops[0].plain))
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def final_state(folder: Path) -> State:
    state = load_state(folder / "state.safetensors")
    assert state is not None
    state.numbers["progress"].pop("seconds")
    return state


def assert_same_end(folder: Path, other: Path) -> None:
    """Bit for bit: weights, best weights, running mean, the optimizer's moments, hard negatives, and all numbers."""
    found, expected = final_state(folder), final_state(other)
    assert found.numbers == expected.numbers
    assert set(found.tensors) == set(expected.tensors)
    for kind in expected.tensors:
        assert_equal(found.tensors[kind], expected.tensors[kind])
    assert without_time(folder) == without_time(other)


def log_lines(folder: Path) -> list[dict[str, Any]]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return [json.loads(line, parse_constant=refuse) for line in (folder / "log.jsonl").read_text().splitlines()]


def without_time(folder: Path) -> list[dict[str, Any]]:
    return [{name: value for name, value in line.items() if name != "seconds"} for line in log_lines(folder)]


class Stop(Exception):
    """The run is interrupted."""


def run_until(step: int, folder: Path, training: Training = EVERYTHING, **more: Any) -> None:
    def stop(progress: Progress) -> None:
        if progress.step == step:
            raise Stop

    with pytest.raises(Stop):
        make_loop(folder, training, watch=stop, **more).run()


# Resuming


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Tensor]]:
    """An uninterrupted run: hard negatives, dropout, warm-up, a running mean, and patience that ends it early."""
    loop = make_loop(tmp_path_factory.mktemp("whole") / "run", replace(HASTY, save_seconds=600))
    progress = loop.run()
    assert progress.step == 18 < progress.steps
    assert {"weights", "best", "mean", "moments", "mined"} == set(final_state(loop.folder).tensors)
    return loop.folder, weights_of(loop.plain)


HASTY = replace(EVERYTHING, epochs=6, learning_rate=0.3, patience=2)


@pytest.mark.parametrize("step", [1, 2, 4, 5, 8, 10, 13, 17, 18])
def test_an_interrupted_run_ends_like_an_uninterrupted_one(
    step: int, whole: tuple[Path, dict[str, Tensor]], tmp_path: Path
) -> None:
    """Interrupted within an epoch, at its end (5, 10), at an evaluation (2, 5, 8, 10), and after the last step."""
    run_until(step, tmp_path, HASTY)
    assert final_state(tmp_path).numbers["progress"]["step"] == step
    torch.manual_seed(step)  # whatever the new process did before
    loop = make_loop(tmp_path, HASTY)
    loop.run()
    assert_same_end(tmp_path, whole[0])
    assert_equal(weights_of(loop.plain), whole[1])


def test_what_was_done_after_the_last_save_is_done_again(whole: tuple[Path, dict[str, Tensor]], tmp_path: Path) -> None:
    rare = replace(HASTY, save_seconds=600)  # only evaluations are saved: here at 2, 5 and 8
    run_until(9, tmp_path, rare)
    assert final_state(tmp_path).numbers["progress"]["step"] == 8
    assert log_lines(tmp_path)[-1]["step"] == 9
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('{"step": 10, "lo')  # killed while it wrote
    run_until(14, tmp_path, rare)
    make_loop(tmp_path, rare).run()
    assert_same_end(tmp_path, whole[0])


def test_a_finished_run_is_not_run_again(whole: tuple[Path, dict[str, Tensor]]) -> None:
    model = StandIn()
    make_loop(whole[0], HASTY, model=model, metric=None).run()
    assert_equal(weights_of(model), whole[1])


@pytest.mark.parametrize("optimizer", ["adamw", "adadelta", "rmsprop", "sgd"])
def test_every_optimizer_is_resumed_exactly(optimizer: str, tmp_path: Path) -> None:
    training = replace(PLAIN, optimizer=optimizer, head_rate=0.05, save_seconds=0)
    make_loop(tmp_path / "whole", training).run()
    run_until(5, tmp_path / "resumed", training)
    make_loop(tmp_path / "resumed", training).run()
    assert_same_end(tmp_path / "resumed", tmp_path / "whole")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_a_resumed_run_ends_close_by(tiny_encoder: Path, tmp_path: Path) -> None:
    """Sums on a GPU differ in their last bits from run to run; docs/training.md has what was measured."""
    from anselm.checkpoints.catalogue import build_model

    training = replace(PLAIN, learning_rate=1e-4, save_seconds=0)

    def new_model() -> Any:
        torch.manual_seed(1)
        return build_model("cross-encoder", {"base": str(tiny_encoder)}, ()).to("cuda")

    def run(folder: Path) -> Tensor:
        model = new_model()
        make_loop(folder, training, model=model, metric=None).run()
        return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])

    whole = run(tmp_path / "whole")
    run_until(3, tmp_path / "stopped", training, model=new_model(), metric=None)
    assert (run(tmp_path / "stopped") - whole).square().mean().sqrt() < 1e-6


def test_a_run_that_is_killed_twenty_times_ends_like_one_that_is_not(tmp_path: Path) -> None:
    script = [sys.executable, str(HERE / "kill_often.py"), str(tmp_path), "20", str(os.getpid())]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout)
    assert len(steps) == 20
    assert len(set(steps)) > 5  # they did fall into different moments
    for folder in tmp_path.glob("killed-*"):
        assert_same_end(folder, tmp_path / "whole")
        assert sorted(path.name for path in folder.iterdir()) == [
            "log.jsonl",
            "state.safetensors",
        ]  # nothing half-written is left about


# Several processes


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("together")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*launch, str(HERE / "two_processes.py"), str(folder)],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("loss", LOSSES)
def test_two_processes_train_like_one(loss: str, together: Path, tmp_path: Path) -> None:
    """Also where a batch has one list. Sums in another order differ in the last digits of a float."""
    training = replace(EVERYTHING, loss=loss, batch_lists=4, patience=2, save_seconds=600)
    make_loop(tmp_path, training, dropout=0.0).run()
    found, expected = final_state(together / loss), final_state(tmp_path)
    assert found.numbers["progress"]["step"] == expected.numbers["progress"]["step"]
    for kind in ("weights", "best", "mean"):
        for name, tensor in expected.tensors[kind].items():
            torch.testing.assert_close(found.tensors[kind][name], tensor, rtol=1e-5, atol=1e-6)
    for line, other in zip(log_lines(together / loss), log_lines(tmp_path), strict=True):
        assert {k: v for k, v in line.items() if k != "seconds"} == pytest.approx(
            {k: v for k, v in other.items() if k != "seconds"}, rel=1e-4, abs=1e-6
        )


def test_two_processes_resume_exactly(together: Path) -> None:
    assert_same_end(together / "resumed", together / "whole")


def test_processes_follow_the_metric_of_the_first(together: Path, tmp_path: Path) -> None:
    """Were each to follow its own, one would have waited for the other forever."""
    assert final_state(together / "disagreeing").numbers["progress"]["best"] is not None


def test_processes_that_see_different_folders_are_told_so(together: Path) -> None:
    for process in (0, 1):
        assert (
            (together / f"error-{process}").read_text().startswith("the processes found states of different steps, [15")
        )


def test_a_state_of_two_processes_is_not_resumed_by_one(together: Path) -> None:
    with pytest.raises(InputError, match="another run: processes is 2 there and 1 here"):
        make_loop(together / "whole").run()


def test_processes_that_are_not_joined_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    join_processes()  # alone
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    with pytest.raises(InputError, match=r"2 processes were started .* joins 1 of them"):
        join_processes()


# One step


def by_hand(training: Training, steps: int, warmup: int) -> dict[str, Tensor]:
    """Plain torch, without anything of ours but the model: one batch per epoch, listwise."""
    model, questions = StandIn(dropout=0.0), make_questions()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    decayed = [{"params": [p], "weight_decay": training.decay * (p.ndim > 1)} for p in trained]
    kinds = {
        "sgd": lambda: torch.optim.SGD(decayed, lr=1.0, momentum=training.momentum),
        "adamw": lambda: torch.optim.AdamW(decayed, lr=1.0),
    }
    optimizer = kinds[training.optimizer]()
    lists = model.featurize(questions)
    batch = model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(len(lists))))
    for step in range(steps):
        share = (step + 1) / warmup if step < warmup else 1 - (step - warmup) / (steps - warmup)
        for group in optimizer.param_groups:
            group["lr"] = training.learning_rate * share
        rows = zip(model(batch).split([len(q.candidates) for q in questions]), questions, strict=True)
        loss = sum(-(row.log_softmax(0) * torch.tensor(q.labels)).sum() for row, q in rows) / len(questions)
        optimizer.zero_grad()
        loss.backward()
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in trained))
        if training.clip and norm > training.clip:
            for parameter in trained:
                parameter.grad *= training.clip / norm
        optimizer.step()
    return weights_of(model)


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("clip", [0.05, 0.0])
def test_the_loop_is_a_plain_loop(optimizer: str, clip: float, tmp_path: Path) -> None:
    """Clipping, weight decay, warm-up and schedule, beside the same in plain torch."""
    training = Training(
        epochs=8,
        warmup=0.25,
        learning_rate=0.1,
        decay=0.1,
        clip=clip,
        optimizer=optimizer,
        batch_lists=100,
        log_steps=1,
    )
    loop = make_loop(tmp_path, training, dropout=0.0, metric=None)
    loop.run()
    expected = by_hand(training, steps=8, warmup=2)
    for name, tensor in weights_of(loop.plain).items():
        if name != "seen":
            torch.testing.assert_close(tensor, expected[name], rtol=1e-4, atol=1e-5)
    rates = [line["rate"] for line in log_lines(tmp_path) if "rate" in line]
    assert rates == pytest.approx([0.05, 0.1, *(0.1 * (1 - done / 6) for done in range(6))])


def test_only_what_is_to_be_trained_changes(tmp_path: Path) -> None:
    model = StandIn()
    before = weights_of(model)
    make_loop(tmp_path, PLAIN, model=model, metric=None).run()
    changed = {name for name, tensor in weights_of(model).items() if not torch.equal(tensor, before[name])}
    assert changed == {"encoder.weight", "encoder.bias", "head.weight", "seen"}
    assert model.seen == 8  # the buffer of the last step, which the model makes anew each time


def test_low_precision_leaves_the_model_as_it_is(tmp_path: Path) -> None:
    class Watched(StandIn):
        def forward(self, batch: Batch) -> Tensor:
            self.product = self.encoder(batch.questions).dtype
            return super().forward(batch)

    products = []
    for precision in ("bf16", "no"):  # one after the other in one process
        model = Watched()
        make_loop(tmp_path / precision, replace(PLAIN, precision=precision), model=model, metric=None).run()
        products.append(model.product)
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
        assert "forward" not in vars(model)
    assert products == [torch.bfloat16, torch.float32]


def test_runs_differ_by_their_seed_alone(tmp_path: Path) -> None:
    ends = []
    for number, seed in enumerate((1, 1, 2)):
        loop = make_loop(tmp_path / str(number), replace(PLAIN, seed=seed))
        loop.run()
        ends.append(weights_of(loop.plain)["encoder.weight"])
    assert torch.equal(ends[0], ends[1])
    assert not torch.equal(ends[0], ends[2])


# Evaluating, stopping, keeping


class Script:
    """A dev metric that says what it is told to, and remembers the weights that it was asked about."""

    def __init__(self, model: StandIn, values: list[float]) -> None:
        self.model, self.values, self.seen = model, iter(values), list[dict[str, Tensor]]()

    def __call__(self) -> float:
        self.seen.append(weights_of(self.model))
        self.model.eval()  # and forgets to set it back
        return next(self.values)


def test_the_best_weights_are_kept_and_patience_ends_the_run(tmp_path: Path) -> None:
    model = StandIn()
    script = Script(model, [0.1, 0.5, 0.3, 0.5, 0.2, 0.9])
    training = replace(PLAIN, epochs=9, patience=3, evaluations=2)
    progress = make_loop(tmp_path, training, model=model, metric=script).run()
    assert (progress.best, progress.best_step, progress.waited, progress.step) == (0.5, 4, 3, 10)
    assert len(script.seen) == 5
    assert_equal(weights_of(model), script.seen[1])
    assert [line["dev"] for line in log_lines(tmp_path) if "dev" in line] == [0.1, 0.5, 0.3, 0.5, 0.2]
    assert [line["step"] for line in log_lines(tmp_path) if "dev" in line] == [2, 4, 6, 8, 10]
    assert model.seen == 4
    assert script.seen[4]["seen"] == 10  # training mode came back after each evaluation


def test_without_a_metric_the_last_weights_are_kept(tmp_path: Path) -> None:
    model, live = StandIn(), list[dict[str, Tensor]]()
    watch = lambda progress: live.append(weights_of(model))  # noqa: E731
    progress = make_loop(tmp_path, PLAIN, model=model, metric=None, watch=watch).run()
    assert_equal(weights_of(model), live[-1])
    assert (progress.best, progress.best_step, len(live)) == (None, 8, 8)


def test_the_running_mean_is_what_is_evaluated_and_kept(tmp_path: Path) -> None:
    model, live = StandIn(), list[dict[str, Tensor]]()
    script = Script(model, [0.1, 0.5, 0.3, 0.2])
    training = replace(PLAIN, average=0.6, evaluations=2)
    mean = weights_of(model)
    make_loop(
        tmp_path, training, model=model, metric=script, watch=lambda progress: live.append(weights_of(model))
    ).run()
    means = []
    for step, weights in enumerate(live, start=1):
        decay = min(0.6, step / (step + 10))
        mean = {name: decay * mean[name] + (1 - decay) * tensor for name, tensor in weights.items()}
        means.append(mean)
    for name in ("encoder.weight", "encoder.bias", "head.weight"):
        for evaluation, step in enumerate((2, 4, 6, 8)):
            torch.testing.assert_close(script.seen[evaluation][name], means[step - 1][name])
    assert_equal(weights_of(model), script.seen[1])
    assert not torch.equal(script.seen[1]["head.weight"], live[3]["head.weight"])


def test_evaluations_fall_evenly_into_epochs() -> None:
    assert evaluation_steps(30, 10) == {10, 20, 30}
    assert evaluation_steps(25, 10) == {10, 20, 25}
    assert evaluation_steps(20, 10 / 3) == {3, 7, 10, 13, 17, 20}
    assert evaluation_steps(2, 0.5) == {0, 1, 2}  # more often than there are steps: after each
    assert evaluation_steps(3, 10) == {3}


def test_the_log_has_a_line_for_so_many_steps_and_for_each_evaluation(tmp_path: Path) -> None:
    make_loop(tmp_path, replace(PLAIN, epochs=3, log_steps=3)).run()
    lines = log_lines(tmp_path)
    assert [line["step"] for line in lines if "loss" in line] == [3, 4, 6, 8, 9, 12]
    assert [line["step"] for line in lines if "dev" in line] == [4, 8, 12]
    make_loop(tmp_path / "each", replace(PLAIN, epochs=3)).run()
    losses = [line["loss"] for line in log_lines(tmp_path / "each") if "loss" in line]
    assert lines[0]["loss"] == pytest.approx(np.mean(losses[:3]))
    assert lines[1]["loss"] == pytest.approx(losses[3])


# What can go wrong


class Failing(StandIn):
    """From its sixth batch on, something that is not a number."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def forward(self, batch: Batch) -> Tensor:
        scores = super().forward(batch)
        if self.training and self.seen > 5:
            if self.what == "loss":
                return scores * math.nan
            return scores + torch.sqrt(self.encoder.bias[0] * 0)  # a gradient of 0 / 0
        return scores


def test_weights_that_are_not_numbers_are_found_before_they_are_measured(tmp_path: Path) -> None:
    """The last step's loss may still be one."""
    loop = make_loop(tmp_path, replace(PLAIN, epochs=1, optimizer="sgd", learning_rate=1e38, clip=0.0))
    with pytest.raises(InputError, match=r"(some weights are no numbers: |the loss is ).*try a lower rate than 1e\+38"):
        loop.run()


@pytest.mark.parametrize("what", ["loss", "gradient"])
@pytest.mark.parametrize("log_steps", [1, 100])
def test_what_is_not_a_number_is_found_before_it_is_saved(what: str, log_steps: int, tmp_path: Path) -> None:
    loop = make_loop(
        tmp_path, replace(PLAIN, epochs=3, clip=0.0, log_steps=log_steps), model=Failing(what), metric=None
    )
    with pytest.raises(
        InputError, match=r"at step 6 the loss is .*nan.*lower rate than 0.1.*What .* holds is from before"
    ):
        loop.run()
    state = final_state(tmp_path)
    assert state.numbers["progress"]["step"] == 4
    assert all(tensor.isfinite().all() for named in state.tensors.values() for tensor in named.values())


def test_a_metric_that_is_not_a_number_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the dev metric is nan at step 4"):
        make_loop(tmp_path, PLAIN, metric=lambda: math.nan).run()


def alike(label: float, sizes: list[int]) -> list[Question]:
    return [
        Question(f"q{i}", "which one", tuple(Candidate(f"a{j}", f"text {j}", label) for j in range(size)))
        for i, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("questions", "loss", "problem"),
    [
        ([], "listwise", "nothing to train on: 0 lists"),
        (alike(1.0, [0, 0]), "listwise", "nothing to train on: 2 lists, none of them with a candidate"),
        *((alike(0.0, [3, 2]), loss, "none of the 5 candidates in the training data is relevant") for loss in LOSSES),
        (alike(1.0, [1, 1]), "listwise", "every relevant candidate in the training data is alone in its list"),
        (alike(1.0, [1, 1]), "pairwise", "no list in the training data has both relevant and irrelevant"),
        (alike(1.0, [3, 2]), "pairwise", "no list in the training data has both relevant and irrelevant"),
    ],
)
def test_data_that_teaches_nothing_is_an_error(
    questions: list[Question], loss: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=problem):
        make_loop(tmp_path / "run", replace(PLAIN, loss=loss), questions=questions)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["all", "list", "pool", "hard"])
@pytest.mark.parametrize("loss", LOSSES)
def test_lists_that_teach_nothing_do_no_harm(loss: str, kind: str, tmp_path: Path) -> None:
    """Lists of one, without a relevant or an irrelevant candidate, or without any, each alone in a batch."""
    useless = [*alike(1.0, [1, 2, 0]), *alike(0.0, [1, 2, 0])]
    training = replace(PLAIN, loss=loss, batch_lists=1, sampling=Sampling(kind, 1))
    loop = make_loop(tmp_path, training, questions=[*useless, *make_questions(4)])
    loop.run()
    assert all(tensor.isfinite().all() for tensor in weights_of(loop.plain).values())


def test_lists_of_one_can_be_learned_pointwise(tmp_path: Path) -> None:
    questions = [*alike(1.0, [1, 1]), *alike(0.0, [1])]
    loop = make_loop(tmp_path, replace(PLAIN, loss="pointwise"), questions=questions)
    before = weights_of(loop.plain)
    loop.run()
    assert any(not tensor.equal(before[name]) for name, tensor in weights_of(loop.plain).items())


@pytest.mark.parametrize("loss", ["pairwise", "listwise"])
def test_negatives_from_the_pool_make_lists_of_one_worth_learning(loss: str, tmp_path: Path) -> None:
    questions = [replace(question, candidates=question.candidates[:1]) for question in make_questions()]
    training = replace(PLAIN, loss=loss, sampling=Sampling("pool", 4))
    loop = make_loop(tmp_path, training, questions=questions)
    loop.run()
    assert not torch.equal(loop.plain.head.weight, StandIn().head.weight)


def test_a_full_disk_ends_the_run_and_leaves_the_state_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_until(6, tmp_path)
    save_file = state_module.save_file

    def full(tensors: Any, file: Path, about: Any) -> None:
        save_file(tensors, file, about)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(state_module, "save_file", full)
        with pytest.raises(
            InputError, match=r"state\.safetensors cannot be written: No space left on device; the state"
        ):
            make_loop(tmp_path).run()
    assert final_state(tmp_path).numbers["progress"]["step"] == 6
    make_loop(tmp_path).run()  # once there is room again
    make_loop(tmp_path / "whole").run()
    assert_same_end(tmp_path, tmp_path / "whole")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file cannot be made: File exists"):
        make_loop(tmp_path / "file").run()


def test_a_damaged_state_is_not_overwritten(tmp_path: Path) -> None:
    run_until(3, tmp_path)
    path = tmp_path / "state.safetensors"
    path.write_bytes(cut := path.read_bytes()[:-10])
    with pytest.raises(FormatError, match=r"state\.safetensors: a damaged training state .*; remove it to start over"):
        make_loop(tmp_path).run()
    assert path.read_bytes() == cut
    path.unlink()
    make_loop(tmp_path).run()  # starts over, and so does the log
    assert [line["step"] for line in log_lines(tmp_path) if "loss" in line] == list(range(1, 16))


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"training": replace(EVERYTHING, learning_rate=0.01)}, "learning_rate is 0.05 there and 0.01 here"),
        ({"training": replace(EVERYTHING, sampling=Sampling("hard", 3))}, "negatives is 2 there and 3 here"),
        ({"questions": make_questions(14)}, "data is '13 lists, .* there and '14 lists, .* here"),
        ({"questions": make_questions(13, seed=2)}, "data is '13 lists, .* there and '13 lists, .* here"),
        ({"model": StandIn(width=7)}, "weights is '4 tensors, .* there and '4 tensors, .* here"),
        ({"about": {"pooling": "mean"}}, "pooling is None there and 'mean' here"),
    ],
)
def test_a_state_of_another_run_is_left_alone(changed: dict[str, Any], difference: str, tmp_path: Path) -> None:
    run_until(3, tmp_path)
    before = (tmp_path / "state.safetensors").read_bytes()
    with pytest.raises(
        InputError, match=rf"state\.safetensors is the state of another run: {difference}; give another"
    ):
        make_loop(tmp_path, **changed).run()
    assert (tmp_path / "state.safetensors").read_bytes() == before


def test_how_often_to_log_and_save_may_change(tmp_path: Path) -> None:
    """The run goes on from its state, and ends as one that was never stopped."""
    run_until(3, tmp_path / "stopped")
    loop, whole = (
        make_loop(tmp_path / "stopped", replace(EVERYTHING, log_steps=4, save_seconds=60)),
        make_loop(tmp_path / "whole", EVERYTHING),
    )
    loop.run(), whole.run()
    expected = weights_of(whole.plain)
    assert all(tensor.equal(expected[name]) for name, tensor in weights_of(loop.plain).items())


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ({"epochs": 0}, "epochs is 0; it must be above 0"),
        ({"learning_rate": math.nan}, "learning_rate is nan; it must be above 0"),
        ({"evaluations": 0}, "evaluations is 0; it must be above 0"),
        ({"clip": -1.0}, "clip is -1.0; it must be at least 0"),
        ({"warmup": 10}, "warmup is 10; it must be between 0 and 1"),
        ({"precision": "fp16"}, "unknown precision 'fp16'; there is bf16, no"),
    ],
)
def test_choices_that_cannot_be_are_named(choice: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Training(**choice)


@pytest.mark.parametrize("choice", ["loss", "optimizer", "schedule"])
def test_names_that_do_not_exist_are_told_with_those_that_do(choice: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown {choice} 'none'; there is"):
        make_loop(tmp_path, replace(PLAIN, **{choice: "none"}))
