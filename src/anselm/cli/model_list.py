"""anselm models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import Json, switch
from anselm.cli.output import print_json, print_rows, say

if TYPE_CHECKING:
    from anselm.checkpoints.catalogue import Entry

app = typer.Typer()

TRAINING = "anselm train --base NAME --data LISTS.jsonl --out FOLDER"


@app.command(epilog="Example: anselm models --all")
def models(
    everything: Annotated[
        bool, switch("--all", help="Say what each of them is, and the terms of the weights.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the models that can be named: those that rank at once, and those that are trained first."""
    from anselm.checkpoints.catalogue import TO_BE_TRAINED, all_models

    entries = sorted(all_models().values(), key=lambda entry: not entry.shipped)
    if as_json:
        return print_json([row_of(entry) for entry in entries])
    ready = [entry for entry in entries if entry.shipped]
    others = [entry for entry in entries if entry.use == TO_BE_TRAINED]
    say("These rank at once, with --model NAME:")
    print_rows([{"name": one.name, "what it is": described(one)} for one in ready], as_json=False)
    say("")
    say(f"These are trained on your lists first, with {TRAINING}:")
    if everything:
        print_rows([{"name": one.name, "kind": one.kind, "what it is": one.summary} for one in others], as_json=False)
        return show_terms(ready)
    print_rows(names_by_kind(others), as_json=False)
    say("")
    return say("`anselm models --all` says what each of them is, and the terms of the weights.")


def row_of(entry: Entry) -> dict[str, object]:
    row = {"name": entry.name, "kind": entry.kind, "use": entry.use}
    return row | {"ready": entry.ready, "summary": entry.summary, "terms": entry.terms}


def described(entry: Entry) -> str:
    return entry.summary if entry.ready else f"{entry.summary}; first: {entry.use}"


def names_by_kind(entries: Sequence[Entry]) -> list[dict[str, str]]:
    kinds = dict.fromkeys(entry.kind for entry in entries)
    return [{"kind": kind, "names": ", ".join(one.name for one in entries if one.kind == kind)} for kind in kinds]


def show_terms(entries: Sequence[Entry]) -> None:
    for entry in entries:
        if entry.terms:
            say("")
            say(f"{entry.name}: {entry.terms}")
