"""Fixtures shared by all tests."""

from __future__ import annotations

import json
import os
import random
import string
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["tests.exported_checkpoints"]
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # a test never asks the network; read when transformers is imported
os.environ["ANSELM_CACHE"] = "/nowhere/anselm"  # nor does it depend on what somebody has fetched


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real corpora; tests that ask for it are skipped where ANSELM_DATA is not set."""
    if not (folder := os.environ.get("ANSELM_DATA")):
        pytest.skip("ANSELM_DATA is not set")
    return Path(folder)


WORDS = ("bees", "honey", "hive", "nectar", "the", "make", "is", "where", "how", "what", "garden", "wood", "sweet")
VECTOR_WORDS = (*WORDS, "flower", "comb", "Honey")


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Two threads take longer than one for small matrices, and far longer where something else runs, too."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def vector_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A file of word2vec text with random vectors of some width for WORDS, and for words that no text here has.

    "Honey" is one that no text can give at all, since texts are folded.
    """
    folder = tmp_path_factory.mktemp("vectors")

    @cache
    def write(width: int) -> Path:
        rng, path = random.Random(width), folder / f"{width}.txt"
        rows = [f"{word} {' '.join(f'{rng.gauss(0, 1):.6f}' for _ in range(width))}\n" for word in VECTOR_WORDS]
        path.write_text(f"{len(rows)} {width}\n{''.join(rows)}")
        return path

    return write


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face folder with a BERT of two small layers and random weights; it knows every ASCII text."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    signs = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *signs, *(f"##{sign}" for sign in signs), *WORDS, "##s"]
    vocabulary = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=256, initializer_range=0.2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-bert")
    return _save_encoder(folder, BertModel, config, tokenizer, "BertTokenizer", "[CLS] [SEP] [PAD] [UNK] [MASK]")


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a RoBERTa: bytes as tokens, <s> a </s></s> b </s>, one token type, padding is not 0."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import RobertaConfig, RobertaModel

    tokens = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        *sorted(pre_tokenizers.ByteLevel.alphabet()),
        "he",
        "Ġt",
        "Ġthe",
        "<mask>",
    ]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("h", "e"), ("Ġ", "t"), ("Ġt", "he")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    config = RobertaConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=258, initializer_range=0.2, type_vocab_size=1, pad_token_id=1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-roberta")
    return _save_encoder(folder, RobertaModel, config, tokenizer, "RobertaTokenizer", "<s> </s> <pad> <unk> <mask>")


def _save_encoder(folder: Path, model: Any, config: Any, tokenizer: Any, kind: str, special: str) -> Path:
    """The files that a model on the hub has, as far as they are read."""
    import torch
    from safetensors.torch import save_file

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        weights = model(config).state_dict()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = zip(("cls_token", "sep_token", "pad_token", "unk_token", "mask_token"), special.split(), strict=True)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind, **dict(names)}))
    return folder
