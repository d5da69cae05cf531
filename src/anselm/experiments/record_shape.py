"""What a recorded result has to look like, field by field: a file that somebody changed by hand is refused in one
sentence that names the field and what it may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

LARGEST = 1e15  # of a number, beyond which nothing that is counted or measured here lies
SHOWN = 60  # characters of a wrong value that a sentence repeats


class Shape(Protocol):
    """What a field may hold."""

    @property
    def what(self) -> str: ...

    def problems(self, name: str, value: Any) -> Iterator[str]:
        """A sentence for each thing that is wrong with a value, which stands there under a name."""


@dataclass(frozen=True)
class One:
    """A value without parts."""

    what: str
    fits: Callable[[Any], bool]

    def problems(self, name: str, value: Any) -> Iterator[str]:
        if not self.fits(value):
            yield _refusal(name, value, self)


@dataclass(frozen=True)
class Several:
    """A list of values of one shape."""

    what: str
    each: Shape
    least: int = 0

    def problems(self, name: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list) or len(value) < self.least:
            yield _refusal(name, value, self)
            return
        for place, one in enumerate(value):
            yield from self.each.problems(f"{name}[{place}]", one)


@dataclass(frozen=True)
class Table:
    """Named values: some have to be there, some may, and others are of one shape, or not looked at."""

    what: str
    needed: Mapping[str, Shape] = field(default_factory=dict)
    known: Mapping[str, Shape] = field(default_factory=dict)
    others: Shape | None = None

    def problems(self, name: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield _refusal(name, value, self)
            return
        place = f"{name}." if name else ""
        for key, needed in self.needed.items():
            if key not in value:
                yield f"{place}{key} is missing, which must be {needed.what}"
        for key, one in value.items():
            if shape := {**self.needed, **self.known}.get(key, self.others):
                yield from shape.problems(f"{place}{key}", one)


def _refusal(name: str, value: Any, shape: Shape) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
    return f"{name or 'the whole'} is {shown}, but must be {shape.what}"


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and value.strip() != "" and "/" not in value


TEXT = One("a string", lambda value: isinstance(value, str))
NAME = One("a name", _is_name)
NUMBER = One("a number", lambda value: type(value) in (int, float) and abs(value) < LARGEST)
COUNT = One("a whole number from 0", lambda value: type(value) is int and 0 <= value < LARGEST)
SEED = One("a whole number", lambda value: type(value) is int)
NUMBERS = Several("a list of numbers", NUMBER)
SETTINGS = Table("a table of settings")
TEXTS = Table("a table of strings", others=TEXT)
FIGURE = Table("a table of mean, sd and values", {"mean": NUMBER, "sd": NUMBER, "values": NUMBERS})
RUN = Table(
    "a table of what a seed was run with",
    {"seed": SEED, "versions": TEXTS, **dict.fromkeys(("device", "matmul", "start", "end", "commit"), TEXT)},
)
RECORD = Table(
    "a table of fields",
    {
        **dict.fromkeys(("paper", "table", "row", "corpus", "protocol", "split", "model"), NAME),
        "seeds": Several("a list of whole numbers, at least one", SEED, 1),
        "metrics": Table("a table of figures", others=FIGURE),
        "published": Table("a table of numbers", others=NUMBER),
        "parameters": COUNT,
        "seconds": NUMBER,
        **dict.fromkeys(("device", "data_sha256", "commit"), TEXT),
    },
    {
        **dict.fromkeys(("note", "against", "metric", "optimizer", "outdated"), TEXT),
        "dev": Table(
            "a table of what the weights were chosen by",
            known={"data": TEXT, "map": FIGURE, "mrr": FIGURE, "best_steps": Several("a list of whole numbers", COUNT)},
        ),
        "chosen": SETTINGS,
        "also": Several("a list of tables", NAME),
        "values": NUMBERS,
        "encoder": TEXTS,
        "made": Table("a table of what it was made of"),
    },
)
MADE = Table(RECORD.known["made"].what, {"recipe": SETTINGS, "fingerprint": TEXT})
MADE_BY_SEEDS = Table(
    MADE.what,
    {**MADE.needed, "config": SETTINGS, "training": SETTINGS, "data": TEXTS, "seeds": Several("a list of runs", RUN)},
)


def find_problem(record: Any) -> str | None:
    """The first thing that is wrong with a record, such as: seeds is 3, but must be a list of whole numbers."""
    problem = next(RECORD.problems("", record), None)
    return problem or next(_unknown(record), None) or next(_made(record), None) or next(_seeds(record), None)


def _unknown(record: Mapping[str, Any]) -> Iterator[str]:
    known = [*RECORD.needed, *RECORD.known]
    for name in record:
        if name not in known:
            yield f"{name!r} is none of its fields, which are {', '.join(known)}"


def _made(record: Mapping[str, Any]) -> Iterator[str]:
    """Earlier records do not say of what they were made, or not all of it."""
    if made := record.get("made"):
        yield from (MADE_BY_SEEDS if "seeds" in made else MADE).problems("made", made)


def _seeds(record: Mapping[str, Any]) -> Iterator[str]:
    """What there is one of for each seed."""
    seeds, dev = record["seeds"], record.get("dev", {})
    if len(set(seeds)) < len(seeds):
        yield f"seeds is {seeds}, but each must stand there once"
    lists = {f"metrics.{name}.values": figure["values"] for name, figure in record["metrics"].items()}
    lists |= {f"dev.{name}.values": dev[name]["values"] for name in ("map", "mrr") if name in dev}
    lists |= {"dev.best_steps": dev["best_steps"]} if "best_steps" in dev else {}
    for name, values in lists.items():
        if len(values) != len(seeds):
            yield f"{name} has {len(values)} values, but there are {len(seeds)} seeds"
    runs = [run["seed"] for run in record.get("made", {}).get("seeds", ())]
    if runs and sorted(runs) != sorted(seeds):
        yield f"made.seeds is of the seeds {runs}, but must be of {seeds}"
