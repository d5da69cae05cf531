"""What a model file with several kinds of model offers to the catalogue: each by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Question


class Kind(Protocol):
    """A class of models, as the frames make them."""

    @classmethod
    def load(cls, checkpoint: Checkpoint) -> Self: ...

    @classmethod
    def configure(cls, name: str, settings: Mapping[str, Any], /) -> Any: ...

    @classmethod
    def build(cls, name: str, settings: Mapping[str, Any], questions: Sequence[Question], /) -> Self: ...


Model = TypeVar("Model", bound=Kind)


@dataclass(frozen=True)
class Family(Generic[Model]):
    kinds: Mapping[str, type[Model]]

    def load(self, checkpoint: Checkpoint) -> Model:
        return self.kinds[checkpoint.model].load(checkpoint)

    def configure(self, name: str, settings: Mapping[str, Any]) -> Any:
        return self.kinds[name].configure(name, settings)

    def build(self, name: str, settings: Mapping[str, Any], questions: Sequence[Question] = ()) -> Model:
        return self.kinds[name].build(name, settings, questions)
