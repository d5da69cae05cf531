"""From data to a checkpoint: the place where data, model, fitting and calibration are wired together."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from anselm.data.datasets import Dataset
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.evaluation.calibration import Calibration, fit_platt
from anselm.evaluation.report import check_labels, check_texts
from anselm.evaluation.triggering import best_threshold
from anselm.models.lexical import Lexical
from anselm.models.registry import load_model
from anselm.models.scorer import Scorer


def train(base: str, dataset: Dataset, out: Path) -> Calibration | None:
    """Fit a model's statistics on the candidates of a data set, and its probabilities on the labels, if there are any.

    The checkpoint folder appears when it is whole.
    """
    check_texts(dataset)
    model = load_model(base)
    if not isinstance(model, Lexical):
        raise InputError(f"{base!r} cannot be trained; lexical models can")
    fitted = model.fit(distinct_texts(dataset))
    labelled = any(candidate.label is not None for question in dataset for candidate in question.candidates)
    calibration = calibrate(fitted, dataset) if labelled else None
    with new_folder(out) as folder:
        fitted.save(folder)
        if calibration:
            calibration.save(folder / "calibration.json")
    return calibration


def distinct_texts(questions: Sequence[Question]) -> list[str]:
    """Each candidate text once: pools repeat the same answers, which would distort how rare a word is."""
    return list(dict.fromkeys(candidate.text for question in questions for candidate in question.candidates))


def calibrate(scorer: Scorer, dataset: Dataset) -> Calibration:
    """Fit probabilities to the labels, and the threshold with the best answer-triggering F1."""
    check_labels(dataset)
    scores = scorer.score(dataset)
    labels = [np.array(question.labels) for question in dataset]
    platt = fit_platt(np.concatenate(scores), np.concatenate(labels))
    best = best_threshold(zip(labels, map(platt.probability, scores), strict=True))
    return Calibration(platt, best.threshold, f"{dataset.name} {dataset.split} ({dataset.protocol})")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder that is filled beside its place and moved there when it is whole."""
    if path.exists():
        raise InputError(f"{path} exists already; give the name of a new folder")
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        yield partial
        partial.rename(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
