"""What this process has of the machine: the cores that it may use, and the memory that it holds.

Cores are those it is bound to, as far as its container allows, hyper-threads once. OMP_NUM_THREADS, by which people
tell numeric libraries how many to use, is kept to.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
from pathlib import Path

SYSTEM = Path("/sys")
VARIABLE = "OMP_NUM_THREADS"
SHARES = (VARIABLE, "RAYON_NUM_THREADS")  # by which torch and tokenizers of a process know their share
ARENAS, MAPPED, LARGE = -8, -3, 2**18  # glibc's M_ARENA_MAX and M_MMAP_THRESHOLD; bytes


def usable_cores(system: Path = SYSTEM) -> int:
    """At least 1. Two threads of one core share its arithmetic units, so they count once."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = len({_siblings(system, cpu) for cpu in allowed})
    return max(1, min(cores, _quota(system) or cores, _wanted() or cores))


def _wanted() -> int | None:
    """The first number of a list by level, as OpenMP reads it; None where it is none."""
    first = os.environ.get(VARIABLE, "").split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) else None


def _siblings(system: Path, cpu: int) -> str:
    """The hardware threads of the core that a hardware thread belongs to; itself where that is not said."""
    return _read(system / f"devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") or str(cpu)


def _quota(system: Path) -> int | None:
    """The limit of a container, rounded up; None where there is none."""
    group = system / "fs/cgroup"
    share = _read(group / "cpu.max").split() or [
        _read(group / "cpu/cpu.cfs_quota_us"),
        _read(group / "cpu/cpu.cfs_period_us"),
    ]
    try:
        quota, period = (int(part) for part in share)
    except ValueError:  # "max", or nothing there
        return None
    return math.ceil(quota / period) if quota > 0 and period > 0 else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


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
