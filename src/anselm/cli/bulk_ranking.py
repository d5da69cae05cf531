"""anselm rank --input: a whole file of lists."""

from __future__ import annotations

from pathlib import Path

import typer

from anselm.cli.output import interruptible, print_json, say, whisper
from anselm.cli.skips import SKIPPED
from anselm.errors import FormatError


def rank_bulk(
    model: str,
    source: Path,
    output: Path,
    top: int | None,
    overwrite: bool,
    strict: bool,
    as_json: bool,
    device: str | None = None,
    respell: bool = True,
) -> None:
    from anselm.cli.show import progress
    from anselm.data.formats.jsonl import read_rankable
    from anselm.files import count_lines, find_file
    from anselm.outputs import check_apart, is_stream
    from anselm.ranking.bulk import is_run, partial_of, rank_file
    from anselm.ranking.ranker import Ranker

    given = find_file(source)
    check_apart(output, given)
    check_apart(partial_of(output), given)
    skipped: list[FormatError] = []

    def skip(error: FormatError) -> None:
        skipped.append(error)
        whisper(f"anselm: skipped: {error}")

    ranker = Ranker.load(model, device=device, respell=respell)
    lists = read_rankable(source, None if strict else skip)
    with interruptible(None if is_run(output) or is_stream(output) else "the same command goes on where it ended"):
        count = rank_file(
            ranker, lists, output, top, overwrite, lambda lists: progress(lists, "ranking", count_lines(given))
        )
    if is_stream(output):  # standard output may be where the lists are
        whisper(f"anselm: {count:,} lists ranked")
    elif as_json:
        place = {"input": str(source), "output": str(output)}
        print_json({**place, "model": ranker.name, "lists": count, "skipped": len(skipped)})
    else:
        say(f"{count:,} lists ranked into {output}")
    if skipped:
        whisper(f"anselm: {len(skipped):,} {'line was' if len(skipped) == 1 else 'lines were'} skipped, see above")
        raise typer.Exit(SKIPPED)
