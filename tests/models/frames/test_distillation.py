"""A teacher with the same pieces under other numbers, and one that cuts texts otherwise."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.errors import InputError  # noqa: E402
from tests.models.readers import LISTS, collate, make, pairs  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def renumbered(tiny_encoder: Path, tmp_path: Path) -> Path:
    """The tiny encoder with each piece five numbers further on, and with other weights."""
    folder = tmp_path / "renumbered"
    shutil.copytree(tiny_encoder, folder)
    record = json.loads((folder / "tokenizer.json").read_text())
    words = record["model"]["vocab"]
    size = len(words)
    record["model"]["vocab"] = {f"<extra{place}>": place for place in range(5)} | {w: i + 5 for w, i in words.items()}
    for token in record["added_tokens"]:
        token["id"] += 5
    for name in ("sep", "cls"):
        record["post_processor"][name][1] += 5
    (folder / "tokenizer.json").write_text(json.dumps(record))
    torch.manual_seed(9)
    config = transformers.BertConfig.from_pretrained(folder)
    config.vocab_size, config.pad_token_id, config.hidden_size, config.intermediate_size = size + 5, 5, 48, 96
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def cosines(folder: Path) -> list[float]:
    """One text at a time, with nothing of ours."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    encoder = transformers.AutoModel.from_pretrained(folder).eval()

    def vector(text: str) -> Tensor:
        with torch.no_grad():
            return encoder(torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0].mean(dim=0)

    return [torch.cosine_similarity(vector(a), vector(b), dim=0).item() for a, b in pairs(LISTS)]


def test_the_head_is_taught_what_the_teacher_sees(tiny_encoder: Path, renumbered: Path) -> None:
    taught = collate(make(tiny_encoder, similarity=True, teacher=str(renumbered)), LISTS).similarities
    assert taught is not None
    assert taught.tolist() == pytest.approx(cosines(renumbered), abs=1e-5)
    own = collate(make(tiny_encoder, similarity=True), LISTS).similarities
    assert own is not None
    assert (taught - own).abs().max() > 0.05


def test_a_teacher_that_cuts_texts_otherwise_is_refused(tiny_encoder: Path, tiny_roberta: Path) -> None:
    model = make(tiny_encoder, similarity=True, teacher=str(tiny_roberta))
    with pytest.raises(InputError, match="cuts texts into other pieces than the encoder that it is to teach"):
        collate(model, LISTS)


def test_a_teacher_without_a_head_to_teach_is_refused(tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match="has nothing to teach: it is for the similarity head alone"):
        make(tiny_encoder, teacher="large")
