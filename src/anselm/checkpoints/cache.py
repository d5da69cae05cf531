"""Where models lie that do not come whole with the package: in the user's cache, once they are fetched.

Such a model's shipped folder has a recipe. Its checksums name all files of the whole model, the weights too, which are
the same on every machine; their own checksum names the folder in the cache, so that versions do not get mixed up.
"""

from __future__ import annotations

import os
from pathlib import Path

from anselm.checkpoints.checksums import CHECKSUMS, hash_file
from anselm.errors import InputError

VARIABLE = "ANSELM_CACHE"
RECIPE = "recipe"  # a folder of a shipped one: recipe.json and what else its weights are made of


def cache_folder() -> Path:
    """$ANSELM_CACHE, else `anselm` where the system keeps such things."""
    own, usual = os.environ.get(VARIABLE), Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return (Path(own) if own else usual / "anselm").expanduser()
    except RuntimeError:  # a user without a home
        raise InputError(f"there is no home folder to keep models in; set {VARIABLE} to a folder") from None


def is_fetched(shipped: Path) -> bool:
    """Whether all of a shipped model is here: it needs no fetching, or that was done."""
    return not (shipped / RECIPE).is_dir() or place_in_cache(shipped).is_dir()


def place_in_cache(shipped: Path) -> Path:
    return cache_folder() / shipped.name / hash_file(shipped / CHECKSUMS)[:16]


def whole_folder(shipped: Path) -> Path:
    """The checkpoint of a shipped model, where it is whole; one that is not fetched is refused."""
    if not (shipped / RECIPE).is_dir():
        return shipped
    if not (place := place_in_cache(shipped)).is_dir():
        name = shipped.name
        how = f"`anselm fetch {name}` gets its encoder, `anselm fetch {name} --from FOLDER` takes it from a folder"
        raise InputError(f"the model {name!r} is not here yet: {how}")
    return place
