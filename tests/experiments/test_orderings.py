"""Whether a paper's orderings come out: each cell of the pages' tables is what the records and their comparisons say.

holds, does not hold: significant, with the paper's sign or the other. cannot be told: not significant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from anselm.experiments.comparisons import RowComparison, compare_rows, partner
from anselm.experiments.recipe_files import all_recipes
from anselm.experiments.result_tables import spell_chance
from anselm.experiments.results import Result, read_results
from anselm.experiments.schema import Recipe

ROOT = Path(__file__).parents[2]
GGSA, CLUSTERING, SWISSALPS = "gated-group-self-attention", "attentive-clustering", "swissalps-attention-cnn"
RECIPES = all_recipes()


@dataclass(frozen=True)
class Column:
    """A test set; `suffix` ends the names of its rows and of their partners."""

    corpus: str
    protocol: str
    suffix: str = ""


COLUMNS = {
    GGSA: (Column("insuranceqa-text", "raw"), Column("wikiqa", "clean"), Column("squad", "raw")),
    CLUSTERING: (
        Column("trecqa", "clean"),
        Column("semeval-2016", "clean"),
        Column("semeval-2015", "clean"),
        Column("insuranceqa-text", "raw"),
        Column("stackexchange", "clean"),
    ),
    SWISSALPS: (Column("semeval-2016", "official"), Column("semeval-2016", "official", "-forum")),
}


@dataclass(frozen=True)
class Claim:
    """Of a paper: what its line begins with, the rows that differ from their partners, each with its name in a cell,
    and the sign that the paper gives all their differences; "" where it sees none.
    """

    label: str
    table: str
    rows: Mapping[str, str]
    sign: str = "+"


# Under question attention the paper has global self-attention below the LSTM on one test set and above it on the other:
# it is told as above.
CLAIMS = {
    GGSA: (
        Claim("Table 2: GGSA above global self-attention, max pooling", "table-2", {"ggsa-max": ""}),
        Claim("the same, question attention", "table-2", {"ggsa-attention": ""}),
        Claim("Table 2: global self-attention above the LSTM, max pooling", "table-2", {"global-attention-max": ""}),
        Claim("the same, question attention (the paper: below, above)", "table-2", {"global-attention-attention": ""}),
        Claim("Table 2: question attention helps the LSTM", "table-2", {"qa-lstm-attention": ""}),
        Claim("Table 3: local below GGSA", "table-3", {"local-attention": ""}, "-"),
        Claim("Table 3: with the gate near GGSA", "table-3", {"local-attention-gate": ""}, ""),
        Claim("Table 4: groups below global self-attention", "table-4", {"group-attention": ""}, "-"),
        Claim("Table 4: offsets add", "table-4", {"group-attention-offset": ""}),
        Claim("Table 4: the interaction adds", "table-4", {"iggsa-max": ""}),
        Claim("Table 5: GESD above cosine", "table-5", {"cnn-gesd": ""}),
        Claim("Table 5: attentive pooling above max pooling (LSTM)", "table-5", {"ap-lstm": ""}),
        Claim(
            "Table 5: IARNN-GATE, multihop (MLP) above the LSTM",
            "table-5",
            {"iarnn-gate": "IARNN-GATE", "multihop-mlp-lstm": "multihop"},
        ),
        Claim(
            "Table 5: sequential above MLP; dropout adds",
            "table-5",
            {"multihop-sequential-lstm": "sequential", "multihop-sequential-lstm-plus": "dropout"},
        ),
        Claim("Table 5: iGGSA with multihop attention above the multihop LSTM", "table-5", {"iggsa-multihop": ""}),
        Claim("Table 6: GGSA above CTRN", "table-6", {"ggsa-max": ""}),
        Claim(
            "Table 6: AP-CNN, NTN-LSTM, HD-LSTM and AP-BiLSTM below CTRN",
            "table-6",
            {"ap-cnn": "AP-CNN", "ntn-lstm": "NTN-LSTM", "hd-lstm": "HD-LSTM", "ap-bilstm": "AP-BiLSTM"},
            "-",
        ),
        Claim("Table 6: iGGSA above GGSA, max pooling", "table-6", {"iggsa-max": ""}),
        Claim("Table 6: question attention above max pooling (GGSA)", "table-6", {"ggsa-attention": ""}),
        Claim("Table 7: pairwise above pointwise, GGSA", "table-7", {"ggsa-max-pairwise": ""}),
        Claim("the same, iGGSA with question attention", "table-7", {"iggsa-attention-pairwise": ""}),
        Claim("Figure 8: large groups are worse", "figure-8", {"group-100": "100", "group-200": "200"}, "-"),
        Claim("Figure 8: few heads are worse", "figure-8", {"heads-2": "2"}, "-"),
    ),
    CLUSTERING: (
        Claim("Table 6: clustering above pooling (+0.019)", "table-6", {"attentive-clustering": ""}),
        Claim("Table 6: pooling above QA-CNN (+0.018)", "table-6", {"attentive-pooling": ""}),
        Claim("Table 6: QA-CNN above Severyn and Moschitti (+0.025)", "table-6", {"qa-cnn": ""}),
        Claim("Table 6: Severyn and Moschitti above word embeddings (+0.079)", "table-6", {"severyn-moschitti": ""}),
        Claim(
            "Table 8: every α above 0 is above α = 0",
            "table-8",
            {"alpha-0.2": "0.2", "attentive-clustering": "0.4"} | {f"alpha-{a}": a for a in ("0.5", "0.7", "1.0")},
        ),
    ),
    SWISSALPS: (
        Claim("ABCNN1 above sCNN (+0.035)", "table-3", {"abcnn1": ""}),
        Claim("ABCNN2 above sCNN (+0.047)", "table-3", {"abcnn2": ""}),
    ),
}


@cache
def recorded() -> list[Result]:
    return read_results(ROOT / "results")


@cache
def table_of(paper: str, table: str) -> tuple[list[Result], Mapping[Path, RowComparison]]:
    rows = [one for one in recorded() if one.paper == paper and table in (one.table, *one.also)]
    return rows, compare_rows(rows)


def cell(paper: str, claim: Claim, column: Column) -> str:
    rows, compared = table_of(paper, claim.table)
    names = {f"{row}{column.suffix}": name for row, name in claim.rows.items()}
    if not any(column.corpus in recipe.corpora for row in names for recipe in recipes(paper, claim.table, row)):
        return "-"
    there = [one for one in rows if one.row in names and (one.corpus, one.protocol) == (column.corpus, column.protocol)]
    if not there:
        return "not run"
    there.sort(key=lambda one: [*names].index(one.row))
    if not any(partner(one, rows) for one in there):
        return "its partner was not run"
    if not any(one.path in compared for one in there):
        return "not compared: trained otherwise"
    found = {names[one.row]: compared[one.path] for one in there if one.path in compared}
    missing = ", ".join(name for name in names.values() if name not in found)
    rest = f"; {missing} not run" if missing else ""
    return f"{verdict([*found.values()], claim.sign)} ({'; '.join(map(spell, found, found.values()))}{rest})"


def recipes(paper: str, table: str, row: str) -> list[Recipe]:
    return [one for one in RECIPES.values() if one.row == row and f"{paper}/{table}" in one.tables]


def verdict(found: Sequence[RowComparison], sign: str) -> str:
    """Of several rows a claim holds where it does for all of them, and does not where it does not for one."""
    as_told = [f"{one.difference:+.3f}"[0] == sign for one in found]
    if not sign:
        return "does not hold" if any(one.significant for one in found) else "no difference seen"
    if any(one.significant and not agrees for one, agrees in zip(found, as_told, strict=True)):
        return "does not hold"
    if all(one.significant for one in found):
        return "holds"
    other = not any(as_told) and all(abs(one.difference) >= 0.0005 for one in found)
    return f"cannot be told{', other sign' if other else ''}"


def spell(name: str, found: RowComparison) -> str:
    """100: -0.069, 0.002"""
    chance = spell_chance(found.p_holm).replace("1.000", "1")
    return f"{name}: {found.difference:+.3f}, {chance}" if name else f"{found.difference:+.3f}, {chance}"


def lines_of(paper: str) -> dict[str, list[str]]:
    """The table of orderings, by the first cell of a line."""
    page = (ROOT / "docs" / f"{paper}.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| of the (?:paper|thesis)[^|]*\|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    cells = [[one.strip() for one in line.strip("|").split("|")] for line in table.splitlines()]
    return {first: rest for first, *rest in cells}


@pytest.mark.parametrize("paper", CLAIMS)
def test_a_page_says_of_each_ordering_what_its_records_say(paper: str) -> None:
    expected = {one.label: [cell(paper, one, column) for column in COLUMNS[paper]] for one in CLAIMS[paper]}
    assert lines_of(paper) == expected
