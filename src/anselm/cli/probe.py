"""anselm probe."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from anselm.cli.options import DataDir, Json
from anselm.cli.output import console, print_json

app = typer.Typer()


@app.command(epilog="Example: anselm probe wikiqa=runs/tree,runs/cross-encoder --parser own")
def probe(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA=TREE,SEQUENTIAL...",
            help="A corpus or a file of lists, and the checkpoints trained on it: with trees, without; or only one.",
        ),
    ],
    parser: Annotated[
        str, typer.Option(help="Whose trees the vectors are asked about; the names of `anselm parse`.")
    ] = "own",
    of: Annotated[str, typer.Option(help="Whose tree: candidate or question.")] = "candidate",
    pairs: Annotated[int, typer.Option(help="At most about so many pairs of each split.")] = 2000,
    epochs: Annotated[int, typer.Option(help="How often a probe sees its training pairs.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the lists that are taken, of the probes and of random guesses.")] = 1,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Ask the vectors of trained models for trees and lengths: Table 6 of the tree paper."""
    from anselm.annotations.syntax import find_parser
    from anselm.cli.show import progress
    from anselm.cli.show.probe_tables import show_probes
    from anselm.evaluation.probe_network import Fitting
    from anselm.evaluation.probe_runs import METRICS, Plan, Wanted
    from anselm.evaluation.probe_runs import probe as probe_models
    from anselm.evaluation.probes import correlations

    plan = Plan(parser, of, pairs, data_dir, Fitting(epochs=epochs, seed=seed))
    wanted = [Wanted.parse(one) for one in asked]
    find_parser(parser)  # a mistyped name should not cost the vectors
    found = [probe_models(one, plan, partial(progress, label=f"reading {one.data}")) for one in wanted]
    rho = {metric: correlations(found, metric) for metric in METRICS}
    if as_json:
        about = {"parser": parser, "of": of, "epochs": epochs, "seed": seed}
        return print_json(about | {"corpora": [asdict(one) for one in found], "spearman": rho})
    return show_probes(console(), found, rho)
