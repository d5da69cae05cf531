"""What the models over word vectors share: a vocabulary, its vectors, and texts that are read apart.

    texts -> numbers of words (text/vocabulary) -> vectors, dropout, projection -> whatever the model does

A batch has each question once and each distinct candidate once, and says for every pair which two it is of: in pools of
500 most candidates recur, and what a model does before question and candidate meet is done once for each.
Texts without a word that is known are one unknown word; what is longer than the maximum is cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anselm.checkpoints.checkpoint import VOCABULARY, VOCABULARY_SHA256, WEIGHTS, Checkpoint, write_config
from anselm.checkpoints.saved_vocabulary import load_vocabulary
from anselm.checkpoints.settings import check_least, check_types, make_config
from anselm.data.question import Question
from anselm.data.vector_files import find_vectors
from anselm.encoding.lists import Indices, Lists, encode_lists, spread
from anselm.encoding.packing import in_order
from anselm.errors import InputError
from anselm.layers.layout import Layout
from anselm.layers.stretches import Stretch, join
from anselm.models.frames.columns import BatchColumns, Column, collate_columns, place_columns
from anselm.models.frames.weights import load_weights, save_weights, torch_threads
from anselm.scorer import Scores
from anselm.text.lemmas import lemmatise
from anselm.text.phrases import find_phrases, known_phrases
from anselm.text.tokens import words
from anselm.text.vocabulary import PAD, Vocabulary
from anselm.text.word2vec import train_vectors
from anselm.text.word_vectors import WordVectors, read_vectors, table_for

OWN = "corpus"  # vectors that are trained on the texts at hand


@dataclass(frozen=True)
class WordConfig:
    """How texts become vectors, word by word."""

    vectors: str = OWN  # or "glove", or a file
    embedding: int = 300  # width of the word vectors
    phrases: bool = False  # whether words that often come together are read as one: those of a file, or the texts'
    lemmas: bool = False  # whether words are read as their dictionary forms
    fixed: bool = False  # whether they stay as they are; a projection is then learned instead
    width: int = 300  # of a word as the encoder reads it; where vectors have another, they are projected
    min_count: int = 1  # how often a word must occur in the training texts
    dropout: float = 0.3  # of the word vectors
    max_length: int = 200  # words of a candidate
    max_question: int = 200

    def __post_init__(self) -> None:
        check_types(self)
        least = ("embedding", "width", "min_count", "max_length", "max_question")
        check_least(self, dict.fromkeys(least, 1))
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is {self.dropout}, but must be from 0 to below 1")


@dataclass(frozen=True)
class Batch:
    questions: Tensor  # (lists, words)
    question_mask: Tensor  # (lists, words)
    answers: Tensor  # (texts, words)
    answer_mask: Tensor  # (texts, words)
    asked: Tensor  # (pairs,) rows of questions
    said: Tensor  # (pairs,) rows of answers
    layout: Layout
    labels: Tensor  # (pairs,)
    columns: BatchColumns = field(default_factory=BatchColumns)


@dataclass(frozen=True)
class Placed:
    """The texts of many lists on a device, and their lengths on the host too, where batches are laid out."""

    flat: Tensor  # (words,)
    starts: Tensor  # (texts,)
    lengths: Indices  # (texts,)
    columns: Mapping[str, Column]  # each (texts, ...)


class WordModel(nn.Module):
    """A model's own part is its forward: from a batch to a score for each pair."""

    capacity: int | None = 1_000
    pairwise: bool = True
    language: str | None = None
    exports_to: str | None = None  # the runtime that runs it without torch: WORDS, where it reads no columns of a batch
    settings: ClassVar[type[WordConfig]] = WordConfig
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    usual: ClassVar[Mapping[str, Any]] = {}  # how it is trained where nobody says how

    def __init__(self, name: str, config: Any, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.name, self.config, self.vocabulary = name, config, vocabulary
        self.embedding = nn.Embedding(len(vocabulary), config.embedding, padding_idx=PAD)
        self.embedding.requires_grad_(not config.fixed)
        self.dropout = nn.Dropout(config.dropout)
        projected = config.fixed or config.embedding != config.width
        self.projection = nn.Linear(config.embedding, config.width) if projected else nn.Identity()

    def read(self, ids: Tensor) -> Tensor:
        """(rows, words) -> (rows, words, width)"""
        x: Tensor = self.projection(self.dropout(self.embedding(ids)))
        return x

    def featurize(self, questions: Sequence[Question]) -> Lists:
        return encode_lists(questions, self.vocabulary)

    def room(self, lists: Lists) -> NDArray[np.int64]:
        """How many words of a candidate are read. (pairs,)"""
        return np.full(len(lists.labels), self.config.max_length)

    def widths(self, lists: Lists) -> NDArray[np.int64]:
        """Words of the longest pair of each list, for packing. (lists,)"""
        most = int(self.config.max_length + self.config.max_question)
        return np.minimum(lists.longest, most)

    def place(self, lists: Lists, device: torch.device) -> Placed:
        flat, starts = (torch.from_numpy(array).to(device) for array in (lists.texts.ids, lists.texts.starts))
        return Placed(flat, starts, lists.texts.lengths, place_columns(lists, device))

    def collate(self, placed: Placed, picked: Lists) -> Batch:
        device = placed.flat.device
        texts, said = np.unique(picked.candidates, return_inverse=True)
        asked = np.repeat(np.arange(len(picked.sizes)), picked.sizes)
        move = [torch.from_numpy(array).to(device, non_blocking=True) for array in (asked, said, picked.labels)]
        return Batch(
            *self.rows(placed, picked.questions, self.config.max_question),
            *self.rows(placed, texts, self.config.max_length),
            move[0], move[1], Layout.of(picked.sizes, device), move[2], collate_columns(placed.columns, picked, device),
        )  # fmt: skip

    def rows(self, placed: Placed, texts: Indices, most: int) -> tuple[Tensor, Tensor]:
        """Ids and mask of some texts, each (texts, words)."""
        lengths = np.minimum(placed.lengths[texts], most)
        numbers, shown = (torch.from_numpy(array).to(placed.flat.device) for array in (texts, lengths))
        ids, mask, _ = join(placed.flat, [Stretch(placed.starts[numbers], shown, 0)], int(lengths.max(initial=1)), PAD)
        return ids, mask

    @torch.no_grad()
    def score(self, questions: Sequence[Question], budget: int | None = None) -> list[Scores]:
        """As a scorer. `budget` is how many words a batch may have."""
        device, was_training = self.embedding.weight.device, self.training
        lists = self.featurize(questions)
        self.eval()
        scores = self.score_lists(lists, device, budget or (1 << 18 if device.type == "cuda" else 1 << 15))
        self.train(was_training)
        return np.split(scores, lists.bounds[1:-1]) if len(lists) else []

    def score_lists(self, lists: Lists, device: torch.device, budget: int) -> Scores:
        """(pairs,)"""
        scores = np.empty(len(lists.labels))
        for pairs, batch in self._batches(lists, device, budget):
            scores[pairs] = self(batch).float().cpu().numpy()
        return scores

    def _batches(self, lists: Lists, device: torch.device, budget: int) -> Iterator[tuple[Indices, Batch]]:
        """The pairs of some lists, and the batch of them."""
        placed = self.place(lists, device)
        for numbers in in_order(self.widths(lists), lists.sizes, budget):
            pairs = spread(lists.bounds[numbers], lists.sizes[numbers])
            if len(pairs):  # there are lists without candidates
                yield pairs, self.collate(placed, lists.pick(numbers))

    def save(self, folder: Path) -> None:
        write_config(folder, self.name, asdict(self.config), **{VOCABULARY_SHA256: self.vocabulary.fingerprint})
        self.vocabulary.save(folder / VOCABULARY)
        save_weights(self, folder / WEIGHTS)

    def computes_on(self) -> tuple[str, int]:
        return torch_threads()

    @classmethod
    def configure(cls, name: str, settings: Mapping[str, Any]) -> Any:
        return make_config(cls.settings, name, cls.variants[name], settings)

    @classmethod
    def complete(cls, config: Any, vectors: WordVectors) -> Any:
        """The settings that depend on the word vectors, where nobody gave them."""
        return config

    @classmethod
    def build(cls, name: str, settings: Mapping[str, Any], questions: Sequence[Question]) -> Self:
        """A new model for the words of some lists, ready to be trained on them. What is random in it is torch's."""
        config = cls.configure(name, settings)
        texts = list(distinct_texts(questions))
        read = [lemmatise(text) for text in texts] if config.lemmas else texts
        phrases = find_phrases(read) if config.phrases and config.vectors == OWN else ()
        vectors = find_table(config, read, phrases)
        config = cls.complete(config, vectors)
        if config.phrases and config.vectors != OWN:  # those that have vectors, where some have
            phrases = known_phrases(vectors.words) or find_phrases(read)
        # Words that the training texts lack keep a vector of their own, if it is one that a text can give.
        joined = frozenset(phrases)
        extra = (word for word in vectors.words if word in joined or words(word) == [word]) if config.fixed else ()
        vocabulary = Vocabulary.build(texts, config.min_count, extra, phrases, config.lemmas)
        model = cls(name, config, vocabulary)
        rng = np.random.default_rng(int(torch.randint(2**31, ()).item()))
        table, _ = table_for(vocabulary, vectors, rng)
        with torch.no_grad():
            model.embedding.weight.copy_(torch.from_numpy(table))
        return model

    @classmethod
    def load(cls, checkpoint: Checkpoint) -> Self:
        config = cls.configure(checkpoint.model, checkpoint.config)
        model = cls(checkpoint.model, config, load_vocabulary(checkpoint))
        load_weights(model, checkpoint.path(WEIGHTS))
        return model.eval()


def distinct_texts(questions: Sequence[Question]) -> Iterator[str]:
    """Every text of the lists once, in the order in which they come."""
    texts = (text for q in questions for text in (q.text, *(candidate.content for candidate in q.candidates)))
    return iter(dict.fromkeys(texts))


def find_table(config: WordConfig, texts: Sequence[str], phrases: Sequence[str]) -> WordVectors:
    """The word vectors that a configuration names."""
    if config.vectors == OWN:
        return train_vectors(texts, width=config.embedding, min_count=config.min_count, phrases=phrases)
    path = find_vectors(config.vectors)
    vectors = read_vectors(path)
    if vectors.table.shape[1] != config.embedding:
        raise InputError(f"{path} has vectors of width {vectors.table.shape[1]}, but embedding is {config.embedding}")
    return vectors
