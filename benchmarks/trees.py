"""Tree attention, all spans of a level in one step, against the recursion that computes one span after the other.

    python -m benchmarks.trees

32 pairs: the first of WikiQA's dev split with right-branching trees, as deep as a sentence has words, and as many pairs
of sentences of the NLTK treebank sample with their own trees. The layer alone, forward, with random word vectors; both
compute the same numbers, which is checked. One query for each span in both: the recursion is no straw man. On one CPU
thread, processor time; on a GPU where there is one.
"""

# ruff: noqa: T201

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

PAIRS, ROUNDS = 32, 3
SIZES = {"paper, 2 x 1,024": (1024, 16, 2048), "2 x 384": (384, 12, 768)}  # width of a stream, heads, feed-forward


def main() -> None:
    try:
        import torch
    except ImportError as error:
        print(f"\n## Tree attention: left out, {error}")
        return
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    where = torch.cuda.get_device_name() if device == "cuda" else "one CPU thread"
    print(f"\n## Tree attention ({where}, float32, forward, {PAIRS} pairs, median of {ROUNDS}; recursion once)\n")
    print("| trees | width | spans | levels | by level, ms | recursion, ms | ratio |\n|---|---|---|---|---|---|---|")
    for name, trees in (("WikiQA, right-branching", wikiqa_trees()), ("treebank sample", treebank_trees())):
        for size, sizes in SIZES.items():
            print(f"| {name} | {size} | {row(trees, sizes, device)} |", flush=True)


def wikiqa_trees() -> list[Any]:
    from anselm.annotations.syntax import parse_texts
    from anselm.data.datasets import load_dataset

    pairs = (
        (question.text, one.text) for question in load_dataset("wikiqa", "dev").questions for one in question.candidates
    )
    return parse_texts([text for pair in islice(pairs, PAIRS) for text in pair], "right-branching")


def treebank_trees() -> list[Any]:
    from anselm.annotations.syntax import join_sentences
    from anselm.annotations.trees import read_trees

    with zipfile.ZipFile(Path(os.environ["ANSELM_DATA"]) / "nltk_data/corpora/treebank.zip") as files:
        names = sorted(name for name in files.namelist() if name.endswith(".mrg"))
        trees = (tree for name in names for tree in read_trees(files.read(name).decode()))
        return [join_sentences([tree]) for tree in islice(trees, 2 * PAIRS)]


def row(trees: list[Any], sizes: tuple[int, int, int], device: str) -> str:
    import numpy as np
    import torch

    from anselm.annotations.penn_labels import COUNT
    from anselm.layers.tree_attention import SpanAttention, SyntacticEmbedding, aggregate
    from anselm.layers.tree_schedule import make_schedule
    from anselm.models.frames.constituents import make_outline

    torch.manual_seed(1)
    attention, syntax = SpanAttention(2, *sizes).to(device), SyntacticEmbedding(COUNT, sizes[0]).to(device)
    counts = np.array([len(tree.words()) for tree in trees])
    vectors = torch.randn(int(counts.sum()) + 2 * len(trees), sizes[0], device=device)

    def by_level() -> Any:
        outlines = [
            make_outline(tree, np.ones(count, dtype=np.bool_)) for tree, count in zip(trees, counts, strict=True)
        ]
        schedule = make_schedule(outlines, counts, None, device)
        fixed = schedule.fixed[:, None]
        tokens = torch.stack([vectors[schedule.sources] * fixed, syntax(schedule) * fixed])
        return aggregate(attention, tokens, schedule.steps)

    def one_by_one() -> Any:
        words, edges = iter(vectors[: counts.sum()]), vectors[counts.sum() :].view(2, len(trees), -1)
        return torch.stack(
            [span(tree, 0, words, edges[:, i], attention, syntax) for i, tree in enumerate(trees)], dim=1
        )

    with torch.no_grad():
        torch.testing.assert_close(by_level(), one_by_one(), atol=1e-4, rtol=1e-4)  # and both are warm
        fast, slow = seconds(by_level, ROUNDS), seconds(one_by_one, 1)
    spans = [tree.spans() for tree in trees]
    levels = 1 + max(span.level for row in spans for span in row)
    return f"{sum(map(len, spans)):,} | {levels} | {1000 * fast:.0f} | {1000 * slow:.0f} | {slow / fast:.1f}"


def span(tree: Any, level: int, words: Iterator[Any], edges: Any, attention: Any, syntax: Any) -> Any:
    """One constituent, from its words up. -> (streams, width)"""
    import torch
    from torch.nn import functional

    from anselm.annotations.penn_labels import label_number

    device, count = edges.device, len(tree.children) + 2
    labels = [label_number(label) for label in (tree.label, *(child.label for child in tree.children), tree.label)]
    summed = syntax.labels(torch.tensor(labels, device=device)) + syntax.positions.weight[:count]
    n = syntax.project(summed + syntax.levels.weight[level])  # (tokens, width)
    rows = [torch.stack([edges[0], n[0]])]
    for place, child in enumerate(tree.children, start=1):
        own = child.word and torch.stack([next(words), n[place]])
        rows.append(own if child.word else span(child, level + 1, words, edges, attention, syntax))
    tokens = torch.stack([*rows, torch.stack([edges[1], n[-1]])], dim=1)  # (streams, tokens, width)
    width = tokens.shape[2] // attention.heads
    key, value = attention.key_value(tokens).view(2, count, 2, attention.heads, width).permute(2, 0, 3, 1, 4)
    query = attention.query(tokens[:, :1]).view(2, attention.heads, 1, width)
    attended = functional.scaled_dot_product_attention(query, key, value).reshape(2, 1, -1)
    o = tokens[:, :1] + attention.output(attended)
    return (o + attention.feed(o))[:, 0]


def seconds(compute: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = now()
        compute()
        times.append(now() - began)
    return median(times)


def now() -> float:
    import torch

    if not torch.cuda.is_available():
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


if __name__ == "__main__":
    main()
