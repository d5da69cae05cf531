"""Lexical rankers: BM25, TF-IDF, Jaccard and idf-weighted word overlap. No training; section 2.1 of the
attentive-clustering thesis names them as the baselines of the field.

For a question Q (words with counts) and a candidate A with term counts tf and length |A|:

    bm25     sum over t in Q of  q_t idf(t) tf_t / (tf_t + k1 (1 - b + b |A| / mean length))
             divided by          sum over t in Q of  q_t idf(t)
    tfidf    cosine of the vectors (1 + ln tf_t) idf(t)
    jaccard  |Q ∩ A| / |Q ∪ A| over distinct words
    overlap  sum of idf(t) over Q ∩ A, divided by the same sum over Q

with idf(t) = ln(1 + (N - n_t + 0.5) / (n_t + 0.5)), Lucene's, which is never negative. N, n_t and the mean length come
from the list itself, or from statistics fitted on a corpus. BM25 is usually left without its divisor; that is the
same for all candidates of a question, so the order is the same, and with it a score says which share of the question
is covered, 0 to 1, whatever the question: a threshold and a calibrated probability need that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anselm.checkpoints.checkpoint import STATISTICS, Checkpoint, write_config
from anselm.checkpoints.settings import check_names
from anselm.data.question import Question
from anselm.scorer import Scores
from anselm.text.statistics import Statistics
from anselm.text.stem import stem
from anselm.text.tokens import STOPWORDS, words

MODELS = {
    "bm25": {"kind": "lexical", "summary": "BM25 over stemmed words; idf from the list or from a corpus"},
    "tfidf": {"kind": "lexical", "summary": "cosine of TF-IDF vectors"},
    "jaccard": {"kind": "lexical", "summary": "shared words over all words of question and answer"},
    "overlap": {"kind": "lexical", "summary": "share of the question's words found in the answer, weighted by idf"},
}

Terms = Counter[str]
FUNCTION_WORDS = STOPWORDS | {stem(word) for word in STOPWORDS}


@dataclass(frozen=True)
class Config:
    """Chosen on the dev splits of six corpora (docs/results.md); k1 and b came out as in Anserini.

    A function word weighs `stopword_weight` of what its idf says: enough to break ties, too little to decide.
    """

    k1: float = 0.9
    b: float = 0.4
    stem: bool = True
    stopword_weight: float = 0.3


class Lexical:
    """A scorer by name; without statistics it takes them from each list."""

    capacity = None
    language: str | None = None

    def __init__(self, name: str, config: Config | None = None, statistics: Statistics | None = None) -> None:
        self.name = name
        self.config = config or Config()
        self.statistics = statistics
        self.pairwise = statistics is not None
        self._formula = FORMULAS[name]

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [self._score(question) for question in questions]

    def _score(self, question: Question) -> Scores:
        candidates = [self.terms(candidate.content) for candidate in question.candidates]
        statistics = self.statistics or Statistics.fit(candidates)
        return self._formula(self.terms(question.text), candidates, statistics, self.config)

    def fit(self, texts: Iterable[str]) -> Lexical:
        """The same model with statistics from a corpus."""
        return Lexical(self.name, self.config, Statistics.fit(self.terms(text) for text in texts))

    def terms(self, text: str) -> Terms:
        found = words(text)
        return Counter(map(stem, found) if self.config.stem else found)

    def settled(self, question: Question) -> Lexical:
        """With the statistics of one list, so that none of its scores depends on the others any more."""
        return self if self.pairwise else self.fit(candidate.content for candidate in question.candidates)

    def save(self, folder: Path) -> None:
        write_config(folder, self.name, asdict(self.config))
        if self.statistics:
            self.statistics.save(folder / STATISTICS)


def create(name: str) -> Lexical:
    return Lexical(name)


def load(checkpoint: Checkpoint) -> Lexical:
    """With the statistics that its folder holds, if any."""
    statistics = Statistics.load(checkpoint.path(STATISTICS)) if checkpoint.has(STATISTICS) else None
    return Lexical(checkpoint.model, read_settings(checkpoint), statistics)


def read_settings(checkpoint: Checkpoint) -> Config:
    """Of a checkpoint, which somebody may have edited."""
    config = checkpoint.config
    check_names(f"setting of the model {checkpoint.model!r}:", config, Config)
    for key, (wanted, fits) in SETTINGS.items():
        if key in config and not fits(config[key]):
            raise checkpoint.refusal(f"{key} must be {wanted}, not {config[key]!r}")
    return Config(**config)


def is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


# What may stand in a checkpoint: in words, and as a test.
SETTINGS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "k1": ("a number that is not negative", is_amount),
    "b": ("a number from 0 to 1", lambda value: is_amount(value) and value <= 1),
    "stem": ("true or false", lambda value: isinstance(value, bool)),
    "stopword_weight": ("a number that is not negative", is_amount),
}


def idf(term: str, statistics: Statistics, config: Config) -> float:
    n = statistics.frequency.get(term, 0)
    weight = config.stopword_weight if term in FUNCTION_WORDS else 1.0
    return weight * math.log(1 + (statistics.documents - n + 0.5) / (n + 0.5))


def bm25(question: Terms, candidates: Sequence[Terms], statistics: Statistics, config: Config) -> Scores:
    lengths = np.array([terms.total() for terms in candidates], dtype=np.float64)
    norms = config.k1 * (1 - config.b + config.b * lengths / (statistics.mean_length or 1.0))
    scores, ideal = np.zeros(len(candidates)), 0.0
    for term, count in question.items():
        weight = count * idf(term, statistics, config)
        tf = np.array([terms.get(term, 0) for terms in candidates], dtype=np.float64)
        scores += weight * np.divide(tf, tf + norms, out=np.zeros_like(tf), where=tf > 0)  # k1 may be 0
        ideal += weight
    return scores / ideal if ideal else scores


def tfidf(question: Terms, candidates: Sequence[Terms], statistics: Statistics, config: Config) -> Scores:
    weights = {term: (1 + math.log(count)) * idf(term, statistics, config) for term, count in question.items()}
    norm = math.hypot(*weights.values())

    def cosine(terms: Terms) -> float:
        vector = {term: (1 + math.log(count)) * idf(term, statistics, config) for term, count in terms.items()}
        dot = sum(weight * vector.get(term, 0.0) for term, weight in weights.items())
        return dot / (norm * math.hypot(*vector.values())) if dot else 0.0

    return np.array([cosine(terms) for terms in candidates])


def jaccard(question: Terms, candidates: Sequence[Terms], statistics: Statistics, config: Config) -> Scores:
    asked = question.keys()
    return np.array([len(asked & terms.keys()) / (len(asked | terms.keys()) or 1) for terms in candidates])


def overlap(question: Terms, candidates: Sequence[Terms], statistics: Statistics, config: Config) -> Scores:
    weights = {term: idf(term, statistics, config) for term in question}
    total = sum(weights.values()) or 1.0
    # In the order of the question: a set's order changes from process to process, and with it the last bit of a sum.
    return np.array([sum(w for term, w in weights.items() if term in terms) / total for terms in candidates])


FORMULAS: dict[str, Callable[[Terms, Sequence[Terms], Statistics, Config], Scores]] = {
    "bm25": bm25,
    "tfidf": tfidf,
    "jaccard": jaccard,
    "overlap": overlap,
}
