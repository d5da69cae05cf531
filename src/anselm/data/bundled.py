"""The examples that come with the package: labelled lists, a FAQ and a manual."""

from __future__ import annotations

from pathlib import Path

from anselm.data.datasets import Dataset, load_dataset
from anselm.text.documents import read_document, sentences

EXAMPLES = Path(__file__).parents[1] / "examples"


def bundled_lists() -> Dataset:
    return load_dataset(EXAMPLES / "lists.jsonl")


def bundled_sentences() -> list[str]:
    """Of the FAQ and the manual."""
    documents = map(read_document, [EXAMPLES / "faq.txt", EXAMPLES / "kettle.md"])
    return [sentence.text for document in documents for sentence in sentences(document)]
