"""The late-interaction ranker at work, in numpy: see models/late_interaction.py for what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anselm.checkpoints.checkpoint import ARRAYS, CONFIG, ENCODER, TOKENIZER, Checkpoint
from anselm.checkpoints.checksums import copy_files
from anselm.data.question import Question
from anselm.encoding.limits import Reading
from anselm.encoding.lists import Indices, Lists, Texts, best_window, encode_lists, spread, window_candidates
from anselm.encoding.token_gauge import TokenGauge
from anselm.encoding.tokenizer import PairTokenizer
from anselm.runtime.late_weights import Array, Weights
from anselm.runtime.pairs import check_room, read_tokenizer
from anselm.scorer import Scores

SHARP = np.float32(8)
WINDOWS = (5, 15)  # pieces
BLOCK = 16_384  # pieces of candidates at once
SMALLEST = np.float32(1e-6)


@dataclass(frozen=True)
class Asked:
    """A question, once for all of its candidates."""

    ids: Indices  # (pieces,)
    rows: Array  # (pieces + 1 + probes, width) of length one: its pieces, what ends it, and the probes
    weight: Array  # (pieces,) w
    context: Array  # (pieces, hidden) B q_i and the bias of A
    whole: Array  # (width,) of length one


@dataclass(frozen=True)
class Said:
    """Some texts, whatever is asked of them."""

    ids: Indices  # (distinct pieces,)
    units: Array  # (distinct pieces, width) of length one
    pieces: Indices  # (pieces,) which of these, text after text
    starts: Indices  # (texts,)
    lengths: Indices  # (texts,)
    vectors: Array  # (texts, width) of length one


class Late:
    """One checkpoint folder that holds the arrays."""

    capacity: int | None = None  # it reads any number
    pairwise = True
    language: str | None = "English"

    def __init__(self, checkpoint: Checkpoint, weights: Weights, reading: Reading, tokenizer: PairTokenizer) -> None:
        self.name, self.checkpoint = checkpoint.model, checkpoint
        self.weights, self.reading, self.tokenizer = weights, reading, tokenizer

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        if not any(question.candidates for question in questions):
            return [np.empty(0) for _ in questions]
        lists = encode_lists(questions, self.tokenizer)
        windowed, owner = window_candidates(lists, self.reading.room(lists, self.tokenizer))
        return np.split(best_window(self._score(windowed), owner, len(lists.labels)), lists.bounds[1:-1])

    def _score(self, lists: Lists) -> Scores:
        """(pairs,)"""
        which, place = np.unique(lists.candidates, return_inverse=True)
        distinct = list(dict.fromkeys(lists.questions.tolist()))
        asked = dict(zip(distinct, self.ask(lists.texts, distinct), strict=True))
        found = np.empty(len(place))
        for first, last in blocks(lists.texts.lengths[which]):
            said = self.say(lists.texts, which[first:last])
            for number, question in enumerate(lists.questions.tolist()):
                pairs = np.arange(lists.bounds[number], lists.bounds[number + 1])
                pairs = pairs[(place[pairs] >= first) & (place[pairs] < last)]
                if len(pairs):
                    found[pairs] = self.meet(asked[question], said, place[pairs] - first)
        return found

    def ask(self, texts: Texts, which: Sequence[int]) -> list[Asked]:
        """Some of the texts as questions."""
        lengths = np.minimum(texts.lengths[which], self.reading.max_question)
        ids = [texts.ids[start : start + size] for start, size in zip(texts.starts[which], lengths, strict=True)]
        pieces = np.concatenate([np.append(one, self.tokenizer.after[:1]) for one in ids]).astype(np.int64)
        spans = [slice(end - size - 1, end) for end, size in zip(np.cumsum(lengths + 1), lengths, strict=True)]
        places = np.concatenate([np.arange(size + 1) for size in lengths])
        states = self.weights.table[pieces] + self.weights.place[places]
        for layer in self.weights.layers:
            states = layer(states, spans)
        return [self._asked(pieces[span][:-1], states[span]) for span in spans]

    def _asked(self, ids: Indices, states: Array) -> Asked:
        weights, words = self.weights, states[:-1]
        matter = np.exp(weights.rarity[ids] + weights.matter(words)[:, 0])
        weight = matter / np.maximum(matter.sum(), SMALLEST)
        whole = weight @ words
        probes = weights.probes(whole).reshape(-1, states.shape[1])
        context = weights.context(words) + weights.signs.bias
        return Asked(ids, unit(np.concatenate([states, probes])), weight, context, unit(whole))

    def say(self, texts: Texts, which: Indices) -> Said:
        lengths = np.maximum(texts.lengths[which], 1)  # a text without pieces is one of padding
        ids = np.full(lengths.sum(), self.tokenizer.pad, dtype=np.int64)
        ids[np.repeat(texts.lengths[which] > 0, lengths)] = texts.ids[spread(texts.starts[which], texts.lengths[which])]
        starts = np.cumsum(lengths) - lengths
        distinct, pieces = np.unique(ids, return_inverse=True)
        states = self.weights.table[distinct]
        heavy = np.exp(self.weights.rarity[distinct])[:, None] * states
        vectors = unit(np.add.reduceat(heavy[pieces], starts, axis=0))
        return Said(distinct, unit(states), pieces, starts, lengths, vectors)

    def meet(self, asked: Asked, said: Said, places: Indices) -> Array:
        """The scores of some of the texts. (places,)"""
        lengths = said.lengths[places]
        pieces, starts = said.pieces[spread(said.starts[places], lengths)], np.cumsum(lengths) - lengths
        few = len(pieces) < len(said.units)  # then each is looked up before, else the products are
        sims = asked.rows @ said.units[pieces].T if few else (asked.rows @ said.units.T)[:, pieces]
        count = len(asked.ids)
        found = [
            self._partners(asked, sims[: count + 1], said.ids[pieces], starts, lengths),
            dense(asked.weight @ np.square(np.maximum(sims[:count], 0)), starts, lengths),
            np.maximum.reduceat(sims[count + 1 :], starts, axis=1).T,
        ]
        both = asked.whole * said.vectors[places]
        sizes = np.column_stack([np.log1p(lengths), np.full(len(places), np.log1p(count))])
        found += [self.weights.product(both * SHARP), both.sum(axis=1, keepdims=True), sizes]
        wide = np.maximum(self.weights.wide(np.concatenate(found, axis=1, dtype=np.float32)), 0)
        return np.asarray(self.weights.head(wide)[:, 0])

    def _partners(self, asked: Asked, sims: Array, ids: Indices, starts: Indices, lengths: Indices) -> Array:
        """h of each text. (texts, hidden)"""
        own, after = sims[:-1], np.full_like(sims[:-1], -1)
        after[:, :-1] = sims[1:, 1:]
        after[:, starts + lengths - 1] = -1  # behind its last piece a text has none
        same = (asked.ids[:, None] == ids).astype(np.float32)
        best, pair = (np.maximum.reduceat(one, starts, axis=1) for one in (own, (own + after) / 2))
        soft = np.log(np.add.reduceat(np.exp(SHARP * own), starts, axis=1)) / SHARP
        signs = np.stack([best, soft, np.maximum.reduceat(same, starts, axis=1), pair], axis=2)
        hidden = np.maximum(signs @ self.weights.signs.weight + asked.context[:, None], 0)
        return np.asarray(np.tensordot(asked.weight, hidden, 1))

    def gauge(self) -> TokenGauge:
        return TokenGauge(self.tokenizer, self.reading)

    def computes_on(self) -> tuple[str, int]:
        return "numpy", 1

    def save(self, folder: Path) -> None:
        copy_files(self.checkpoint.folder, folder, (CONFIG, ENCODER, TOKENIZER, ARRAYS))


def dense(here: Array, starts: Indices, lengths: Indices) -> Array:
    """The mean over the densest stretch of so many pieces; what is outside of a text counts 0. (texts, windows)"""
    total = np.concatenate([[0.0], np.cumsum(here, dtype=np.float64)])
    place, begin = np.arange(len(here)), np.repeat(starts, lengths)
    end, found = begin + np.repeat(lengths, lengths), []
    for size in WINDOWS:
        half = size // 2
        inside = total[np.minimum(place + half + 1, end)] - total[np.maximum(place - half, begin)]
        found.append(np.maximum.reduceat(inside / size, starts))
    return np.column_stack(found).astype(np.float32)


def blocks(lengths: Indices) -> Iterator[tuple[int, int]]:
    """First and last of some neighbours that have so many pieces together, or of a longer one alone."""
    owner = np.cumsum(lengths) // BLOCK
    ends = np.append(np.flatnonzero(np.diff(owner)) + 1, len(lengths)).tolist()
    yield from zip([0, *ends[:-1]], ends, strict=True)


def unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), SMALLEST))


def load(checkpoint: Checkpoint, threads: int | None = None) -> Late:
    """It computes in numpy, which has threads of its own."""
    config: dict[str, Any] = {"max_length": 192, "max_question": 64, "heads": 4, **checkpoint.config}
    for name in ("max_length", "max_question", "heads"):
        if type(config[name]) is not int or config[name] < 1:
            raise checkpoint.refusal(f"the setting {name!r} is {config[name]!r}, which is no whole number from 1 on")
    reading = Reading(config["max_length"], config["max_question"], title=False, neighbours=0)
    weights, tokenizer = Weights.read(checkpoint, config["heads"]), read_tokenizer(checkpoint)
    check_room(checkpoint, reading, tokenizer)
    if reading.max_question >= len(weights.place):  # one more place is for what ends a question
        most = f"there are places for {len(weights.place) - 1}"
        raise checkpoint.refusal(f"the setting 'max_question' is {reading.max_question}, and {most}")
    return Late(checkpoint, weights, reading, tokenizer)
