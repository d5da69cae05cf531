"""Sentence splitting beside pysbd and NLTK's punkt, on paragraphs whose answer spans people marked.

    ANSELM_DATA=folder python benchmarks/sentences.py

Nobody marked sentences here, but an answer hardly ever spans two of them: of two splitters that find about as many
sentences, the one whose boundaries cut fewer answers is better. Peers that are not installed are left out; punkt's
model is looked for in ANSELM_DATA/nltk_data, too.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import os
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from anselm.text.sentences import sentence_spans

Span = tuple[int, int]
Splitter = Callable[[str], list[Span]]
FILES = [
    "squad/dev-v1.1.json",
    "squad/train-v1.1.subset-du2017-test.json",
    "squadshifts/new_wiki_v1.0.json",
    "squadshifts/amazon_reviews_v1.0.json",
]


def paragraphs(path: Path) -> Iterator[tuple[str, set[Span]]]:
    """Each paragraph with the different answer spans marked in it."""
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            answers = [answer for question in paragraph["qas"] for answer in question["answers"]]
            spans = {(answer["answer_start"], answer["answer_start"] + len(answer["text"])) for answer in answers}
            yield paragraph["context"], spans


def punkt() -> Splitter:
    import nltk
    from nltk.tokenize.punkt import PunktTokenizer

    nltk.data.path.append(str(Path(os.environ["ANSELM_DATA"]) / "nltk_data"))
    tokenizer = PunktTokenizer()
    return lambda text: list(tokenizer.span_tokenize(text))


def pysbd() -> Splitter:
    from pysbd import Segmenter

    segmenter = Segmenter(language="en", clean=False, char_span=True)
    return lambda text: sorted((found.start, found.end) for found in segmenter.segment(text) if found.sent.strip())


def splitters() -> Iterator[tuple[str, Splitter]]:
    yield "anselm", sentence_spans
    for make in (punkt, pysbd):
        try:
            yield make.__name__, make()
        except (ImportError, LookupError) as error:
            print(f"without {make.__name__}: {str(error).strip().splitlines()[0]}")


def crossing(spans: list[Span], answers: set[Span]) -> int:
    """How many answers reach over the end of the sentence in which they begin."""
    starts = [start for start, _ in spans]
    return sum(end > spans[max(bisect_right(starts, begin) - 1, 0)][1] for begin, end in answers)


def compare(path: Path, competitors: list[tuple[str, Splitter]]) -> None:
    data = list(paragraphs(path))
    answers = sum(len(spans) for _, spans in data)
    print(f"\n{path.parent.name}/{path.name}: {len(data):,} paragraphs, {answers:,} answers\n")
    print("| splitter | sentences | answers cut | seconds | ratio to ours |\n|---|---|---|---|---|")
    ours = 0.0
    for name, split in competitors:
        began = time.perf_counter()
        found = [split(text) for text, _ in data]
        seconds = time.perf_counter() - began
        ours = ours or seconds
        crossed = sum(crossing(spans, marked) for spans, (_, marked) in zip(found, data, strict=True))
        print(f"| {name} | {sum(map(len, found)):,} | {crossed} | {seconds:.2f} | {seconds / ours:.1f} |")


def main() -> None:
    if "ANSELM_DATA" not in os.environ:
        sys.exit("ANSELM_DATA is not set: it names the folder that holds squad/ and squadshifts/")
    print("\n## Sentence splitting; our rules were tuned on these files, so the cut answers are no held-out result")
    competitors = list(splitters())
    for file in FILES:
        compare(Path(os.environ["ANSELM_DATA"]) / file, competitors)


if __name__ == "__main__":
    main()
