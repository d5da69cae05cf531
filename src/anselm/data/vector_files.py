"""Finding word vectors by name or by path."""

from __future__ import annotations

from pathlib import Path

from anselm.data.datasets import find_data_dir
from anselm.errors import MissingDataError
from anselm.files import find_file

GLOVE = "glove"
_FILES = ("glove.6B.100d.subset.txt.gz", "glove.6B.100d.txt")  # each packed or not
_HOW_TO_GET = (
    "Get glove.6B.100d.txt (in glove.6B.zip) from https://nlp.stanford.edu/projects/glove/ "
    "(terms: Open Data Commons Public Domain Dedication and License 1.0)"
)


def find_vectors(name_or_path: str | Path, data_dir: str | Path | None = None) -> Path:
    """The file of `glove` below the data folder (as given, or ANSELM_DATA); anything else is a path, taken as it is."""
    if str(name_or_path) == GLOVE:
        return _find_glove(data_dir)
    path = find_file(Path(name_or_path))
    if not path.is_file():
        raise MissingDataError(f"{path} is no file of word vectors; give the path of one, or the name {GLOVE!r}")
    return path


def _find_glove(data_dir: str | Path | None) -> Path:
    try:
        folder = find_data_dir(data_dir) / "vectors"
    except MissingDataError as error:
        raise MissingDataError(f"{error} {_HOW_TO_GET} and put it into vectors/ in that folder.") from None
    choices = [find_file(folder / file) for file in _FILES]
    for path in choices:
        if path.is_file():
            return path
    raise MissingDataError(
        f"{choices[-1]} does not exist. {_HOW_TO_GET} and put it, gzipped or not, into {folder}; "
        "ANSELM_DATA or --data-dir names the folder above."
    )
