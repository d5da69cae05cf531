"""How many cores this process may use: those it is bound to, as far as its container allows, hyper-threads once.

OMP_NUM_THREADS, by which people tell numeric libraries how many to use, is kept to.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

SYSTEM = Path("/sys")
VARIABLE = "OMP_NUM_THREADS"
SHARES = (VARIABLE, "RAYON_NUM_THREADS")  # by which torch and tokenizers of a process know their share


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
