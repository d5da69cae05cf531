"""The general ranker at work: see models/general.py for what it computes.

It has two graphs: the reader's, and that of the untouched encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anselm.checkpoints.blend import Config
from anselm.checkpoints.checkpoint import CONFIG, ENCODER, ENCODER_GRAPH, GRAPHS, READER_GRAPH, TOKENIZER, Checkpoint
from anselm.checkpoints.checksums import copy_files
from anselm.data.question import Question
from anselm.encoding.limits import TEXT_LENGTH, Reading
from anselm.encoding.lists import (
    ANSWERS,
    CANDIDATES,
    COMPARED,
    Indices,
    Lists,
    Texts,
    best_window,
    encode_lists,
    flatten,
    window_candidates,
)
from anselm.encoding.token_gauge import TokenGauge
from anselm.encoding.tokenizer import PairTokenizer
from anselm.runtime.engines import BUDGET, Engine, check_signals, choose_engine, open_engine
from anselm.runtime.pairs import check_length, read_tokenizer
from anselm.runtime.rows import lay_out, run_rows, text_rows
from anselm.runtime.sentence_encoder import text_fingerprint
from anselm.runtime.vector_store import Numbers, VectorStore
from anselm.scorer import BATCH, Scores

TEXTS = 512
Open = Callable[[Checkpoint], tuple[Engine, Engine]]  # the reader, the encoder


class Blended:
    """One checkpoint folder that holds the graphs."""

    capacity: int | None = 200
    pairwise = True
    language: str | None = "English"

    def __init__(
        self, checkpoint: Checkpoint, config: Config, tokenizer: PairTokenizer, reader: Engine, encoder: Engine
    ) -> None:
        self.name, self.checkpoint, self.config, self.tokenizer = checkpoint.model, checkpoint, config, tokenizer
        self.reader, self.encoder = reader, encoder
        self.lists_at_once = BATCH * max(1, reader.budget // BUDGET)  # else there would be no full batches
        self.texts_at_once = TEXTS * max(1, encoder.budget // BUDGET)
        self.reading = Reading(config.max_length, config.max_question, title=False, neighbours=0)
        self.vectors = VectorStore()

    def score(self, questions: Sequence[Question], budget: int | None = None) -> list[Scores]:
        if not any(question.candidates for question in questions):
            return [np.empty(0) for _ in questions]
        lists = encode_lists(questions, self.tokenizer, compared=True)
        entry = np.array([bool(candidate.question) for question in questions for candidate in question.candidates])
        weights = np.where(entry[:, None], self.config.entries, self.config.blend)  # (pairs, 2)
        scores = (self.features(lists, budget, entry) * weights).sum(axis=1)
        return np.split(scores, lists.bounds[1:-1])

    def features(self, lists: Lists, budget: int | None = None, entry: NDArray[np.bool_] | None = None) -> Numbers:
        """r and s, what the weights of a blend multiply, pair after pair. (pairs, 2)"""
        read = self._read(lists, budget)
        similar = self._compare(self._by(lists, COMPARED) if self.config.paragraphs else lists, entry, budget)
        share = self.config.answer_share
        if share and entry is not None and entry.any():
            alone = self._compare(self._by(lists.keep(entry), ANSWERS), None, budget)
            similar[entry] = (1 - share) * similar[entry] + share * alone
        return np.column_stack([read, similar])

    def _by(self, lists: Lists, column: str) -> Lists:
        """With another text of each candidate, where there is one."""
        return lists.add(pairs={CANDIDATES: lists.pairs.get(column, lists.candidates)})

    def _read(self, lists: Lists, budget: int | None) -> Numbers:
        """The reader's score of each pair; of a long candidate, that of its best window."""
        windowed, owner = window_candidates(lists, self.reading.room(lists, self.tokenizer))
        rows, place = lay_out(windowed, self.tokenizer, self.reading).distinct()
        signals = run_rows(self.reader, rows, self.reading.max_length, budget or self.reader.budget)
        # The shipped reader has a second head, which is not used.
        check_signals(self.checkpoint.path(READER_GRAPH), signals, 1, 2)
        return best_window(signals[place, 0], owner, len(lists.labels))

    def _compare(self, lists: Lists, entry: NDArray[np.bool_] | None, budget: int | None) -> Numbers:
        """The cosine of question and candidate of each pair; of a long candidate, that of its best window."""
        window = min(self.config.compared_window, TEXT_LENGTH)
        room = np.where(lists.texts.lengths[lists.candidates] > self.config.compared_whole, window, TEXT_LENGTH)
        if entry is not None:
            room[entry] = TEXT_LENGTH  # the question of an entry is at its beginning, and goes with all of its answer
        windowed, owner = window_candidates(lists, room)
        questions = np.repeat(windowed.questions, windowed.sizes)
        which, place = np.unique(np.concatenate([questions, windowed.candidates]), return_inverse=True)
        vectors = self._encode(windowed.texts, which, budget)
        asked, said = np.split(vectors[place], [len(questions)])
        return best_window((asked * said).sum(axis=1), owner, len(lists.labels))

    def _encode(self, texts: Texts, which: Indices, budget: int | None = None) -> Numbers:
        """Some of the texts as the untouched encoder sees them, as vectors of length one. (texts, width)"""
        most = TEXT_LENGTH + len(self.tokenizer.before) + len(self.tokenizer.after)

        def encode(new: Indices) -> Numbers:
            vectors = run_rows(self.encoder, text_rows(texts, new, self.tokenizer), most, budget or self.encoder.budget)
            if not np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3):
                problem = "its vectors are not of length one: it is another kind of model"
                raise self.checkpoint.refusal(problem, ENCODER_GRAPH)
            return vectors

        return self.vectors.encode(texts, which, encode)

    def text_vectors(self, texts: list[str]) -> Numbers:
        """What similar answers are known by. (texts, width)"""
        return self._encode(flatten(self.tokenizer(texts)), np.arange(len(texts)))

    def gauge(self) -> TokenGauge:
        return TokenGauge(self.tokenizer, self.reading)

    @property
    def text_fingerprint(self) -> str:
        """Of what makes the vectors: those of one fingerprint can be compared."""
        return text_fingerprint(self.checkpoint)

    def computes_on(self) -> tuple[str, int]:
        return self.reader.computes_on()

    def save(self, folder: Path) -> None:
        graphs = (path.relative_to(self.checkpoint.folder) for path in self.checkpoint.path(GRAPHS).iterdir())
        copy_files(self.checkpoint.folder, folder, (CONFIG, ENCODER, TOKENIZER, *map(str, graphs)))


def load(checkpoint: Checkpoint, threads: int | None = None, open_graphs: Open | None = None) -> Blended:
    """`open_graphs` is for what else than the runtime may run them."""
    config, tokenizer = Config.read(checkpoint), read_tokenizer(checkpoint)
    check_length(checkpoint, config.max_length)
    reader, encoder = open_graphs(checkpoint) if open_graphs else open_both(checkpoint, threads)
    return Blended(checkpoint, config, tokenizer, reader, encoder)


def open_both(checkpoint: Checkpoint, threads: int | None) -> tuple[Engine, Engine]:
    choose_engine()  # before two threads ask for it at once: what it has to say it says once
    with ThreadPoolExecutor(2) as pool:  # opening takes a while, and one core each
        graphs = map(checkpoint.path, (READER_GRAPH, ENCODER_GRAPH))
        reader, encoder = pool.map(lambda graph: open_engine(graph, threads), graphs)
    return reader, encoder
