"""Our own parser's speed: the sample's test sentences, WikiQA's questions, and sentences of many words.

    ANSELM_DATA=folder python -m benchmarks.parsing [FOLDER]

FOLDER is where `anselm train parser --out` has left it; the user's cache by default.
"""

# ruff: noqa: T201

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from anselm.annotations.penn_words import penn_words
from anselm.annotations.span_parser import SpanParser, load_span_parser, parser_folder
from anselm.annotations.treebank import read_treebank
from anselm.data.datasets import load_dataset

LONG = (100, 250, 500, 1_000)  # words
ROUNDS = 3


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else parser_folder()
    if not folder.is_dir():
        print(f"there is no parser in {folder}: `anselm train parser` trains one")
        return
    parser = load_span_parser(folder)
    sample = [tree.words() for tree in read_treebank("test")]
    asked = [[found.word for found in penn_words(one.text)] for one in load_dataset("wikiqa", "test", "clean")]
    print("| sentences | words each | seconds | sentences/s | words/s |\n|---|---|---|---|---|")
    show("treebank sample, test", sample, parser)
    show("WikiQA, test questions", asked, parser)
    words = [word for sentence in sample for word in sentence]
    for count in LONG:
        show(f"one of {count:,} words", [words[:count]], parser)


def show(name: str, sentences: Sequence[Sequence[str]], parser: SpanParser) -> None:
    """The best of some rounds."""
    seconds = min(timed(sentences, parser) for _ in range(ROUNDS))
    words = sum(map(len, sentences))
    rates = f"{len(sentences) / seconds:,.0f} | {words / seconds:,.0f}"
    print(f"| {name} | {words / len(sentences):.1f} | {seconds:.2f} | {rates} |", flush=True)


def timed(sentences: Sequence[Sequence[str]], parser: SpanParser) -> float:
    began = time.perf_counter()
    parser.parse_words(sentences)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
