"""The hand-written collections: their records, their questions, and which sentence answers one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COLLECTIONS = Path(__file__).parent / "collections"
WRITERS = "abcde"


def records_of(writer: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(COLLECTIONS.glob(f"{writer}-*.json"))]


def asked(record: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Each question with what answers it."""
    right = [(one["text"], one["right"]) for one in record["questions"]]
    return [*right, *((text, []) for text in record["unanswerable"])]


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def same(found: str, sought: str) -> bool:
    return len(found) > 8 and (found in sought or sought in found)
