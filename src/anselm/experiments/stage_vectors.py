"""What a stage of a recipe needs before its model is built: word vectors of more texts than its lists. Needs torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from anselm.checkpoints.catalogue import import_model
from anselm.data.question import Question
from anselm.data.vector_files import GLOVE, find_vectors
from anselm.errors import InputError
from anselm.experiments.vector_training import Making, kept_vectors
from anselm.models.frames.word_model import OWN, WordConfig, distinct_texts
from anselm.text.lemmas import lemmatise


@dataclass(frozen=True)
class Found:
    """A file of word vectors, and the name that a model's settings have for it."""

    file: Path
    name: str


def stage_vectors(
    model: str,
    config: Mapping[str, Any],
    lists: Sequence[Question],
    texts: Sequence[Sequence[Question]],
    data_dir: Path | None = None,
) -> Found | None:
    """Vectors of the lists that a stage learns from and of more texts, made where they are missing; or those of a name
    in a folder of corpora that was given. None where the model finds its own.
    """
    settings = word_settings(model, config)
    if not texts and (settings is None or settings.vectors != OWN):
        given = settings is not None and settings.vectors == GLOVE and data_dir
        return Found(find_vectors(GLOVE, data_dir), GLOVE) if given else None
    if settings is None:
        raise InputError(f"{model!r} has no word vectors, so a recipe cannot give it texts for them")
    if settings.vectors != OWN:
        raise InputError(f"texts are for vectors = {OWN!r}; vectors = {settings.vectors!r} are trained already")
    every = dict.fromkeys(text for part in (lists, *texts) for text in distinct_texts(part))
    found = dict.fromkeys(map(lemmatise, every)) if settings.lemmas else every
    making = Making(settings.embedding, min_count=settings.min_count, phrases=settings.phrases)
    return Found(kept_vectors(list(found), making), OWN)


def word_settings(model: str, config: Mapping[str, Any]) -> WordConfig | None:
    """None of a model that has no word vectors."""
    module: Any = import_model(model)
    has_some = hasattr(module.configure(model, {}), "vectors")
    return cast(WordConfig, module.configure(model, config)) if has_some else None
