"""anselm ask --pool: a question to a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anselm.cli.output import console, note, patience, print_json

if TYPE_CHECKING:
    from anselm.ranking.answers import Answers


def ask_once(
    question: str,
    place: str,
    where: list[str],
    top: int,
    model: str,
    device: str | None,
    as_json: bool,
    **options: Any,
) -> Answers:
    from anselm.ranking.pool_answers import ask_pool
    from anselm.ranking.ranker import Ranker
    from anselm.retrieval.filters import parse_where
    from anselm.retrieval.pool import Pool

    with patience("asking"):
        ranker = Ranker.load(model, device=device)
        encoder: Any = ranker.scorer if hasattr(ranker.scorer, "text_fingerprint") else None
        with Pool.open(place, encoder) as pool:
            answers = ask_pool(ranker, question, pool, top, where=parse_where(where) or None, **options)
            notes = pool.notes
    if as_json:
        print_json(answers.to_dict())
    else:
        from anselm.cli.show import show_answers

        show_answers(console(), answers)
    for one in notes:
        note(f"note: {one}")
    return answers
