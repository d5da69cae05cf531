"""The general ranker at work: see models/general.py for what it computes.

It has two graphs: the reader's, and that of the untouched encoder.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from anselm.data.question import Question
from anselm.errors import FormatError
from anselm.models.encoders import PairTokenizer
from anselm.models.features import Indices, Lists, Texts, encode_lists, flatten, window_candidates
from anselm.models.general import ENCODER, READER, Config, Numbers, blend_features
from anselm.models.reading import TEXT_LENGTH, Reading
from anselm.models.registry import read_config
from anselm.models.scorer import Scores
from anselm.runtime.engines import Engine, check_signals, open_engine
from anselm.runtime.exported import BUDGET, check_length, read_tokenizer
from anselm.runtime.rows import Rows, lay_out, run_rows


class General:
    """One checkpoint folder that holds the graphs."""

    name = "general"
    capacity: int | None = 200
    pairwise = True

    def __init__(self, folder: Path, config: Config, tokenizer: PairTokenizer, threads: int | None = None) -> None:
        self.folder, self.config, self.tokenizer, self.threads = folder, config, tokenizer, threads
        if not (folder / ENCODER).is_file():
            raise FormatError(folder / ENCODER, "the file with the exported model is missing")
        self.reader = open_engine(folder / READER, threads)
        self._encoder: Engine | None = None
        self._opening = Lock()

    @property
    def encoder(self) -> Engine:
        """Opened for the first long text: most lists have none, and it takes a while."""
        with self._opening:  # of several threads, one opens it
            if self._encoder is None:
                self._encoder = open_engine(self.folder / ENCODER, self.threads)
            return self._encoder

    def score(self, questions: Sequence[Question], budget: int = BUDGET) -> list[Scores]:
        if not questions:
            return []
        lists = encode_lists(questions, self.tokenizer)
        scores = self.features(lists, budget) @ np.array(self.config.blend)
        return np.split(scores, lists.bounds[1:-1])

    def features(self, lists: Lists, budget: int = BUDGET) -> Numbers:
        """What the weights of the blend multiply, pair after pair. (pairs, 3)"""
        relevance, similarity = self._read(lists, budget)
        question, lengths = np.repeat(lists.questions, lists.sizes), lists.texts.lengths
        cut = lengths[question] > self.config.max_question  # the reader has not seen its end
        long = np.flatnonzero(cut | (lengths[lists.candidates] > self.config.long))
        if len(long):
            similarity[long] = self._compare(lists, question[long], lists.candidates[long], budget)
        said = np.minimum(lengths[lists.candidates], TEXT_LENGTH).astype(np.float64)
        return blend_features(relevance, similarity, said)

    def _read(self, lists: Lists, budget: int) -> tuple[Numbers, Numbers]:
        """Score and similarity of each pair by the reader; of a long answer, those of its best window."""
        reading = Reading(self.config.max_length, self.config.max_question, title=False, neighbours=0)
        windowed, owner = window_candidates(lists, reading.room(lists, self.tokenizer))
        rows, place = lay_out(windowed, self.tokenizer, reading).distinct()
        signals = run_rows(self.reader, rows, reading.max_length, budget)
        check_signals(self.folder / READER, signals, 2)
        best = np.full((len(lists.labels), 2), -np.inf)
        np.maximum.at(best, owner, signals[place])
        return best[:, 0], best[:, 1]

    def _compare(self, lists: Lists, questions: Indices, answers: Indices, budget: int) -> Numbers:
        """The cosine of each question and answer, which are numbers of texts. (pairs,)"""
        texts, place = np.unique(np.concatenate([questions, answers]), return_inverse=True)
        vectors = self._encode(lists.texts, texts, budget)
        asked, said = vectors[place[: len(questions)]], vectors[place[len(questions) :]]
        return np.asarray((asked * said).sum(axis=1))

    def _encode(self, texts: Texts, which: Indices, budget: int) -> Numbers:
        """Some of the texts as the untouched encoder sees them, as vectors of length one. (texts, width)"""
        most = TEXT_LENGTH + len(self.tokenizer.before) + len(self.tokenizer.after)
        vectors = run_rows(self.encoder, text_rows(texts, which, self.tokenizer), most, budget)
        if not np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3):
            raise FormatError(self.folder / ENCODER, "its vectors are not of length one: it is another kind of model")
        return vectors

    def text_vectors(self, texts: list[str]) -> Numbers:
        """What similar answers are known by. (texts, width)"""
        encoded = flatten(self.tokenizer(texts))
        return self._encode(encoded, np.arange(len(texts)), BUDGET)

    def save(self, folder: Path) -> None:
        (folder / READER).parent.mkdir(exist_ok=True)
        for file in [*map(Path, ("config.json", "encoder.json", "tokenizer.json")), READER, ENCODER]:
            shutil.copyfile(self.folder / file, folder / file)


def text_rows(texts: Texts, which: Indices, tokenizer: PairTokenizer) -> Rows:
    """[CLS] text [SEP] for some of the texts."""
    before, after = tokenizer.before, tokenizer.after
    flat = np.concatenate([np.array([*before, *after], dtype=np.int64), texts.ids])
    edge = np.ones_like(which)
    starts = [edge * 0, texts.starts[which] + len(before) + len(after), edge * len(before)]
    lengths = [edge * len(before), np.minimum(texts.lengths[which], TEXT_LENGTH), edge * len(after)]
    return Rows(flat, np.column_stack(starts), np.column_stack(lengths), np.zeros(3, dtype=np.int64), tokenizer.pad)


def load_general(folder: Path, threads: int | None = None) -> General:
    path = folder / "config.json"
    config, tokenizer = Config.read(path, read_config(path)["config"]), read_tokenizer(folder)
    check_length(path, config.max_length)
    return General(folder, config, tokenizer, threads)
