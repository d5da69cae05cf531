"""At the start no gate and no attention is where it cannot learn, for any model over words and any vectors at hand.

Vectors that word2vec makes of a small corpus have a length of 1.7 (0.9 to 3.6 on InsuranceQA), GloVe's of 6.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from anselm.checkpoints.catalogue import build_model  # noqa: E402
from anselm.data.datasets import load_dataset  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.models import abcnn, attentive_clustering, document_reader, ggsa, siamese  # noqa: E402
from anselm.text.word_vectors import WordVectors, write_vectors  # noqa: E402
from tests.models.saturation import Saturation  # noqa: E402

MODELS = [name for module in (abcnn, attentive_clustering, document_reader, ggsa, siamese) for name in module.MODELS]
WORDS = [f"{a}{b}" for a in "bcdfghklmnprstvw" for b in ("an", "el", "ip", "ot", "uck", "ain", "eet", "old")]
LENGTHS = {"own": (300, 1.7), "glove": (100, 6.0)}  # width, mean length
MOST = 0.05  # of the values of a gate, or of the words that look

pytestmark = pytest.mark.usefixtures("one_thread")


def lists(count: int = 4) -> list[Question]:
    rng = random.Random(0)

    def text(words: int) -> str:
        return " ".join(rng.choices(WORDS, k=words))

    return [
        Question(
            f"q{i}", text(8), tuple(Candidate(f"{i}-{j}", text(rng.randint(3, 40)), float(j == 0)) for j in range(12))
        )
        for i in range(count)
    ]


@pytest.fixture(scope="module", params=LENGTHS)
def vectors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    width, length = LENGTHS[request.param]
    rng = np.random.default_rng(0)
    table = rng.standard_normal((len(WORDS), width)).astype(np.float32)
    lengths = length * rng.lognormal(0, 0.3, (len(WORDS), 1))
    table *= lengths / np.linalg.norm(table, axis=1, keepdims=True)
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    write_vectors(WordVectors(tuple(WORDS), table.astype(np.float32)), path)
    return path, width


def flat(name: str, path: str, width: int, questions: Sequence[Question], **settings: object) -> dict[str, float]:
    """The worst call of each function, in a new model with the settings that it has by itself."""
    torch.manual_seed(1)
    model = build_model(name, {"vectors": path, "embedding": width, **settings}, questions)
    with Saturation() as seen:
        model.score(questions)
    return {function: max(shares) for function, shares in seen.flat.items()}


@pytest.mark.parametrize("name", MODELS)
def test_no_gate_and_no_attention_is_saturated_at_the_start(name: str, vectors: tuple[Path, int]) -> None:
    found = flat(name, str(vectors[0]), vectors[1], lists())
    assert not {function: share for function, share in found.items() if share > MOST}


@pytest.mark.parametrize("name", MODELS)
def test_nor_on_real_vectors(name: str, real_data: Path) -> None:
    found = flat(name, "glove", 100, load_dataset("wikiqa", "dev", "clean").questions[:4])
    assert not {function: share for function, share in found.items() if share > MOST}


def test_the_scale_of_the_original_transformer_would_be_seen(vectors: tuple[Path, int]) -> None:
    """What went wrong once: GloVe's words times the root of the width."""
    found = flat("ggsa", str(vectors[0]), vectors[1], lists(), input_scale=17.32)
    assert (found["sigmoid"] > 0.5) == (vectors[1] == LENGTHS["glove"][0])


@pytest.mark.parametrize("name", [name for name in MODELS if "attention" in name or "ggsa" in name])
def test_every_model_with_positions_uses_the_scale(name: str, vectors: tuple[Path, int]) -> None:
    """Positions are in the self-attention blocks alone; LSTMs and convolutions know the order by themselves."""
    torch.manual_seed(1)
    settings = {"vectors": str(vectors[0]), "embedding": vectors[1]}
    scores = []
    for scale in (1.0, 3.0):
        torch.manual_seed(1)
        scores.append(np.concatenate(build_model(name, {**settings, "input_scale": scale}, lists()).score(lists())))
    assert np.allclose(*scores) == (name == "qa-lstm-attention")
