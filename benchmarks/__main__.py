"""Run every benchmark: `make bench`, with ANSELM_DATA set. The output is the body of benchmarks/RESULTS.md."""

from __future__ import annotations

from benchmarks import (
    attention,
    clustering,
    engines,
    graphs,
    lexical,
    parsing,
    ranking,
    sentences,
    start,
    training,
    trees,
)

for part in (start, lexical, training, engines, ranking, sentences, attention, clustering, graphs, trees, parsing):
    part.main()
