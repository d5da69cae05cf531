"""Write the checksums of checkpoint folders anew, after a change by hand; without names, of the shipped ones."""

from __future__ import annotations

import sys
from pathlib import Path

from anselm.checkpoints.cache import RECIPE
from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checksums import write_checksums

if __name__ == "__main__":
    whole = [folder for folder in sorted(SHIPPED.iterdir()) if not (folder / RECIPE).is_dir()]  # see seal_accurate.py
    for folder in map(Path, sys.argv[1:]) if sys.argv[1:] else whole:
        write_checksums(folder)
