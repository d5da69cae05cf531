"""All spans of a level in one step, against a recursion over one tree, written from the equations."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from anselm.annotations.penn_labels import COUNT, END, label_number  # noqa: E402
from anselm.annotations.trees import Tree, read_brackets  # noqa: E402
from anselm.layers.tree_attention import (  # noqa: E402
    LEVELS,
    POSITIONS,
    SpanAttention,
    Stream,
    SyntacticEmbedding,
    aggregate,
    ascend,
    tokens_of,
)
from anselm.layers.tree_schedule import Schedule, make_schedule  # noqa: E402
from anselm.models.frames import constituents  # noqa: E402
from anselm.models.frames.constituents import make_outline  # noqa: E402

WIDTH, HEADS = 24, 3
LABELS = ("NP", "VP", "S", "NN", "VBZ", "strange")


class Recursion:
    """One span after the other, one stream and one head after the other."""

    def __init__(self, layers: Layers, end_label: int | None, added: bool) -> None:
        self.layers, self.end_label, self.added = layers, end_label, added

    def root(self, tree: Tree, words: Iterator[Tensor], start: Tensor, end: Tensor) -> list[Tensor]:
        return self.span(Tree(tree.label, (tree,)) if tree.word else tree, 0, words, start, end)

    def span(self, tree: Tree, level: int, words: Iterator[Tensor], start: Tensor, end: Tensor) -> list[Tensor]:
        """[semantic, syntactic]"""
        label = label_number(tree.label)
        tokens = [[start, self.syntax(label, 0, level)]]
        for position, child in enumerate(tree.children, start=1):
            own = self.syntax(label_number(child.label), position, level)
            if child.word:
                tokens.append([next(words), own])
            else:
                e, n = self.span(child, level + 1, words, start, end)
                tokens.append([e, n + own if self.added else n])
        last = label if self.end_label is None else self.end_label
        tokens.append([end, self.syntax(last, len(tokens), level)])
        return [self.stream(i, torch.stack([token[i] for token in tokens])) for i in range(2)]

    def syntax(self, label: int, position: int, level: int) -> Tensor:
        """(2)"""
        syntax = self.layers.syntax
        place, depth = min(position, POSITIONS - 1), min(level, LEVELS - 1)
        summed = syntax.labels.weight[label] + syntax.positions.weight[place] + syntax.levels.weight[depth]
        found: Tensor = syntax.project.weight @ summed + syntax.project.bias
        return found

    def stream(self, i: int, t: Tensor) -> Tensor:
        """(3) to (8), and the feed-forward layer, for all tokens. The first one's output is the span."""
        layer: Any = self.layers.attention
        q, kv = t @ layer.query.weight[i], t @ layer.key_value.weight[i]
        k, v = kv[:, :WIDTH], kv[:, WIDTH:]
        d = WIDTH // HEADS
        heads = []
        for head in range(HEADS):
            part = slice(head * d, (head + 1) * d)
            a = torch.softmax(q[:, part] @ k[:, part].T / math.sqrt(d), dim=1)
            heads.append(a @ v[:, part])
        o = self.norm(layer.seen_norm, i, t + torch.cat(heads, dim=1) @ layer.output.weight[i] + layer.output.bias[i])
        inner = torch.relu(o @ layer.widen.weight[i] + layer.widen.bias[i])
        return self.norm(layer.fed_norm, i, o + inner @ layer.narrow.weight[i] + layer.narrow.bias[i])[0]

    def norm(self, layer: Any, i: int, x: Tensor) -> Tensor:
        if not self.layers.normed:
            return x
        centred = x - x.mean(1, keepdim=True)
        deviation = (centred.square().mean(1, keepdim=True) + 1e-5).sqrt()
        found: Tensor = centred / deviation * layer.weight[i] + layer.bias[i]
        return found


class Layers:
    def __init__(self, normed: bool = False) -> None:
        torch.manual_seed(1)
        self.normed = normed
        self.attention = SpanAttention(2, WIDTH, HEADS, 32, normed)
        self.syntax = SyntacticEmbedding(COUNT, WIDTH)
        for name, weights in self.attention.named_parameters():
            if "norm" in name:  # they begin as ones and zeros, which would hide them
                torch.nn.init.normal_(weights, mean=float("weight" in name), std=0.2)

    def tokens(self, schedule: Schedule, vectors: Tensor, added: bool) -> list[Stream]:
        semantic = Stream.of_words(vectors, schedule)
        return [semantic, self.syntax(schedule, None if added else schedule.fixed)]


def random_tree(chance: random.Random, depth: int) -> Tree:
    label = chance.choice(LABELS)
    if depth == 0 or chance.random() < 0.3:
        return Tree(label, word="w")
    return Tree(label, tuple(random_tree(chance, depth - 1) for _ in range(chance.choice((1, 1, 2, 2, 3, 7)))))


def chain(depth: int, side: bool) -> Tree:
    """Unary, or with a word on each level."""
    tree = Tree("NN", word="w")
    for i in range(depth):
        beside = (Tree("VBZ", word="v"),) if side else ()
        tree = Tree(LABELS[i % 3], (*beside, tree) if i % 2 else (tree, *beside))
    return tree


def forest() -> list[Tree]:
    chance = random.Random(3)
    single = [read_brackets("(NN dog)"), read_brackets("(NP (NN dog))"), Tree("TOP")]
    return [
        *single,
        chain(60, True),
        chain(60, False),
        *(random_tree(chance, depth) for depth in (1, 2, 3, 4, 5, 6) * 3),
    ]


def compute(trees: list[Tree], layers: Layers, vectors: list[Tensor], end_label: int | None, added: bool) -> Tensor:
    """(streams, trees, width). `vectors` has for each tree its words, start and end."""
    counts = np.array([len(rows) - 2 for rows in vectors])
    outlines = [make_outline(tree, np.ones(len(tree.words()), dtype=np.bool_)) for tree in trees]
    schedule = make_schedule(outlines, counts, end_label)
    parts = [rows[:-2] for rows in vectors], [rows[-2:-1] for rows in vectors], [rows[-1:] for rows in vectors]
    table = torch.cat([row for part in parts for row in part])
    return aggregate(layers.attention, layers.tokens(schedule, table, added), schedule)


@pytest.mark.parametrize("end_label", [None, END])
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("normed", [False, True])
def test_level_by_level_is_the_recursion(end_label: int | None, added: bool, normed: bool) -> None:
    layers, trees = Layers(normed), forest()
    vectors = [torch.randn(len(tree.words()) + 2, WIDTH) for tree in trees]
    found = compute(trees, layers, vectors, end_label, added)
    recursion = Recursion(layers, end_label, added)
    for i, (tree, rows) in enumerate(zip(trees, vectors, strict=True)):
        expected = torch.stack(recursion.root(tree, iter(rows[:-2]), rows[-2], rows[-1]))
        torch.testing.assert_close(found[:, i], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "tree",
    [chain(LEVELS + 10, True), Tree("NP", (Tree("NN", word="w"),) * (POSITIONS + 10))],
    ids=["levels", "positions"],
)
def test_levels_and_positions_beyond_the_last_count_as_the_last(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constituents that deep are dissolved before; the layer by itself takes any."""
    monkeypatch.setattr(constituents, "DEEPEST", 2 * LEVELS)
    layers, rows = Layers(normed=True), torch.randn(len(tree.words()) + 2, WIDTH)
    expected = torch.stack(Recursion(layers, None, True).root(tree, iter(rows[:-2]), rows[-2], rows[-1]))
    torch.testing.assert_close(compute([tree], layers, [rows], None, True)[:, 0], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("normed", [False, True])
def test_gradients_are_those_of_the_recursion(normed: bool) -> None:
    layers, trees = Layers(normed), forest()[3:12]
    vectors = [torch.randn(len(tree.words()) + 2, WIDTH, requires_grad=True) for tree in trees]
    weights = [*vectors, *layers.attention.parameters(), *layers.syntax.parameters()]
    found = torch.autograd.grad(compute(trees, layers, vectors, None, True).tanh().sum(), weights)
    recursion = Recursion(layers, None, True)
    rooted = [
        torch.stack(recursion.root(tree, iter(rows[:-2]), rows[-2], rows[-1])).tanh().sum()
        for tree, rows in zip(trees, vectors, strict=True)
    ]
    expected = torch.autograd.grad(torch.stack(rooted).sum(), weights)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_a_tree_alone_or_among_others_is_the_same() -> None:
    layers, trees = Layers(), forest()
    vectors = [torch.randn(len(tree.words()) + 2, WIDTH) for tree in trees]
    together = compute(trees, layers, vectors, None, False)
    for i in (0, 3, 8):
        alone = compute(trees[i : i + 1], layers, vectors[i : i + 1], None, False)
        torch.testing.assert_close(alone[:, 0], together[:, i], atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_attention_begins_neither_uniform_nor_saturated() -> None:
    """On tokens of variance 1, in both streams: with PyTorch's own weights the least is 0.98."""
    torch.manual_seed(1)
    attention, syntax, trees = SpanAttention(2, 192, 6, 384), SyntacticEmbedding(COUNT, 192), forest()[5:]
    counts = np.array([len(tree.words()) for tree in trees])
    outlines = [make_outline(tree, np.ones(count, dtype=np.bool_)) for tree, count in zip(trees, counts, strict=True)]
    schedule = make_schedule(outlines, counts, None)
    table = torch.randn(counts.sum() + 2 * len(trees), 192)
    streams = [Stream.of_words(table, schedule), syntax(schedule, schedule.fixed)]
    assert 0.8 < float(tokens_of([streams[1].pick(schedule.starts)]).var()) < 1.25
    for step, (_, weights) in zip(schedule.steps, ascend(attention, streams, schedule), strict=True):
        shares = -(weights * weights.log()).transpose(0, 1).flatten(1)  # (tokens, streams and heads)
        entropy = torch.zeros(step.spans, shares.shape[1]).index_add(0, step.owners, shares)
        sizes = torch.bincount(step.owners, minlength=step.spans).log()
        assert 0.6 < float((entropy / sizes[:, None]).mean()) < 0.97


@torch.no_grad()
@pytest.mark.parametrize(
    ("name", "share"), [("query", 1), ("key_value", 1), ("output", 1 / 3), ("widen", 1 / 3), ("narrow", 1 / 3)]
)
def test_queries_keys_and_values_begin_as_large_as_tokens_and_what_is_added_smaller(name: str, share: float) -> None:
    """On tokens of variance 1; a third of it is what nn.Linear leaves."""
    torch.manual_seed(1)
    line = getattr(SpanAttention(2, 192, 6, 384), name)
    width = line.weight.shape[1]
    given = torch.randn(2, 1_000, width)
    for stream in range(2):
        assert float((given[stream] @ line.weight[stream]).var()) == pytest.approx(share, rel=0.1)
    if share < 1:
        assert float(line.bias.std()) == pytest.approx((share / width) ** 0.5, rel=0.15)


@torch.no_grad()
@pytest.mark.parametrize("side", [True, False])
def test_a_deep_tree_begins_no_larger_than_a_shallow_one(side: bool) -> None:
    layers, trees = Layers(), [chain(2, side), chain(60, side)]
    roots = compute(trees, layers, [torch.randn(len(tree.words()) + 2, WIDTH) for tree in trees], None, False)
    assert float(roots[:, 1].std()) < 1.5 * float(roots[:, 0].std())


def prune(tree: Tree, wanted: list[bool]) -> Tree | None:
    """Without some words, and without constituents that have no other."""
    if tree.word:
        return tree if wanted.pop(0) else None
    children = tuple(child for child in [prune(child, wanted) for child in tree.children] if child is not None)
    return Tree(tree.label, children) if children else None


def test_words_that_are_not_there_are_not_in_the_tree() -> None:
    """Those without pieces when the outline is made, those behind the cut when the schedule is."""
    chance = random.Random(5)
    for tree in forest()[5:]:
        count = len(tree.words())
        kept = [chance.random() < 0.7 for _ in range(count)]
        read = chance.randint(0, sum(kept))
        outline = make_outline(tree, np.array(kept))
        places = [i for i, stays in enumerate(kept) if stays][:read]
        rooted = Tree(tree.label, (tree,)) if tree.word else tree
        left = prune(rooted, [i in places for i in range(count)]) or Tree(tree.label)
        expected = make_schedule([make_outline(left, np.ones(read, dtype=np.bool_))], np.array([read]), None)
        found = make_schedule([outline], np.array([read]), None)
        for name in ("sources", "labels", "positions", "levels", "fixed"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()
        assert [(step.spans, step.tokens) for step in found.steps] == [
            (step.spans, step.tokens) for step in expected.steps
        ]


def test_a_schedule_by_hand() -> None:
    """(S (NP a b) (VP c)): levels 1 and 0, tokens NP: start a b end, VP: start c end, S: start NP VP end."""
    tree = read_brackets("(S (NP (DT a) (NN b)) (VP (VB c)))")
    schedule = make_schedule([make_outline(tree, np.ones(3, dtype=np.bool_))], np.array([3]), END)
    assert schedule.sources.tolist() == [3, 0, 1, 4, 3, 2, 4, 3, 0, 0, 4]
    names = ["NP", "DT", "NN", "", "VP", "VB", "", "S", "NP", "VP", ""]
    assert schedule.labels.tolist() == [label_number(name) if name else END for name in names]
    assert schedule.positions.tolist() == [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3]
    assert schedule.levels.tolist() == [1] * 7 + [0] * 4
    assert schedule.fixed.tolist() == [*[True] * 8, False, False, True]
    assert schedule.starts.tolist() == [0, 4, 7]
    assert (schedule.longest, schedule.depth) == (4, 2)
    below, root = schedule.steps
    assert (below.spans, below.tokens, below.longest) == (2, 7, 4)
    assert (root.spans, root.tokens, root.longest) == (1, 4, 4)
    assert (below.children.tolist(), root.children.tolist()) == ([], [1, 2])
    assert below.owners.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert below.cells.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_where_tokens_of_short_spans_are() -> None:
    """(S (NP a) (VP b c)): the cells of the longest span's width, with a gap behind the shorter one."""
    tree = read_brackets("(S (NP (DT a)) (VP (VB b) (NN c)))")
    below, _ = make_schedule([make_outline(tree, np.ones(3, dtype=np.bool_))], np.array([3]), None).steps
    assert below.cells.tolist() == [0, 1, 2, 4, 5, 6, 7]
