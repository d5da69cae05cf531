"""Write the checksums of checkpoint folders anew, after a change by hand; without names, of the shipped ones."""

from __future__ import annotations

import sys
from pathlib import Path

from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checksums import write_checksums

if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:] or sorted(SHIPPED.iterdir())):
        write_checksums(folder)
