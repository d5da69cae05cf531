"""Our parser for many texts: the network on a GPU, the charts in processes beside it, or in its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from anselm.annotations.annotator import Annotation
from anselm.annotations.chart import best_spans
from anselm.annotations.installed_parsers import sentences_of
from anselm.annotations.piece_rows import make_row
from anselm.annotations.span_heads import Inventory
from anselm.annotations.span_parser import HEADS, MODEL, MOST_WORDS, unknown_piece
from anselm.annotations.spans import build_tree
from anselm.annotations.trees import Tree, write_brackets
from anselm.checkpoints.checksums import hash_file
from anselm.experiments.parser_runs import load_network
from anselm.models.frames.parser_examples import Batch, Example, batches, collate
from anselm.models.frames.parser_training import states_of

WORDS = 12_000  # of a batch
SPANS = 400_000  # that are scored at once


class Scored(NamedTuple):
    """What a process makes a tree of."""

    words: Sequence[str]
    gain: NDArray[np.float16]  # (spans,) over none, of the best label
    label: NDArray[np.int16]  # (spans,)
    tags: NDArray[np.int64]  # (words,)
    inventory: Inventory


class BatchParser:
    """An annotator, whose trees are kept under the name that the parser of the same folder has without torch."""

    costly = True

    def __init__(self, folder: Path, processes: int) -> None:
        self.network, self.inventory, self.tokenizer = load_network(folder)
        self.name, self.version = MODEL, hash_file(folder / HEADS)
        self.pool = get_context("fork").Pool(processes) if processes else None  # they compute in numpy alone

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """A sentence that is too long for the parser without torch is cut here."""
        sentences = [[words[:MOST_WORDS] for words in sentences_of(text) if words] for text in texts]
        trees = iter(self.parse_words([words for found in sentences for words in found]))
        return [tuple(next(trees) for _ in found) for found in sentences]

    def parse_words(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        unknown = unknown_piece(self.tokenizer)
        empty = [(make_row(words, self.tokenizer, unknown), (0,) * len(words)) for words in sentences]
        examples = [Example(Tree("S"), row, {}, tags) for row, tags in empty]
        order = [place for places in batches(examples, WORDS) for place in places]
        scored = self._scored(examples, sentences)
        made = self.pool.imap(make_tree, scored, chunksize=32) if self.pool else map(make_tree, scored)
        trees = dict(zip(order, made, strict=True))
        return [trees[place] for place in range(len(sentences))]

    @torch.no_grad()
    def _scored(self, examples: Sequence[Example], sentences: Sequence[Sequence[str]]) -> Iterator[Scored]:
        for places in batches(examples, WORDS):
            batch = collate([examples[place] for place in places]).to(self.network.device)
            h = states_of(self.network, batch)
            gains, labels = self._best_labels(h, batch)
            tags = self.network.tag_scores(h, batch.first, batch.last).argmax(1).cpu().numpy()
            span = word = 0
            for place in places:
                count = len(sentences[place])
                own = slice(span, span := span + count * (count + 1) // 2)
                yield Scored(sentences[place], gains[own], labels[own], tags[word : word + count], self.inventory)
                word += count

    def _best_labels(self, h: torch.Tensor, batch: Batch) -> tuple[NDArray[np.float16], NDArray[np.int16]]:
        gains, labels = [], []
        for starts, ends in zip(batch.starts.split(SPANS), batch.ends.split(SPANS), strict=True):
            scores = self.network.span_scores(h, batch.before, batch.behind, starts, ends)
            best, which = scores[:, 1:].max(1)
            gains.append((best - scores[:, 0]).half().cpu())
            labels.append((which + 1).short().cpu())
        return torch.cat(gains).numpy(), torch.cat(labels).numpy()


def make_tree(scored: Scored) -> str:
    """As span_heads.py does it, with the scores at hand."""
    count = len(scored.words)
    spans = np.triu_indices(count + 1, k=1)
    gain, label = np.zeros((count + 1, count + 1), np.float32), np.zeros((count + 1, count + 1), np.int64)
    gain[spans], label[spans] = scored.gain, scored.label
    whole = label[0, count]  # is always something
    label[gain <= 0] = 0
    label[0, count] = whole
    found = {span: scored.inventory.labels[label[span]] for span in best_spans(np.maximum(gain, 0))}
    return write_brackets(build_tree(scored.words, [scored.inventory.tags[tag] for tag in scored.tags], found))
