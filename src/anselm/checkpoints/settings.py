"""Settings of a model or a training, from a recipe or a checkpoint: named, typed as the defaults are, and refused in
one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from anselm.errors import InputError, UnknownNameError

Config = TypeVar("Config")
FORMER = {"rate": "learning_rate", "least": "min_count"}  # names that settings had -> what they are called now


def current_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as recipes, records and checkpoints of earlier versions have them, by the names of today."""
    return {_renamed(name): value for name, value in settings.items()}


def _renamed(name: str) -> str:
    """Also of a setting that is searched: config.least"""
    place, dot, last = name.rpartition(".")
    return f"{place}{dot}{FORMER.get(last, last)}"


def make_config(kind: type[Config], name: str, variant: Mapping[str, Any], settings: Mapping[str, Any]) -> Config:
    """The configuration of a variant, with some settings changed. JSON and TOML have lists where we have tuples.

    A kind may have a table `former`: settings of earlier versions that may still be given, with the only value that is
    still understood.
    """
    settings, former = current_names(settings), getattr(kind, "former", {})
    if other := next((key for key in settings if key in former and settings[key] != former[key]), None):
        known = f"only {former[other]!r} is still understood, not {settings[other]!r}"
        raise InputError(f"the model {name!r} no longer has the setting {other!r}: {known}")
    settings = {key: value for key, value in settings.items() if key not in former}
    check_names(f"setting of the model {name!r}:", settings, kind)
    values = {**variant, **settings}
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def check_names(what: str, settings: Iterable[str], kind: type[Any]) -> None:
    """Each is a field of a dataclass."""
    known = {field.name for field in fields(kind)}
    if unknown := next((name for name in settings if name not in known), None):
        raise UnknownNameError(what, unknown, known)


def check_types(config: Any) -> None:
    """Every value is of the type of its default, where it has one; a whole number will do for another."""
    for field in fields(config):
        value, default = getattr(config, field.name), field.default
        if default not in (MISSING, None) and not _is_like(value, default):
            raise InputError(f"{field.name} is {value!r}, but must be like {default!r}")


def _is_like(value: Any, default: Any) -> bool:
    if type(value) is tuple and type(default) is tuple:
        return all(_is_like(one, default[0]) for one in value)
    return type(value) is type(default) or (type(value) is int and type(default) is float)


def check_choice(what: str, value: str, known: Iterable[str]) -> None:
    if value not in (known := tuple(known)):
        raise UnknownNameError(what, value, known)


def check_least(config: Any, least: Mapping[str, int]) -> None:
    for name, number in least.items():
        if getattr(config, name) < number:
            raise InputError(f"{name} is {getattr(config, name)}, but must be {number} or more")
