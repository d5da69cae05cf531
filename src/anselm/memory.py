"""How much memory this process holds, and that it gives back what it does not need."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

ARENAS, MAPPED, LARGE = -8, -3, 2**18  # glibc's M_ARENA_MAX and M_MMAP_THRESHOLD; bytes


def return_freed_memory() -> None:
    """Large blocks go back to the system when they are freed, and threads share two heaps; where glibc is used.

    By itself it learns from one large block to keep the next ones, up to 32 MB, and gives each thread a heap.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return
    mallopt(ARENAS, 2)
    mallopt(MAPPED, LARGE)


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
