"""A model's folder made whole, in the user's cache: what is shipped, and the weights made of its encoder.

The folder appears when it is whole and each of its files has the SHA-256 that is shipped, or not at all.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from anselm.checkpoints.cache import RECIPE, is_fetched, place_in_cache
from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checkpoint import GRAPHS
from anselm.checkpoints.checksums import CHECKSUMS, copy_files, read_checksums, verify
from anselm.errors import InputError, UnknownNameError
from anselm.fetch.downloads import UnreachableError
from anselm.fetch.sources import Encoder, from_folder, from_hub
from anselm.fetch.weight_file import Part, read_sources, write_weights
from anselm.files import write_folder_atomically
from anselm.outputs import hold

Tell = Callable[[str, int, int], None]  # told what is done, how much of it, and of how much
ADAPTER, FACTORS = "lora.safetensors", "factors.safetensors"
EXTERNAL = f"{GRAPHS}/weights.bin"  # what is made
SPARE = 50_000_000  # bytes that are left free


@dataclass(frozen=True)
class Recipe:
    encoder: Encoder
    size: int
    scale: float  # of the adapter
    parts: list[Part]

    @classmethod
    def read(cls, shipped: Path) -> Recipe:
        record = json.loads((shipped / RECIPE / "recipe.json").read_text(encoding="utf-8"))
        parts = [Part(**{**part, "at": tuple(part["at"])}) for part in record["parts"]]
        return cls(Encoder(**record["encoder"]), record["size"], record["scale"], parts)


def fetchable() -> list[str]:
    """The names of the shipped models that have to be fetched."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{RECIPE}"))


def fetch(name: str, source: Path | None, tell: Tell) -> Path:
    """The model's folder. `source` holds its encoder; without one it comes from the Hugging Face hub."""
    if name not in fetchable():
        raise UnknownNameError("model to fetch:", name, fetchable())
    shipped = SHIPPED / name
    place, recipe = place_in_cache(shipped), Recipe.read(shipped)
    with alone(place):
        if place.is_dir():
            verify(place)
            return place
        check_room(place.parent, recipe.size)
        if (weights := made_before(shipped, place.parent)) is not None:
            make(shipped, place, lambda path: shutil.copyfile(weights, path))
            return place
        with opened(recipe, name, source, place.parent, tell) as encoder:
            make(shipped, place, lambda path: write_external(shipped, recipe, encoder, path, tell))
    return place


def made_before(shipped: Path, cache: Path) -> Path | None:
    """The same weights in the folder of another version, whose card or calibration was another."""
    wanted = (read_checksums(shipped) or {})[EXTERNAL]
    folders = (path.parent for path in sorted(cache.glob(f"*/{CHECKSUMS}")))
    return next((one / EXTERNAL for one in folders if (read_checksums(one) or {}).get(EXTERNAL) == wanted), None)


def ensure(name: str, tell: Tell) -> None:
    """A model that was named and is not here yet is fetched from the hub; other names are nobody's business here."""
    if name in fetchable() and not is_fetched(SHIPPED / name):
        fetch(name, None, tell)


@contextmanager
def opened(recipe: Recipe, name: str, source: Path | None, scratch: Path, tell: Tell) -> Iterator[Path]:
    """The encoder's weights."""
    with ExitStack() as stack:
        if source is not None:
            yield stack.enter_context(from_folder(recipe.encoder, source, scratch))
            return
        check_room(scratch, recipe.encoder.size + recipe.size)
        try:
            label = f"downloading {recipe.encoder.name}"
            path = stack.enter_context(from_hub(recipe.encoder, scratch, lambda *much: tell(label, *much)))
        except UnreachableError as error:
            how = f"`anselm fetch {name}` tries again, `anselm fetch {name} --from FOLDER` takes it from a folder"
            raise UnreachableError(f"the model {name!r} is not here yet: {error}; {how}") from None
        yield path


def make(shipped: Path, place: Path, write: Callable[[Path], object]) -> None:
    """What is shipped, and the weights, which `write` writes."""
    known = read_checksums(shipped) or {}
    with write_folder_atomically(place) as folder:
        copy_files(shipped, folder, [CHECKSUMS, *(name for name in known if name != EXTERNAL)])
        write(folder / EXTERNAL)
        verify(folder)


def write_external(shipped: Path, recipe: Recipe, encoder: Path, path: Path, tell: Tell) -> None:
    """The weights of the graphs, into a new file."""
    sources = read_sources(encoder, shipped / RECIPE / ADAPTER, shipped / RECIPE / FACTORS, recipe.scale)
    label = f"merging {shipped.name}"
    with path.open("wb") as file:
        write_weights(file, recipe.size, recipe.parts, sources, lambda *much: tell(label, *much))


def check_room(folder: Path, needed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE:
        raise InputError(f"{folder} has room for {free / 1e6:,.0f} MB, and {(needed + SPARE) / 1e6:,.0f} are needed")


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """One process at a time fetches a model; what a killed one left half made is removed."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with hold(place.parent / "lock", patience=math.inf):
            for left in place.parent.glob(".*.partial"):
                shutil.rmtree(left, ignore_errors=True)
            yield
    except OSError as error:
        raise InputError(f"{error.filename or place.parent} cannot be written: {error.strerror or error}") from None
