"""Recorded results: one JSON file per row and corpus, written by a run and never by hand.

results/<paper>/<table>/<row>--<corpus>.json

The package brings ours along (RECORDED), so that whoever installed it sees them, too.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from anselm.checkpoints.settings import current_names
from anselm.errors import FormatError, InputError
from anselm.experiments.record_shape import find_problem
from anselm.files import read_json, write_atomically

RECORDED = Path(__file__).parent / "recorded"  # in a checkout a link to its folder `results`


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
    made: dict[str, Any] = field(default_factory=dict)  # of what (provenance.py); earlier records do not say
    outdated: str = ""  # how it was made, where the recipe of today is another one and it was not run again

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
    if odd := next((other for other in results[1:] if _experiment(other) != _experiment(first)), None):
        raise InputError(f"{odd.path} and {first.path} are not seeds of one result")
    return replace(
        first,
        seeds=[seed for result in results for seed in result.seeds],
        metrics={name: _joined([result.metrics[name] for result in results]) for name in names},
        dev=_joined_dev(results),
        seconds=round(sum(result.seconds for result in results), 1),
        values=_mean_values(results),
        made=_joined_made(results),
    )


def _experiment(result: Result) -> tuple[Any, ...]:
    """What has to be the same for seeds to be of one row. Records that do not say of what they were made are of one
    with nothing that does.
    """
    made = [result.made.get(name) for name in ("fingerprint", "config", "training", "data")]
    return result.path, result.data_sha256, result.model, result.chosen, made


def _joined_made(results: Sequence[Result]) -> dict[str, Any]:
    seeds = [seed for result in results for seed in result.made.get("seeds", ())]
    return {**results[0].made, "seeds": seeds} if seeds else results[0].made


def _joined_dev(results: Sequence[Result]) -> dict[str, Any]:
    """Older results do not say after which step their weights were best."""
    steps = [step for result in results for step in result.dev.get("best_steps", ())]
    figures = [name for name in ("map", "mrr") if all(name in result.dev for result in results)]
    found = results[0].dev | {name: _joined([result.dev[name] for result in results]) for name in figures}
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


def record_result(result: Result, folder: Path, say: Callable[[str], None]) -> Path:
    """With the seeds that are recorded already, where it has others. Fewer never replace more."""
    path = folder / result.path
    before = read_result(path) if path.exists() else None
    if before is None or set(before.seeds) <= set(result.seeds):
        return write_result(result, folder)
    if _experiment(before) == _experiment(result) and not set(before.seeds) & set(result.seeds):
        return write_result(merge([before, result]), folder)
    say(f"note: {path} stays as it is: it has the seeds {before.seeds}, and these are {result.seeds}")
    return path


def spell_record(record: Mapping[str, Any]) -> str:
    """JSON with a line for each entry, and one for a list of numbers, of which there may be thousands."""
    text = json.dumps(record, indent=2, ensure_ascii=False)
    return re.sub(r"\[\s+([-+.\deE,\s]+?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text)


def find_results(folder: Path, part: str = "") -> list[Result]:
    """All of them, or those of a paper, a paper/table or a paper/table/row."""
    found = [
        result
        for result in read_results(folder)
        if not part or any(f"{name}/".startswith(f"{part}/") for name in result.names)
    ]
    if not found:
        what = f" of {part}" if part else ""
        raise InputError(f"no results{what} are recorded in {folder}; `anselm reproduce RECIPE` records some")
    return found


def recorded_folder(given: Path | None) -> Path:
    """Where to look for results: in `results`, where somebody recorded some here, else among those of the package."""
    return given or (here if (here := Path("results")).is_dir() else RECORDED)


def recorded_path(path: Path) -> Path:
    """A record by its path, or, where there is none, by its place among those of the package."""
    return kept if not path.exists() and (kept := RECORDED / path).is_file() else path


def read_results(folder: Path) -> list[Result]:
    return [read_result(path) for path in sorted(folder.rglob("*--*.json"))]


def read_result(path: Path) -> Result:
    """The only way in: what is wrong with a record is said here, so that nobody else has to look."""
    record = read_json(path)
    if problem := find_problem(record):
        raise FormatError(path, f"not a recorded result: {problem}")
    return Result(**{**record, "chosen": current_names(record.get("chosen", {}))})
