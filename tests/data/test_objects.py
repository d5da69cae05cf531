"""Candidates as pipelines hold them: stand-ins shaped like the real classes, and, where installed, the real ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest

from anselm.data.objects import candidate_from_object, has_id
from anselm.data.question import Candidate
from anselm.errors import InputError
from anselm.ranking.ranker import Ranker


@dataclass
class LangChain:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    type: str = "Document"


@dataclass
class Haystack:
    """Its content is None where it holds a picture; every one has an id."""

    content: str | None
    meta: dict[str, Any] = field(default_factory=dict)
    id: str = "a1b2"
    score: float | None = None


@dataclass
class Node:
    """LlamaIndex's: the text may be put together by a method."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id_: str = "n1"

    def get_content(self) -> str:
        return self.text


@dataclass
class NodeWithScore:
    node: Node
    score: float | None = None

    @property
    def text(self) -> str:
        raise AssertionError("the node is asked")


@dataclass
class Plain:
    text: str | None


DOCUMENTS = {
    "langchain": (LangChain("oak", {"page": 3}, "d7"), Candidate("d7", "oak", None, {"page": 3})),
    "langchain without id": (LangChain("oak"), Candidate("4", "oak")),
    "haystack": (Haystack("oak", {"file": "a.txt"}), Candidate("a1b2", "oak", None, {"file": "a.txt"})),
    "haystack without text": (Haystack(None), Candidate("a1b2", "")),
    "llamaindex": (Node("oak", {"page": 3}), Candidate("n1", "oak", None, {"page": 3})),
    "llamaindex with a score": (NodeWithScore(Node("oak"), 0.5), Candidate("n1", "oak")),
    "anything with a text": (Plain("oak"), Candidate("4", "oak")),
    "anything with none": (Plain(None), Candidate("4", "")),
}


@pytest.mark.parametrize(("value", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents(value: Any, expected: Candidate) -> None:
    assert candidate_from_object(value, 4) == expected


def test_metadata_are_copied_from_documents() -> None:
    """What is done to a candidate's must not be done to the document's."""
    document = LangChain("oak", {"page": 3})
    found = candidate_from_object(document, 0).meta
    assert found == document.metadata
    assert found is not document.metadata


MAPPINGS: dict[str, tuple[Any, Candidate]] = {
    "text": ({"text": "oak"}, Candidate("4", "oak")),
    "answer": ({"question": "Tree?", "answer": "oak", "id": 7}, Candidate("7", "oak", None, {}, "Tree?")),
    "content": ({"content": "oak", "meta": {"a": 1}}, Candidate("4", "oak", None, {"a": 1})),
    "page_content": ({"page_content": "oak", "metadata": {"a": 1}}, Candidate("4", "oak", None, {"a": 1})),
    "passage": ({"passage": "oak"}, Candidate("4", "oak")),
    "body": ({"body": "oak"}, Candidate("4", "oak")),
    "a label": ({"text": "oak", "label": 2}, Candidate("4", "oak", 2.0)),
    "no text": ({"text": None}, Candidate("4", "")),
    "no question": ({"text": "oak", "question": None}, Candidate("4", "oak")),
    "no metadata": ({"text": "oak", "meta": None, "metadata": {"b": 2}}, Candidate("4", "oak", None, {"b": 2})),
    "other fields": ({"text": "oak", "url": "u", "rank": 3}, Candidate("4", "oak", None, {"url": "u", "rank": 3})),
    "the first is the text": ({"text": "oak", "body": "elm"}, Candidate("4", "oak", None, {"body": "elm"})),
    "its own before others": ({"text": "oak", "a": 1, "meta": {"a": 2}}, Candidate("4", "oak", None, {"a": 2})),
    "any mapping": (MappingProxyType({"text": "oak"}), Candidate("4", "oak")),
}


@pytest.mark.parametrize(("value", "expected"), MAPPINGS.values(), ids=MAPPINGS)
def test_mappings(value: Any, expected: Candidate) -> None:
    assert candidate_from_object(value, 4) == expected


def test_strings_and_candidates() -> None:
    assert candidate_from_object("oak", 4) == Candidate("4", "oak")
    own = Candidate("a", "oak", 1.0, {"b": 2}, "Tree?")
    assert candidate_from_object(own, 4) is own
    assert candidate_from_object(Candidate("", "oak"), 4) == Candidate("4", "oak")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (7, "candidate 4 must be a string, a mapping with a text, or a document, not int"),
        (None, "or a document, not NoneType"),
        (b"oak", "or a document, not bytes"),
        (Plain(7), "or a document, not Plain"),  # type: ignore[arg-type]
        (LangChain(["oak"]), "or a document, not LangChain"),  # type: ignore[arg-type]
        (["oak"], "or a document, not list"),
        ({}, 'candidate 4 must have a string as "text" .*; it has none'),
        (
            {"txt": "oak", "id": 1},
            r'"text" \(or answer, content, page_content, passage, body\); it has \'txt\', \'id\'',
        ),
        ({"text": 7}, 'candidate 4 must have a string as "text"'),
        ({"text": "oak", "question": 7}, 'the "question" of candidate 4 must be a string'),
        ({"text": "oak", "meta": [1]}, "the 'meta' of candidate 4 must be an object"),
        ({"text": "oak", "metadata": "x"}, "the 'metadata' of candidate 4 must be an object"),
        ({"text": "oak", "label": "good"}, "candidate 4"),
        ({"text": "oak", "id": [1]}, "id"),
    ],
)
def test_what_is_no_candidate_is_named(value: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        candidate_from_object(value, 4)


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("oak", False), ({"text": "oak"}, False), ({"text": "oak", "id": None}, False),
        ({"text": "oak", "id": ""}, False), ({"text": "oak", "id": 0}, True),
        (Candidate("", "oak"), False), (Candidate("a", "oak"), True),
        (Haystack("oak"), True), (NodeWithScore(Node("oak")), True), (LangChain("oak", {}, "d7"), True),
        (LangChain("oak"), False), (Plain("oak"), False),
    ],
)  # fmt: skip
def test_an_id_comes_back_where_one_was_given(value: Any, given: bool) -> None:
    assert has_id(value) is given
    [result] = Ranker.load("bm25").rank("oak?", [value])
    assert (result.id is not None) is given
    assert result.item is value


def check_documents(documents: list[Any], oak: Any) -> None:
    """A ranking gives back the very objects, with their ids and metadata."""
    ranking = Ranker.load("bm25").rank("oak?", documents)
    assert ranking.best.item is oak
    assert {id(result.item) for result in ranking} == set(map(id, documents))
    assert ranking.best.text == "The oak is tall."
    assert ranking.best.meta == {"page": 3}
    assert ranking.best.id == "d7"


def test_documents_of_langchain() -> None:
    documents = pytest.importorskip("langchain_core.documents")
    oak = documents.Document(page_content="The oak is tall.", metadata={"page": 3}, id="d7")
    elm = documents.Document(page_content="The elm is old.")
    check_documents([elm, oak], oak)
    assert Ranker.load("bm25").rank("elm?", [elm]).best.id is None


def test_documents_of_haystack() -> None:
    haystack = pytest.importorskip("haystack")
    oak = haystack.Document(content="The oak is tall.", meta={"page": 3}, id="d7")
    check_documents([haystack.Document(content="The elm is old."), haystack.Document(content=None), oak], oak)


def test_nodes_of_llamaindex() -> None:
    schema = pytest.importorskip("llama_index.core.schema")
    oak = schema.TextNode(text="The oak is tall.", metadata={"page": 3}, id_="d7")
    elm = schema.TextNode(text="The elm is old.")
    check_documents([elm, oak], oak)
    scored = [schema.NodeWithScore(node=node, score=0.1) for node in (elm, oak)]
    check_documents(scored, scored[1])
    whole = schema.Document(text="The oak is tall.", metadata={"page": 3}, id_="d7")
    check_documents([elm, whole], whole)
