"""Write the checksums of the accurate model as it is when it is whole: its weights are made once, for theirs.

    python -m tools.default_model.seal_accurate ENCODER [FOLDER]

After any change of the shipped folder. Without the encoder (a dash) the weights stay as they were.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from anselm.checkpoints.cache import RECIPE
from anselm.checkpoints.catalogue import ACCURATE, SHIPPED
from anselm.checkpoints.checkpoint import WEIGHTS
from anselm.checkpoints.checksums import (
    CHECKSUMS,
    checkpoint_files,
    hash_file,
    hash_files,
    read_checksums,
    save_checksums,
)
from anselm.fetch.fetched_models import EXTERNAL, Recipe, write_external


def seal(folder: Path, source: Path | None) -> None:
    known = (read_checksums(folder) or {}) if source is None else {EXTERNAL: made_sum(folder, source / WEIGHTS)}
    names = [name for name in checkpoint_files(folder) if name != CHECKSUMS and not name.startswith(f"{RECIPE}/")]
    found = dict(zip(names, hash_files(folder, names), strict=True))
    save_checksums(folder, {EXTERNAL: known[EXTERNAL], **found})


def made_sum(folder: Path, encoder: Path) -> str:
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "weights"
        write_external(folder, Recipe.read(folder), encoder, path, lambda *_: None)
        return hash_file(path)


if __name__ == "__main__":
    source, *folder = sys.argv[1:]
    seal(Path(*folder) if folder else SHIPPED / ACCURATE, None if source == "-" else Path(source))
