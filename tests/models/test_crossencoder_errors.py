"""What can be wrong with a cross-encoder: its settings, and its files on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402
from torch import Tensor  # noqa: E402

from anselm.checkpoints.catalogue import load_model  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.files import write_folder_atomically  # noqa: E402
from anselm.models.crossencoder import Config, CrossEncoder, build  # noqa: E402
from tests.models.readers import ask, make, scores  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"poolin": "mean"}, r"unknown setting of the model 'cross-encoder': 'poolin'; .*Did you mean 'pooling'"),
        ({"pooling": "max"}, "unknown pooling 'max'; there is first, mean"),
        ({"max_length": "192"}, "max_length is '192', but must be like 192"),
        ({"max_length": True}, "max_length is True, but must be like 192"),
        ({"title": 1}, "title is 1, but must be like False"),
        ({"neighbours": -1}, "neighbours is -1, but must be 0 or more"),
        ({"list_layers": -1}, "list_layers is -1, but must be 0 or more"),
        ({"max_question": 0}, "max_question is 0, but must be 1 or more"),
        ({"candidate_layers": -1}, "candidate_layers is -1, but must be 0 or more"),
        ({"candidate_layers": 1}, "candidate_layers need pooling 'first', not 'mean'"),
        ({"candidate_layers": 2, "pooling": "first"}, "candidate_layers is 2, but must be below .* layers, 2"),
        (
            {"similarity": True},
            "'cross-encoder' no longer has the setting 'similarity': only False is still understood",
        ),
        ({"teacher": "x"}, "'cross-encoder' no longer has the setting 'teacher': only '' is still understood, not 'x'"),
        ({"token_layers": 1}, "'cross-encoder' no longer has the setting 'token_layers': only 0"),
        ({"dropout": 1.0}, "dropout is 1.0, but must be from 0 to below 1"),
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"max_length": 64}, "max_length 64 leaves no room .* max_question 64 and 3 special tokens"),
        ({"max_length": 68, "title": True}, "max_length 68 leaves no room .* max_question 64 and 4 special tokens"),
        ({"max_length": 257}, "max_length 257 is more than the encoder .* reads, which is 256"),
    ],
)
def test_settings_that_cannot_be_are_named(options: dict[str, Any], problem: str, tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match=problem):
        build("cross-encoder", {"base": str(tiny_encoder)} | options)


def test_the_tightest_settings_still_work(folder: Path) -> None:
    overhead = make(folder).overhead
    model = make(folder, max_length=overhead + 6, max_question=5)
    assert np.isfinite(scores(model, [ask("x " * 20, "x " * 5, "", "x " * 300)])).all()
    longest = make(folder, max_length=256)
    assert np.isfinite(scores(longest, [ask("x " * 90, "y " * 400)])).all()


@pytest.fixture
def saved(tiny_encoder: Path, tmp_path: Path) -> Path:
    make(tiny_encoder, list_layers=1).save(tmp_path)
    return tmp_path


def edit(name: str, **values: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        record = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(record | values))

    return change


def configure(**values: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        record = json.loads((folder / "config.json").read_text())
        edit("config.json", config=record["config"] | values)(folder)

    return change


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def cut(name: str, end: int) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end]) and None


def weights(change: Callable[[dict[str, Tensor]], Any]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return rewrite


def other_words(folder: Path) -> None:
    """As many as before, and all of them known to the encoder: two have changed places."""
    text = (folder / "tokenizer.json").read_text()
    swapped = text.replace('"honey":', '"~~":').replace('"nectar":', '"honey":').replace('"~~":', '"nectar":')
    assert swapped != text
    (folder / "tokenizer.json").write_text(swapped)


DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "unknown setting": (configure(depth=3), "config.json", "unknown setting of the model 'cross-encoder': 'depth'"),
    "unknown pooling": (configure(pooling="max"), "config.json", "unknown pooling 'max'"),
    "text for a number": (configure(dropout="much"), "config.json", "dropout is 'much', but must be like 0.1"),
    "too long": (configure(max_length=999), "config.json", "max_length 999 is more than"),
    "unknown model": (edit("config.json", model="cros-encoder"), "config.json", "unknown model"),
    "no encoder": (remove("encoder.json"), "encoder.json", "is missing"),
    "cut encoder": (cut("encoder.json", 100), "encoder.json", "not whole JSON"),
    "other encoder": (edit("encoder.json", hidden_size=64), "model.safetensors", r"the shape \(.*32\), not \(.*64\)"),
    "impossible encoder": (edit("encoder.json", hidden_size=33), "encoder.json", "not the configuration of an encoder"),
    "unknown encoder": (edit("encoder.json", model_type="brt"), "encoder.json", "not the configuration of an encoder"),
    "few words": (edit("encoder.json", vocab_size=50), "tokenizer.json", r"ids up to \d+, but the encoder knows 50"),
    "other words": (other_words, "tokenizer.json", "not the tokenizer that the model was trained with"),
    "no tokenizer": (remove("tokenizer.json"), "tokenizer.json", "not a tokenizer"),
    "cut tokenizer": (cut("tokenizer.json", 300), "tokenizer.json", "not a tokenizer"),
    "no weights": (remove("model.safetensors"), "model.safetensors", "the file with the weights is missing"),
    "empty weights": (write("model.safetensors", b""), "model.safetensors", "not whole safetensors"),
    "cut header": (cut("model.safetensors", 500), "model.safetensors", "not whole safetensors"),
    "cut weights": (cut("model.safetensors", -1), "model.safetensors", "not whole safetensors"),
    "pickled weights": (write("model.safetensors", b"\x80\x04N."), "model.safetensors", "not whole safetensors"),
    "missing head": (weights(lambda t: t.pop("head.bias")), "model.safetensors", "the weights 'head.bias' are missing"),
    "other head": (
        weights(lambda t: t.update({"head.bias": torch.zeros(2)})), "model.safetensors",
        r"the weights 'head.bias' have the shape \(2,\), not \(1,\)",
    ),
    "one too many": (
        weights(lambda t: t.update(tail=torch.zeros(2))), "model.safetensors", "'tail' that the model does not have",
    ),
    "fewer layers": (configure(list_layers=0), "model.safetensors", "weights '.*' that the model does not have"),
    "a second head": (configure(similarity=True), "config.json", "no longer has the setting 'similarity'"),
    "more layers": (configure(list_layers=2), "model.safetensors", r"the weights 'list_layers\.1\..*' are missing"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named(damage: str, saved: Path) -> None:
    harm, file, problem = DAMAGES[damage]
    harm(saved)
    with pytest.raises(InputError, match=problem) as caught:
        load_model(saved)
    assert str(saved / file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_that_are_missing_are_the_defaults(tiny_encoder: Path, tmp_path: Path) -> None:
    make(tiny_encoder).save(tmp_path)
    edit("config.json", config={})(tmp_path)
    assert load_model(tmp_path).config == Config()  # type: ignore[attr-defined]


UNTAUGHT = {"similarity": False, "teacher": ""}
FORMER: dict[str, dict[str, Any]] = {
    "cross-encoder": {"frozen": False, "token_layers": 0, **UNTAUGHT},
    "frozen-attention": {"frozen": True, "candidate_layers": 0, "list_layers": 0, **UNTAUGHT},
}


@pytest.mark.parametrize(("name", "former"), FORMER.items(), ids=FORMER)
def test_a_checkpoint_with_settings_that_are_gone_scores_as_it_did(
    name: str, former: dict[str, Any], tiny_encoder: Path, tmp_path: Path
) -> None:
    model, lists = make(tiny_encoder, name), [ask("where is the hive", "in the garden", "wood")]
    model.save(tmp_path)
    assert not former.keys() & asdict(model.config).keys()
    configure(**former)(tmp_path)
    loaded: Any = load_model(tmp_path)
    assert loaded.config == model.config
    assert scores(loaded, lists) == scores(model, lists)


def test_untrained_it_is_no_ranker() -> None:
    with pytest.raises(InputError, match="'cross-encoder' has to be trained first"):
        load_model("cross-encoder")


def save_where_nothing_fits(model: CrossEncoder, folder: Path) -> None:
    (folder / "model.safetensors").mkdir()  # as good as a full disk: the file cannot be made
    model.save(folder)


def test_a_disk_that_takes_no_more_leaves_nothing_behind(tiny_encoder: Path, tmp_path: Path) -> None:
    model = make(tiny_encoder)
    with pytest.raises(InputError, match="cannot be written"), write_folder_atomically(tmp_path / "out") as folder:
        save_where_nothing_fits(model, folder)
    assert list(tmp_path.iterdir()) == []
