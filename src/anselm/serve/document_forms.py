"""The two forms of a document of /ask, a text and a file: which kinds each can be of, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from anselm.text.kinds import ALLOWED, FOREIGN, KINDS, save_as, suffix

TextKind = Literal["text", "markdown", "html", "csv", "tsv", "json", "jsonl"]
FileKind = Literal[TextKind, "xlsx", "ods", "docx", "odt", "pptx", "epub", "pdf"]
SEND = "send its bytes in base64 as `content`"


def problem_of(text: str | None, content: str | None, kind: str | None, source: str | None) -> str:
    """One sentence, before anything is read; empty where there is none."""
    if text is not None and content is not None:
        return "it has both `text` and `content`; give one of them"
    if content is not None:
        return problem_of_content(kind, source)
    if text is not None:
        return problem_of_text(kind, source)
    return "it needs a `text`, or the bytes of a file in base64 as `content`"


def problem_of_text(kind: str | None, source: str | None) -> str:
    """A name that ends as those of files do leads nowhere but to content, unless the kind is told."""
    if kind:
        return "" if kind in get_args(TextKind) else f"a file of the kind {kind} is no text; {SEND}"
    ending = suffix(Path(source or ""))
    if ending in FOREIGN:
        return f"a {ending} file is no text, and cannot be read; {save_as(Path(source or ''))}, and {SEND}"
    if KINDS.get(ending, "text") not in get_args(TextKind):
        return f"a {ending} file, as `source` says, is no text; {SEND}, or say as `kind` what this text is"
    return ""


def problem_of_content(kind: str | None, source: str | None) -> str:
    """What has no suffix is plain text, as a file is."""
    if kind:
        return ""
    if not source:
        return "what its `content` is must be told: by `kind`, or by the ending of `source`"
    ending = suffix(Path(source))
    if ending in FOREIGN:
        return f"a {ending} file cannot be read; {save_as(Path(source))}"
    return "" if ending in {"", *KINDS} else f"{ending:.20} is not one of {ALLOWED}; `kind` can tell what it is"
