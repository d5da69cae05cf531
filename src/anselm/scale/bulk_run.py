"""Ranking all parts of an input into a folder of parts, by a crew of workers; a run that was stopped goes on.

A part that is there is whole, and is passed over. What one worker could not finish, another does from the beginning.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path, PurePath

from anselm.errors import AnselmError, InputError
from anselm.outputs import hold, is_stream
from anselm.ranking.given import check_count
from anselm.ranking.scorers import fingerprint
from anselm.scale.crew import Advanced, Crew, Refused, dispatch
from anselm.scale.input_parts import Part, find_parts, uncut
from anselm.scale.manifest import (
    LOCK,
    MANIFEST,
    OWN,
    RECORDS,
    Manifest,
    PartRecord,
    check_manifest,
    read_record,
    sizes_of_cut,
)
from anselm.scale.places import File, beside, check_shared, find_files, is_address, names_in, remove, would_find
from anselm.scale.repeats import find_repeats
from anselm.scale.tasks import RankPart

PART_BYTES = 16 * 2**20  # of a piece: some minutes of work on one core, some seconds on a GPU
Advance = Callable[[int], None]  # told of lists that are done, for a progress bar


@dataclass(frozen=True)
class Order:
    """What is asked for."""

    source: str  # a file, a folder or a pattern
    folder: str  # where parts go
    model: str = "default"
    top: int | None = None
    device: str | None = None
    strict: bool = False
    overwrite: bool = False
    part_bytes: int | None = PART_BYTES
    respell: bool = True


@dataclass(frozen=True)
class Plan:
    """Which parts there are, and those that are there already."""

    order: Order
    parts: tuple[Part, ...]
    todo: tuple[Part, ...]
    done: tuple[PartRecord, ...]


@dataclass(frozen=True)
class BulkReport:
    """`failed`: what could not be ranked, and why."""

    parts: int
    kept: int  # parts that were there
    lists: int
    pairs: int
    skipped: int
    first_skipped: tuple[str, ...]
    failed: tuple[str, ...]
    repeated: tuple[str, ...]  # lists whose id comes in an earlier piece of their file, too
    uncut: tuple[str, ...]  # large files that are packed, each of which is one worker's part


def rank_parts(order: Order, make_crew: Callable[[int], Crew], advance: Advance | None = None) -> BulkReport:
    """`make_crew` is told how many parts are to be done; more workers than that would idle."""
    check_count("top", order.top)
    files, known = find_files(order.source), fingerprint(order.model)  # before anything is written
    parts = find_parts(files, order.part_bytes)
    check_apart(parts, order.folder)
    check_outside(order, parts)
    with one_writer(order.folder, parts):
        plan = make_plan(order, files, parts, known)
        if not plan.todo:
            return add_up(plan, [], [])
        crew = make_crew(len(plan.todo))
        try:
            if crew.apart:
                check_shared(order.source, order.folder)
            return run_plan(plan, crew, advance or (lambda lists: None))
        finally:
            crew.close()


@contextmanager
def one_writer(folder: str, parts: Sequence[Part]) -> Iterator[None]:
    """Where it is here. An object store has no locks: two runs at once would do the same work twice there."""
    if is_address(folder):
        yield
        return
    if Path(folder).is_file():
        raise InputError(f"{folder} is a file; parts are written into a folder")
    (Path(folder) / OWN).mkdir(parents=True, exist_ok=True)
    if is_stream(lock := Path(folder) / LOCK):
        raise InputError(f"{lock} is a pipe or a device, and a file is locked there; remove it")
    with hold(lock):
        sweep(Path(folder), parts)
        try:
            yield
        finally:
            sweep(Path(folder), parts)


def sweep(folder: Path, parts: Sequence[Part]) -> None:
    """What workers that were killed have left of these parts."""
    for part in parts:
        place = folder / part.name
        for left in place.parent.glob(f".{glob.escape(place.name)}.*.partial"):
            left.unlink(missing_ok=True)


def make_plan(order: Order, files: Sequence[File], parts: Sequence[Part], known: str) -> Plan:
    names = names_in(order.folder)
    taken = [part.name for part in parts if part.name in names]
    if order.overwrite:
        names -= start_over(order.folder, {*taken, *recorded(names)} & names, names)
    elif taken and MANIFEST not in names:
        raise InputError(f"{beside(order.folder, taken[0])} is there already, and no manifest; give another folder")
    sizes = {file.place: file.size for file in files}
    kind = order.device.partition(":")[0] if order.device else None
    pinned = Manifest(order.model, known, order.top, kind, order.part_bytes, order.respell)
    cut = check_manifest(order.folder, replace(pinned, cut=sizes_of_cut(parts, sizes)), names)
    check_cuts(order.folder, parts, recorded(names) & names, cut)
    done = tuple(made_before(order.folder, part) for part in parts if part.name in names)
    return Plan(order, tuple(parts), tuple(part for part in parts if part.name not in names), done)


def made_before(folder: str, part: Part) -> PartRecord:
    """Of the same file: one that was written again since would keep its old ranking."""
    record = read_record(folder, part.name)
    if record.version and part.version and record.version != part.version:
        raise InputError(
            f"{part.place} has changed since {beside(folder, part.name)} was made; --overwrite starts over"
        )
    return record


def check_apart(parts: Sequence[Part], folder: str) -> None:
    for part in parts:
        target = beside(folder, part.name)
        same = target == part.place if is_address(folder) else Path(target).resolve() == Path(part.place).resolve()
        if same:
            raise InputError(f"{part.place} is what is read; give another folder to write to")


def check_outside(order: Order, parts: Sequence[Part]) -> None:
    """Parts that are written below what is read would be read by the next run."""
    for part in parts:
        if part.place != order.source and would_find(order.source, beside(order.folder, part.name)):
            raise InputError(f"{order.folder} is in {order.source}, which is read; give a folder outside of it")


def check_cuts(folder: str, parts: Sequence[Part], there: set[str], cut: Iterable[str]) -> None:
    """A file that is cut otherwise than before would stand there twice.

    `cut`: the places of those that were. Others may have the name of a piece, as the shards of a corpus often do.
    """
    known, wanted = {name for place in cut for name in tails(place)}, {part.name for part in parts}
    by_file = {uncut(name) if uncut(name) in known else name: name for name in there - wanted}
    for part in parts:
        if (old := by_file.get(part.name if part.stop is None else uncut(part.name))) is not None:
            raise InputError(f"{part.place} has changed since {beside(folder, old)} was made; --overwrite starts over")


def tails(place: str) -> Iterator[str]:
    """The names that a file can have below a folder: c.jsonl, b/c.jsonl, a/b/c.jsonl."""
    names = PurePath(place).parts
    return ("/".join(names[start:]) for start in range(len(names)))


def recorded(names: set[str]) -> set[str]:
    """The parts that have a record."""
    start = f"{RECORDS}/"
    return {name.removeprefix(start).removesuffix(".json") for name in names if name.startswith(start)}


def start_over(folder: str, taken: set[str], names: set[str]) -> set[str]:
    """Remove all parts that were made before, and the manifest at last."""
    gone = [*sorted(taken), *([MANIFEST] if MANIFEST in names else [])]
    for name in gone:
        remove(beside(folder, name))
    return set(gone)


def run_plan(plan: Plan, crew: Crew, advance: Advance) -> BulkReport:
    order, records, failed = plan.order, list[PartRecord](), list[AnselmError]()
    largest_first = sorted(plan.todo, key=lambda part: -part.size)  # else the last worker would be waited for
    tasks = (RankPart(part, order.folder, order.top, order.strict, order.respell) for part in largest_first)
    for event in dispatch(crew, tasks):
        if isinstance(event, Advanced):
            advance(event.lists)
        elif isinstance(event.message, Refused):
            if order.strict:
                raise event.message.error
            failed.append(event.message.error)
        else:
            records.append(event.message.result)
    return add_up(plan, records, failed)


def add_up(plan: Plan, records: Sequence[PartRecord], failed: Sequence[AnselmError]) -> BulkReport:
    every = [*plan.done, *records]
    return BulkReport(
        parts=len(plan.parts),
        kept=len(plan.done),
        lists=sum(record.lists for record in every),
        pairs=sum(record.pairs for record in every),
        skipped=sum(record.skipped for record in every),
        first_skipped=tuple(line for record in every for line in record.first_skipped),
        failed=tuple(map(str, failed)),
        repeated=tuple(find_repeats(every)),
        uncut=tuple(part.place for part in plan.parts if part.is_packed and part.size > (plan.order.part_bytes or inf)),
    )
