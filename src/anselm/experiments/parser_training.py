"""Training the span parser on the treebank sample: spans and tags by cross-entropy, the best weights on dev."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from anselm.annotations.chart import best_spans
from anselm.annotations.evalb import BracketScores, score_brackets
from anselm.annotations.piece_rows import LOWER, Row, make_row
from anselm.annotations.spans import build_tree, labelled_spans
from anselm.annotations.trees import Tree
from anselm.encoding.tokenizer import PairTokenizer
from anselm.models.frames.parser_network import ParserConfig, ParserNetwork

NONE = ""  # the label of a span that is no constituent
Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How to train."""

    epochs: int = 30
    words: int = 600  # of a batch
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: float = 0.1  # share of the steps
    clip: float = 1.0
    seed: int = 1


@dataclass(frozen=True)
class Inventory:
    """The labels and tags of the training trees."""

    labels: tuple[str, ...]  # the first is NONE
    tags: tuple[str, ...]

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Inventory:
        labels = {label for tree in trees for label in labelled_spans(tree).values()}
        tags = {leaf.label for tree in trees for leaf in tree.leaves()}
        return cls((NONE, *sorted(labels)), tuple(sorted(tags)))


@dataclass(frozen=True)
class Example:
    row: Row
    spans: dict[tuple[int, int], int] = field(default_factory=dict)
    tags: tuple[int, ...] = ()
    states: Tensor | None = None  # (pieces, layers, inner), where the encoder stays as it is

    @property
    def words(self) -> int:
        return len(self.row.first)


def make_example(tree: Tree, inventory: Inventory, tokenizer: PairTokenizer, unknown: int) -> Example:
    """A label or tag that training has not seen is none: it cannot be learned."""
    labels = {label: place for place, label in enumerate(inventory.labels)}
    tags = {tag: place for place, tag in enumerate(inventory.tags)}
    spans = {span: labels.get(label, 0) for span, label in labelled_spans(tree).items()}
    own = tuple(tags.get(leaf.label, 0) for leaf in tree.leaves())
    return Example(make_row(tree.words(), tokenizer, unknown), spans, own)


@dataclass(frozen=True)
class Batch:
    """Sentences side by side; places are of pieces among those of all sentences."""

    ids: Tensor  # (sentences, pieces)
    mask: Tensor
    shapes: Tensor
    before: Tensor  # (fences,) the piece before each fence
    behind: Tensor  # (fences,) the piece behind it
    starts: Tensor  # (spans,) fences
    ends: Tensor
    labels: Tensor  # (spans,)
    first: Tensor  # (words,)
    last: Tensor
    tags: Tensor  # (words,)
    states: Tensor | None

    def to(self, device: str) -> Batch:
        moved = {name: value.to(device) for name, value in vars(self).items() if value is not None}
        return Batch(**{"states": None, **moved})


def collate(examples: Sequence[Example]) -> Batch:
    longest = max(len(example.row.ids) for example in examples)
    parts: dict[str, list[Any]] = {
        name: [] for name in ("before", "behind", "starts", "ends", "labels", "first", "last")
    }
    ids, mask, shapes = (np.zeros((len(examples), longest), dtype=np.int64) for _ in range(3))
    fences = 0
    for place, example in enumerate(examples):
        row, pieces = example.row, len(example.row.ids)
        ids[place, :pieces], mask[place, :pieces], shapes[place, :pieces] = row.ids, 1, row.shapes
        first, last = row.first + place * longest, row.last + place * longest
        parts["before"].append(np.concatenate([[first[0] - 1], last]))
        parts["behind"].append(np.concatenate([first, [last[-1] + 1]]))
        starts, ends = np.triu_indices(example.words + 1, k=1)
        labels = np.zeros((example.words + 1, example.words + 1), dtype=np.int64)
        for (start, end), label in example.spans.items():
            labels[start, end] = label
        parts["labels"].append(labels[starts, ends])
        parts["starts"].append(starts + fences)
        parts["ends"].append(ends + fences)
        parts["first"].append(first)
        parts["last"].append(last)
        fences += example.words + 1
    joined = {name: torch.from_numpy(np.concatenate(values)) for name, values in parts.items()}
    tags = torch.tensor([tag for example in examples for tag in example.tags])
    kept = [example.states for example in examples if example.states is not None]
    states = torch.nn.utils.rnn.pad_sequence(kept, batch_first=True).float() if kept else None
    return Batch(
        torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(shapes), tags=tags, states=states, **joined
    )


def loss_of(network: ParserNetwork, batch: Batch) -> Tensor:
    """Of spans by their number of words, since a sentence has many more spans that are nothing; and of tags."""
    h = run(network, batch)
    spans = network.span_scores(h, batch.behind, batch.before, batch.starts, batch.ends)
    tags = network.tag_scores(h, batch.first, batch.last)
    words = len(batch.tags)
    return functional.cross_entropy(spans, batch.labels, reduction="sum") / words + functional.cross_entropy(
        tags, batch.tags
    )


def run(network: ParserNetwork, batch: Batch) -> Tensor:
    """(pieces of all sentences, width)"""
    shapes = batch.shapes
    if network.training:  # some sentences as if nobody had written a capital
        lower = torch.rand(len(shapes), 1, device=shapes.device) < network.config.lowered
        shapes = torch.where(lower & (shapes > LOWER), LOWER, shapes)
    states = network.layer_states(batch.ids, batch.mask) if batch.states is None else batch.states
    return network.above(states, batch.mask, shapes).flatten(0, 1)


@torch.no_grad()
def with_states(network: ParserNetwork, examples: Sequence[Example], device: str) -> list[Example]:
    """What an encoder that stays as it is makes of them: once, in half precision."""
    network.eval()
    found: dict[int, Tensor] = {}
    for places in batches(examples, 2_000, None):
        batch = collate([examples[place] for place in places]).to(device)
        states = network.layer_states(batch.ids, batch.mask).half().cpu()
        for place, own in zip(places, states, strict=True):
            found[place] = own[: len(examples[place].row.ids)].clone()
    return [Example(one.row, one.spans, one.tags, found[place]) for place, one in enumerate(examples)]


def batches(examples: Sequence[Example], words: int, random: np.random.Generator | None) -> Iterator[list[int]]:
    """Places of examples of about one length, so that little is padded; in random order where there is a generator."""
    noise = random.normal(0, 2, len(examples)) if random else np.zeros(len(examples))
    order = np.argsort([example.words for example in examples] + noise, kind="stable")
    found: list[list[int]] = [[]]
    for place in order:
        if found[-1] and (len(found[-1]) + 1) * (examples[place].words + 3) > words:
            found.append([])
        found[-1].append(int(place))
    if random:
        random.shuffle(found)
    yield from found


@torch.no_grad()
def parse_examples(
    network: ParserNetwork, examples: Sequence[Example], trees: Sequence[Tree], inventory: Inventory, device: str
) -> list[Tree]:
    network.eval()
    parsed: dict[int, Tree] = {}
    for places in batches(examples, 2_000, None):
        batch = collate([examples[place] for place in places]).to(device)
        h = run(network, batch)
        spans = (
            network.span_scores(h, batch.behind, batch.before, batch.starts, batch.ends).log_softmax(-1).cpu().numpy()
        )
        tags = network.tag_scores(h, batch.first, batch.last).argmax(-1).cpu().numpy()
        span, word = 0, 0
        for place in places:
            count = examples[place].words
            own = spans[span : span + count * (count + 1) // 2]
            names = [inventory.tags[tag] for tag in tags[word : word + count]]
            parsed[place] = decode(own, trees[place].words(), names, inventory.labels)
            span, word = span + len(own), word + count
    return [parsed[place] for place in range(len(examples))]


def decode(scores: Any, words: Sequence[str], tags: Sequence[str], labels: Sequence[str]) -> Tree:
    """(spans, labels) -> the best tree."""
    count = len(words)
    starts, ends = np.triu_indices(count + 1, k=1)
    gain = scores[:, 1:].max(axis=1) - scores[:, 0]
    best = scores[:, 1:].argmax(axis=1) + 1
    chart, chosen = np.zeros((count + 1, count + 1)), np.zeros((count + 1, count + 1), dtype=np.int64)
    chart[starts, ends], chosen[starts, ends] = np.maximum(gain, 0), best * (gain > 0)
    chosen[0, count] = best[(starts == 0) & (ends == count)][0]
    found = {span: labels[chosen[span]] for span in best_spans(chart) if chosen[span]}
    return build_tree(words, tags, found)


@dataclass(frozen=True)
class Trained:
    network: ParserNetwork
    inventory: Inventory
    dev: BracketScores


def train(
    network: ParserNetwork,
    examples: list[Example],
    dev: list[Example],
    trees: Sequence[Tree],
    inventory: Inventory,
    plan: Plan,
    say: Say,
    device: str = "cpu",
    seconds: float = 1e9,
) -> Trained:
    torch.manual_seed(plan.seed)
    random = np.random.default_rng(plan.seed)
    weights = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, plan.learning_rate, weight_decay=plan.weight_decay, betas=(0.9, 0.98))
    steps = plan.epochs * sum(1 for _ in batches(examples, plan.words, None))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step / steps, plan.warmup))
    began, best, kept = time.monotonic(), None, None
    for epoch in range(1, plan.epochs + 1):
        network.train()
        total, count = 0.0, 0
        for places in batches(examples, plan.words, random):
            loss = loss_of(network, collate([examples[place] for place in places]).to(device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, plan.clip)
            optimizer.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        scores = score_brackets(trees, parse_examples(network, dev, trees, inventory, device))
        say(
            f"epoch {epoch}: loss {total / count:.4f}, dev F1 {scores.f1:.4f}, tags {scores.tags:.4f}, {time.monotonic() - began:.0f} s"
        )
        if best is None or scores.f1 > best.f1:
            best, kept = scores, {name: value.clone() for name, value in network.own_weights().items()}
        if time.monotonic() - began > seconds:
            break
    assert best and kept
    network.load_state_dict(kept, strict=False)
    return Trained(network, inventory, best)


def rate(done: float, warmup: float) -> float:
    """Up from nothing, then down along a cosine."""
    return done / warmup if done < warmup else 0.5 * (1 + float(np.cos(np.pi * (done - warmup) / (1 - warmup))))
