"""How much memory this process holds."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def resident_megabytes(status: Path = Path("/proc/self/status")) -> float | None:
    """What the process holds in memory now, by Linux; elsewhere the most that it ever held, if the system tells."""
    if status.is_file():
        if found := re.search(r"^VmRSS:\s+(\d+) kB", status.read_text(encoding="utf-8"), re.MULTILINE):
            return round(int(found[1]) * 1024 / 1e6, 1)
        return None
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)
