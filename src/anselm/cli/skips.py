"""What a command passes over: named and counted on standard error, and told by the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from anselm.cli.output import whisper

if TYPE_CHECKING:
    from anselm.errors import FormatError

SKIPPED = 3  # the exit code: done, but not with all of the input
_NAMED = 5


class Skips:
    """Told of each item that cannot be read."""

    def __init__(self) -> None:
        self.errors: list[FormatError] = []

    def __call__(self, error: FormatError) -> None:
        self.errors.append(error)

    def finish(self) -> None:
        """At the end of a command: name some, count all, and leave with an exit code of its own."""
        if not self.errors:
            return
        for error in self.errors[:_NAMED]:
            whisper(f"anselm: skipped: {error}")
        more = f" ({len(self.errors) - _NAMED:,} more)" if len(self.errors) > _NAMED else ""
        whisper(f"anselm: {len(self.errors):,} skipped{more}; --strict stops at the first")
        raise typer.Exit(SKIPPED)
