"""spaCy and stanza as annotators, where the user has them; nothing of Anselm needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from anselm.annotations.annotator import Annotation
from anselm.annotations.proper_names import fold_name
from anselm.errors import InputError

BATCH = 256  # texts


class SpacyEntities:
    """The entities of a spaCy pipeline, of all its kinds."""

    costly = True

    def __init__(self, pipeline: str = "") -> None:
        self._read = load_spacy(pipeline)
        about = self._read.meta
        self.name = f"spacy:{about['lang']}_{about['name']}"
        self.version = about["version"]

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        read = self._read.pipe(texts, batch_size=BATCH)
        return [folded(entity.text for entity in document.ents) for document in read]


class StanzaEntities:
    """The entities of stanza's models for a language, of all its kinds."""

    costly = True

    def __init__(self, language: str = "") -> None:
        self._read = load_stanza(language or "en", "tokenize,ner", "entities")
        self.name = f"stanza:{language or 'en'}"
        self.version = version("stanza")

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return [folded(entity.text for entity in self._read(text).ents) for text in texts]


def folded(names: Iterable[str]) -> Annotation:
    return tuple(sorted({name for name in map(fold_name, names) if name}))


@lru_cache(maxsize=2)
def load_spacy(pipeline: str) -> Any:
    """The pipeline of that name or path; without one, the first English one that is installed."""
    try:
        import spacy
    except ImportError:
        raise InputError("entities by spaCy need spaCy, which is not installed: pip install spacy") from None
    if not (chosen := pipeline or _first_english(spacy.util.get_installed_models)):
        advice = "python -m spacy download en_core_web_md"
        raise InputError(f"spaCy has no English pipeline installed: {advice}, or name one as spacy:NAME_OR_FOLDER")
    try:
        return spacy.load(chosen, exclude=["lemmatizer"])
    except OSError:
        raise InputError(f"spaCy has no pipeline {chosen!r}: python -m spacy download NAME installs one") from None


def _first_english(installed: Callable[[], list[str]]) -> str | None:
    return min((name for name in installed() if name.startswith("en_")), default=None)


@lru_cache(maxsize=2)
def load_stanza(language: str, processors: str, what: str) -> Any:
    """A pipeline for a language; `what` comes out of it, such as entities."""
    try:
        import stanza
    except ImportError:
        raise InputError(f"{what} by stanza need stanza, which is not installed: pip install stanza") from None
    try:
        return stanza.Pipeline(language, processors=processors, download_method=None, verbose=False)
    except Exception as error:  # stanza raises what it likes for a model that is not there
        advice = f"python -c 'import stanza; stanza.download({language!r})'"
        raise InputError(f"stanza cannot read {language!r} ({error}): {advice}") from None
