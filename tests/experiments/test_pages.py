"""The papers' pages beside the records: every figure that is recorded stands there, and none that is not."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from anselm.experiments import result_tables
from anselm.experiments.results import Result, read_results
from anselm.metrics.significance import bootstrap_difference
from tools.renew_tables import rendered, renew

ROOT = Path(__file__).parents[2]
RECORDS = read_results(ROOT / "results")
PAPERS = sorted({result.paper for result in RECORDS})
ROW = re.compile(r"\| [^|]+ \| [\w-]+, [\w-]+ \([\w-]+\) \| 0\.\d{3} [±/] .+ \|")
OURS = re.compile(r"ours: (\w+(?: text)?)(?:, (.+))?")
GGSA = "gated-group-self-attention"
CORPORA = {"InsuranceQA text": "insuranceqa-text", "WikiQA": "wikiqa", "SQuAD": "squad"}


def page_of(paper: str) -> str:
    return (ROOT / "docs" / f"{paper}.md").read_text(encoding="utf-8")


def line(result: Result) -> str:
    """How its row begins, wherever it is shown."""
    values = [result.metrics[name] for name in ("map", "mrr", "p@1")]
    shown = " / ".join(f"{v['mean']:.3f}" + (f" ± {v['sd']:.3f}" if len(result.seeds) > 1 else "") for v in values)
    mark = " †" if result.outdated else ""
    return f"| {result.row}{mark} | {result.corpus}, {result.split} ({result.protocol}) | {shown} |"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_shows_its_records_and_no_others(paper: str) -> None:
    page = page_of(paper).splitlines()
    expected = {line(result): 1 + len(result.also) for result in RECORDS if result.paper == paper}
    found = {start: sum(one.startswith(start) for one in page) for start in expected}
    assert found == expected
    assert sum(bool(ROW.match(one)) and "| published |" not in one for one in page) == sum(expected.values())


@cache
def interval(values: tuple[float, ...], others: tuple[float, ...]) -> tuple[float, float]:
    """Drawn once: a row stands in several tables."""
    return bootstrap_difference(values, others)


@pytest.mark.parametrize("paper", PAPERS)
def test_differences_and_their_chances_are_those_of_today(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table to the letter: one more row of it changes the correction of all others."""
    monkeypatch.setattr(result_tables, "bootstrap_difference", lambda a, b: interval(tuple(a), tuple(b)))
    page = page_of(paper)
    changed = renew(page, rendered([result for result in RECORDS if result.paper == paper]))
    assert page.splitlines() == changed.splitlines(), f"python -m tools.renew_tables {paper}"


@pytest.mark.parametrize(
    ("heading", "tables"),
    [
        ("| row | paper: InsuranceQA V1", {"table-2", "table-3", "table-4", "table-5"}),
        ("| row | paper: YahooQA", {"table-6", "table-7"}),
    ],
)
def test_levels_beside_those_of_the_ggsa_paper_are_the_records(heading: str, tables: set[str]) -> None:
    """The second column is the paper's, the others are ours: P@1 unless their heading says otherwise."""
    ours = [one for one in RECORDS if one.paper == GGSA and {one.table, *one.also} & tables]
    table = next(part for part in page_of(GGSA).split("\n\n") if part.startswith(heading))
    first, _, *found = [[cell.strip() for cell in one.strip("|").split("|")] for one in table.splitlines()]
    columns = [OURS.fullmatch(cell) for cell in first[2:]]
    for row, _, *cells in found:
        assert [row, *cells] == [row, *(level(ours, row, CORPORA[one[1]], one[2] or "P@1") for one in columns if one)]
    assert {row for row, *_ in found} == {one.row for one in ours}


def level(results: list[Result], row: str, corpus: str, names: str) -> str:
    found = next((one.metrics for one in results if (one.row, one.corpus) == (row, corpus)), None)
    return " / ".join(f"{found[name]['mean']:.3f}" for name in names.lower().split(" / ")) if found else "-"
