"""The vocabulary of a checkpoint, checked against the one that its weights were trained with."""

from __future__ import annotations

from anselm.checkpoints.checkpoint import VOCABULARY, VOCABULARY_SHA256, Checkpoint
from anselm.text.vocabulary import Vocabulary


def load_vocabulary(checkpoint: Checkpoint) -> Vocabulary:
    if not checkpoint.has(VOCABULARY):
        raise checkpoint.refusal("the file with the words is missing", VOCABULARY)
    vocabulary = Vocabulary.load(checkpoint.path(VOCABULARY), checkpoint.config.get("lemmas", False) is True)
    if checkpoint.record.get(VOCABULARY_SHA256) not in (None, vocabulary.fingerprint):
        raise checkpoint.refusal("not the words that the model was trained with", VOCABULARY)
    return vocabulary
