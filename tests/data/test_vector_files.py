"""Word vectors by name: found where they were put, or told where to put them."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.vector_files import find_vectors
from anselm.errors import MissingDataError

SUBSET, WHOLE = "glove.6B.100d.subset.txt.gz", "glove.6B.100d.txt"


@pytest.mark.parametrize("name", [SUBSET, WHOLE, f"{WHOLE}.gz"])
def test_glove_is_found_by_any_of_its_names(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / name).touch()
    assert find_vectors("glove", tmp_path) == tmp_path / "vectors" / name
    monkeypatch.setenv("ANSELM_DATA", str(tmp_path))
    assert find_vectors("glove") == tmp_path / "vectors" / name


def test_a_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    (tmp_path / "own.bin.gz").touch()
    assert find_vectors(tmp_path / "own.bin.gz") == tmp_path / "own.bin.gz"
    assert find_vectors(str(tmp_path / "own.bin")) == tmp_path / "own.bin.gz"


def test_what_is_missing_says_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    with pytest.raises(MissingDataError, match=r"Set ANSELM_DATA.* Get glove.*https://nlp\.stanford.*into vectors/"):
        find_vectors("glove")
    with pytest.raises(MissingDataError, match=rf"100d\.txt does not exist\. Get .*terms: .*into {tmp_path}/vectors;"):
        find_vectors("glove", tmp_path)
    for path in (tmp_path / "none.txt", tmp_path, "gloev"):
        with pytest.raises(MissingDataError, match=r"is no file of word vectors; give .* or the name 'glove'"):
            find_vectors(path)
