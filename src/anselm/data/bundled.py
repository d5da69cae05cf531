"""The examples that come with the package: labelled lists, a FAQ and a manual."""

from __future__ import annotations

from pathlib import Path

from anselm.data.datasets import Dataset, load_dataset
from anselm.text.documents import Document, open_page, read_document, sentences

EXAMPLES = Path(__file__).parents[1] / "examples"


def bundled_lists() -> Dataset:
    return load_dataset(EXAMPLES / "lists.jsonl")


def bundled_sentences() -> list[str]:
    """Of the FAQ and the manual, with its headings."""
    return [text for name in ("faq.txt", "kettle.md") for text in _texts(read_document(EXAMPLES / name))]


def _texts(document: Document) -> list[str]:
    """In the order of the document."""
    headings = [(heading.start, heading.title) for heading in open_page(document).outline.headings]
    found = [(sentence.start, sentence.text) for sentence in sentences(document)]
    return [text for _, text in sorted(headings + found)]
