"""Finding and loading data by name or by path: the front door of this room."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import overload

from anselm.data import corpora
from anselm.data.corpus import CLEAN, MIXED, RAW, Corpus
from anselm.data.formats.beir import is_beir, read_beir
from anselm.data.formats.faq_lists import read_faq
from anselm.data.formats.judged_faq import read_judged_faq
from anselm.data.formats.known_formats import FORMATS, find_format
from anselm.data.question import Question
from anselm.errors import InputError, MissingDataError, UnknownNameError
from anselm.files import find_file

FILE_PROTOCOLS = {"raw": RAW, "clean": CLEAN, "filtered": MIXED}
TRAIN, DEV = "train", "dev"


@dataclass(frozen=True)
class Source:
    """Data that was found but not read: iterate over it to stream the questions."""

    name: str
    split: str
    protocol: str
    stream: Iterator[Question] = field(repr=False)
    worst_of: str | None = None  # as in Protocol

    def __iter__(self) -> Iterator[Question]:
        return self.stream


@dataclass(frozen=True)
class Dataset(Sequence[Question]):
    """The questions of one split under one protocol, in memory."""

    name: str
    split: str
    protocol: str
    questions: tuple[Question, ...] = field(repr=False)
    worst_of: str | None = None  # as in Protocol

    def __len__(self) -> int:
        return len(self.questions)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | Sequence[Question]:
        return self.questions[index]

    @property
    def pairs(self) -> int:
        return sum(len(question.candidates) for question in self.questions)

    @property
    def labelled(self) -> bool:
        """Whether any candidate is."""
        return any(candidate.label is not None for question in self.questions for candidate in question.candidates)

    @property
    def sha256(self) -> str:
        """A fingerprint of ids, texts and labels, to tell whether two results are about the same data."""
        digest = hashlib.sha256()
        for question in self.questions:
            candidates = [(candidate.id, candidate.text, candidate.label) for candidate in question.candidates]
            digest.update(json.dumps((question.id, question.text, candidates)).encode())
        return digest.hexdigest()


def load_dataset(
    source: str | Path,
    split: str | None = None,
    protocol: str | None = None,
    data_dir: str | Path | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Dataset:
    """Read a corpus by name, or a file of any known format, into memory.

    With `columns`, which name those of a table ({"question": "Q", "answer": "A"}), it is a FAQ.

    >>> load_dataset("wikiqa", "test")                     # under ANSELM_DATA, or data_dir
    >>> load_dataset("faq.jsonl", protocol="clean")
    """
    found = open_dataset(source, split, protocol, data_dir, form, columns)
    questions = tuple(found)
    if not questions:
        raise InputError(f"{found.name} has no questions under the protocol {found.protocol!r}")
    return Dataset(found.name, found.split, found.protocol, questions, found.worst_of)


def load_judged_faq(
    path: str | Path,
    faq: str | Path,
    split: str | None = None,
    protocol: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Dataset:
    """Questions with the ids of their entries in a FAQ (formats/judged_faq.py), each with all entries as candidates."""
    protocol = protocol or "raw"
    if split is not None:
        raise InputError(f"{path} is a single file and has no split {split!r}; leave the split out")
    if protocol not in FILE_PROTOCOLS:
        raise UnknownNameError("protocol", protocol, FILE_PROTOCOLS)
    questions = read_judged_faq(Path(path), Path(faq), columns)
    kept = tuple(filter(FILE_PROTOCOLS[protocol].keep, questions))
    if not kept:
        raise InputError(f"{path} has no questions under the protocol {protocol!r}")
    return Dataset(str(path), "all", protocol, kept)


def load_training_data(
    source: str | Path,
    split: str | None = None,
    protocol: str | None = None,
    data_dir: str | Path | None = None,
    usual: str = TRAIN,
    columns: Mapping[str, str] | None = None,
    faq: str | Path | None = None,
) -> Dataset:
    """Data to fit on. Unless told otherwise: the `usual` split, and the protocol that leaves no question out.

    Questions without an answer teach the threshold; corpora list that protocol last. A file is taken whole. With a
    `faq`, it is a table of questions that have its entries as candidates.
    """
    if faq is not None:
        return load_judged_faq(source, faq, split, protocol, columns)
    if is_corpus_name(str(source)):
        corpus = find_corpus(str(source))
        if split is None and usual not in corpus.splits:
            raise InputError(f"{corpus.name} has no split {usual!r} to fit on; name one of {', '.join(corpus.splits)}")
        split, protocol = split or usual, protocol or list(corpus.protocols)[-1]
    elif is_beir(Path(source)):
        split = split or usual
    return load_dataset(source, split, protocol, data_dir, columns=columns)


def load_originals(dataset: Dataset, data_dir: str | Path | None = None) -> Dataset | None:
    """The questions that those of the data are copies of, where its protocol knows of copies."""
    if dataset.worst_of is None:
        return None
    corpus = find_corpus(dataset.name)
    if (is_original := corpus.protocol(dataset.protocol).original) is None:
        return None
    every = corpus.split(dataset.split).read(find_data_dir(data_dir, corpus) / corpus.folder)
    return Dataset(dataset.name, dataset.split, "originals", tuple(filter(is_original, every)))


def open_dataset(
    source: str | Path,
    split: str | None = None,
    protocol: str | None = None,
    data_dir: str | Path | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Source:
    """As `load_dataset`, but streamed."""
    name = str(source)
    if form is None and is_corpus_name(name):
        return _open_corpus(find_corpus(name), split, protocol, data_dir)
    if columns:
        return Source(name, split or "all", protocol or "raw", read_faq(Path(source), columns))
    return _open_file(Path(source), split, protocol, form)


def is_corpus_name(name: str) -> bool:
    """Whether this names a corpus (also one that does not exist) rather than a file."""
    known = _key(name) in {_key(corpus) for corpus in all_corpora()}
    return known or not (os.sep in name or "." in name or Path(name).exists())


def _open_corpus(corpus: Corpus, split: str | None, protocol: str | None, data_dir: str | Path | None) -> Source:
    split = split or corpus.default_split
    protocol = protocol or corpus.default_protocol
    questions = corpus.read(split, protocol, find_data_dir(data_dir, corpus))
    return Source(corpus.name, split, protocol, questions, corpus.protocol(protocol).worst_of)


def _open_file(path: Path, split: str | None, protocol: str | None, form: str | None) -> Source:
    protocol = protocol or "raw"
    if protocol not in FILE_PROTOCOLS:
        raise UnknownNameError("protocol", protocol, FILE_PROTOCOLS)
    if not find_file(path).exists():
        raise InputError(f"{path} does not exist")
    form = find_format(path, form)
    if form == "beir":
        split = split or "test"
        questions = read_beir(path, split)
    elif split is None:
        questions = FORMATS[form].read(path)
    else:
        raise InputError(f"{path} is a single file and has no split {split!r}; leave the split out")
    return Source(str(path), split or "all", protocol, filter(FILE_PROTOCOLS[protocol].keep, questions))


def find_data_dir(data_dir: str | Path | None, corpus: Corpus | None = None) -> Path:
    """The folder above all corpora: as given, or ANSELM_DATA."""
    folder = data_dir or os.environ.get("ANSELM_DATA")
    if not folder:
        about = f" {corpus.name} comes from {corpus.source} (terms: {corpus.terms})." if corpus else ""
        raise MissingDataError(f"where are the corpora? Set ANSELM_DATA or give --data-dir.{about}")
    if not Path(folder).is_dir():
        raise MissingDataError(f"the data folder {folder} does not exist")
    return Path(folder)


@cache
def all_corpora() -> dict[str, Corpus]:
    """Every corpus by name: the files in `corpora/` are the registry."""
    found: dict[str, Corpus] = {}
    for module in sorted(pkgutil.iter_modules(corpora.__path__), key=lambda item: item.name):
        for corpus in getattr(importlib.import_module(f"{corpora.__name__}.{module.name}"), "CORPORA", ()):
            found[corpus.name] = corpus
    return found


def find_corpus(name: str) -> Corpus:
    """By name, whatever its case and hyphens: SemEval2016 is semeval-2016."""
    by_key = {_key(known): corpus for known, corpus in all_corpora().items()}
    if _key(name) not in by_key:
        raise UnknownNameError("corpus", name, all_corpora())
    return by_key[_key(name)]


def _key(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.lower())


def check_texts(dataset: Dataset) -> None:
    if not all(question.text for question in dataset):
        raise InputError(f"{dataset.name} holds judgements without texts; only a TREC run can be evaluated on it")


def check_labels(dataset: Dataset, purpose: str = "evaluate against") -> None:
    if not dataset.labelled:
        raise InputError(f"{dataset.name} has no labels, so there is nothing to {purpose}")
