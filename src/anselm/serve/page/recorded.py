"""The recorded results as tables, the papers' figures beside ours, where the repository is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import anselm
from anselm.recipes.published import System, published_systems
from anselm.recipes.results import Result, read_results
from anselm.serve.page import shell

ROOT = Path(anselm.__file__).parents[2]  # of a checkout; installed packages have no results beside them
RESULTS = ROOT / "results"
METRICS = ("map", "mrr", "p@1", "avgrec", "precision", "recall", "f1", "accuracy")
LABELS = {"avgrec": "AvgRec", "precision": "Precision", "recall": "Recall", "accuracy": "Accuracy"}
CAPTIONS = {
    "attentive-clustering-alpha": "Attentive clustering: what the share of attention in the similarity does.",
    "ggsa-sensitivity": "Gated group self-attention: how the number of heads and the size of groups matter.",
    "verdict": "The default model: how often “there is an answer” is right.",
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
    spaced = slug.replace("-", " ")
    return spaced[:1].upper() + spaced[1:]


def paper_section(paper: str, results: Sequence[Result]) -> str:
    tables = sorted({table for one in results for table in (one.table, *one.also)})
    shown = "".join(
        table_of(paper, table, [one for one in results if table in (one.table, *one.also)]) for table in tables
    )
    return f'<section aria-labelledby="{escape(paper)}"><h2 id="{escape(paper)}">{escape(title(paper))}</h2>{shown}</section>'


def table_of(paper: str, table: str, results: Sequence[Result]) -> str:
    places = {where(one) for one in results}
    systems = [one for one in published_systems(paper, table) if where(one) in places]
    there = {name for one in results for name in one.metrics} | {name for one in systems for name in one.metrics}
    metrics = [name for name in METRICS if name in there]
    ordered = sorted(results, key=lambda one: (one.corpus, one.split, one.protocol, one.row))
    rows = "".join(our_row(one, metrics) for one in ordered) + "".join(their_row(one, metrics) for one in systems)
    name = escape(f"{title(paper)}, {title(table)}")
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{name}"><table><caption>{escape(title(table))}</caption>'
        f"{head(metrics)}<tbody>{rows}</tbody></table></div>"
    )


def where(one: Result | System) -> tuple[str, str, str]:
    return one.corpus, one.split, one.protocol


def head(metrics: Sequence[str]) -> str:
    names = "".join(f'<th colspan="2" scope="colgroup">{LABELS.get(name, name.upper())}</th>' for name in metrics)
    pairs = '<th scope="col">ours</th><th scope="col">paper</th>' * len(metrics)
    return (
        '<thead><tr><th rowspan="2" scope="col">Row</th><th rowspan="2" scope="col">Corpus</th>'
        f'{names}<th rowspan="2" scope="col">Seeds</th></tr><tr>{pairs}</tr></thead>'
    )


def our_row(result: Result, metrics: Sequence[str]) -> str:
    cells = "".join(
        f"<td>{ours(result.metrics, name)}</td><td>{theirs(result.published, name)}</td>" for name in metrics
    )
    note = f"<small>{escape(result.note)}</small>" if result.note else ""
    return (
        f'<tr><th scope="row">{escape(result.row)}{note}</th>{corpus(result)}{cells}<td>{len(result.seeds)}</td></tr>'
    )


def their_row(system: System, metrics: Sequence[str]) -> str:
    cells = "".join(f"<td>–</td><td>{theirs(system.metrics, name)}</td>" for name in metrics)
    source = f"<small>{escape(system.source)}</small>"
    return f'<tr><th scope="row">{escape(system.row)}{source}</th>{corpus(system)}{cells}<td>–</td></tr>'


def corpus(one: Result | System) -> str:
    return f"<td>{escape(one.corpus)}<small>{escape(one.split)}, {escape(one.protocol)}</small></td>"


def ours(metrics: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """Mean, and over several seeds the standard deviation."""
    if name not in metrics:
        return "–"
    found = metrics[name]
    return f"{found['mean']:.3f}" + (f"<small>± {found['sd']:.3f}</small>" if len(found["values"]) > 1 else "")


def theirs(published: Mapping[str, float], name: str) -> str:
    return f"{published[name]:.3f}" if name in published else "–"


def figures() -> str:
    shown = "".join(
        f'<figure><img src="{path}" alt="{escape(CAPTIONS[file.stem])}" loading="lazy"><figcaption>'
        f"{escape(CAPTIONS[file.stem])}</figcaption></figure>"
        for path, file in FIGURES.items()
    )
    return f'<section aria-labelledby="figures"><h2 id="figures">Figures</h2>{shown}</section>' if shown else ""
