"""Does the tree help, does its syntax? Every corpus and both encoders: python -m tools.tree_rows.differences [RESULTS]

Of recorded results with two seeds or more: tree-semantic and tree against direct fine-tuning, tree against
tree-semantic, each also after the transfer, on the clean test sets and then on dev. Holm's correction is of the larger
p, over all of a split.
"""

# ruff: noqa: T201

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from anselm.experiments.comparisons import place
from anselm.experiments.result_tables import spell_chance
from anselm.experiments.results import Result, find_results
from anselm.metrics.significance import compare, holm, welch_test

SPLITS = ("test", "dev")
PAPER = "tree-aggregation-transformer"
PAIRS = (
    ("tree-semantic", "direct-fine-tuning"),
    ("tree", "direct-fine-tuning"),
    ("tree", "tree-semantic"),
    ("tree", "tree-right-branching"),
    ("transfer-tree-semantic", "transfer-then-adapt"),
    ("transfer-tree", "transfer-then-adapt"),
    ("transfer-tree", "transfer-tree-semantic"),
)


def pairs(results: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    told = (one for one in results if one.values and len(one.seeds) > 1 and not one.outdated)
    found = {(one.row, *place(one)): one for one in told}
    for size in ("", "-110m"):
        for spot in dict.fromkeys(map(place, results)):
            for row, against in PAIRS:
                names = (f"{row}{size}", *spot), (f"{against}{size}", *spot)
                if all(name in found for name in names):
                    yield found[names[0]], found[names[1]]


def describe(results: Sequence[Result]) -> list[str]:
    """Rows of a table."""
    both = list(pairs(results))
    compared = [compare(one.values, other.values) for one, other in both]
    seeds = [welch_test(*(row.metrics["map"]["values"] for row in pair)) for pair in both]
    corrected = holm([max(one.p_randomisation, p) for one, p in zip(compared, seeds, strict=True)])
    return [
        f"| {' '.join(place(one)[:2])} | {one.row} | {other.row} | {found.difference:+.3f} "
        f"({found.interval[0]:+.3f} to {found.interval[1]:+.3f}) "
        f"| {spell_chance(found.p_randomisation)} / {spell_chance(p)} | {spell_chance(holms)} |"
        for (one, other), found, p, holms in zip(both, compared, seeds, corrected, strict=True)
    ]


def main() -> None:
    results = find_results(Path(sys.argv[1] if len(sys.argv) > 1 else "results"), PAPER)
    print("| corpus | row | against | MAP (95 % over questions) | p over questions / seeds | Holm |")
    print("|---|---|---|---|---|---|")
    for split in SPLITS:
        some = [one for one in results if one.split == split and one.protocol == "clean"]
        print("\n".join(describe(some)))


if __name__ == "__main__":
    main()
