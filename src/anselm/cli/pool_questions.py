"""anselm ask --pool: a question to a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anselm.cli.output import note, patience
from anselm.cli.presentation import glance, present

if TYPE_CHECKING:
    from anselm.ranking.answers import Answers


@dataclass(frozen=True)
class Asked:
    question: str
    where: list[str]
    top: int
    read: int | None
    explain: bool
    fold_duplicates: bool
    threshold: float | None = None
    respell: bool = True


def ask_once(asked: Asked, place: str, model: str, device: str | None, as_json: bool) -> Answers:
    from anselm.ranking.pool_answers import ask_pool
    from anselm.ranking.ranker import Ranker
    from anselm.retrieval.filters import parse_where
    from anselm.retrieval.pool import Pool, TextEncoder

    with patience("asking"):
        ranker = Ranker.load(model, device=device, threshold=asked.threshold, respell=asked.respell)
        encoder = ranker.scorer if isinstance(ranker.scorer, TextEncoder) else None
        with Pool.open(place, encoder) as pool:
            answers = ask_pool(
                ranker,
                asked.question,
                pool,
                asked.top,
                where=parse_where(asked.where) or None,
                read=asked.read,
                explain=asked.explain,
                fold_duplicates=asked.fold_duplicates,
            )
            notes = pool.notes
        shown = glance(ranker, answers, as_json)
    present(shown, as_json)
    for one in notes:
        note(f"note: {one}")
    return answers
