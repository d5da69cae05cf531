"""How far a fetch is, on standard error: one line that changes on a terminal, a line for each quarter elsewhere."""

from __future__ import annotations

import sys
from contextlib import suppress


class ProgressLine:
    """Told what is done, how much of it, and of how much."""

    def __init__(self) -> None:
        self._last: tuple[str, int] = ("", -1)

    def __call__(self, label: str, done: int, total: int) -> None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        step = 100 * done // max(total, 1) if terminal else 4 * done // max(total, 1) * 25
        if (label, step) == self._last or sys.stderr is None:
            return
        self._last = label, step
        said = f"anselm: {label}: {step:3d} % of {total / 1e6:,.0f} MB"
        end = "\n" if not terminal or done >= total else ""
        with suppress(OSError):  # nobody reads it
            sys.stderr.write(f"\r{said}{end}" if terminal else f"{said}{end}")
            sys.stderr.flush()
