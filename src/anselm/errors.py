"""Every error that Anselm raises on purpose.

    AnselmError
    ├── InputError          something the user gave cannot be used: the sentence says what, where, and what is allowed
    │   ├── FormatError     a file that does not follow its format; names the file and the line
    │   ├── MissingTreeError  a text that a file of trees has none for
    │   ├── NoPoolError     a pool to which nothing was ever added
    │   └── UnknownNameError  a model, corpus, split, protocol or metric that does not exist; names the choices
    ├── DataError           a corpus that is not as published
    │   ├── MissingDataError  not found; says where to get it, under which terms, and where to put it
    │   └── CountError      read, but not with the published counts; names the file, the expected and the found
    └── MissingExtraError   a part of Anselm that is not installed; names the extra

Messages are one sentence or two, without a traceback's help: the command line prints them as they are.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

MOST_CHOICES = 40  # that a sentence names


class AnselmError(Exception):
    """The root: catch this to catch everything that Anselm reports about its input."""

    def __reduce__(self) -> tuple[Any, ...]:
        """As its message, so that another process can pass it on: an `__init__` of its own would be called with it."""
        return _restore, (type(self), str(self))


def _restore(kind: type[AnselmError], message: str) -> AnselmError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    return error


class InputError(AnselmError):
    """Something the user gave cannot be used."""


class FormatError(InputError):
    """A file that does not follow its format."""

    def __init__(self, place: object, problem: str, line: int | None = None) -> None:
        where = f"{place}, line {line}" if line is not None else f"{place}"
        super().__init__(f"{where}: {problem}")


class MissingTreeError(InputError):
    """A text that a file of trees has no tree for."""


class NoPoolError(InputError):
    """A pool to which nothing was ever added."""

    def __init__(self, place: object) -> None:
        super().__init__(f"there is no pool at {place}; `anselm pool add` makes one")


class UnknownNameError(InputError):
    """A name that does not exist, with the nearest one that does. `shown` is what is said of many choices."""

    def __init__(self, kind: str, name: str, choices: Iterable[str], shown: Sequence[str] = ()) -> None:
        known = sorted(choices)
        near = difflib.get_close_matches(name.lower(), [choice.lower() for choice in known], n=1)
        hint = "".join(f" Did you mean {choice!r}?" for choice in known if [choice.lower()] == near)
        shown = shown or (known if len(known) <= MOST_CHOICES else [*known[:3], f"and {len(known) - 3} more"])
        super().__init__(f"unknown {kind} {name!r:.200}; there is {', '.join(shown) or 'none'}.{hint}")


class DataError(AnselmError):
    """A corpus that is not as published."""


class MissingDataError(DataError):
    """A corpus file that is not there."""


class CountError(DataError):
    """A corpus that was read but does not have its published counts."""


class MissingExtraError(AnselmError):
    """A part of Anselm that is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        install = f"pip install 'anselm[{extra}]', in a checkout '.[{extra}]'"
        super().__init__(f"{purpose} needs an extra that is not installed: {install}")
