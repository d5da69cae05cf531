"""Bars on standard error that show how far something is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from anselm.train.hyperparameters import Progress as TrainingProgress

T = TypeVar("T")

BAR_WIDTH = 12
EIGHTHS = " ▏▎▍▌▋▊▉"
PATIENCE = 2.0  # seconds after which a progress bar appears


def progress(items: Iterable[T], label: str, total: int | None = None) -> Generator[T]:
    """Pass items on, and show how many there have been."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with late_bar(label, total, MofNCompleteColumn(), TimeRemainingColumn()) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show that something goes on whose steps cannot be seen."""
    with late_bar(label, None, TimeElapsedColumn()):
        yield


@contextmanager
def counting(label: str) -> Iterator[Callable[[int], None]]:
    """Show how many there have been, of nobody knows how many; gives what is told of some more."""
    with late_bar(label, None, MofNCompleteColumn(), TimeElapsedColumn()) as advance:
        yield advance


@contextmanager
def late_bar(label: str, total: int | None, *columns: ProgressColumn) -> Iterator[Callable[[float], None]]:
    """A bar on standard error, where that is a terminal, from two seconds on; gives what moves it some steps ahead."""
    console = Console(stderr=True)
    display = Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=console, transient=True)
    display.disable = not console.is_terminal
    task = display.add_task(label, total=total)
    starter = Timer(PATIENCE, display.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda steps: display.advance(task, steps)
    finally:
        starter.cancel()
        starter.join()  # lest it starts what was stopped
        display.stop()


@contextmanager
def steps(label: str) -> Iterator[Callable[[TrainingProgress], None]]:
    """A bar for training: gives what the loop tells where it is, with the loss and the last dev value beside it."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    display = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = display.add_task(label, total=None)

    def watch(progress: TrainingProgress) -> None:
        numbers = {"loss": progress.loss, "dev": progress.dev}
        said = [label, *(f"{name} {value:.4f}" for name, value in numbers.items() if value is not None)]
        display.update(task, completed=progress.step, total=progress.steps, description=", ".join(said))

    with display:
        yield watch


def bar(probability: float, plain: bool = False, width: int = BAR_WIDTH) -> str:
    """A bar in eighths of a character; `plain` where the terminal knows only ASCII."""
    if plain:
        return ("#" * round(probability * width)).ljust(width)
    full, eighth = divmod(round(probability * width * 8), 8)
    return ("█" * full + EIGHTHS[eighth]).rstrip().ljust(width)
