"""What can be evaluated: models, rankers and scorers, and the runs and predictions of somebody else's system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from anselm.data.datasets import Dataset, check_texts
from anselm.errors import InputError
from anselm.evaluation.published_runs import open_published
from anselm.evaluation.ranked import Ranked
from anselm.metrics.calibration import Calibration
from anselm.ranking.ranker import Ranker
from anselm.ranking.respelling import all_as_read
from anselm.ranking.scorers import is_model_name, load_calibration, load_scorer
from anselm.scorer import Progress, Scorer, score_lists, silent


class System(Protocol):
    """By the name or path that was given; without a calibration it says nothing about probabilities."""

    @property
    def name(self) -> str: ...
    @property
    def calibration(self) -> Calibration | None: ...
    def rank(self, dataset: Dataset, progress: Progress = silent) -> Ranked: ...


@dataclass(frozen=True)
class Model:
    """A system that reads texts; calibrated, it also says what it calls relevant."""

    name: str
    scorer: Scorer
    calibration: Calibration | None = None
    respell: bool = True  # as a ranker does

    def rank(self, dataset: Dataset, progress: Progress = silent) -> Ranked:
        check_texts(dataset)
        asked = all_as_read(self.scorer, dataset.questions) if self.respell else dataset
        scores = score_lists(self.scorer, asked, progress)
        if (calibration := self.calibration) is None:
            return Ranked(dataset, scores)
        pairs = zip(dataset, scores, strict=True)
        return Ranked(dataset, scores, [calibration.calls_relevant(question, row) for question, row in pairs])


def open_system(model: str | Path | Ranker | Scorer, respell: bool = True) -> System:
    """A name, a checkpoint folder or a file of somebody's results; or what is in memory already.

    What reads texts reads questions as they are if it is not to `respell` them.
    """
    if isinstance(model, str | Path):
        if not is_model_name(model) and Path(model).is_file():
            return open_published(Path(model))
        return Model(str(model), load_scorer(model), load_calibration(model), respell)
    if isinstance(model, Ranker):
        return Model(model.name, model.scorer, model.calibration, respell and model.respell)
    if not callable(getattr(model, "score", None)):
        raise InputError(f"a model is a name, a path, a Ranker or a scorer, not {model!r:.60}")
    return Model(model.name, model, respell=respell)
