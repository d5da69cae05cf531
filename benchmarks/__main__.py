"""Run every benchmark: `make bench`, with ANSELM_DATA set. The output is the body of benchmarks/RESULTS.md."""

from __future__ import annotations

from benchmarks import lexical, sentences, start

for part in (start, lexical, sentences):
    part.main()
