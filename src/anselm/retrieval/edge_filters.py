"""Conditions as Qdrant Edge takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import qdrant_edge as edge

from anselm.retrieval.filters import SOURCE, Conditions


def as_filter(where: Conditions) -> edge.Filter | None:
    """All conditions, each by any of its values."""
    return edge.Filter(must=[_any(name, allowed) for name, allowed in where]) if where else None


def _any(name: str, allowed: Sequence[str | int | bool]) -> edge.Filter:
    key = SOURCE if name == SOURCE else f'meta."{name}"'
    values = [as_filterable(value) for value in allowed]
    return edge.Filter(should=[edge.FieldCondition(key=key, match=edge.MatchValue(value)) for value in values])


def as_filterable(value: Any) -> Any:
    """Edge takes a Python bool for a number; what is no value to filter by need not be there."""
    if isinstance(value, list):
        return [as_filterable(one) for one in value]
    if isinstance(value, bool):
        return f"\0{value}"
    return value if isinstance(value, str | int) else None
