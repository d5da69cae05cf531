"""Word vectors from one's own texts, for a recipe or as a file; trained once.

A recipe's vectors are kept as <checksum of texts and settings>.bin in the folder `vectors` of ANSELM_CACHE, or of
`anselm` in the user's own cache folder, where every job, worker and later run finds them; no gensim is needed then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from anselm.checkpoints.cache import cache_folder
from anselm.data.datasets import TRAIN, find_corpus, find_data_dir, is_corpus_name, load_training_data
from anselm.data.question import Question
from anselm.errors import InputError, MissingDataError
from anselm.text.documents import Document, entries_of, read_documents, sentences
from anselm.text.kinds import is_document
from anselm.text.phrases import find_phrases
from anselm.text.word2vec import train_vectors
from anselm.text.word_vectors import WordVectors, write_vectors

VERSION = 1  # of how vectors are made: with another one, those that are kept are not taken


@dataclass(frozen=True)
class Making:
    """How vectors are made of texts; the SwissAlps paper's width and window."""

    width: int = 200
    window: int = 5
    min_count: int = 1  # how often a word must occur
    phrases: bool = False
    epochs: int = 10

    def __post_init__(self) -> None:
        for name in ("width", "window", "min_count", "epochs"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, but must be 1 or more")


def make_vectors(texts: Sequence[str], making: Making, workers: int = 1) -> WordVectors:
    phrases = find_phrases(texts) if making.phrases else ()
    return train_vectors(
        texts, making.width, making.window, making.min_count, making.epochs, workers=workers, phrases=phrases
    )


def kept_vectors(texts: Sequence[str], making: Making) -> Path:
    path = cache_folder() / "vectors" / f"{_checksum(texts, making)}.bin"
    if not path.is_file():
        vectors = make_vectors(texts, making)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_vectors(vectors, path)
    return path


def _checksum(texts: Sequence[str], making: Making) -> str:
    # `least` is what min_count was called when the first were kept, which are to be found again.
    how = {"least" if name == "min_count" else name: value for name, value in asdict(making).items()}
    digest = hashlib.sha256(json.dumps([VERSION, how]).encode())
    for text in texts:
        digest.update(json.dumps(text).encode())
    return digest.hexdigest()[:24]


def read_texts(source: str, split: str | None = None, data_dir: Path | None = None) -> Iterator[str]:
    """The texts of a corpus or of a file of lists, of documents or a folder of them, or the lines of a .txt."""
    path = Path(source)
    if is_corpus_name(source):
        for name in [split] if split else _usual_splits(source, data_dir):
            yield from _texts(load_training_data(source, name, data_dir=data_dir))
    elif path.is_dir() or is_document(path):
        if split:
            raise InputError(f"{source} has no split {split!r}; leave the split out")
        for document in read_documents([path]):
            yield from _lines(document)
    else:
        yield from _texts(load_training_data(source, split, data_dir=data_dir))


def _usual_splits(name: str, data_dir: Path | None) -> list[str]:
    """`train`; of a corpus that has none, all splits that are here."""
    corpus = find_corpus(name)
    folder = find_data_dir(data_dir, corpus)
    here = [split for split in corpus.splits if not corpus.missing(split, folder)]
    if TRAIN not in corpus.splits and not here:
        raise MissingDataError(f"no split of {corpus.name} is in {folder}; `anselm data list` says where to get it")
    return [TRAIN] if TRAIN in corpus.splits else here


def _texts(questions: Iterable[Question]) -> Iterator[str]:
    for question in questions:
        yield from (question.text, *(candidate.text for candidate in question.candidates))


def _lines(document: Document) -> Iterator[str]:
    """Of plain text the lines; of a FAQ its questions and answers; of any other document the sentences."""
    if ".txt" in Path(document.source).suffixes[-2:]:
        yield from (line for line in document.text.split("\n") if line.strip())
    else:
        entries = entries_of(document)
        yield from (text for entry in entries for text in (entry.question, entry.answer) if text)
        yield from (sentence.text for sentence in sentences(document) if not entries)
