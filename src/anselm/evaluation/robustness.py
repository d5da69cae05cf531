"""How much a model loses when a sentence that only looks like an answer is put into each list.

On any labelled lists the sentences are made by rule (`distractors`). A corpus whose questions are adversarial copies
has its own: there the originals are compared with the worst copy of each, as in Jia and Liang (2017).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from anselm.data.datasets import Dataset, load_originals
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.distractors import add_distractor
from anselm.evaluation.report import Report, assess
from anselm.evaluation.systems import System
from anselm.files import write_atomically
from anselm.metrics.significance import Comparison
from anselm.metrics.significance import compare as compare_values
from anselm.metrics.ties import Ties
from anselm.outputs import check_parent
from anselm.scorer import Progress, Scores, silent

RULES, COPIES = "rules", "copies"  # where distractors come from


@dataclass(frozen=True)
class Robustness:
    """The same questions without and with distractors.

    `distracted` counts the lists that have one, `fooled` those of them in which it stands before every relevant
    candidate; of copies neither is known. A drop is the difference of the means, above 0 where distractors cost.
    """

    clean: Report
    hard: Report
    source: str
    drops: dict[str, Comparison]
    distracted: int | None = None
    fooled: int | None = None
    rows: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def to_dict(self) -> dict[str, Any]:
        about = ("model", "data", "split", "protocol", "ties", "questions", "copies", "pairs", "judged_only")
        shared = {key: value for key, value in self.hard.to_dict().items() if key in about}
        counts = {"distractors": self.source, "distracted": self.distracted, "fooled": self.fooled}
        drops = {
            name: {"difference": row.difference, "interval": row.interval, "p": row.p_randomisation}
            for name, row in self.drops.items()
        }
        known = {name: value for name, value in counts.items() if value is not None}
        return shared | known | {"clean": self.clean.metrics, "metrics": self.hard.metrics, "drop": drops}


def assess_robustness(
    system: System,
    dataset: Dataset,
    metrics: Sequence[str],
    ties: Ties = "pessimistic",
    progress: Progress = silent,
    judged_only: bool = False,
    data_dir: str | Path | None = None,
) -> Robustness:
    """Score the lists twice and compare, question by question."""
    check_reads(system)
    if (originals := load_originals(dataset, data_dir)) is not None:
        plain, source = originals, COPIES
    else:
        plain, source = dataset, RULES
        dataset = replace(dataset, questions=tuple(add_distractor(question) for question in dataset))
    clean = assess(system, plain, metrics, ties, progress, judged_only)
    hard = assess(system, dataset, metrics, ties, progress, judged_only)
    drops = _drops(clean, hard)
    if source == COPIES:
        return Robustness(clean, hard, source, drops, rows=list(_rows(clean, hard, {})))
    ranks = _ranks(plain, hard)
    fooled = sum(rank["before_relevant"] for rank in ranks.values())
    return Robustness(clean, hard, source, drops, len(ranks), fooled, list(_rows(clean, hard, ranks)))


def check_reads(system: System) -> None:
    """Whether it can be asked about other lists than those that somebody ran it on."""
    if getattr(system, "scorer", None) is None:
        raise InputError(f"{system.name} holds scores for given lists; --robust needs a model, which can read others")


def _drops(clean: Report, hard: Report) -> dict[str, Comparison]:
    order = {name: place for place, name in enumerate(clean.ids)}
    if order.keys() != set(hard.ids) or len(order) != len(hard.ids):
        raise InputError(f"{clean.data} has not the same questions with and without distractors")
    places = [order[name] for name in hard.ids]
    return {name: compare_values(clean.values[name][places], hard.values[name]) for name in hard.values}


def _ranks(plain: Dataset, hard: Report) -> dict[str, dict[str, Any]]:
    """By question: the distractor, its rank, and whether it stands before everything relevant."""
    if hard.ranked is None:
        return {}
    found = {}
    for before, question, scores in zip(plain, hard.ranked.lists, hard.ranked.scores, strict=True):
        if (place := _added(before, question)) is not None:
            found[question.id] = {
                "distractor": question.candidates[place].text,
                "rank": 1 + int(np.sum(scores > scores[place])),
                "before_relevant": _stands_first(scores, question.candidates, place),
            }
    return found


def _added(before: Question, after: Question) -> int | None:
    known = {candidate.id for candidate in before.candidates}
    return next((place for place, one in enumerate(after.candidates) if one.id not in known), None)


def _stands_first(scores: Scores, candidates: Sequence[Candidate], place: int) -> bool:
    relevant = [scores[i] for i, candidate in enumerate(candidates) if candidate.relevant]
    return bool(relevant) and bool(scores[place] >= max(relevant))


def _rows(clean: Report, hard: Report, ranks: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    without = {row.pop("id"): row for row in clean.measured}
    for row in hard.measured:
        name = row.pop("id")
        yield {"id": name, **ranks.get(name, {}), "clean": without[name], "metrics": row}


def check_rows_target(path: Path) -> None:
    """Before anything is scored."""
    if path.suffix != ".jsonl":
        raise InputError(f"{path} must end in .jsonl: with --robust, --save writes a line for each question")
    check_parent(path)


def save_rows(found: Robustness, path: Path) -> None:
    with write_atomically(path) as file:
        for row in found.rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
