"""Write the checksums of checkpoint folders anew, after a change by hand; without names, of the shipped ones."""

from __future__ import annotations

import sys
from pathlib import Path

from anselm.models.checksums import write_checksums
from anselm.models.registry import SHIPPED

if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:] or sorted(SHIPPED.iterdir())):
        write_checksums(folder)
