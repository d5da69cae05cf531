"""What training begins with, by the one name that people give (`--base`, or `base` among a model's settings).

default, or a blended ranker's folder   a cross-encoder that goes on from its reader
a name of the catalogue                 a new model of it
another folder of ours                  the model that is saved there
anything else                           a cross-encoder on this encoder: a folder, or a name on the Hugging Face hub
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED, all_models, build_model, load_model, unknown_model
from anselm.checkpoints.checkpoint import BLENDED, GRAPHS, Checkpoint, is_checkpoint
from anselm.data.question import Question
from anselm.errors import InputError

ON_ENCODERS = "cross-encoder"  # what is trained where only an encoder, or the reader of a ranker, is named


@dataclass(frozen=True)
class NewModel:
    """One that is made, of its name and its settings."""

    model: str  # of the catalogue
    settings: Mapping[str, Any] = field(default_factory=dict)
    trained: bool = False  # whether it ranks well already, which training might spoil

    def make(self, config: Mapping[str, Any], questions: Sequence[Question]) -> Any:
        """`questions` are what it will be trained on: some learn their words there."""
        return build_model(self.model, {**self.settings, **config}, questions)


@dataclass(frozen=True)
class SavedModel:
    """A checkpoint, to be trained further."""

    checkpoint: Checkpoint
    trained: ClassVar[bool] = True

    @property
    def model(self) -> str:
        return self.checkpoint.model

    def make(self, config: Mapping[str, Any], questions: Sequence[Question]) -> Any:
        """Its settings are those that it was saved with."""
        folder = self.checkpoint.folder
        if self.checkpoint.path(GRAPHS).is_dir() and not self.checkpoint.has_weights:
            raise InputError(f"{folder} is an export, which cannot be trained; name the folder that it was made from")
        return load_model(folder)


def find_base(name: str) -> NewModel | SavedModel:
    if find_reader(name):
        return NewModel(ON_ENCODERS, {"base": name}, trained=True)
    if name in all_models():
        return NewModel(name)
    if is_checkpoint(Path(name)):
        return SavedModel(Checkpoint.read(Path(name)))
    if not Path(name).exists() and "/" not in name and get_close_matches(name, all_models(), cutoff=0.8):
        raise unknown_model(name)
    return NewModel(ON_ENCODERS, {"base": name})


def find_reader(name: str) -> Checkpoint | None:
    """The blended ranker, the default or one's own, whose reader is trained further; None for whatever else a base is.

    Its weights are those of its graph.
    """
    folder = SHIPPED / name if name == DEFAULT else Path(name)
    found = Checkpoint.read(folder) if is_checkpoint(folder) else None
    return found if found and found.runtime == BLENDED else None
