"""anselm rank --input ... --output FOLDER/: many parts, by workers on this machine or on a cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from anselm.cli.output import interruptible, print_json, say, whisper
from anselm.cli.skips import SKIPPED
from anselm.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from anselm.scale.bulk_run import BulkReport, Order
    from anselm.scale.crew import Crew

LOCAL, RAY = "local", "ray"
NAMED = 20  # records that were skipped
FILES = (".jsonl", ".ndjson", ".json", ".gz", ".parquet", ".run", ".csv", ".tsv")


def rank_in_parts(
    source: str,
    output: str,
    model: str,
    engine: str | None,
    workers: int | None,
    part_size: int,
    as_json: bool,
    **options: Any,
) -> None:
    from anselm.cli.show.bars import counting
    from anselm.ranking.given import check_count
    from anselm.scale.bulk_run import Order, rank_parts

    check_count("workers", workers)
    if engine not in (None, LOCAL, RAY):
        raise UnknownNameError("engine", engine, (LOCAL, RAY))
    if part_size < 0:
        raise InputError(f"--part-size is {part_size}, and must be at least 0")
    if not output.endswith("/") and output.endswith(FILES) and not is_folder(output):
        raise InputError(f"--output {output} is named as a file, but parts go into a folder: give {output}/ or another")
    devices_of(options.get("device"))  # before anything is written
    order = Order(source, output, model, part_bytes=part_size * 2**20 or None, **options)
    with interruptible("the same command goes on where it ended"), counting("ranking lists") as advance:
        report = rank_parts(order, crew_maker(engine or LOCAL, order, workers), advance)
    tell(report, order, as_json)


def is_folder(output: str) -> bool:
    from pathlib import Path

    return "://" not in output and Path(output).is_dir()


def crew_maker(engine: str, order: Order, workers: int | None) -> Callable[[int], Crew]:
    from anselm.cores import usable_cores

    def make(parts: int) -> Crew:
        if engine == RAY:
            from anselm.scale.ray_crew import RayCrew

            return RayCrew(workers, parts, order.model, order.device)
        from anselm.scale.local_crew import LocalCrew

        return LocalCrew(min(workers or usable_cores(), parts), order.model, devices_of(order.device))

    return make


def devices_of(device: str | None) -> tuple[str, ...]:
    """All of a kind where no number is given; the workers take turns."""
    if device is None:
        return ()
    from anselm.ranking.torch_devices import count_devices, find_device

    found = find_device(device)
    return tuple(f"cuda:{number}" for number in range(count_devices(found))) if found == "cuda" else (found,)


def tell(report: BulkReport, order: Order, as_json: bool) -> None:
    if report.uncut:
        whisper(f"anselm: note: {report.uncut[0]} is large and packed by gzip, which cannot be cut into pieces")
    for line in report.first_skipped[:NAMED]:
        whisper(f"anselm: skipped: {line}")
    for line in report.failed[:NAMED] if len(report.failed) > 1 else ():
        whisper(f"anselm: not ranked: {line}")
    for line in report.repeated[:NAMED]:
        whisper(f"anselm: note: {line}; both are ranked")
    if as_json:
        print_json({"input": order.source, "output": order.folder, "model": order.model} | asdict(report))
    else:
        parts = report.parts - len(report.failed)
        kept = f", {report.kept:,} of which were there" if report.kept else ""
        said = f"{report.lists:,} list{'s' * (report.lists != 1)} ranked into {order.folder}"
        say(f"{said}, {parts:,} part{'s' * (parts != 1)}{kept}")
    if report.failed:
        raise InputError(f"{len(report.failed):,} of {report.parts:,} parts were not ranked{which(report)}")
    if report.repeated:
        whisper(f"anselm: {len(report.repeated):,} lists have an id that an earlier piece of their file has")
    if report.skipped:
        whisper(f"anselm: {report.skipped:,} {'record was' if report.skipped == 1 else 'records were'} skipped")
    if report.skipped or report.repeated:
        raise typer.Exit(SKIPPED)


def which(report: BulkReport) -> str:
    """Where several failed they are named above, as far as that is of use."""
    if len(report.failed) == 1:
        return f": {report.failed[0]}"
    return f"; the first {NAMED} are named above" if len(report.failed) > NAMED else ", see above"
