"""anselm pool add, delete, info, rebuild, export and feedback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from anselm.cli.options import Columns, Device, Json, Strict, named_columns, switch
from anselm.cli.output import interruptible, note, print_json, say
from anselm.cli.skips import Skips
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.retrieval.pool import Pool, TextEncoder

app = typer.Typer()

Place = Annotated[str, typer.Argument(metavar="POOL", help="A folder, qdrant://HOST/NAME or postgresql://...")]
WhereOption = Annotated[list[str] | None, typer.Option("--where", help="Only those with NAME=VALUE.")]


@contextmanager
def opened(place: str, device: str | None = None) -> Iterator[Pool]:
    """A pool; what it has to say is said at the end. On a `device` its vectors are made."""
    from anselm.retrieval.pool import Pool

    with Pool.open(place, None if device is None else load_encoder(device)) as pool:
        yield pool
        for one in pool.notes:
            note(f"note: {one}")


def load_encoder(device: str) -> TextEncoder:
    """That of the default model, whose scorer gives the vectors of texts as well."""
    from anselm.ranking.scorers import load_scorer

    return cast("TextEncoder", load_scorer("default", device=device))


@app.command(epilog="Example: anselm pool add faq.pool faq.csv docs/ posts.jsonl")
def add(
    place: Place,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="JSONL, FAQs, documents, folders, a dump's Posts.xml, or - for JSONL. None: go on."),
    ] = None,
    columns: Columns = None,
    strict: Strict = False,
    vectors: Annotated[bool, switch(help="Fill in vectors now; without them words alone are searched.")] = True,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Add passages, or replace those with the same ids; make the pool where there is none."""
    skips = Skips()
    again = f"`anselm pool add {place}` goes on with the vectors"
    with opened(place, device) as pool, interruptible(f"what was added is kept; {again}"):
        changed = add_files(pool, files or [], named_columns(columns), None if strict else skips)
        if files and not pool.exists():
            raise nothing_added(place, skips)
        filled = fill_in(pool) if vectors else 0
        pool.flush()
        record = {"pool": place, "changed": changed, "embedded": filled, "skipped": len(skips.errors)}
        record |= {"passages": pool.count(), "without_vector": pool.count_pending()}
    if as_json:
        print_json(record)
    else:
        say(added(record))
    skips.finish()


def added(record: dict[str, Any]) -> str:
    """What was done, and what is still to do."""
    count, place = record["passages"], record["pool"]
    done = f"{count:,} passage{'s' * (count != 1)} in {place}, {record['changed']:,} of them new or changed"
    if record["embedded"] > record["changed"]:
        done += f", {record['embedded']:,} vectors filled in"
    if missing := record["without_vector"]:
        done += f"; {missing:,} are found by their words alone until `anselm pool add {place}` fills in vectors"
    return done


def nothing_added(place: str, skips: Skips) -> InputError:
    """No pool is made of nothing."""
    for error in skips.errors[1:]:
        note(f"skipped: {error}")
    why = skips.errors[0] if skips.errors else "there is no passage in what was given"
    return InputError(f"nothing was added, and {place} was not made: {why}")


def add_files(pool: Pool, files: list[Path], columns: dict[str, str] | None, skip: Skips | None) -> int:
    from anselm.cli.show import progress
    from anselm.retrieval.item_files import read_parts

    changed = 0
    for part in read_parts(files, columns, skip):
        items = progress(part.items, "adding")
        changed += pool.add(items, skip, apart=True) if part.source is None else pool.replace(part.source, items, skip)
    return changed


def fill_in(pool: Pool) -> int:
    from anselm.cli.show import progress

    missing = pool.count_pending()
    return pool.embed(lambda steps: progress(steps, "vectors", missing)) if missing else 0


@app.command(epilog="Example: anselm pool delete faq.pool --where source=old.csv")
def delete(
    place: Place,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids, as answers show them.")] = None,
    where: WhereOption = None,
    as_json: Json = False,
) -> None:
    """Delete passages by id, or all that --where means."""
    from anselm.retrieval.filters import parse_where

    if bool(ids) == bool(where):
        raise InputError("give ids, or --where NAME=VALUE, and not both")
    with opened(place) as pool:
        count = pool.delete(ids or [], parse_where(where) if where else None)
        pool.flush()
    if as_json:
        print_json({"pool": place, "deleted": count})
    else:
        say(f"{count:,} passage{'s' * (count != 1)} deleted from {place}")


@app.command(epilog="Example: anselm pool info faq.pool --json")
def info(place: Place, as_json: Json = False) -> None:
    """How much is in a pool, and how it is searched."""
    with opened(place) as pool:
        known = pool.info()
    if as_json:
        return print_json(known)
    for name, value in known.items():
        say(f"{name.replace('_', ' ')}: {f'{value:,}' if isinstance(value, int) else value}")
    return None


@app.command(epilog="Example: anselm pool rebuild faq.pool")
def rebuild(
    place: Place,
    vectors: Annotated[bool, switch("--vectors", help="Compute the vectors again, too.")] = False,
    device: Device = None,
) -> None:
    """Make the index of a pool again, from what it holds; no vector is computed again unless it is asked for."""
    with opened(place, device) as pool, interruptible(f"`anselm pool add {place}` goes on with the vectors"):
        pool.rebuild(vectors)
        if vectors:
            fill_in(pool)
            pool.flush()
        say(f"{place} is built again: {pool.count():,} passages")


@app.command(epilog="Example: anselm pool export faq.pool --output faq.jsonl")
def export(
    place: Place,
    output: Annotated[Path, typer.Option("--output", help="A JSONL file, also .gz; - is standard output.")] = Path("-"),
    where: WhereOption = None,
) -> None:
    """Write the passages of a pool as JSONL, which `anselm pool add` reads."""
    import json

    from anselm.cli.show import progress
    from anselm.files import write_atomically
    from anselm.retrieval.feedback import check_beside
    from anselm.retrieval.filters import parse_where

    with opened(place) as pool:
        check_beside(pool, output)
        with write_atomically(output) as file:
            for item in progress(pool.items(parse_where(where) if where else None), "exporting", pool.count()):
                file.write(json.dumps(item.to_dict(), ensure_ascii=False) + "\n")


@app.command(epilog="Example: anselm pool feedback faq.pool answers.json --right 12")
def feedback(
    place: Place,
    answers: Annotated[Path, typer.Argument(help="What `anselm ask --pool --json` printed; - is standard input.")],
    right: Annotated[list[str] | None, typer.Option(help="The id of a right answer; there may be several.")] = None,
    none: Annotated[bool, switch("--none", help="None of those that were shown is right.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="Where lists are gathered; feedback.jsonl in the pool by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Record which of the shown passages was right, as a list that train, calibrate and evaluate take."""
    from anselm.outputs import check_apart
    from anselm.retrieval.feedback import check_beside, feedback_file, read_shown, record_feedback

    if bool(right) == none:
        raise InputError("say which is right with --right ID, or --none")
    question, shown = read_shown(answers)
    with opened(place) as pool:
        path = output or feedback_file(pool)
        check_beside(pool, path, gathers=True)
        check_apart(path, answers)
        record_feedback(path, question, pool.get(shown), right or [])
    if as_json:
        print_json({"question": question, "shown": len(shown), "right": right or [], "file": str(path)})
    else:
        say(f"recorded in {path}")
