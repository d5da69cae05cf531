"""Fitting what needs no torch: word statistics to the texts, probabilities and threshold to the labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.checkpoints.cache import cache_folder
from anselm.checkpoints.card import renew_card
from anselm.checkpoints.catalogue import SHIPPED, find_checkpoint, load_model
from anselm.checkpoints.checkpoint import CALIBRATION, CARD
from anselm.checkpoints.checksums import copy_checkpoint, renew_checksums, write_checkpoint
from anselm.data.datasets import Dataset, check_labels, check_texts
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.metrics.calibration import Calibration
from anselm.metrics.thresholds import Rule
from anselm.metrics.trust import Trust, measure_trust
from anselm.outputs import check_new
from anselm.ranking.respelling import all_as_read
from anselm.ranking.scorers import load_calibration, load_scorer
from anselm.scorer import Progress, score_lists, silent
from anselm.train.beliefs import calibrate, describe, fit_calibration


def fit_to_texts(base: str, dataset: Dataset, out: Path, progress: Progress = silent) -> Calibration | None:
    """Fit a model's statistics on the candidates of a data set, and its probabilities on the labels, if there are any.

    The checkpoint folder appears when it is whole.
    """
    check_texts(dataset)
    model: Any = load_model(base)
    with write_checkpoint(out) as folder:  # first, since a name that is taken should not cost the fitting
        fitted = model.fit(distinct_candidates(progress(dataset)))
        calibration = calibrate(fitted, dataset, progress) if dataset.labelled else None
        fitted.save(folder)
        if calibration:
            calibration.save(folder / CALIBRATION)
    return calibration


def distinct_candidates(questions: Iterable[Question]) -> Iterator[str]:
    """Each candidate text once: pools repeat the same answers, which would distort how rare a word is."""
    seen: set[str] = set()
    for question in questions:
        for candidate in question.candidates:
            if candidate.text not in seen:
                seen.add(candidate.text)
                yield candidate.text


@dataclass(frozen=True)
class Refit:
    """New probabilities for a checkpoint, and what they and the old ones are worth on the lists of the fitting."""

    checkpoint: Path
    calibration: Calibration
    before: Trust | None  # None where it had none
    after: Trust
    kinds: tuple[str, ...]  # of candidates that there were lists of: texts, entries, sentences


def recalibrate(
    model: str | Path, dataset: Dataset, rule: Rule, out: Path | None = None, progress: Progress = silent
) -> Refit:
    """Fit the probabilities of a checkpoint anew, and write them into it, or into a copy of it at `out`."""
    folder = find_writable(model, out)
    check_texts(dataset)
    check_classes(dataset)
    scorer = load_scorer(model)
    scores = score_lists(scorer, all_as_read(scorer, dataset.questions), progress)
    old = load_calibration(folder)
    found = fit_calibration(dataset, scores, rule, describe(dataset), old)
    before = measure_trust(dataset, scores, old) if old else None
    after = measure_trust(dataset, scores, found)
    kinds = tuple(sorted({question.kind for question in dataset}))
    if out is None:
        with renew_checksums(folder, CALIBRATION, CARD):
            write_calibration(folder, found, dataset)
        return Refit(folder, found, before, after, kinds)
    with write_checkpoint(out) as copy:
        copy_checkpoint(folder, copy)
        write_calibration(copy, found, dataset)
    return Refit(out, found, before, after, kinds)


def write_calibration(folder: Path, calibration: Calibration, dataset: Dataset) -> None:
    calibration.save(folder / CALIBRATION)
    renew_card(folder, dataset)


def find_writable(model: str | Path, out: Path | None) -> Path:
    """The checkpoint's folder; before anything is scored, whether there is a place to write to."""
    checkpoint = find_checkpoint(model)
    if checkpoint is None:
        raise InputError(f"{str(model)!r} has to be trained first; a checkpoint folder is what can be calibrated")
    homes = (SHIPPED.resolve(), cache_folder().resolve())
    if out is None and any(checkpoint.folder.resolve().is_relative_to(home) for home in homes):
        raise InputError(f"{str(model)!r} comes with the package and stays as it is; give --out DIR to write a copy")
    if out is not None:
        check_new(out)
    return checkpoint.folder


def check_classes(dataset: Dataset) -> None:
    """Probabilities are fitted to relevant and irrelevant candidates, so there must be some of both."""
    check_labels(dataset, "fit probabilities to")
    relevant = [candidate.relevant for question in dataset for candidate in question.candidates]
    if not any(relevant):
        raise InputError(f"no candidate in {dataset.name} has a label above 0; probabilities need relevant ones too")
    if all(relevant):
        raise InputError(
            f"every candidate in {dataset.name} has a label above 0; probabilities need irrelevant ones too"
        )
