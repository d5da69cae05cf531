"""Work that a thread does behind, one small step after the other: filling in the vectors of a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread


class Filling:
    """Takes steps until there are none, or it is told to stop. `filled` is how many there have been."""

    def __init__(self, steps: Callable[[], Iterator[int]]) -> None:
        self.filled = 0
        self._steps, self._stop = steps, Event()
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="anselm-vectors", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for step in self._steps():
                self.filled += step
                if self._stop.is_set():
                    return
        except Exception as error:
            self._error = error

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> int:
        """Until it has ended, or so long; gives how many were filled in, and raises what went wrong."""
        self._thread.join(seconds)
        if self._error is not None:
            raise self._error
        return self.filled

    def stop(self) -> None:
        """After the step that it is at."""
        self._stop.set()
        self._thread.join()
