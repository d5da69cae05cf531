"""Recorded results: one JSON file per row and corpus, written by a run and never by hand, and their tables.

results/<paper>/<table>/<row>--<corpus>.json
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from anselm.errors import FormatError, InputError
from anselm.experiments.published import System, published_systems
from anselm.files import read_json, write_atomically
from anselm.metrics.significance import compare, welch_test


@dataclass(frozen=True)
class Result:
    """A row of a table on one test set: a value per seed, and what the paper reports beside it."""

    paper: str
    table: str
    row: str
    corpus: str
    protocol: str
    split: str
    model: str
    seeds: list[int]
    metrics: dict[str, dict[str, Any]]  # name -> mean, sd, values
    published: dict[str, float]
    parameters: int
    device: str
    seconds: float
    data_sha256: str
    commit: str
    note: str = ""
    dev: dict[str, Any] = field(default_factory=dict)  # what the weights were chosen by
    chosen: dict[str, Any] = field(default_factory=dict)  # settings of the training that were searched on dev
    also: list[str] = field(default_factory=list)  # other tables with the same row
    against: str = ""  # the row that it is compared with
    metric: str = "map"  # by which
    values: list[float] = field(default_factory=list)  # that metric for each question, a mean over the seeds
    encoder: dict[str, str] = field(default_factory=dict)  # the pretrained one that it began with: name, sha256
    optimizer: str = ""  # earlier records do not say

    @property
    def names(self) -> list[str]:
        """paper/table/row, for each table that has it."""
        return [f"{self.paper}/{table}/{self.row}" for table in (self.table, *self.also)]

    @property
    def path(self) -> Path:
        split = "" if self.split in ("test", "dev") else f"-{self.split}"  # a corpus may have several to test on
        protocol = "" if self.protocol in ("clean", "raw") else f"-{self.protocol}"
        return Path(self.paper) / self.table / f"{self.row}--{self.corpus}{split}{protocol}.json"


def summary(values: Sequence[float]) -> dict[str, Any]:
    """Mean and standard deviation over seeds (n - 1), with the values themselves."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    numbers = [round(value, 6) for value in values]
    return {"mean": round(statistics.fmean(values), 6), "sd": round(deviation, 6), "values": numbers}


def merge(results: Sequence[Result]) -> Result:
    """Seeds that were run apart, as one result: all of one row, on the same data."""
    first = results[0]
    names = [name for name in first.metrics if all(name in result.metrics for result in results)]  # older have fewer
    for other in results[1:]:
        if (other.path, other.data_sha256, other.model) != (first.path, first.data_sha256, first.model):
            raise InputError(f"{other.path} and {first.path} are not seeds of one result")
    return replace(
        first,
        seeds=[seed for result in results for seed in result.seeds],
        metrics={name: _joined([result.metrics[name] for result in results]) for name in names},
        dev=_joined_dev(results),
        seconds=round(sum(result.seconds for result in results), 1),
        values=_mean_values(results),
    )


def _joined_dev(results: Sequence[Result]) -> dict[str, Any]:
    """Older results do not say after which step their weights were best."""
    steps = [step for result in results for step in result.dev.get("best_steps", ())]
    found = results[0].dev | {"map": _joined([result.dev["map"] for result in results])}
    return found | {"best_steps": steps} if steps else found


def _joined(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return summary([value for part in parts for value in part["values"]])


def _mean_values(results: Sequence[Result]) -> list[float]:
    """Question by question, over all seeds."""
    seeds = sum(len(result.seeds) for result in results)
    questions = zip(*(result.values for result in results), strict=False)  # older results have none
    weights = [len(result.seeds) / seeds for result in results]
    return [round(sum(w * v for w, v in zip(weights, values, strict=True)), 3) for values in questions]


def write_result(result: Result, folder: Path) -> Path:
    path = folder / result.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(spell_record(asdict(result)) + "\n")
    return path


def spell_record(record: Mapping[str, Any]) -> str:
    """JSON with a line for each entry, and one for a list of numbers, of which there may be thousands."""
    text = json.dumps(record, indent=2, ensure_ascii=False)
    return re.sub(r"\[\s+([-+.\deE,\s]+?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text)


def read_results(folder: Path) -> list[Result]:
    return [read_result(path) for path in sorted(folder.rglob("*--*.json"))]


def read_result(path: Path) -> Result:
    try:
        return Result(**read_json(path))
    except TypeError as error:
        raise FormatError(path, f"not a recorded result ({error})") from None


def tables(results: Sequence[Result], part: str = "") -> str:
    """Markdown: one table per paper and table, ours beside the paper's; all, or those of a paper, a paper/table, ...

    Systems that others published on the same test sets (`published.py`) have rows of their own.
    """
    parts = []
    for paper, table in sorted({(result.paper, table) for result in results for table in (result.table, *result.also)}):
        if not f"{paper}/{table}/".startswith(part and f"{part}/") and not part.startswith(f"{paper}/{table}/"):
            continue
        rows = [result for result in results if result.paper == paper and table in (result.table, *result.also)]
        places = {(row.corpus, row.split, row.protocol) for row in rows}
        systems = [one for one in published_systems(paper, table) if (one.corpus, one.split, one.protocol) in places]
        parts.append(f"## {paper}, {table}\n\n{_table(rows, systems)}")
    return "\n\n".join(parts) + "\n"


def _table(results: Sequence[Result], systems: Sequence[System]) -> str:
    there = {name for metrics in (row.metrics for row in results) for name in metrics}
    groups = [names for names in COLUMNS if there & {*names}]
    compared = [row for row in results if row.against]
    header = ["row", "corpus, split (protocol)", *map(_heading, groups), "seeds", "paper", "parameters"]
    header += [f"{compared[0].metric.upper()} against (p over questions / seeds)"] if compared else []
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for result in sorted(results, key=lambda result: (result.corpus, _by_number(result.row))):
        last = [_difference(result, results)] if compared else []
        lines.append(f"| {' | '.join([*_cells(result, groups), *last])} |")
    for system in systems:
        cells = [*_published_cells(system, groups), *(["-"] if compared else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _by_number(row: str) -> list[tuple[str, float]]:
    """Rows in the order of their names, numbers in them by size: heads-4, heads-12."""
    return [(text, float(number or 0)) for text, number in re.findall(r"([^\d]*)(\d+(?:\.\d+)?)?", row)]


# Each a column, where some row has one of its figures; the last two are those of SemEval's official scorer.
COLUMNS = (("map", "mrr", "p@1"), ("avgrec",), ("precision", "recall", "f1", "accuracy"))
LABELS = {"avgrec": "AvgRec", "precision": "P", "recall": "R", "accuracy": "Acc"}


def _label(metric: str) -> str:
    return LABELS.get(metric, metric.upper())


def _heading(names: Sequence[str]) -> str:
    return f"ours: {' / '.join(map(_label, names))}"


def _cells(result: Result, groups: Sequence[Sequence[str]]) -> list[str]:
    ours = [" / ".join(_spell(result.metrics[name]) for name in names if name in result.metrics) for names in groups]
    theirs = ", ".join(f"{_label(name)} {value:.3f}" for name, value in result.published.items()) or "-"
    place = f"{result.corpus}, {result.split} ({result.protocol})"
    shown = [cell or "-" for cell in ours]
    return [result.row, place, *shown, str(len(result.seeds)), theirs, f"{result.parameters / 1e6:.1f}M"]


def _published_cells(system: System, groups: Sequence[Sequence[str]]) -> list[str]:
    figures = [{name: f"{system.metrics[name]:.3f}" for name in names if name in system.metrics} for names in groups]
    shown = [
        " / ".join(found.get(name, "-") for name in names) if found else "-"
        for names, found in zip(groups, figures, strict=True)
    ]
    return [system.row, f"{system.corpus}, {system.split} ({system.protocol})", *shown, "published", "-", "-"]


def _difference(result: Result, others: Sequence[Result]) -> str:
    """How much better it is than the row it is compared with, between which bounds (95 %), and how likely by chance.

    Two p: over the questions, with the models as they are, and over the seeds, were they trained again. * where both
    are below 0.05.
    """
    where = (result.corpus, result.split, result.protocol)
    same = (row for row in others if (row.corpus, row.split, row.protocol) == where)
    other = next((row for row in same if row.row == result.against and row.metric == result.metric), None)
    if other is None or not result.values or len(other.values) != len(result.values):
        return "-"
    if _training(result) != _training(other):
        return f"{other.row}: trained otherwise"
    found = compare(result.values, other.values)
    low, high = found.interval
    seeds = [row.metrics.get(result.metric, {}).get("values", ()) for row in (result, other)]
    chances = [found.p_randomisation, *([welch_test(*seeds)] if min(map(len, seeds)) > 1 else [])]
    star = " *" if len(chances) == 2 and max(chances) < 0.05 else ""
    spelt = " / ".join("< 0.001" if p < 0.001 else f"{p:.3f}" for p in chances)
    return f"{other.row}: {found.difference:+.3f} ({low:+.3f} to {high:+.3f}), p {spelt}{star}"


def _training(result: Result) -> tuple[str, str]:
    """What has to be the same for a difference to be one of the models: optimizer, and lists that chose the weights."""
    return result.optimizer, result.dev.get("data", "")


def _spell(metric: Mapping[str, Any]) -> str:
    """Of a single seed there is no deviation."""
    return f"{metric['mean']:.3f}" + (f" ± {metric['sd']:.3f}" if len(metric["values"]) > 1 else "")
