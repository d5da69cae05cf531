"""What every annotator is to the rest of the house: something that reads texts and says one thing of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Annotation = tuple[str, ...]  # names, tags of words, or a tree in brackets: what it means is the annotator's


class Annotator(Protocol):
    """An annotation depends on its text alone, so that a list has the same ones in whatever batch it is read."""

    name: str  # name and version are part of what an annotation is kept under
    version: str
    costly: bool  # whether reading an annotation from disk is cheaper than making it again

    def annotate(self, texts: Sequence[str]) -> list[Annotation]: ...
