"""anselm rank --input ... --output FOLDER/: many parts, by workers on this machine or on a cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from anselm.cli.output import interruptible, print_json, say, whisper
from anselm.cli.skips import SKIPPED
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.scale.bulk_run import BulkReport, Order

NAMED = 20  # records that were skipped


def rank_in_parts(order: Order, engine: str | None, workers: int | None, as_json: bool) -> None:
    from anselm.cli.show.bars import counting
    from anselm.scale.bulk_run import rank_parts
    from anselm.scale.crews import LOCAL, crew_maker
    from anselm.scale.manifest import check_folder
    from anselm.scale.places import check_shared

    check_folder(order.folder)
    check_shared(order.source, order.folder)  # both engines have workers in other processes
    make_crew = crew_maker(order.model, order.device, engine or LOCAL, workers)
    with interruptible("the same command goes on where it ended"), counting("ranking lists") as advance:
        report = rank_parts(order, make_crew, advance)
    tell(report, order, as_json)


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
