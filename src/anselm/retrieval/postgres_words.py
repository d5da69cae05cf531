"""BM25 on PostgreSQL: the best passages by their postings, exactly, without reading those of every common word."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from anselm.retrieval.filters import SOURCE, Conditions
from anselm.retrieval.terms import idf

MARGIN = 1e-6  # of sums in another order, and of weights in single precision
# A weight of a posting is below 1, so that what the common stems can add is bounded by what they are asked with: they
# are looked up only for passages that could still be among the k best by it. `least` is the k-th best without them.
BY_WORDS = """
WITH rare AS (SELECT * FROM unnest(%(rare)s::bigint[], %(weights)s::float8[]) AS asked (term, weight)),
common AS (SELECT * FROM unnest(%(common)s::bigint[], %(light)s::float8[]) AS asked (term, weight)),
found AS MATERIALIZED (
    SELECT number, sum(rare.weight * posting.weight) AS score
    FROM {item}_posting posting JOIN rare USING (term) {where} GROUP BY number
),
least AS MATERIALIZED (SELECT score FROM found ORDER BY score DESC OFFSET %(k)s - 1 LIMIT 1)
SELECT item.id, (SELECT score FROM least) FROM (
    SELECT number, score + coalesce((
        SELECT sum(common.weight * posting.weight) FROM {item}_posting posting JOIN common USING (term)
        WHERE posting.number = found.number
    ), 0) AS score
    FROM found WHERE score >= coalesce((SELECT score FROM least), 0) - %(bound)s
) AS best JOIN {item} item USING (number) ORDER BY best.score DESC, number LIMIT %(k)s
"""


HOLDS = "item.meta -> %s @> %s::jsonb"  # of a list in the metadata any element will do
WHOLE = (
    """EXISTS (SELECT FROM jsonb_path_query(item.meta -> %s, 'lax $[*]') AS found WHERE found::text = %s)"""  # not 1.0
)


class Counts(NamedTuple):
    """As of a change of the pool."""

    change: str | None
    passages: int
    having: dict[int, int]


class WordSearch:
    """`rows` runs a statement of the pool whose items are in the table `item`."""

    def __init__(self, item: str, rows: Callable[..., list[Any]]) -> None:
        self.item, self.rows = item, rows
        self._counts = Counts(None, 0, {})

    def best(self, weights: Mapping[int, float], k: int, where: Conditions = ()) -> list[str]:
        total, having = self._count_terms(list(weights))
        asked = {term: weights[term] * idf(total, having[term]) for term in weights if having[term]}
        rare = [term for term in asked if weights[term] >= 1] or list(asked)  # no function words
        found = self._by_terms(asked, rare, k, where)
        return found if found is not None else self._by_terms(asked, list(asked), k, where) or []

    def _count_terms(self, terms: Sequence[int]) -> tuple[int, dict[int, int]]:
        """How many passages there are, and hold each; counted once, as long as nothing changes."""
        changes = self.rows("SELECT value FROM {item}_fact WHERE name = 'change'")
        change = str(changes[0][0]) if changes else None
        if change is None or change != self._counts.change:
            self._counts = Counts(change, int(self.rows("SELECT count(*) FROM {item}")[0][0]), {})
        having = self._counts.having
        if new := [term for term in terms if term not in having]:
            sql = "SELECT term, count(*) FROM {item}_posting WHERE term = ANY(%s) GROUP BY term"
            having |= {**dict.fromkeys(new, 0), **dict(self.rows(sql, (new,)))}
        return self._counts.passages, having

    def _by_terms(self, asked: Mapping[int, float], rare: Sequence[int], k: int, where: Conditions) -> list[str] | None:
        """The k best; None where passages that hold only common stems may be among them."""
        common = [term for term in asked if term not in rare]
        bound = sum(asked[term] for term in common)
        condition, values = as_named_sql(where)
        values |= {"rare": list(rare), "weights": [asked[term] for term in rare], "k": k, "bound": bound + MARGIN}
        values |= {"common": common, "light": [asked[term] for term in common]}
        rows = self.rows(BY_WORDS, values, f"JOIN {self.item} item USING (number) WHERE {condition}" if where else "")
        least = rows[0][1] if rows else None
        return [str(id) for id, _ in rows] if not common or (least is not None and least > bound + MARGIN) else None


def as_named_sql(where: Conditions) -> tuple[str, dict[str, Any]]:
    """As `as_sql`, with names for the values."""
    condition, values = as_sql(where)
    first, *others = condition.split("%s")
    named = first + "".join(f"%(v{number})s{text}" for number, text in enumerate(others))
    return named, {f"v{number}": value for number, value in enumerate(values)}


def as_sql(where: Conditions) -> tuple[str, list[Any]]:
    parts, values = ["true"], list[Any]()
    for name, allowed in where:
        if name == SOURCE:
            parts.append("item.source = ANY(%s)")
            values.append([str(value) for value in allowed])
        else:
            parts.append(f"({' OR '.join(WHOLE if type(value) is int else HOLDS for value in allowed)})")
            values += [part for value in allowed for part in (name, json.dumps(value))]
    return " AND ".join(parts), values
