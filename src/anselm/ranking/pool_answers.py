"""Asking a pool: it finds the candidates, the model reads them, and answers come with what the pool knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.ranking.answers import Answers, Passage, Result
from anselm.ranking.given import check_count
from anselm.ranking.passages import in_paragraphs
from anselm.ranking.ranker import Ranker
from anselm.retrieval.filters import Where
from anselm.retrieval.item import Item
from anselm.retrieval.pool import Found, Pool

READ = 100  # passages, by default
APART = 12  # characters, at most, between two sentences of which one stands behind the other: bullets, blank lines
FEW = 200  # of so many all are read, as of the sentences of files


def ask_pool(
    ranker: Ranker,
    question: str,
    pool: Pool,
    top: int = 5,
    *,
    read: int | None = None,
    where: Where | None = None,
    explain: bool = False,
    fold_duplicates: bool = False,
) -> Answers:
    """As `Ranker.ask`, of a pool: the `read` passages nearest by words and meaning are read by the model."""
    check_count("top", top)
    check_count("read", read)
    count = pool.count(where)
    found = search(ranker, question, pool, read or (max(count, 1) if count <= FEW else READ), where)
    if not found:
        raise InputError(f"there is nothing to read in {pool.place}: {_why(pool, where)}")
    items = [one.item for one in found]
    candidates = candidates_of(items)
    ranking = ranker.rank(question, candidates, top, explain=explain, fold_duplicates=fold_duplicates)
    results = [_passage(result, items[result.index], pool) for result in ranking.results]
    return Answers.of(ranking, results, passages=count, read=len(items))


def candidates_of(items: Sequence[Item]) -> list[Candidate]:
    """Sentences of one source that stand behind each other are in paragraphs, as they are where the source is asked."""
    order = sorted(range(len(items)), key=lambda place: (items[place].source, items[place].start))
    stretches: list[list[int]] = []
    for place in order:
        last = items[stretches[-1][-1]] if stretches else None
        if last and last.source == items[place].source and 0 <= items[place].start - last.end <= APART:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    found = {
        place: candidate
        for stretch in stretches
        for place, candidate in zip(stretch, in_paragraphs([items[i].candidate for i in stretch]), strict=True)
    }
    return [found[place] for place in range(len(items))]


def search(ranker: Ranker, question: str, pool: Pool, read: int, where: Where | None) -> list[Found]:
    """For the question as it was typed and as it is read, in turns: only what is found says how the pool spells."""
    found = pool.search(question, read, where)
    if (asked := ranker.as_read(Question("", question, tuple(one.item.candidate for one in found))).text) == question:
        return found
    both = zip_longest(pool.search(asked, read, where), found)
    return list({one.item.id: one for pair in both for one in pair if one is not None}.values())[:read]


def _why(pool: Pool, where: Where | None) -> str:
    if not pool.count(where):
        return "no passage is as --where says" if where else "it is empty"
    return "no passage shares a word with the question, and `anselm pool add` has yet to fill in their vectors"


def _passage(result: Result, item: Item, pool: Pool) -> Passage:
    beside = getattr(pool.engine, "neighbours", None)
    before, after = beside(item) if beside and item.heading is not None and item.source else ("", "")
    page = item.meta.get("page")
    return Passage.of(
        result, id=item.id, source=item.source, start=item.start, end=item.end, line=item.line, before=before,
        after=after, heading=item.heading or None, page=page if isinstance(page, int) else None, meta=item.meta,
    )  # fmt: skip
