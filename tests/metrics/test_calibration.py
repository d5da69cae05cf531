"""From scores to beliefs: Platt scaling against a general optimiser, verdicts by hand, and what is on disk."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.metrics.calibration import Beliefs, Calibration, fit_platt
from anselm.metrics.logistic import FloatArray, Logistic
from anselm.metrics.reliability import reliability


def loss(parameters: Sequence[float], scores: Sequence[float], labels: Sequence[float]) -> float:
    """Platt's likelihood, with his targets."""
    relevant = np.asarray(labels) > 0
    positives, negatives = relevant.sum(), (~relevant).sum()
    targets = np.where(relevant, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    z = parameters[0] * np.asarray(scores) + parameters[1]
    return float(-np.sum(targets * special.log_expit(z) + (1 - targets) * special.log_expit(-z)))


def line(fitted: Logistic) -> tuple[float, float]:
    """Slope and intercept."""
    assert fitted.weights.keys() == {"score"}
    return fitted.weights["score"], fitted.intercept


def probability(fitted: Logistic, scores: Any) -> FloatArray:
    return fitted.probability({"score": np.asarray(scores, dtype=np.float64)})


def test_two_candidates_by_hand() -> None:
    # Targets 1/3 and 2/3 at 0 and 1 can be met exactly: logits -log 2 and log 2.
    assert line(fit_platt([0.0, 1.0], [0, 1])) == pytest.approx((2 * np.log(2), -np.log(2)), abs=1e-7)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50).map(lambda tenths: tenths / 10), st.integers(0, 2)), min_size=2))
def test_no_general_optimiser_finds_better(candidates: list[tuple[float, int]]) -> None:
    scores, labels = [score for score, _ in candidates], [label for _, label in candidates]
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [0.0, 0.0], (scores, labels), method="Nelder-Mead", options={"xatol": 1e-6})
    assert loss(line(fitted), scores, labels) <= other.fun + 1e-7


def test_known_parameters_are_found_again() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50_000)
    labels = rng.random(50_000) < special.expit(1.7 * scores - 0.6)
    fitted = fit_platt(scores, labels)
    assert line(fitted) == pytest.approx((1.7, -0.6), abs=0.05)
    assert reliability(probability(fitted, scores), labels).error < 0.01


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("shift", [-1e4, 0.0, 1e4])
def test_a_separating_score_stays_finite_at_any_scale(scale: float, shift: float) -> None:
    scores, labels = np.array([-1.0, -0.9, 0.9, 1.0]), [0, 0, 1, 1]
    reference = probability(fit_platt(scores, labels), scores)
    moved = scores * scale + shift
    fitted = fit_platt(moved, labels)
    assert np.isfinite(line(fitted)).all()
    assert fitted.weights["score"] > 0
    assert probability(fitted, moved) == pytest.approx(reference, abs=1e-5)


def test_one_far_outlier_does_not_stop_the_fit() -> None:
    scores, labels = [0.0, 0.1, 0.9, 1.0, 1e4], [0, 0, 1, 1, 1]
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [1.0, 0.0], (scores, labels), method="Nelder-Mead", options={"maxiter": 5_000})
    assert loss(line(fitted), scores, labels) <= other.fun + 1e-6


def test_a_newton_step_that_overshoots_is_halved() -> None:
    scores, labels = [-1e4, *[0.0] * 49, 700.0], [0] * 50 + [1]  # whole steps diverge on this one
    fitted = fit_platt(scores, labels)
    other = optimize.minimize(loss, [0.004, -3.0], (scores, labels), method="Nelder-Mead", options={"xatol": 1e-8})
    assert loss(line(fitted), scores, labels) == pytest.approx(other.fun, abs=1e-6)


@pytest.mark.parametrize("score", [0.0, 2.0, 1.7290312756091848])  # the mean of three of the last is another number
def test_equal_scores_give_the_mean_target(score: float) -> None:
    fitted = fit_platt([score] * 3, [1, 0, 0])
    assert fitted.weights["score"] == 0.0
    assert probability(fitted, [score, 7.0]) == pytest.approx([(2 / 3 + 1 / 4 + 1 / 4) / 3] * 2)


@pytest.mark.parametrize("scores", [[0.0, 5e-324], [1.0, 1.0 + 1e-15]])
def test_a_difference_of_rounding_is_no_difference(scores: list[float]) -> None:
    assert fit_platt(scores, [0, 1]) == Logistic(0.0, {"score": 0.0})


@pytest.mark.parametrize(("label", "expected"), [(0, 1 / 5), (1, 4 / 5)])
def test_one_class_alone_gives_its_target(label: int, expected: float) -> None:
    fitted = fit_platt([0.0, 1.0, 2.0], [label] * 3)
    assert probability(fitted, [0.0, 9.0]) == pytest.approx([expected] * 2, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_platt([1.0, 2.0], [1]), "one score per label and at least one; 2 and 1 were given"),
        (lambda: fit_platt([], []), "0 and 0 were given"),
        (lambda: fit_platt([1.0, np.inf], [0, 1]), "score 1 of 2 is inf"),
    ],
)
def test_what_cannot_be_calibrated_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


KINDS: dict[str, dict[str, str]] = {
    "texts": {},
    "entries": {"question": "Opening hours"},
    "sentences": {"heading": ""},
    "documents": {"heading": "", "paragraph": "Some text. More of it."},
}


def make(count: int, kind: str = "texts") -> Question:
    candidates = tuple(Candidate(str(i), f"text {i}", **KINDS[kind]) for i in range(count))
    return Question("q", "When do you open?", candidates)


CANDIDATE = Logistic(-1.0, {"score": 0.5, "below_best": 0.25, "lift": 0.1, "candidates": -0.4, "question_words": 0.3})
LIST = Logistic(
    0.2, {"best": 0.4, "lift": 0.1, "margin": 0.7, "topic": -0.3, "candidates": -0.6, "question_words": -0.2}
)
TEXTS = Beliefs(CANDIDATE, LIST, background=-2.0)


def test_a_verdict_on_three_candidates_by_hand() -> None:
    """The best at 3, one at 1, one at 0; one more is taken to be at -2, so the rest is at (1 - 2) / 3."""
    verdict = Calibration(TEXTS, 0.5).judge(make(3), np.array([1.0, 3.0, 0.0]))
    words = math.log(5)
    lifts = {1: 1 - (3 + 0 - 2) / 3, 3: 3 - (1 + 0 - 2) / 3, 0: 0 - (3 + 1 - 2) / 3}
    shared = -1 - 0.4 * math.log(3) + 0.3 * words
    logits = [shared + 0.5 * s + 0.25 * (s - 3) + 0.1 * lifts[s] for s in (1, 3, 0)]
    assert verdict.probabilities == pytest.approx([sigmoid(z) for z in logits])
    sure = 0.2 + 0.4 * 3 + 0.1 * (3 + 1 / 3) + 0.7 * 2 - 0.3 * (2 - 1 / 3) - 0.6 * math.log(3) - 0.2 * words
    assert verdict.answerability == pytest.approx(sigmoid(sure))
    assert verdict.answerable


def test_a_verdict_on_one_and_on_two_candidates_by_hand() -> None:
    words = math.log(5)
    one = Calibration(TEXTS, 0.5).judge(make(1), np.array([1.0]))
    assert one.probabilities == pytest.approx([sigmoid(-1 + 0.5 + 0.1 * 3 + 0.3 * words)])
    assert one.answerability == pytest.approx(sigmoid(0.2 + 0.4 + 0.1 * 3 + 0.7 * 3 - 0.2 * words))
    two = Calibration(TEXTS, 0.5).judge(make(2), np.array([1.0, 0.5]))
    sure = 0.2 + 0.4 + 0.1 * (1 + 0.75) + 0.7 * 0.5 - 0.3 * (2 - 0.75) - 0.6 * math.log(2) - 0.2 * words
    assert two.answerability == pytest.approx(sigmoid(sure))


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("beliefs", [TEXTS, Beliefs(CANDIDATE)], ids=["a list's own", "the best one's"])
def test_where_all_are_empty_there_is_no_answer(count: int, beliefs: Beliefs) -> None:
    verdict = Calibration(beliefs, 0.1).judge(make(count), np.full(count, -np.inf))
    assert verdict.probabilities.tolist() == [0.0] * count
    assert (verdict.answerability, verdict.answerable) == (0.0, False)


@pytest.mark.parametrize("beliefs", [TEXTS, Beliefs(CANDIDATE)], ids=["a list's own", "the best one's"])
def test_an_empty_candidate_changes_nothing_for_the_others(beliefs: Beliefs) -> None:
    calibration = Calibration(beliefs, 0.5)
    without, with_one = (
        calibration.judge(make(2), np.array([2.0, 0.0])),
        calibration.judge(make(3), np.array([2.0, -np.inf, 0.0])),
    )
    assert with_one.probabilities.tolist() == [without.probabilities[0], 0.0, without.probabilities[1]]
    assert with_one.answerability == without.answerability


def test_without_weights_for_lists_the_best_one_decides() -> None:
    calibration = Calibration(Beliefs(Logistic(-1.0, {"score": 2.0})), threshold=sigmoid(1.0))
    for scores, answerable in ([0.0, 1.0], True), ([0.99, -5.0], False):
        verdict = calibration.judge(make(2), np.array(scores))
        assert verdict.probabilities == pytest.approx([sigmoid(2 * score - 1) for score in scores])
        assert verdict.answerability == max(verdict.probabilities)
        assert verdict.answerable is answerable


def test_what_is_called_relevant() -> None:
    scores = np.array([3.0, 1.0, 0.5])  # logits 2, 0, -0.5 with one half as the line, or 2, 0 and the threshold's -0.4
    one_sigmoid = Beliefs(Logistic(-1.0, {"score": 1.0}))
    with_lists = Beliefs(one_sigmoid.candidate, LIST)
    low, high = sigmoid(-0.6), sigmoid(1.5)
    found = [
        Calibration(beliefs, threshold).calls_relevant(make(3), scores).tolist()
        for beliefs in (one_sigmoid, with_lists)
        for threshold in (low, high)
    ]
    assert found == [[True] * 3, [True, False, False], [True, True, False], [True, True, False]]


@pytest.mark.parametrize("kind", ["entries", "sentences", "documents"])
def test_each_kind_has_beliefs_of_its_own(kind: str) -> None:
    own = Beliefs(Logistic(4.0), Logistic(-4.0, {"best": 0.0}))
    plain = Calibration(TEXTS, 0.5)
    calibration = replace(plain, **{kind: own})
    scores = np.array([1.0, 3.0])
    verdict = calibration.judge(make(2, kind), scores)
    assert verdict.probabilities == pytest.approx([sigmoid(4.0)] * 2)
    assert (verdict.answerability, verdict.answerable) == (pytest.approx(sigmoid(-4.0)), False)
    for other in KINDS:  # what there are no beliefs about is judged as texts are
        expected = plain.judge(make(2), scores).answerability
        assert plain.judge(make(2, other), scores).answerability == expected
        without = {kind, "documents"} if kind == "sentences" else {kind}  # documents are judged as sentences are
        assert (calibration.judge(make(2, other), scores).answerability == expected) is (other not in without)


ENTRIES = Beliefs(Logistic(-1.0, {"score": 1.0}), Logistic(0.5, {"best": 0.3}))
SENTENCES = Beliefs(Logistic(0.5, {"score": 2.0}), Logistic(-1.0, {"lift": 0.2}))


@pytest.mark.parametrize("mixed", [None, Logistic(-0.3, {"higher": 0.9, "lower": 0.4})])
def test_each_kind_of_a_mixture_is_judged_by_itself(mixed: Logistic | None) -> None:
    """A sentence at 4, an entry at 2, a text that goes with the sentences at 1, an entry at 0."""
    kinds = ("sentences", "entries", "texts", "entries")
    candidates = tuple(Candidate(str(place), "text", **KINDS[kind]) for place, kind in enumerate(kinds))
    verdict = Calibration(TEXTS, 0.5, "", ENTRIES, SENTENCES, mixed=mixed).judge(
        Question("q", "Who?", candidates), np.array([4.0, 2.0, 1.0, 0.0])
    )
    among = np.array([sigmoid(z) for z in (8.5, 1.0, 2.5, -1.0)])
    assert verdict.probabilities == pytest.approx(among * verdict.answerability / sigmoid(8.5))
    entries, sentences = 0.5 + 0.3 * 2, -1 + 0.2 * (4 - (1 + 0) / 2)
    expected = max(entries, sentences) if mixed is None else -0.3 + 0.9 * entries + 0.4 * sentences
    assert entries > sentences
    assert verdict.answerability == pytest.approx(sigmoid(expected))


def test_a_candidate_of_a_mixture_is_the_likelier_the_likelier_its_kind_holds_an_answer() -> None:
    """A sentence at 4, an entry at 2, and one that is empty."""
    kinds = ("sentences", "entries", "entries")
    question = Question("q", "Who?", tuple(Candidate(str(i), "text", **KINDS[kind]) for i, kind in enumerate(kinds)))
    beside = Logistic(-0.2, {"candidate": 0.9, "kind": 0.3})
    scores = np.array([4.0, 2.0, -np.inf])
    calibration = Calibration(TEXTS, 0.5, "", ENTRIES, SENTENCES, mixed_candidate=beside)
    verdict = calibration.judge(question, scores)
    entries, sentences = 0.5 + 0.3 * 2, -1 + 0.2 * 4
    expected = [sigmoid(-0.2 + 0.9 * 8.5 + 0.3 * sentences), sigmoid(-0.2 + 0.9 * 1.0 + 0.3 * entries), 0.0]
    assert verdict.answerability == pytest.approx(sigmoid(entries))
    assert verdict.probabilities == pytest.approx(np.array(expected) * sigmoid(entries) / expected[0])
    sure = replace(calibration, mixed=Logistic(9.0, {"higher": 0.9, "lower": 0.4})).judge(question, scores)
    assert sure.probabilities == pytest.approx(expected)  # where an answer is likelier than each of them
    assert calibration.calls_relevant(question, scores).tolist() == [True, True, False]
    alone = replace(question, candidates=question.candidates[1:])
    assert calibration.judge(alone, scores[1:]).probabilities == pytest.approx([sigmoid(1.0), 0.0])


@pytest.mark.parametrize("beside", [None, Logistic(-0.2, {"candidate": 0.9, "kind": 0.3})])
def test_the_order_of_a_mixture_does_not_matter(beside: Logistic | None) -> None:
    calibration = Calibration(
        TEXTS, 0.5, "", ENTRIES, SENTENCES, None, Logistic(0.1, {"higher": 0.9, "lower": 0.4}), beside
    )
    kinds, scores = ("entries", "sentences", "entries"), np.array([1.0, 2.0, 3.0])
    candidates = tuple(Candidate(str(place), "text", **KINDS[kind]) for place, kind in enumerate(kinds))
    one, two = (calibration.judge(Question("q", "Who?", candidates[::step]), scores[::step]) for step in (1, -1))
    assert one.answerability == two.answerability
    assert one.probabilities.tolist() == two.probabilities[::-1].tolist()
    relevant = calibration.calls_relevant(Question("q", "Who?", candidates), scores)
    assert relevant.tolist() == (one.probabilities >= 0.5).tolist()
    assert relevant.any()


@pytest.mark.parametrize(
    "calibration",
    [
        Calibration(TEXTS, 0.5, "", ENTRIES, SENTENCES, None, Logistic(0.1, {"higher": 0.9, "lower": 0.4})),
        Calibration(TEXTS, 0.5, "", ENTRIES, SENTENCES, mixed_candidate=Logistic(0.1, {"candidate": 0.9, "kind": 0.4})),
        Calibration(TEXTS, 0.5, "", ENTRIES, documents=SENTENCES),
        Calibration(TEXTS, 0.25, "wikiqa dev (raw)"),
        Calibration(Beliefs(CANDIDATE, background=-3.5), 0.7, "", entries=TEXTS),
        Calibration(TEXTS, 0.7, "", sentences=Beliefs(CANDIDATE, LIST, 3.0)),
        Calibration(TEXTS, 1e-9, "ü", entries=Beliefs(Logistic(1 / 3), Logistic(0.0), background=-1 / 3)),
    ],
)
def test_what_is_saved_is_loaded(calibration: Calibration, tmp_path: Path) -> None:
    calibration.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == calibration


def test_the_first_form_behaves_as_it_did(tmp_path: Path) -> None:
    """One sigmoid of the score; the best one's probability against the threshold, whatever the candidates are."""
    path = tmp_path / "calibration.json"
    path.write_text('{"slope": 2.0, "intercept": -1.0, "threshold": 0.6, "fitted_on": "wikiqa dev (raw)"}')
    calibration = Calibration.load(path)
    assert (calibration.threshold, calibration.fitted_on) == (0.6, "wikiqa dev (raw)")
    for kind in KINDS:
        for best, answerable in ((0.8, True), (0.6, False)):  # sigmoid(0.6) = 0.65, sigmoid(0.2) = 0.55
            verdict = calibration.judge(make(2, kind), np.array([best, -3.0]))
            assert verdict.probabilities == pytest.approx([sigmoid(2 * best - 1), sigmoid(-7.0)])
            assert verdict.answerability == pytest.approx(sigmoid(2 * best - 1))
            assert verdict.answerable is answerable
    calibration.save(path)
    assert "slope" not in json.loads(path.read_text())
    assert Calibration.load(path) == calibration


GOOD: dict[str, Any] = {
    "texts": {"candidate": {"intercept": 0, "score": 1}, "list": {"intercept": 0, "best": 1}, "background": 0},
    "threshold": 0.5,
}


def test_the_good_one_is_good(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text(json.dumps(GOOD))
    assert Calibration.load(tmp_path / "calibration.json").texts.list == Logistic(0.0, {"best": 1.0})


NEGATIVE = "with a negative weight a better score would be less probable"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"texts": {"candidate": {"intercept": 0, "score": -1}}}, NEGATIVE),
        ({"texts": {"candidate": {"intercept": 0, "score": 1, "below_best": -1.5}}}, NEGATIVE),
        ({"texts": {"candidate": {"intercept": 0, "score": 1, "lift": -1.5}}}, NEGATIVE),
        ({"entries": {"candidate": {"intercept": 0, "score": -1}}}, NEGATIVE),
        ({"sentences": {"candidate": {"intercept": 0, "score": -1}}}, NEGATIVE),
        ({"texts": {"candidate": {"intercept": 0, "best": 1}}}, "'best' is none of score, below_best, lift"),
        ({"texts": GOOD["texts"] | {"list": {"intercept": 0, "score": 1}}}, "'score' is none of best, lift, margin"),
        ({"texts": GOOD["texts"] | {"background": float("nan")}}, "nan is no number"),
        ({"texts": {"candidate": GOOD["texts"]["candidate"], "background": "low"}}, "could not convert"),
        ({"texts": {}}, "candidate"),
        ({"texts": [1]}, "not a calibration"),
        ({"texts": None}, "not a calibration"),
        ({"entries": 3}, "not a calibration"),
        ({"sentences": None}, "not a calibration"),
        ({"threshold": float("inf")}, "inf is no number from -1e\\+12 to 1e\\+12"),
        ({"threshold": 10**400}, "10000.* is no number"),
        ({"threshold": "inf"}, "not finite"),
        ({"threshold": "high"}, "could not convert"),
        ({"threshold": None}, "not a calibration"),
    ],
)
def test_damaged_files_are_refused(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(FormatError, match=problem) as caught:
        Calibration.load(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b'"texts"', b"{}", b"\xff", b"[" * 100_000])
def test_what_is_no_calibration_at_all_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"calibration\.json(, line 1)?: (not whole JSON|cannot be read|not a calib)"):
        Calibration.load(path)


def test_a_failed_write_leaves_the_old_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "calibration.json"
    Calibration(TEXTS, 0.5, "old").save(path)
    monkeypatch.setattr("json.dumps", lambda *_, **__: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        Calibration(TEXTS, 0.5, "new").save(path)
    assert Calibration.load(path).fitted_on == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["calibration.json"]
