"""`anselm.rank` and `anselm.ask`: a model by name, loaded for one question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anselm.ranking.answers import Answers, Ranking, Result
from anselm.ranking.passages import GivenDocument
from anselm.ranking.ranker import Ranker


def rank(
    question: str,
    candidates: Iterable[Any],
    model: str | Path = "default",
    top: int | None = None,
    *,
    explain: bool = False,
    spans: bool = False,
    fold_duplicates: bool = False,
    group: bool = False,
) -> Ranking[Result]:
    """Rank once with a model by name; keep a `Ranker` to rank often."""
    ranker = Ranker.load(model)
    return ranker.rank(
        question, candidates, top, explain=explain, spans=spans, fold_duplicates=fold_duplicates, group=group
    )


def ask(
    question: str,
    documents: GivenDocument | Iterable[GivenDocument],
    model: str | Path = "default",
    top: int = 5,
    *,
    read: int | None = None,
    columns: Mapping[str, str] | None = None,
    explain: bool = False,
    fold_duplicates: bool = False,
) -> Answers:
    """Ask documents once with a model by name; keep a `Ranker` to ask often."""
    return Ranker.load(model).ask(
        question, documents, top, read=read, columns=columns, explain=explain, fold_duplicates=fold_duplicates
    )
