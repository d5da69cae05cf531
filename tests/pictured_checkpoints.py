"""Checkpoints of models that have something to show of a list: small, with random weights."""

from __future__ import annotations

from pathlib import Path


def save_pictured(folder: Path, encoder: Path) -> list[Path]:
    """One with graphs over the candidates, and one with trees."""
    from anselm.checkpoints.catalogue import build_model
    from anselm.models import mpge, tree

    tiny = {"graphs": ("br-mpge-as", mpge.TINY), "trees": ("tree", tree.TINY)}
    for name, (model, settings) in tiny.items():
        (folder / name).mkdir()
        build_model(model, {**settings, "base": str(encoder)}, []).save(folder / name)
    return [folder / name for name in tiny]
