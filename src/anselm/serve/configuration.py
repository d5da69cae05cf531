"""What a service is started with, as one value: models, processes, limits, keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from anselm.errors import InputError

SHIPPED = ("default", "bm25")


@dataclass(frozen=True)
class Limits:
    """What one request may hold, and how much may be under way at once; told at /info and /v1/models."""

    max_documents: int = 1_000
    max_chars: int = 2_000_000  # of a request's question and documents together
    max_tokens_per_doc: int = 32_768
    max_bytes: int = 16 * 2**20  # of a body
    max_requests: int = 128  # accepted and not answered yet
    max_queued_chars: int = 8_000_000  # of these requests together

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise InputError(f"{name} must be at least 1, not {value}")


@dataclass(frozen=True)
class Settings:
    """`models` are names or checkpoint folders; the first is used where a request names none.

    Each of the `processes` loads all models and computes with its share of the cores. `keys` are those that clients may
    send, the old and the new one while they change; without any, everybody may ask.
    """

    models: tuple[str, ...] = SHIPPED
    processes: int | None = None  # one for each core, up to four
    threads: int | None = None  # of each process: its share of the cores
    device: str | None = None  # for models that have weights for torch; the others stay where they are
    limits: Limits = field(default_factory=Limits)
    timeout: float = 60.0  # seconds from a request's last byte to its answer
    grace: float = 30.0  # seconds that a stop waits for what was accepted
    batch_chars: int = 24_000  # what one ranker process is given at once
    keys: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.models:
            raise InputError("a service needs at least one model")
        names = self.names
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(f"two models are called {doubled[0]!r}; a folder is called by its own name")
        if len(self.keys) > 2:
            raise InputError(
                f"two API keys may be valid at a time, the old and the new one; {len(self.keys)} are given"
            )
        if any(not key.isascii() or not key.isprintable() or " " in key or not key for key in self.keys):
            raise InputError("an API key is made of printable ASCII characters without spaces")
        for name in ("processes", "threads", "timeout", "batch_chars"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise InputError(f"{name} must be more than 0, not {value}")

    @property
    def names(self) -> list[str]:
        """What requests call the models: a folder's path is nobody's business."""
        return [Path(model).name if Path(model).is_dir() else model for model in self.models]
