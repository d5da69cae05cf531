"""Fitting what needs no torch: word statistics to the texts, probabilities and threshold to the labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from anselm.data.datasets import Dataset, find_corpus, is_corpus_name, load_dataset
from anselm.data.formats.beir import is_beir
from anselm.data.question import Question
from anselm.errors import InputError
from anselm.evaluation.calibration import Calibration, fit_platt
from anselm.evaluation.report import check_labels, check_texts
from anselm.evaluation.scoring import Progress, score_lists, silent
from anselm.evaluation.triggering import best_threshold
from anselm.files import write_folder_atomically
from anselm.models.lexical import Lexical
from anselm.models.registry import load_model
from anselm.models.scorer import Scorer

TRAIN = "train"


def load_training_data(
    source: str | Path, split: str | None = None, protocol: str | None = None, data_dir: str | Path | None = None
) -> Dataset:
    """Data to fit on. Unless told otherwise: the split `train`, and the protocol that leaves no question out.

    Questions without an answer teach the threshold; corpora list that protocol last. A file is taken whole.
    """
    if is_corpus_name(str(source)):
        corpus = find_corpus(str(source))
        if split is None and TRAIN not in corpus.splits:
            raise InputError(f"{corpus.name} has no split {TRAIN!r} to fit on; name one of {', '.join(corpus.splits)}")
        split, protocol = split or TRAIN, protocol or list(corpus.protocols)[-1]
    elif is_beir(Path(source)):
        split = split or TRAIN
    return load_dataset(source, split, protocol, data_dir)


def train(base: str, dataset: Dataset, out: Path, progress: Progress = silent) -> Calibration | None:
    """Fit a model's statistics on the candidates of a data set, and its probabilities on the labels, if there are any.

    The checkpoint folder appears when it is whole.
    """
    check_texts(dataset)
    model = load_model(base)
    if not isinstance(model, Lexical):
        raise InputError(f"{base!r} cannot be trained; lexical models can")
    labelled = any(candidate.label is not None for question in dataset for candidate in question.candidates)
    with write_folder_atomically(out) as folder:  # first, since a name that is taken should not cost the fitting
        fitted = model.fit(distinct_texts(progress(dataset)))
        calibration = calibrate(fitted, dataset, progress) if labelled else None
        fitted.save(folder)
        if calibration:
            calibration.save(folder / "calibration.json")
    return calibration


def distinct_texts(questions: Iterable[Question]) -> Iterator[str]:
    """Each candidate text once: pools repeat the same answers, which would distort how rare a word is."""
    seen: set[str] = set()
    for question in questions:
        for candidate in question.candidates:
            if candidate.text not in seen:
                seen.add(candidate.text)
                yield candidate.text


def calibrate(scorer: Scorer, dataset: Dataset, progress: Progress = silent) -> Calibration:
    """Fit probabilities to the labels, and the threshold with the best answer-triggering F1.

    Where a better score is no sign of relevance, every candidate gets the same probability, the share of the relevant:
    a falling line would call the candidate that is ranked first the least probable.
    """
    check_labels(dataset)
    scores = score_lists(scorer, dataset, progress)
    labels = [np.array(question.labels) for question in dataset]
    values, relevant = np.concatenate(scores), np.concatenate(labels)
    fitted_on = f"{dataset.name} {dataset.split} ({dataset.protocol})"
    platt = fit_platt(values, relevant)
    if platt.slope < 0:
        platt = fit_platt(np.zeros_like(values), relevant)
        fitted_on += ", where a better score is no sign of relevance"
    best = best_threshold(zip(labels, scores, strict=True), platt.probability)
    return Calibration(platt, best.threshold, fitted_on)
