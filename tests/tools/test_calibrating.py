"""The fit of verdicts by family, on scores that are drawn, and its table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anselm.data.question import Candidate, Question
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.train.beliefs import Scored
from tools.default_model.calibrate_default import fit, shares_of
from tools.default_model.verdict_table import MIXTURES, Judged, doubt, doubts, pictures, table

RNG = np.random.default_rng(4)
KINDS: dict[str, tuple[dict[str, str], ...]] = {
    "faq entries": ({"question": "Filed"},),
    "documents": ({"heading": "", "paragraph": "Text. More text."},),
    "wikiqa": ({"heading": ""},),
    "faq answers": ({},),
}
KINDS[MIXTURES] = (*KINDS["faq entries"], *KINDS["documents"])


def judged(family: str, source: str, answerable: bool) -> Judged:
    fields = [KINDS[family][place % len(KINDS[family])] for place in range(6)]
    labels = [float(answerable and place == 2) for place in range(6)]
    pairs = enumerate(zip(labels, fields, strict=True))
    candidates = tuple(Candidate(str(number), "text", label, **one) for number, (label, one) in pairs)
    scores = RNG.normal(size=6) + 2.5 * np.array(labels)
    return Judged(family, source, Scored(Question("q", "When do you open?", candidates), scores), False)


LISTS = [judged(family, source, n % 3 > 0) for family in KINDS for source in "ab" for n in range(30)]


def test_mixtures_teach_how_two_beliefs_are_weighed_and_nothing_else() -> None:
    whole = fit(LISTS)
    other = fit([replace(one, source="c") if one.family == MIXTURES else one for one in LISTS[:-15]])
    assert whole.beliefs == other.beliefs
    assert whole.mixed != other.mixed
    assert whole.mixed is not None
    assert whole.mixed.weights["higher"] > 0


def test_lists_with_and_without_an_answer_count_the_same() -> None:
    shares = shares_of(LISTS)
    for family in KINDS:
        own = np.array([one.family == family for one in LISTS])
        right = np.array([one.scored.answerable for one in LISTS])
        assert shares[own & right].sum() == pytest.approx(shares[own & ~right].sum())


def test_sentences_of_documents_have_a_fit_of_their_own_and_help_in_that_of_others() -> None:
    whole, apart = fit(LISTS), fit([one for one in LISTS if one.family != "wikiqa"])
    assert whole.documents == apart.documents
    assert whole.sentences != apart.sentences
    assert apart.sentences is not None  # of nothing but documents


def test_a_row_for_each_source_of_each_family() -> None:
    sure = Beliefs(Logistic(3.0), Logistic(1.0, {"best": 0.0}))
    fits = {source: Calibration(sure, 0.5) for source in "ab"}  # which answers everything
    rows = table(LISTS, fits).split()
    assert table(LISTS, fits).count("| 0.00 (20) | 1.00 (10) | - |") == 10
    assert rows.index("faq") < rows.index("documents")
    assert "nan" not in doubts(LISTS, fits)
    found = pictures(LISTS, fits)["documents"]
    assert found.sure.shape == found.answerable.shape == (60,)
    assert found.probabilities.shape == found.relevant.shape == (360,)


def test_what_a_doubt_is_worth() -> None:
    """Refused: 0.4 (right), 0.35, 0.1 and 0.05; of the two from 0.3 on one is right, of the two below none."""
    sure = np.array([0.9, 0.4, 0.35, 0.1, 0.05])
    assert doubt(sure, np.array([True, True, False, False, False]), 0.3) == "0.50/0.00 (0.50)"
    assert doubt(np.array([0.6]), np.array([True]), 0.3) == "-/- (0.00)"
