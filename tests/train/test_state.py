"""The state on disk: it comes back exactly, a failure leaves the old one, and whatever is damaged is said to be."""

# ruff: noqa: E402

from __future__ import annotations

import errno
import os
import pickle
import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from safetensors import SafetensorError
from safetensors.torch import save_file

from anselm.errors import FormatError, InputError
from anselm.train import state as module
from anselm.train.state import State, load_state, optimizer_state, restore_optimizer, save_state

NUMBERS = {"best": 0.1 + 0.2, "step": 3, "none": None, "nested": {"rates": [1e-300, 5e-05]}}


def make_state(fill: float = 1.0) -> State:
    tensors = {
        "weights": {"head.weight": torch.full((3, 4), fill), "half": torch.full((5,), fill, dtype=torch.bfloat16)},
        "moments": {"0.step": torch.tensor(fill), "0.empty": torch.zeros(0), "turned": torch.rand(4, 3).T},
        "mined": {"scores": torch.rand(7, dtype=torch.float64)},
    }
    return State(tensors, NUMBERS)


def assert_same(one: State | None, other: State) -> None:
    assert one is not None
    assert one.numbers == other.numbers
    assert {kind: set(named) for kind, named in one.tensors.items()} == {k: set(n) for k, n in other.tensors.items()}
    for kind, named in other.tensors.items():
        for name, tensor in named.items():
            assert one.tensors[kind][name].dtype == tensor.dtype
            assert torch.equal(one.tensors[kind][name], tensor)


def test_a_state_comes_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state.safetensors"
    assert load_state(path) is None
    save_state(state := make_state(), path)
    assert_same(load_state(path), state)
    assert [path.name for path in path.parent.iterdir()] == [path.name]


def test_its_bytes_are_on_the_disk_before_it_takes_the_place_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, events = tmp_path / "state", []
    move = Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: events.append(os.fstat(handle).st_size))
    monkeypatch.setattr(Path, "replace", lambda self, to: events.append("moved") or move(self, to))
    save_state(make_state(), path)
    assert events == [path.stat().st_size, "moved"]


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), SafetensorError("I/O error: No space left on device")]
)
def test_a_failure_while_saving_leaves_the_old_state(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_state(old := make_state(1.0), tmp_path / "state")

    def full(tensors: object, file: Path, about: object) -> None:
        file.write_bytes(b"half")
        raise error

    monkeypatch.setattr(module, "save_file", full)
    with pytest.raises(InputError, match=r"state cannot be written: .*No space left on device; the state before it"):
        save_state(make_state(2.0), tmp_path / "state")
    assert_same(load_state(tmp_path / "state"), old)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_takes_no_more_bytes_leaves_the_old_state(tmp_path: Path) -> None:
    """Not simulated: the system itself refuses the bytes after the first few thousand."""
    save_state(old := make_state(), tmp_path / "state")
    large = State({"weights": {"w": torch.zeros(100_000)}}, NUMBERS)
    with files_up_to(20_000), pytest.raises(InputError, match=r"state cannot be written: .*File too large"):
        save_state(large, tmp_path / "state")
    assert_same(load_state(tmp_path / "state"), old)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/state cannot be written: Not a directory"):
        save_state(make_state(), tmp_path / "file" / "state")


def test_what_a_killed_process_left_is_cleared_away_by_the_next_save(tmp_path: Path) -> None:
    scratch = module._scratch(tmp_path / "state")
    scratch.mkdir()
    (scratch / ".tmpXXXX").write_bytes(b"half")
    save_state(state := make_state(), tmp_path / "state")
    assert_same(load_state(tmp_path / "state"), state)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_damage_anywhere_is_noticed(tmp_path: Path) -> None:
    save_state(make_state(), path := tmp_path / "state")
    whole, rng = path.read_bytes(), random.Random(0)
    for place in [*range(0, len(whole), 7), len(whole) - 1]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=str(path)):
            load_state(path)
    for length in [*range(0, len(whole), 41), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError, match=r"a damaged training state .*; remove it to start over"):
            load_state(path)
    path.write_bytes(whole + b"more")
    with pytest.raises(FormatError, match=str(path)):
        load_state(path)


def test_other_formats_are_named(tmp_path: Path) -> None:
    about = {"format": "2", "numbers": "{}", "sha256": ""}
    save_file({"a": torch.zeros(1)}, tmp_path / "newer", about)
    with pytest.raises(FormatError, match="newer: a training state of format 2, and this version of Anselm reads form"):
        load_state(tmp_path / "newer")
    save_file({"a": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(FormatError, match=r"model.safetensors: not a training state"):
        load_state(tmp_path / "model.safetensors")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="folder: a damaged training state"):
        load_state(tmp_path / "folder")


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("unpickled",)


def test_nothing_is_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pickle").write_bytes(pickle.dumps(Bomb()))
    torch.save({"bomb": Bomb()}, tmp_path / "torch")
    for name in ("pickle", "torch"):
        with pytest.raises(FormatError, match=f"{name}: a damaged training state"):
            load_state(tmp_path / name)
    assert not (tmp_path / "unpickled").exists()


@pytest.mark.parametrize("name", ["AdamW", "Adadelta", "RMSprop", "SGD"])
def test_an_optimizer_goes_on_exactly(name: str, tmp_path: Path) -> None:
    def steps(optimizer: torch.optim.Optimizer, weights: torch.nn.Parameter, count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            (weights**3).sum().backward()
            optimizer.step()

    def make() -> tuple[torch.nn.Parameter, torch.optim.Optimizer]:
        weights = torch.nn.Parameter(torch.arange(1.0, 5.0))
        return weights, getattr(torch.optim, name)([weights], lr=0.1, **more)

    more = {"momentum": 0.9} if name in ("RMSprop", "SGD") else {}
    weights, optimizer = make()
    steps(optimizer, weights, 3)
    moments, numbers = optimizer_state(optimizer)
    save_state(State({"weights": {"w": weights}, "moments": moments}, numbers), tmp_path / "state")
    steps(optimizer, weights, 3)

    other, fresh = make()
    state = load_state(tmp_path / "state")
    assert state is not None
    other.data.copy_(state.tensors["weights"]["w"])
    restore_optimizer(fresh, state.tensors["moments"], state.numbers)
    steps(fresh, other, 3)
    assert torch.equal(other, weights)
