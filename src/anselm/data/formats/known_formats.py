"""The formats that users can name, and which one a file is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from anselm.data.corpora import semeval, squad, stackexchange
from anselm.data.formats import beir, delimited, faq_lists, jsonl, trec
from anselm.data.question import Question
from anselm.errors import InputError, UnknownNameError
from anselm.text.kinds import SHEETS


@dataclass(frozen=True)
class Format:
    """How a format is recognised by the end of a file name, read and written."""

    suffixes: tuple[str, ...]
    read: Callable[[Path], Iterator[Question]]
    write: Callable[[Iterable[Question], IO[str]], int] | None = None  # None: read only, or not a single file


FORMATS = {
    "jsonl": Format((".jsonl", ".ndjson"), jsonl.read_jsonl, jsonl.write_jsonl),
    "csv": Format((".csv",), delimited.read_csv, delimited.write_csv),
    "tsv": Format((".tsv",), delimited.read_tsv, delimited.write_tsv),
    "sheet": Format(tuple(SHEETS), delimited.read_sheet),
    "qrels": Format((".qrels", ".ref"), trec.read_qrels, trec.write_qrels),
    "beir": Format((), beir.read_beir),
    "squad": Format((".json",), squad.read_squad),
    "stackexchange": Format(("posts.xml",), stackexchange.read_posts),
    "semeval": Format((".xml",), semeval.read_threads),
    "faq": Format((".md", ".markdown", ".html", ".htm", ".docx", ".odt"), faq_lists.read_faq),
}


CONVERT = "`anselm data convert --from FORMAT` converts other files"


def find_format(path: Path, name: str | None = None, advice: str = CONVERT) -> str:
    """The name of the format: as given, or guessed from the path, which need not exist."""
    if name is not None:
        if name not in FORMATS:
            raise UnknownNameError("format", name, FORMATS)
        return name
    if path.is_dir() and beir.is_beir(path):
        return "beir"
    if faq_lists.is_faq(path):
        return "faq"
    file = path.name.lower().removesuffix(".gz")
    if file.startswith("qrels"):  # qrels.dev.tsv, qrels.robust2004.txt: as judgements are published
        return "qrels"
    for known, form in FORMATS.items():
        if file.endswith(form.suffixes):
            return known
    if path.is_dir():
        raise InputError(f"{path} is a folder without a corpus.jsonl; give a BEIR folder or a file")
    endings = ", ".join(ending for form in FORMATS.values() for ending in form.suffixes)
    raise InputError(f"the format of {path} is not clear from its name; known endings are {endings}, and {advice}")
