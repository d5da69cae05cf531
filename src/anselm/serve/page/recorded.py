"""The recorded results as tables, the papers' figures beside ours, where the repository is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import anselm
from anselm.experiments.comparisons import RowComparison, compare_rows
from anselm.experiments.published import System, published_systems
from anselm.experiments.result_tables import spell_chance
from anselm.experiments.results import Result, read_results
from anselm.serve.page import shell

ROOT = Path(anselm.__file__).parents[2]  # of a checkout; installed packages have no results beside them
RESULTS = ROOT / "results"
METRICS = ("map", "mrr", "p@1", "avgrec", "precision", "recall", "f1", "accuracy")  # in this order, and before others
LABELS = {"avgrec": "AvgRec", "precision": "Precision", "recall": "Recall", "accuracy": "Accuracy"}
CAPTIONS = {
    "attentive-clustering-alpha": "Attentive clustering: MAP by α, the weight of answers alike.",
    "ggsa-sensitivity": "Gated group self-attention: P@1 by the size of a group and the number of heads.",
    "verdict": "The default model: what its probabilities are worth, and refused against answered at all thresholds.",
}
FIGURES = {
    f"/page/figures/{path.name}": path
    for path in sorted((ROOT / "docs" / "figures").glob("*.svg"))
    if RESULTS.is_dir() and path.stem in CAPTIONS
}
LACKING = (
    '<p class="problem">The records are no part of the installed package. They are in the repository, in the folder '
    "<code>results</code>; the service shows them here when it is started from a checkout.</p>"
)


@lru_cache(1)
def results_page() -> str:
    """Read once: records do not change while a service runs."""
    found = read_results(RESULTS) if RESULTS.is_dir() else []
    papers = sorted({result.paper for result in found})
    contents = "".join(f'<li><a href="#{escape(paper)}">{escape(title(paper))}</a></li>' for paper in papers)
    sections = [paper_section(paper, [one for one in found if one.paper == paper]) for paper in papers]
    return shell.fill(
        "results.html",
        contents=f'<nav class="examples" aria-label="Papers"><ul>{contents}</ul></nav>' if found else LACKING,
        sections="".join(sections),
        figures=figures(),
    )


def title(slug: str) -> str:
    """The heading of a paper's own page, where it has one; else what its name says."""
    page = ROOT / "docs" / f"{slug}.md"
    if page.is_file():
        return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#").strip()
    return slug.replace("-", " ").capitalize()


def paper_section(paper: str, results: Sequence[Result]) -> str:
    found: dict[str, list[Result]] = {}
    for one in results:
        for table in (one.table, *one.also):
            found.setdefault(table, []).append(one)
    shown = "".join(table_of(paper, table, found[table]) for table in sorted(found))
    heading = f'<h2 id="{escape(paper)}">{escape(title(paper))}</h2>'
    return f'<section aria-labelledby="{escape(paper)}">{heading}{shown}</section>'


def table_of(paper: str, table: str, results: Sequence[Result]) -> str:
    places = {where(one) for one in results}
    systems = [one for one in published_systems(paper, table) if where(one) in places]
    columns, compared = columns_of(results, systems), compare_rows(results)
    rows = [
        row(one, ours(one, columns), notes(one), len(one.seeds), against(one, compared))
        for one in sorted(results, key=order)
    ]
    rows += [row(one, theirs(one, columns), one.source, "–", "–") for one in systems]
    name = escape(f"{title(paper)}: {title(table)}")
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{name}"><table>'
        f"<caption>{escape(title(table))}</caption>{head(columns)}<tbody>{''.join(rows)}</tbody></table></div>"
    )


def where(one: Result | System) -> tuple[str, str, str]:
    return one.corpus, one.split, one.protocol


def order(one: Result) -> tuple[str, ...]:
    return (*where(one), one.row)


def columns_of(results: Sequence[Result], systems: Sequence[System]) -> dict[str, bool]:
    """The metrics that somebody has, and whether a paper reports them."""
    measured = {name for one in results for name in one.metrics}
    reported = {name for one in results for name in one.published} | {name for one in systems for name in one.metrics}
    known = [name for name in METRICS if name in measured | reported]
    return {name: name in reported for name in [*known, *sorted((measured | reported) - {*known})]}


def head(columns: Mapping[str, bool]) -> str:
    names = "".join(
        f'<th colspan="{1 + paper}" scope="colgroup">{LABELS.get(name, name.upper())}</th>'
        for name, paper in columns.items()
    )
    pairs = "".join('<th scope="col">ours</th>' + '<th scope="col">paper</th>' * paper for paper in columns.values())
    return (
        '<thead><tr><th rowspan="2" scope="col">Row</th><th rowspan="2" scope="col">Corpus</th>'
        f'{names}<th rowspan="2" scope="col">Seeds</th><th rowspan="2" scope="col">Against'
        "<small>p over questions / seeds; corrected for all of the table (Holm)</small></th></tr>"
        f"<tr>{pairs}</tr></thead>"
    )


def row(one: Result | System, cells: str, note: str, seeds: int | str, compared: str) -> str:
    said = f"<small>{escape(note)}</small>" if note else ""
    place = f"<td>{escape(one.corpus)}<small>{escape(one.split)}, {escape(one.protocol)}</small></td>"
    return f'<tr><th scope="row">{escape(one.row)}{said}</th>{place}{cells}<td>{seeds}</td><td>{compared}</td></tr>'


def notes(result: Result) -> str:
    """Also that its recipe is another one today."""
    return f"{result.note}; before its recipe was changed: {result.outdated}" if result.outdated else result.note


def against(result: Result, compared: Mapping[Path, RowComparison]) -> str:
    """The difference in the row's own metric, and how likely it is by chance."""
    if (found := compared.get(result.path)) is None:
        return "–"
    chances = " / ".join(spell_chance(p) for p in (found.p_questions, found.p_seeds) if p is not None)
    small = escape(f"{result.metric.upper()}, p {chances}; Holm {spell_chance(found.p_holm)}")
    return f"{escape(found.other.row)} {found.difference:+.3f}<small>{small}</small>"


def ours(result: Result, columns: Mapping[str, bool]) -> str:
    return "".join(
        f"<td>{mean(result.metrics.get(name))}</td>" + f"<td>{figure(result.published.get(name))}</td>" * paper
        for name, paper in columns.items()
    )


def theirs(system: System, columns: Mapping[str, bool]) -> str:
    return "".join(
        "<td>–</td>" + f"<td>{figure(system.metrics.get(name))}</td>" * paper for name, paper in columns.items()
    )


def mean(found: Mapping[str, Any] | None) -> str:
    """With the standard deviation, where there are several seeds."""
    if found is None:
        return "–"
    return f"{found['mean']:.3f}" + (f"<small>± {found['sd']:.3f}</small>" if len(found["values"]) > 1 else "")


def figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def figures() -> str:
    shown = "".join(
        f'<figure><img src="{path}" alt="{escape(CAPTIONS[file.stem])}" loading="lazy"><figcaption>'
        f"{escape(CAPTIONS[file.stem])}</figcaption></figure>"
        for path, file in FIGURES.items()
    )
    return f'<section aria-labelledby="figures"><h2 id="figures">Figures</h2>{shown}</section>' if shown else ""
