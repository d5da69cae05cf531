"""Our own parser at work, without torch: a graph for the encoder, numpy for the rest.

It is trained by `anselm train parser`, which leaves it in the user's cache: the treebank sample is not for every use,
so no weights come with the package. A sentence of more than a thousand words is refused, so that time is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from anselm.annotations.penn_words import penn_words
from anselm.annotations.piece_rows import Row, make_row
from anselm.annotations.span_heads import Floats, Heads, Inventory
from anselm.annotations.trees import Tree
from anselm.checkpoints.cache import cache_folder
from anselm.checkpoints.checkpoint import GRAPH, Checkpoint
from anselm.checkpoints.checksums import hash_file
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.runtime.engines import Engine, open_engine
from anselm.runtime.pairs import read_tokenizer
from anselm.text.sentences import sentence_spans

MODEL = "span-parser"  # what a checkpoint's configuration calls it
HEADS = "heads.npz"
COMMAND = "anselm train parser"
MOST_WORDS = 1_000  # of a sentence
WINDOW = 500  # pieces that the encoder reads at once
BUDGET = 2_048  # pieces of a batch


def parser_folder() -> Path:
    """Where the trained parser is: below $ANSELM_CACHE, or the user's cache."""
    return cache_folder() / "parser"


class SpanParser:
    """A parser as annotations/syntax.py wants it."""

    costly = True

    def __init__(self, checkpoint: Checkpoint, inventory: Inventory, heads: Heads, engine: Engine) -> None:
        self.inventory, self.heads, self.engine = inventory, heads, engine
        self.tokenizer: PairTokenizer = read_tokenizer(checkpoint)
        self.unknown = unknown_piece(self.tokenizer)
        self.name, self.version = MODEL, hash_file(checkpoint.path(HEADS))

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        """One tree for each sentence of each text."""
        sentences = [[text[start:end] for start, end in sentence_spans(text)] for text in texts]
        trees = iter(self.parse_words([_words(sentence) for found in sentences for sentence in found]))
        return [tuple(next(trees) for _ in found) for found in sentences]

    def parse_words(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """One tree for each sentence, whose words are known; one without words is an empty tree."""
        check_lengths(sentences)
        rows = {place: make_row(words, self.tokenizer, self.unknown) for place, words in enumerate(sentences) if words}
        trees = {place: Tree("S") for place in range(len(sentences))}
        for places in _batches({place: len(row.ids) for place, row in rows.items()}):
            states = self._states([rows[place] for place in places])
            for place, h in zip(places, states, strict=True):
                trees[place] = self.heads.parse(h, rows[place], sentences[place], self.inventory)
        return [trees[place] for place in range(len(sentences))]

    def _states(self, rows: Sequence[Row]) -> list[Floats]:
        if len(rows) == 1 and len(rows[0].ids) > WINDOW:
            return [self._long_states(rows[0])]
        longest = max(len(row.ids) for row in rows)
        inputs = {name: np.zeros((len(rows), longest), dtype=np.int64) for name in ("ids", "mask", "shapes")}
        for place, row in enumerate(rows):
            count = len(row.ids)
            inputs["ids"][place, :count], inputs["shapes"][place, :count] = row.ids, row.shapes
            inputs["mask"][place, :count] = 1
        found = self.engine(inputs)
        return [states[: len(row.ids)] for states, row in zip(found, rows, strict=True)]

    def _long_states(self, row: Row) -> Floats:
        """In windows that overlap by half; a piece is taken from where it has most around it."""
        count, step = len(row.ids), WINDOW // 2
        starts = [*range(0, count - WINDOW, step), count - WINDOW]
        parts = [Row(row.ids[s : s + WINDOW], row.shapes[s : s + WINDOW], row.first, row.last) for s in starts]
        states = np.stack([self._states([part])[0] for part in parts])  # (windows, WINDOW, width)
        middles = np.array(starts) + WINDOW // 2
        nearest = np.abs(np.arange(count)[:, None] - middles).argmin(axis=1)
        return np.asarray(states[nearest, np.arange(count) - np.array(starts)[nearest]])


def unknown_piece(tokenizer: PairTokenizer) -> int:
    """Of a word that the tokenizer drops; padding where it has none of that name."""
    found = tokenizer.tokenizer.token_to_id("[UNK]")
    return tokenizer.pad if found is None else int(found)


def check_lengths(sentences: Sequence[Sequence[str]]) -> None:
    for words in sentences:
        if len(words) > MOST_WORDS:
            begins = f"it begins {' '.join(words[:5])!r:.80}"
            raise InputError(f"a sentence of {len(words):,} words is not parsed, {MOST_WORDS:,} at most are: {begins}")


def _words(sentence: str) -> list[str]:
    return [found.word for found in penn_words(sentence)]


def _batches(lengths: dict[int, int]) -> Iterator[list[int]]:
    """Sentences of about one length together; what needs windows is alone."""
    batch: list[int] = []
    for place in sorted(lengths, key=lambda place: lengths[place]):
        if batch and ((len(batch) + 1) * lengths[place] > BUDGET or lengths[place] > WINDOW):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def load_span_parser(folder: Path | None = None) -> SpanParser:
    place = folder or parser_folder()
    if not place.is_dir():
        raise InputError(f"there is no trained parser in {place}: `{COMMAND}` trains one")
    checkpoint = Checkpoint.open(place)
    if checkpoint.model != MODEL:
        raise checkpoint.refusal(f"{checkpoint.model!r} is no parser")
    inventory, heads = read_inventory(checkpoint), _read_heads(checkpoint)
    if not heads.fits(heads.fence.shape[-1], inventory):
        raise checkpoint.refusal("its weights do not fit its labels", HEADS)
    return SpanParser(checkpoint, inventory, heads, open_engine(checkpoint.path(GRAPH)))


def read_inventory(checkpoint: Checkpoint) -> Inventory:
    names = [checkpoint.config.get(name) for name in ("labels", "tags")]
    if not all(isinstance(found, list) and all(isinstance(one, str) for one in found) for found in names):
        raise checkpoint.refusal("labels and tags are needed, lists of names")
    return Inventory(*(tuple(found) for found in names if found is not None))


def _read_heads(checkpoint: Checkpoint) -> Heads:
    try:
        with np.load(checkpoint.path(HEADS), allow_pickle=False) as found:
            return Heads(**{one.name: found[one.name].astype(np.float32) for one in fields(Heads)})
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise checkpoint.refusal(f"not the weights of a parser ({error})", HEADS) from None
