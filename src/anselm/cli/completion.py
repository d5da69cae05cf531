"""What the shell offers at the Tab key: names of models and of corpora.

Where nothing of it begins with what was typed, the shell completes paths, as it does anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def complete_model(incomplete: str) -> list[tuple[str, str]]:
    """Names of `anselm models` and checkpoint folders, each with what it is."""
    from anselm.checkpoints.catalogue import all_models

    names = [(entry.name, entry.summary) for entry in all_models().values() if entry.name.startswith(incomplete)]
    return [*names, *((folder, "a checkpoint") for folder in checkpoints(incomplete))]


def complete_fetchable(incomplete: str) -> list[str]:
    from anselm.fetch.fetched_models import fetchable

    return [name for name in fetchable() if name.startswith(incomplete)]


def complete_corpus(incomplete: str) -> list[tuple[str, str]]:
    from anselm.data.datasets import all_corpora

    return [(one.name, one.summary) for one in all_corpora().values() if one.name.startswith(incomplete)]


def checkpoints(incomplete: str) -> Iterator[str]:
    """Folders here, or in the one that was typed, that are models of ours."""
    from anselm.checkpoints.checkpoint import is_checkpoint

    typed, start = os.path.split(incomplete)
    try:
        found = sorted(path.name for path in Path(typed).iterdir() if path.name.startswith(start))
    except OSError:  # no such folder, or one that may not be read
        return
    for name in found:
        if is_checkpoint(Path(typed) / name):
            yield os.path.join(typed, name)  # noqa: PTH118  # a Path would drop the ./ that was typed
