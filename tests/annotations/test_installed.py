"""spaCy as an annotator, by a pipeline of our own making; that of somebody else is not needed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import pytest

from anselm.annotations import installed
from anselm.annotations.entities import entity_annotator


class Pipeline:
    meta = {"lang": "en", "name": "made_up", "version": "1.2"}  # noqa: RUF012

    def pipe(self, texts: Sequence[str], batch_size: int) -> Iterator[SimpleNamespace]:
        for text in texts:
            yield SimpleNamespace(ents=[SimpleNamespace(text=part) for part in text.split(";")])


def test_entities_of_a_pipeline_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "load_spacy", lambda name: {"md": Pipeline()}[name])
    annotator = entity_annotator("spacy:md")
    assert (annotator.name, annotator.version, annotator.costly) == ("spacy:en_made_up", "1.2", True)
    found = annotator.annotate(["The  Beatles;Zack Snyder’s;U.S.;beatles", ""])
    assert found == [("beatles", "us", "zack snyder"), ()]
