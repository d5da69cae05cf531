"""The documents of LangChain, Haystack and LlamaIndex themselves, where these packages are installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from anselm.ranking.ranker import Ranker

TEXTS = ("Parking is free.", "The shop opens at nine in the morning.")
QUESTION = "When does the shop open?"

Make = Callable[..., Any]  # text, id or None, metadata -> document


def langchain() -> Make:
    documents = pytest.importorskip("langchain_core.documents")
    return lambda text, id, meta: documents.Document(page_content=text, id=id, metadata=meta)


def haystack() -> Make:
    document = pytest.importorskip("haystack").Document
    return lambda text, id, meta: document(content=text, meta=meta, **({"id": id} if id else {}))


def llama_node() -> Make:
    schema = pytest.importorskip("llama_index.core.schema")
    return lambda text, id, meta: schema.TextNode(text=text, metadata=meta, **({"id_": id} if id else {}))


def llama_document() -> Make:
    schema = pytest.importorskip("llama_index.core.schema")
    return lambda text, id, meta: schema.Document(text=text, metadata=meta, **({"id_": id} if id else {}))


def llama_scored() -> Make:
    schema, node = pytest.importorskip("llama_index.core.schema"), llama_node()
    return lambda text, id, meta: schema.NodeWithScore(node=node(text, id, meta), score=0.1)


LIBRARIES = (langchain, haystack, llama_node, llama_document, llama_scored)


def own_id(document: Any) -> str | None:
    found: str | None = getattr(document, "node_id", None) or getattr(document, "id", None)
    return found


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_comes_back_with_its_text_its_id_and_its_metadata(library: Callable[[], Make]) -> None:
    make = library()
    documents = [make(text, f"d{place}", {"page": place}) for place, text in enumerate(TEXTS)]
    ranking = Ranker.load("bm25").rank(QUESTION, documents)
    assert ranking.best.item is documents[1]
    assert (ranking.best.text, ranking.best.id, ranking.best.meta) == (TEXTS[1], "d1", {"page": 1})
    assert json.loads(json.dumps(ranking.to_dict()))["results"][0]["id"] == "d1"


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_id_that_the_library_makes_comes_back_and_none_is_made_up(library: Callable[[], Make]) -> None:
    make = library()
    documents: Sequence[Any] = [make(text, None, {}) for text in TEXTS]
    ranking = Ranker.load("bm25").rank(QUESTION, documents)
    assert [result.id for result in ranking] == [own_id(result.item) for result in ranking]
    assert (ranking.best.id is None) == (library is langchain)


def test_a_haystack_document_without_text_comes_last() -> None:
    documents = [haystack()(text, None, {}) for text in (None, *TEXTS)]
    assert Ranker.load("bm25").rank(QUESTION, documents).results[-1].item is documents[0]
