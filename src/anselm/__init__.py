"""Anselm picks the right answers to a question out of candidates.

>>> import anselm
>>> anselm.rank("When does the shop open?", ["Parking is free.", "We open at nine."]).best.text
'We open at nine.'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anselm import errors

if TYPE_CHECKING:
    from anselm.data.datasets import load_dataset
    from anselm.data.question import Candidate, Question
    from anselm.evaluation.report import evaluate
    from anselm.ranking.once import ask, rank
    from anselm.ranking.pool_answers import ask_pool
    from anselm.ranking.ranker import Ranker
    from anselm.retrieval.pool import Pool

__version__ = "0.1.0"
__all__ = ["Candidate", "Pool", "Question", "Ranker", "ask", "ask_pool", "errors", "evaluate", "load_dataset", "rank"]

# Resolved on first use, so that `import anselm` costs next to nothing.
_HOMES = {
    "Candidate": "anselm.data.question",
    "Pool": "anselm.retrieval.pool",
    "Question": "anselm.data.question",
    "Ranker": "anselm.ranking.ranker",
    "ask": "anselm.ranking.once",
    "ask_pool": "anselm.ranking.pool_answers",
    "evaluate": "anselm.evaluation.report",
    "load_dataset": "anselm.data.datasets",
    "rank": "anselm.ranking.once",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'anselm' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
