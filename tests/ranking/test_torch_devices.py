"""Models on what torch computes on; here that is its CPU."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.bundled import bundled_lists
from anselm.errors import InputError, MissingExtraError
from anselm.ranking import torch_devices as devices
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_scorer
from anselm.ranking.torch_devices import find_device, load_on_device
from tests.exported_checkpoints import LISTS, READERS, SHORT, load_blended, make_general

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

# How far the scores of int8 may be from those of single precision, by tests/runtime/test_pairs.py.
INT8 = 0.4
pytestmark = pytest.mark.usefixtures("one_thread")


def flat(scorer: Any, questions: Any) -> Any:
    return np.concatenate(scorer.score(questions))


@pytest.fixture(scope="module", params=["whole", "narrowing"])
def lively(request: pytest.FixtureRequest, tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader as if trained, on an encoder as if pretrained: an export leaves out what is equal, as biases of 0."""
    from safetensors.torch import load_file, save_file

    from anselm.models.crossencoder import build

    folder = tmp_path_factory.mktemp("lively")
    shutil.copytree(tiny_encoder, folder / "encoder")
    generator = torch.Generator().manual_seed(5)
    weights = load_file(tiny_encoder / "model.safetensors")
    moved = {name: one + 0.05 * torch.randn(one.shape, generator=generator) for name, one in weights.items()}
    save_file(moved, folder / "encoder" / "model.safetensors", metadata={"format": "pt"})
    model: Any = build("cross-encoder", {"base": str(folder / "encoder"), **SHORT, **READERS[request.param]})
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.05 * torch.randn(parameter.shape, generator=generator)
    (folder / "reader").mkdir()
    model.save(folder / "reader")
    return folder


def test_a_graph_in_single_precision_scores_the_same(lively: Path) -> None:
    """Reader, whole or narrowing, and encoder: all of their weights come out of the graphs."""
    made = make_general(lively / "reader", lively / "exact", int8=False)
    there, expected = load_on_device(Checkpoint.read(made), "cpu"), flat(load_blended(made), LISTS)
    np.testing.assert_allclose(flat(there, LISTS), expected, atol=1e-4)
    assert expected.std() > 0.05


def test_int8_weights_become_numbers_again(lively: Path) -> None:
    """Nearer to what was trained than the runtime, which rounds activations as well."""
    made = make_general(lively / "reader", lively / "int8", int8=True)
    trained = flat(load_blended(make_general(lively / "reader", lively / "single", int8=False)), LISTS)
    there, here = flat(load_on_device(Checkpoint.read(made), "cpu"), LISTS), flat(load_blended(made), LISTS)
    assert 0 < np.abs(there - trained).mean() < np.abs(here - trained).mean()
    assert np.corrcoef(there, trained)[0, 1] > 0.99


def test_the_default_is_near_the_runtime() -> None:
    questions = bundled_lists()
    here, there = load_scorer("default", 1), load_scorer("default", device="cpu")
    expected, found = flat(here, questions), flat(there, questions)
    assert np.abs(found - expected).max() < INT8 * expected.std()
    assert np.corrcoef(found, expected)[0, 1] > 0.998
    vectors = [np.array(one.text_vectors([q.text for q in questions])) for one in (here, there)]  # type: ignore[attr-defined]
    assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.99
    assert there.computes_on() == ("torch on cpu", 1)  # type: ignore[attr-defined]


def test_real_lists_are_near_the_runtime(real_data: Path) -> None:
    from anselm.data.datasets import load_dataset

    questions = list(load_dataset("wikiqa"))[:12]
    expected, found = (flat(load_scorer("default", **more), questions) for more in ({}, {"device": "cpu"}))  # type: ignore[arg-type]
    assert np.abs(found - expected).max() < 0.15 * expected.std()
    assert np.corrcoef(found, expected)[0, 1] > 0.999


def test_lists_are_given_in_large_batches_there() -> None:
    here, there = load_scorer("default"), load_scorer("default", device="cpu")
    assert (here.lists_at_once, there.lists_at_once) == (64, 4_096)  # type: ignore[attr-defined]


def test_the_environment_names_a_device_for_models_that_have_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(devices.VARIABLE, "cpu")
    assert load_scorer("default").computes_on() == ("torch on cpu", 1)  # type: ignore[attr-defined]
    assert Ranker.load("bm25").rank("oak?", ["elm", "oak"]).best.text == "oak"
    with pytest.raises(InputError, match="'bm25' has no weights for torch"):
        load_scorer("bm25", device="cpu")


def test_a_trained_model_is_moved(plain: Path) -> None:
    model: Any = load_scorer(plain, device="cpu")
    assert next(model.parameters()).device.type == "cpu"
    np.testing.assert_allclose(flat(model, LISTS), flat(load_scorer(plain), LISTS), atol=1e-4)


def test_devices_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_device("cpu") == "cpu"
    for name in ("gpu", "cuda:x", ""):
        with pytest.raises(InputError, match="is not known; there is cuda"):
            find_device(name)
    known = devices.import_torch
    stand_in = replace_torch(monkeypatch, cuda=False, mps=True)
    with pytest.raises(InputError, match="'cuda' is not there; torch finds mps, cpu"):
        find_device("cuda")
    assert find_device("auto") == "mps"
    stand_in.cuda.is_available = lambda: True
    assert find_device("auto") == "cuda"
    with pytest.raises(InputError, match="'cuda:2' is not there; torch finds 2 of that kind"):
        find_device("cuda:2")

    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(devices, "import_torch", known)
    monkeypatch.setattr(devices, "import_module", absent)
    with pytest.raises(MissingExtraError, match="anselm\\[train\\]"):
        find_device("cuda")


def replace_torch(monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool) -> Any:
    from types import SimpleNamespace as Space

    backends = Space(mps=Space(is_available=lambda: mps))
    stand_in = Space(cuda=Space(is_available=lambda: cuda, device_count=lambda: 2), backends=backends)
    monkeypatch.setattr(devices, "import_torch", lambda: stand_in)
    return stand_in
