"""Tree attention, all spans of a level in one step, against the recursion that computes one span after the other; and
the tree model in training, beside the cross-encoder on the same encoder.

    python -m benchmarks.trees

32 pairs, the first of WikiQA's dev split, with the trees of our own parser where it has been trained, and with
right-branching ones, as deep as a sentence has words; and as many pairs of sentences of the NLTK treebank sample with
their own trees. The layer alone, forward, with random word vectors; both compute the same numbers, which is checked.
"As written" is the recursion of the equations, which has an output for each token of a span; only the first is used, so
that by level, and in "first output alone", no other is computed. On one CPU thread, processor time; on a GPU where
there is one.

Training: a batch put together, forward, backward and the step of the optimizer, on the same pairs.
"""

# ruff: noqa: T201

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
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
    print("| trees | width | spans | levels | by level, ms | as written, ms | ratio | first output alone, ms | ratio |")
    print("|---" * 9 + "|")
    for name, trees in [
        *((f"WikiQA, {parser}", wikiqa_trees(parser)) for parser in parsers()),
        ("treebank sample", treebank_trees()),
    ]:
        for size, sizes in SIZES.items():
            print(f"| {name} | {size} | {row(trees, sizes, device)} |", flush=True)
    measure_training(device, where)


def parsers() -> list[str]:
    """Our own, where it has been trained, and one that needs nothing."""
    from anselm.annotations.syntax import find_parser
    from anselm.errors import AnselmError

    try:
        find_parser("own")
    except AnselmError as error:
        print(f"note: {error}")
        return ["right-branching"]
    return ["own", "right-branching"]


def wikiqa_pairs() -> list[Any]:
    """Lists of one candidate."""
    from anselm.data.datasets import load_dataset

    lists = load_dataset("wikiqa", "dev").questions
    pairs = (replace(question, candidates=(one,)) for question in lists for one in question.candidates)
    return list(islice(pairs, PAIRS))


def wikiqa_trees(parser: str) -> list[Any]:
    from anselm.annotations.syntax import parse_texts

    return parse_texts([text for pair in wikiqa_pairs() for text in (pair.text, pair.candidates[0].text)], parser)


def measure_training(device: str, where: str) -> None:
    """The layer has the size that the recipes give it beside this encoder."""
    from anselm.errors import AnselmError

    size = {"hidden": 768, "feed_forward": 1536, "heads": 12}
    rows = {"cross-encoder": {}} | {f"tree, {parser}": {"parser": parser, **size} for parser in parsers()}
    print(f"\n## Training ({where}, float32, all-MiniLM-L6-v2, {PAIRS} pairs of WikiQA, median of {ROUNDS})\n")
    print("| model | pairs / s | of the cross-encoder's |\n|---|---|---|")
    plain = 0.0
    for name, settings in rows.items():
        try:
            speed = PAIRS / training_seconds(name.partition(",")[0], settings, device)
        except AnselmError as error:
            print(f"| {name} | left out: {error} | |")
            continue
        plain = plain or speed
        print(f"| {name} | {speed:.1f} | {speed / plain:.2f} |", flush=True)


def training_seconds(name: str, settings: dict[str, Any], device: str) -> float:
    import numpy as np
    import torch

    from anselm.checkpoints.catalogue import build_model
    from anselm.train.losses import make_loss

    torch.manual_seed(1)
    model: Any = build_model(name, settings, []).to(device).train()
    lists = model.featurize(wikiqa_pairs())  # once in a training, and so are the trees
    placed = model.place(lists, torch.device(device))
    loss, optimizer = make_loss("pointwise"), torch.optim.AdamW(model.parameters(), lr=1e-5)

    def step() -> None:
        batch = model.collate(placed, lists.pick(np.arange(len(lists))))
        total, count = loss(model(batch), batch.labels, batch.layout)
        (total / count).backward()
        optimizer.step()
        optimizer.zero_grad()

    step()
    return seconds(step, ROUNDS)


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
    from anselm.layers.tree_attention import SpanAttention, Stream, SyntacticEmbedding, aggregate
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
        semantic = Stream.of_words(vectors, schedule)
        return aggregate(attention, [semantic, syntax(schedule, schedule.fixed)], schedule)

    def one_by_one(outputs: int | None) -> Any:
        words, edges = iter(vectors[: counts.sum()]), vectors[counts.sum() :].view(2, len(trees), -1)
        return torch.stack(
            [span(tree, 0, words, edges[:, i], attention, syntax, outputs) for i, tree in enumerate(trees)], dim=1
        )

    with torch.no_grad():
        for outputs in (None, 1):  # and all are warm
            torch.testing.assert_close(by_level(), one_by_one(outputs), atol=1e-4, rtol=1e-4)
        fast = seconds(by_level, ROUNDS)
        written, first = (seconds(lambda outputs=outputs: one_by_one(outputs), 1) for outputs in (None, 1))
    spans = [tree.spans() for tree in trees]
    levels = 1 + max(span.level for row in spans for span in row)
    slow = " | ".join(f"{1000 * taken:.0f} | {taken / fast:.1f}" for taken in (written, first))
    return f"{sum(map(len, spans)):,} | {levels} | {1000 * fast:.0f} | {slow}"


def span(
    tree: Any, level: int, words: Iterator[Any], edges: Any, attention: Any, syntax: Any, outputs: int | None
) -> Any:
    """One constituent, from its words up; so many outputs of each are computed, or all. -> (streams, width)"""
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
        rows.append(own if child.word else span(child, level + 1, words, edges, attention, syntax, outputs))
    tokens = torch.stack([*rows, torch.stack([edges[1], n[-1]])], dim=1)  # (streams, tokens, width)
    width = tokens.shape[2] // attention.heads
    key, value = attention.key_value(tokens).view(2, count, 2, attention.heads, width).permute(2, 0, 3, 1, 4)
    wanted = tokens[:, :outputs]
    query = attention.query(wanted).view(2, -1, attention.heads, width).transpose(1, 2)
    attended = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
    o = wanted + attention.output(attended)
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
