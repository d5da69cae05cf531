"""What training, and exporting what was trained, need to be installed."""

from __future__ import annotations

from importlib.util import find_spec

from anselm.errors import MissingExtraError


def require_torch() -> None:
    """Before anything that would need it is imported."""
    if any(find_spec(library) is None for library in ("torch", "accelerate", "transformers")):
        raise MissingExtraError("training a network", "train")


def require_export(what: str) -> None:
    """As above; `what` is to be done, for the sentence."""
    if any(find_spec(library) is None for library in ("torch", "transformers", "onnx", "onnxscript")):
        raise MissingExtraError(what, "export")
