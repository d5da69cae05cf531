"""Passages as points of Qdrant Edge: stems as a sparse vector, the meaning as a dense one, and what is filtered by."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import qdrant_edge as edge

from anselm.retrieval.edge_filters import as_filterable
from anselm.retrieval.filters import SOURCE
from anselm.retrieval.store import HALF, Row
from anselm.retrieval.terms import TERM, passage_weights

WORDS, MEANING = "words", "meaning"


def config_of(width: int) -> edge.EdgeConfig:
    """Without a graph; 0 where there are no vectors yet."""
    params = {}
    if width:
        half = edge.VectorStorageDatatype.Float16
        params[MEANING] = edge.EdgeVectorParams(size=width, distance=edge.Distance.Dot, datatype=half)
    return edge.EdgeConfig(vectors=params, sparse_vectors={WORDS: edge.EdgeSparseVectorParams()})


def point_of(row: Row) -> edge.Point:
    terms = np.frombuffer(row.terms, dtype=TERM)
    words = edge.SparseVector(terms["term"].tolist(), passage_weights(terms, [len(terms)]).tolist())
    vectors: dict[str, Any] = {WORDS: words}
    if row.vector is not None:
        vectors[MEANING] = np.frombuffer(row.vector, dtype=HALF).astype(np.float32).tolist()
    meta = {name: as_filterable(value) for name, value in json.loads(row.meta).items()}
    return edge.Point(row.number, vectors, {SOURCE: row.source, "meta": meta})


def stems_of(point: edge.Record) -> list[int]:
    """Those of a point that Edge holds."""
    words = (point.vector or {}).get(WORDS)
    return list(words.indices) if words is not None else []
