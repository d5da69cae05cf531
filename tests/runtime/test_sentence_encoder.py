"""The encoder by itself gives the vectors that the ranker gives."""

from __future__ import annotations

import numpy as np
import pytest

from anselm.checkpoints.catalogue import open_checkpoint
from anselm.errors import InputError
from anselm.runtime.blended import load
from anselm.runtime.sentence_encoder import load_sentence_encoder

TEXTS = ["We open at nine.", "Parking is free.", "word " * 400, "", "Ünïcode, too."]


@pytest.mark.parametrize("threads", [1, 3])
def test_vectors_are_those_of_the_ranker(threads: int) -> None:
    checkpoint = open_checkpoint("default")
    assert checkpoint
    ranker, encoder = load(checkpoint), load_sentence_encoder(threads=threads)
    assert np.allclose(encoder.text_vectors(TEXTS), ranker.text_vectors(TEXTS), atol=0.02)  # int8, by number of threads
    assert encoder.text_vectors(TEXTS[:1]).shape == (1, 384)  # fewer texts than threads
    assert encoder.text_fingerprint == ranker.text_fingerprint


def test_a_model_without_an_encoder_is_refused() -> None:
    with pytest.raises(InputError, match="bm25 has no encoder of texts; default has"):
        load_sentence_encoder("bm25")
