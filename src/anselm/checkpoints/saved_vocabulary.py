"""The vocabulary of a checkpoint, checked against the one that its weights were trained with."""

from __future__ import annotations

from pathlib import Path

from anselm.errors import FormatError
from anselm.files import read_json
from anselm.text.vocabulary import Vocabulary

VOCABULARY = "vocabulary.txt"
FINGERPRINT = "vocabulary_sha256"  # in config.json: another list of words may well fit, and mean other vectors


def load_vocabulary(folder: Path) -> Vocabulary:
    path = folder / VOCABULARY
    if not path.is_file():
        raise FormatError(path, "the file with the words is missing")
    record = read_json(folder / "config.json")
    vocabulary = Vocabulary.load(path, record.get("config", {}).get("lemmas", False) is True)
    if record.get(FINGERPRINT) not in (None, vocabulary.fingerprint):
        raise FormatError(path, "not the words that the model was trained with")
    return vocabulary
