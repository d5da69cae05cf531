"""The drop-in for sentence-transformers' CrossEncoder, beside the real one where it is installed."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from anselm.errors import InputError
from anselm.integrations.cross_encoder import CrossEncoder
from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS

OTHER = "Is parking free?"


def test_rank(ranker: Ranker, expected: Ranking[Result], verdicts: list[dict[str, object]]) -> None:
    model = CrossEncoder(ranker, device="cpu", max_length=512)
    found = model.rank(QUESTION, TEXTS, return_documents=True, batch_size=8, show_progress_bar=False)
    for result, one, known in zip(found, expected, verdicts, strict=True):
        assert result == {"corpus_id": one.index, "score": known["probability"], "text": one.text} | known
    assert [one["corpus_id"] for one in model.rank(QUESTION, TEXTS, 1)] == [1]
    assert "text" not in model.rank(QUESTION, TEXTS, 1)[0]
    assert [one["corpus_id"] for one in model.rank(QUESTION, TEXTS, score_threshold=0.5)] == [1]


def test_predict_gives_each_pair_what_its_list_has(ranker: Ranker, expected: Ranking[Result]) -> None:
    """Also where pairs of two questions are mixed, and where a question has nothing but empty texts."""
    model = CrossEncoder(ranker)
    pairs = [pair for text in TEXTS for pair in ((QUESTION, text), (OTHER, text))] + [("Why?", "")]
    other = ranker.rank(OTHER, TEXTS)
    wanted = np.zeros(len(pairs))
    for one, two in zip(expected, other, strict=True):
        wanted[2 * one.index], wanted[2 * two.index + 1] = one.probability, two.probability
    found = model.predict(pairs)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert model.predict([]).shape == (0,)


def test_one_pair_is_one_score(ranker: Ranker) -> None:
    model = CrossEncoder(ranker)
    assert model.predict([QUESTION, TEXTS[1]]) == pytest.approx(model.predict([(QUESTION, TEXTS[1])])[0])
    assert np.ndim(model.predict((QUESTION, TEXTS[1]))) == 0


@pytest.mark.parametrize("wrong", [["one"], [("a", "b", "c")], [("a", 1)], ["a", "b", "c"]])
def test_what_is_no_pair(ranker: Ranker, wrong: list[object]) -> None:
    with pytest.raises(InputError, match="pair 0 must be a question and a text"):
        CrossEncoder(ranker).predict(wrong)  # type: ignore[arg-type]


def test_tensors_and_raw_scores(ranker: Ranker, expected: Ranking[Result]) -> None:
    torch = pytest.importorskip("torch")
    model, pairs = CrossEncoder(ranker), [(OTHER, TEXTS[0]), *((QUESTION, text) for text in TEXTS)]
    assert torch.is_tensor(model.predict(pairs, convert_to_tensor=True))
    assert all(torch.is_tensor(one) for one in model.predict(pairs, convert_to_numpy=False))
    raw = model.predict(pairs, activation_fn=torch.nn.Identity())
    assert isinstance(raw, np.ndarray)
    for one in expected:
        assert raw[one.index + 1] == pytest.approx(one.score, abs=1e-5)
    tensor = model.predict(pairs, activation_fn=torch.nn.Sigmoid(), convert_to_tensor=True)
    assert torch.is_tensor(tensor)
    assert tensor[4] == 0  # the empty one


def test_it_takes_the_arguments_of_the_real_one() -> None:
    real = pytest.importorskip("sentence_transformers").CrossEncoder
    for name in ("rank", "predict"):
        theirs = inspect.signature(getattr(real, name)).parameters.values()
        places = [one for one in theirs if one.kind is one.POSITIONAL_OR_KEYWORD]
        given = {one.name: one.default for one in places[1:] if one.default is not one.empty}
        needed = {one.name: None for one in places[1:] if one.default is one.empty}
        inspect.signature(getattr(CrossEncoder, name)).bind(None, **needed, **given)
