"""mteb: a cross-encoder for its reranking tasks, `mteb.evaluate(AnselmCrossEncoder(), tasks)`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm import __version__
from anselm.errors import MissingExtraError
from anselm.integrations.cross_encoder import score_pairs
from anselm.integrations.selection import Model, open_ranker

try:
    from mteb.models import ModelMeta
except ModuleNotFoundError as error:
    raise MissingExtraError("the cross-encoder for mteb", "mteb") from error

EMPTY = -1e9  # of a document without text; mteb's measures want numbers


class AnselmCrossEncoder:
    """Scores are the model's own, which order a list as its probabilities do and never meet at 1."""

    def __init__(
        self, model_name: Model = "default", revision: str | None = None, device: str | None = None, **unused: Any
    ) -> None:
        self.ranker = open_ranker(model_name)
        name = Path(self.ranker.name).name
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={"name": f"anselm/{name}", "revision": revision or __version__, "loader": AnselmCrossEncoder}
        )

    def predict(self, inputs1: Iterable[Any], inputs2: Iterable[Any], **unused: Any) -> NDArray[np.float64]:
        """Batches of questions, and of documents beside them; those of one question are a list."""
        questions = [text for batch in inputs1 for text in batch["text"]]
        documents = [text for batch in inputs2 for text in batch["text"]]
        scores, _ = score_pairs(self.ranker, list(zip(questions, documents, strict=True)))
        return np.where(np.isfinite(scores), scores, EMPTY)
