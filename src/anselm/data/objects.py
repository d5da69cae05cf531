"""Candidates as pipelines hold them: strings, mappings, and the documents of LangChain, Haystack and LlamaIndex.

None of these packages is imported: a document is known by what it has. LangChain's have a `page_content`, Haystack's a
`content`, LlamaIndex's nodes a `get_content()` or a `text`, and its scored nodes hold such a one as `node`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anselm.data.formats.records import RecordError, as_id, as_label
from anselm.data.question import Candidate

TEXTS = ("text", "answer", "content", "page_content", "passage", "body")  # keys of a mapping, the first that is there
METAS = ("meta", "metadata")
IDS = ("id", "id_", "node_id")


def candidate_from_object(value: Any, position: int) -> Candidate:
    """A text that is None is an empty one."""
    if isinstance(value, Candidate):
        return value if value.id and isinstance(value.id, str) else replace(value, id=as_id(value.id, str(position)))
    if isinstance(value, str):
        return Candidate(str(position), value)
    if isinstance(value, Mapping):
        return _from_mapping(value, position)
    return _from_document(value, position)


def has_id(value: Any) -> bool:
    """Whether an id came with the input, to be given back; a position that stands in for one is not."""
    if isinstance(value, Mapping):
        return value.get("id") not in (None, "")
    return not isinstance(value, str) and _document_id(value) is not None


def _from_mapping(value: Mapping[str, Any], position: int) -> Candidate:
    name = next((name for name in TEXTS if name in value), None)
    text = value.get(name) if name else None
    if name is None or not isinstance(text, str | None):
        keys = ", ".join(repr(key) for key in list(value)[:5]) or "none"
        raise RecordError(
            f'candidate {position} must have a string as "text" (or {", ".join(TEXTS[1:])}); it has {keys}'
        )
    question = value.get("question") or ""
    if not isinstance(question, str):
        raise RecordError(f'the "question" of candidate {position} must be a string')
    label = as_label(value.get("label"), f"candidate {position}")
    return Candidate(as_id(value.get("id"), str(position)), text or "", label, _meta(value, name, position), question)


def _meta(value: Mapping[str, Any], text: str, position: int) -> Mapping[str, Any]:
    """Its metadata, and whatever other fields it has."""
    key = next((name for name in METAS if value.get(name) is not None), None)
    given = value[key] if key else {}
    if not isinstance(given, Mapping):
        raise RecordError(f"the {key!r} of candidate {position} must be an object")
    known = {"id", "label", "question", text, *METAS}
    return {**{name: other for name, other in value.items() if name not in known}, **given}


def _from_document(given: Any, position: int) -> Candidate:
    value = getattr(given, "node", given)
    text = getattr(value, "page_content", None)
    if text is None:
        text = getattr(value, "content", None)
    if text is None and callable(getattr(value, "get_content", None)):
        text = value.get_content()
    if text is None:
        text = getattr(value, "text", None)
    readable = any(hasattr(value, name) for name in ("page_content", "content", "get_content", "text"))
    if not readable or not isinstance(text, str | None):
        raise RecordError(
            f"candidate {position} must be a string, a mapping with a text, or a document, not {type(value).__name__}"
        )
    meta = next((found for name in METAS if isinstance(found := getattr(value, name, None), Mapping)), {})
    return Candidate(as_id(_document_id(value), str(position)), text or "", None, dict(meta))


def _document_id(given: Any) -> Any:
    """None where it has none, as LangChain's may; unless given, Haystack's are a hash and LlamaIndex's random."""
    value = getattr(given, "node", given)
    return next((found for name in IDS if (found := getattr(value, name, None)) not in (None, "")), None)
