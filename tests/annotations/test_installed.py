"""spaCy and stanza, by pipelines of our own making; those of somebody else are not needed here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from anselm.annotations import installed, installed_parsers
from anselm.annotations.entities import entity_annotator
from anselm.annotations.installed_parsers import Stanza
from anselm.annotations.trees import read_brackets
from anselm.errors import InputError


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


@pytest.fixture
def stanza(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """Which pipelines were asked for; there is one for English alone."""
    asked: list[tuple[str, str]] = []

    def pipeline(language: str, processors: str, **options: Any) -> Any:
        asked.append((language, processors))
        if language != "en":
            raise FileNotFoundError(f"no {language}")
        sentence = SimpleNamespace(constituency="(ROOT (NP (NN honey)))")
        return lambda text: SimpleNamespace(ents=[SimpleNamespace(text=text)], sentences=[sentence])

    made = ModuleType("stanza")
    monkeypatch.setattr(made, "Pipeline", pipeline, raising=False)
    monkeypatch.setitem(sys.modules, "stanza", made)
    for module in (installed, installed_parsers):
        monkeypatch.setattr(module, "version", lambda name: f"{name} 1")
    installed.load_stanza.cache_clear()
    yield asked
    installed.load_stanza.cache_clear()


def test_stanza_gives_entities_and_trees(stanza: list[tuple[str, str]]) -> None:
    entities, parser = entity_annotator("stanza:en"), Stanza()
    assert (entities.name, entities.version) == (parser.name, parser.version) == ("stanza:en", "stanza 1")
    assert entities.annotate(["The Hive"]) == [("hive",)]
    assert parser.parse(["honey"]) == [(read_brackets("(ROOT (NP (NN honey)))"),)]
    assert stanza == [("en", "tokenize,ner"), ("en", "tokenize,pos,constituency")]


def test_what_stanza_lacks_is_said(stanza: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"stanza cannot read 'xx' \(no xx\): python -c .*stanza.download\('xx'\)"):
        Stanza("xx")
    monkeypatch.setitem(sys.modules, "stanza", None)
    for what, make in (("entities", lambda: entity_annotator("stanza:de")), ("trees", lambda: Stanza("de"))):
        with pytest.raises(InputError, match=f"{what} by stanza need stanza, which is not installed"):
            make()
