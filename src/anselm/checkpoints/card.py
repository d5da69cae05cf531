"""The model card of a checkpoint: what it was trained on, how it was chosen, what that means for its use."""

from __future__ import annotations

import re
from pathlib import Path

from anselm import __version__
from anselm.checkpoints.bases import find_reader
from anselm.checkpoints.checkpoint import CARD as NAME
from anselm.data.datasets import Dataset, all_corpora
from anselm.files import replace_file

CARD = """# {model}

An answer ranker made with Anselm {version}: `anselm rank "..." --candidates FILE --model THIS_FOLDER`.

| | |
|---|---|
{began}| trained on | {trained} |
| chosen on | {dev}: MAP {best:.4f} over its questions with an answer |
| calibrated on | {dev} |
| terms of the data | {terms} |

The MAP is of the set that the weights were chosen on; it is no test result. `anselm evaluate THIS_FOLDER --data ...`
measures it on other data.
"""
_CALIBRATED = re.compile(rb"^\| calibrated on \|[^\r\n]*", re.MULTILINE)


def write_card(folder: Path, model: str, training_set: Dataset, dev: Dataset, best: float, base: str = "") -> None:
    """`base` is what the model began as, where it was something."""
    text = CARD.format(
        model=model,
        began=f"| began as | {Path(base).name} |\n" if base else "",
        version=__version__,
        trained=describe(training_set),
        dev=describe(dev),
        best=best,
        terms="; ".join(filter(None, [terms(training_set.name), terms_of_weights(base)])),
    )
    (folder / NAME).write_text(text, encoding="utf-8")


def renew_card(folder: Path, data: Dataset) -> None:
    """Probabilities were fitted anew, to `data`. A card without a line about them is somebody's own, and stays."""
    path = folder / NAME
    if not path.is_file():
        return
    line = f"| calibrated on | {describe(data)} |".encode()
    old = path.read_bytes()  # whatever its encoding and its line ends
    if (new := _CALIBRATED.sub(lambda _: line, old)) != old:
        replace_file(path, new)


def describe(data: Dataset) -> str:
    return f"{data.name}, {data.split} ({data.protocol}): {len(data):,} lists, {data.pairs:,} pairs"


def terms_of_weights(base: str) -> str:
    """Of a blended ranker that a model began as."""
    checkpoint = find_reader(base) if base else None
    return f"{base}: {checkpoint.terms}" if checkpoint else ""


def terms(names: str) -> str:
    """Of every corpus named in the description of a training set."""
    found = {corpus.terms for name, corpus in all_corpora().items() if name in names.split()}
    return "; ".join(sorted(found)) or "yours"
