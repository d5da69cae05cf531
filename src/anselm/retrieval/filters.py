"""Which passages of a pool are meant: {"lang": "en", "year": [2025, 2026], "source": "faq.csv"}.

A name is a field of the metadata, or `source`; a value is a string, a whole number, true or false, or several of them,
any of which will do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from anselm.errors import InputError

Where = Mapping[str, Any]
Conditions = tuple[tuple[str, tuple[str | int | bool, ...]], ...]  # all must hold

SOURCE = "source"
LARGEST = 2**63  # of a whole number, which databases keep in 64 bits


def check_where(where: Where | None) -> Conditions:
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise InputError(f"where must be like {{'lang': 'en'}}, not {where!r:.60}")
    return tuple((check_name(name), check_values(name, value)) for name, value in where.items())


def check_name(name: Any) -> str:
    if not isinstance(name, str) or not name.isprintable() or not name or any(sign in name for sign in '"\\.[]'):
        raise InputError(f"where takes names of metadata without dots, quotation marks and brackets, not {name!r:.60}")
    return name


def check_values(name: str, value: Any) -> tuple[str | int | bool, ...]:
    values = tuple(value) if isinstance(value, list | tuple | set | frozenset) else (value,)
    if not values or not all(isinstance(one, str | int) for one in values):
        raise InputError(f"where takes a string, a whole number, true or false, or a list, not {name}={value!r:.60}")
    if any(isinstance(one, int) and abs(one) >= LARGEST for one in values):
        raise InputError(f"where takes whole numbers of up to 63 bits, not {name}={value!r:.60}")
    if any(isinstance(one, str) and ("\0" in one or not is_unicode(one)) for one in values):
        raise InputError(f"where takes valid Unicode without NUL, not {name}={value!r:.60}")
    return values


def is_unicode(text: str) -> bool:
    """Whether there are no halves of surrogate pairs in it, which no database keeps."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def parse_where(options: list[str]) -> dict[str, Any]:
    """What `--where lang=en` says; a value may be JSON, as in year=[2025,2026].

    A bare number, true or false is also meant as it is written, since all that a table holds are strings.
    """
    found: dict[str, Any] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise InputError(f"--where takes NAME=VALUE, not {option!r:.60}")
        if name.strip() in found:
            several = "several values are a list, as year=[2025,2026]"
            raise InputError(f"--where names {name.strip()!r:.60} twice; {several}")
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = value
        found[name.strip()] = meant(name.strip(), value, parsed)
    check_where(found)
    return found


def meant(name: str, written: str, parsed: Any) -> Any:
    if (name == SOURCE and not isinstance(parsed, str | list)) or isinstance(parsed, float | dict | None):
        return written
    if isinstance(parsed, list):
        return [*parsed, *(json.dumps(one) for one in parsed if isinstance(one, int))]
    if not isinstance(parsed, int):
        return parsed
    return [parsed, written.strip()] if abs(parsed) < LARGEST else written.strip()
