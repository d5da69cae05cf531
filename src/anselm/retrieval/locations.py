"""From where a pool is to what it stands on: a folder, or a server by its address."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from anselm.errors import InputError, MissingExtraError
from anselm.retrieval.embedded import Embedded
from anselm.retrieval.engine import Engine
from anselm.retrieval.filters import is_unicode

# By the beginning of an address: the module of this room, which has `connect(address)`, what it needs, and the extra.
SERVERS = {
    "qdrant": ("qdrant", "qdrant_client", "qdrant"),
    "postgresql": ("postgres", "psycopg", "postgres"),
    "postgres": ("postgres", "psycopg", "postgres"),
}


def open_engine(place: str | Path) -> Engine:
    if not isinstance(place, str | Path) or not str(place) or "\0" in str(place):
        raise InputError(f"a pool is a folder or an address, not {place!r:.60}")
    scheme, sign, _ = str(place).partition("://")
    if not sign:
        return Embedded(Path(place))
    if not is_unicode(str(place)):
        raise InputError(f"an address must be valid Unicode, not {str(place)!r:.80}")
    if scheme not in SERVERS:
        raise InputError(f"{place} is no pool: give a folder, or an address with qdrant:// or postgresql://")
    module, package, extra = SERVERS[scheme]
    if find_spec(package) is None:
        raise MissingExtraError(f"a pool at {scheme}://", extra)
    engine: Engine = import_module(f"anselm.retrieval.{module}").connect(str(place))
    return engine
