"""The papers' pages beside the records: every figure that is recorded stands there, and none that is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anselm.experiments.results import Result, read_results

ROOT = Path(__file__).parents[2]
RECORDS = read_results(ROOT / "results")
ROW = re.compile(r"\| [^|]+ \| [\w-]+, [\w-]+ \([\w-]+\) \| 0\.\d{3} [±/] .+ \|")


def line(result: Result) -> str:
    """How its row begins, wherever it is shown."""
    values = [result.metrics[name] for name in ("map", "mrr", "p@1")]
    shown = " / ".join(f"{v['mean']:.3f}" + (f" ± {v['sd']:.3f}" if len(result.seeds) > 1 else "") for v in values)
    mark = " †" if result.outdated else ""
    return f"| {result.row}{mark} | {result.corpus}, {result.split} ({result.protocol}) | {shown} |"


@pytest.mark.parametrize("paper", sorted({result.paper for result in RECORDS}))
def test_a_page_shows_its_records_and_no_others(paper: str) -> None:
    page = (ROOT / "docs" / f"{paper}.md").read_text(encoding="utf-8").splitlines()
    expected = {line(result): 1 + len(result.also) for result in RECORDS if result.paper == paper}
    found = {start: sum(one.startswith(start) for one in page) for start in expected}
    assert found == expected
    assert sum(bool(ROW.match(one)) and "| published |" not in one for one in page) == sum(expected.values())
