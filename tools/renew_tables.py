"""Write the tables that the records make into the pages of their papers, where each `### table` stands.

python -m tools.renew_tables [PAPER ...]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from anselm.experiments.result_tables import tables
from anselm.experiments.results import Result, read_results

ROOT = Path(__file__).parents[1]


def main(papers: Sequence[str]) -> None:
    found = read_results(ROOT / "results")
    for paper in papers or sorted({result.paper for result in found}):
        page = ROOT / "docs" / f"{paper}.md"
        rows = [result for result in found if result.paper == paper]
        page.write_text(renew(page.read_text(encoding="utf-8"), rendered(rows)), encoding="utf-8")


def rendered(results: Sequence[Result]) -> dict[str, str]:
    """The tables of a paper, by name: table-2, figure-8."""
    parts = re.split(r"^## .*, (.+)\n\n", tables(results), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], (text.strip() for text in parts[1::2]), strict=True))


def renew(page: str, new: dict[str, str]) -> str:
    """Each table after its heading; one that has no heading yet is an error, since only a person knows its place."""
    for name, table in new.items():
        heading = re.compile(rf"(^### {re.escape(name)}\n\n)(?:\|.*\n)*(?:\n† .*\n)?", re.MULTILINE)
        if not heading.search(page):
            raise SystemExit(f"there is no heading `### {name}` to put the table below")
        page = heading.sub(lambda found, table=table: f"{found[1]}{table}\n", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    main(sys.argv[1:])
