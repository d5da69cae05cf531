"""What is fitted to labelled lists: by hand, against known weights, and against the fits of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.metrics.calibration import Beliefs, Calibration, fit_platt, platt_targets
from anselm.metrics.evidence import candidate_evidence, list_evidence, stack
from anselm.metrics.logistic import Logistic, fit_logistic
from anselm.metrics.thresholds import Rule
from anselm.scorer import Scores
from anselm.train.beliefs import PULL, Scored, fit_calibration, lessons, usual_score

FIXED = Rule()


KINDS: dict[str, dict[str, str]] = {
    "texts": {},
    "entries": {"question": "The oak"},
    "sentences": {"heading": ""},
    "documents": {"heading": "", "paragraph": "The oak. It is old."},
}


def make(labels: Sequence[float], text: str = "Where is the oak?", kind: str = "texts") -> Question:
    candidates = (Candidate(str(i), "text", label, **KINDS[kind]) for i, label in enumerate(labels))
    return Question("q", text, tuple(candidates))


Lists = tuple[list[Question], list[Scores]]


def draw(seed: int, count: int, without: float = 0.0, size: int | None = None, kind: str = "texts") -> Lists:
    """One answer of each list, at 3 on the average and the others at 0; a part of the lists is without it."""
    rng = np.random.default_rng(seed)
    questions, scores = [], []
    for _ in range(count):
        labels = [0.0] * (size or int(rng.integers(3, 15)))
        labels[0] = float(rng.random() >= without)
        questions.append(make(labels, kind=kind))
        scores.append(rng.normal(size=len(labels)) + 3 * np.array(labels))
    return questions, scores


def taught(lists: Lists) -> list[Scored]:
    return list(lessons([Scored(question, row) for question, row in zip(*lists, strict=True)]))


def test_a_list_with_an_answer_is_taught_again_without_it() -> None:
    question = replace(make([0, 2, 0, 1]), meta={"title": "Trees"})
    first, second = taught(([question], [np.array([0.1, 0.9, 0.2, 0.8])]))
    assert (first.question, first.answerable, first.removed) == (question, True, 0)
    assert second.scores.tolist() == [0.1, 0.2]
    assert [candidate.id for candidate in second.question.candidates] == ["0", "2"]
    assert (second.question.text, second.question.meta) == (question.text, question.meta)
    assert (second.answerable, second.removed) == (False, 2)


@pytest.mark.parametrize(
    ("labels", "made"), [([1, 0], 0), ([1, 0, 0], 1), ([1, 1, 0], 0), ([0, 0, 0], 0), ([1, 1], 0), ([1, 0, None], 1)]
)
def test_what_is_left_is_a_list(labels: list[float], made: int) -> None:
    answered = [([make([1, 0, 0])] * 9), [np.zeros(3)] * 9]
    found = taught(([*answered[0], make(labels)], [*answered[1], np.zeros(len(labels))]))
    assert len(found) == 10 + 9 + made


@pytest.mark.parametrize(("without", "made"), [(0, 10), (1, 9), (2, 0), (5, 0)])
def test_enough_lists_without_an_answer_are_the_better_teachers(without: int, made: int) -> None:
    questions = [make([float(i >= without), 0, 0]) for i in range(10)]
    assert len(taught((questions, [np.zeros(3)] * 10))) == 10 + made


def test_the_background_is_the_mean_of_what_is_not_right_list_by_list() -> None:
    rows = [([1, 0], [9.0, 1.0]), ([0, 0, 0], [2.0, 3.0, 4.0]), ([1], [5.0]), ([0, 0], [-np.inf, 6.0])]
    lists = [Scored(make(labels), np.array(scores)) for labels, scores in rows]
    assert usual_score(lists) == pytest.approx((1 + 3 + 6) / 3)
    assert usual_score(lists[2:3]) == 0.0


def test_the_first_fit_is_of_its_parts() -> None:
    """Platt's sigmoid for candidates; for lists three numbers, pulled to nothing, and both kinds count the same."""
    questions, scores = lists = draw(seed=1, count=40)
    found = fit_calibration(questions, scores, FIXED, "here")
    pairs, labels = np.concatenate(scores), np.concatenate([question.labels for question in questions])
    assert found.texts.candidate == fit_platt(pairs, labels)
    assert (found.threshold, found.fitted_on, found.entries) == (0.5, "here", None)
    background = float(np.mean([row[1:].mean() for row in scores]))
    assert found.texts.background == pytest.approx(background)
    lessons = taught(lists)
    rows = stack([list_evidence(one.scores, one.question.text, background) for one in lessons])
    known = {"best": rows["best"], "lift": rows["lift"], "candidates": np.log([len(row) for row in scores] * 2)}
    right = np.array([one.answerable for one in lessons])
    assert right.sum() == 40
    expected = fit_logistic(known, platt_targets(right), pull=1.0)
    assert found.texts.list is not None
    assert found.texts.list.to_dict() == pytest.approx(expected.to_dict(), rel=1e-5)


def test_both_kinds_count_the_same_whatever_their_numbers() -> None:
    """One kind twice as often as the other; the mean answerability of each is as far from one half."""
    questions, scores = draw(seed=2, count=300, without=1 / 3)
    found = fit_calibration(questions, scores, FIXED, "")
    sure = np.array([found.judge(*pair).answerability for pair in zip(questions, scores, strict=True)])
    right = np.array([bool(max(question.labels)) for question in questions])
    assert 1.5 < right.sum() / (~right).sum() < 2.5
    assert sure[right].mean() + sure[~right].mean() == pytest.approx(1.0, abs=0.01)
    assert sure[right].mean() > 0.75


def test_length_alone_does_not_tell_that_an_answer_was_taken_out() -> None:
    """Lists of one length and scores that tell nothing: with and without the right one they look the same."""
    rng = np.random.default_rng(3)
    questions = [make([1, 0, 0, 0, 0, 0])] * 300
    scores = [rng.normal(size=6) for _ in questions]
    found = fit_calibration(questions, scores, FIXED, "")
    for size in (3, 5, 6, 7, 40):
        sure = [found.texts.answerability(rng.normal(size=size), "Where is the oak?") for _ in range(100)]
        assert np.mean(sure) == pytest.approx(0.5, abs=0.15)


def test_probabilities_of_candidates_are_found_again() -> None:
    """The full evidence, where there was a calibration with it: known weights are found again from many lists."""
    rng = np.random.default_rng(4)
    truth = Logistic(-1.0, {"score": 0.8, "below_best": 0.5, "lift": 0.3, "question_words": 0.4})
    questions, scores = [], []
    for _ in range(4_000):
        row, text = rng.normal(size=6) * 2, "oak " * int(rng.integers(1, 20))
        chance = truth.probability(candidate_evidence(row, text))
        questions.append(make((rng.random(6) < chance).astype(float).tolist(), text))
        scores.append(row)
    before = Calibration(Beliefs(Logistic(0.0, dict.fromkeys(truth.weights, 0.0))), 0.5)
    found = fit_calibration(questions, scores, FIXED, "", before).texts.candidate
    assert found.to_dict() == pytest.approx(truth.to_dict(), abs=0.12)


BEFORE = Calibration(
    Beliefs(Logistic(-2.0, {"score": 1.0, "below_best": 0.5}), Logistic(-3.0, {"best": 1.0, "margin": 0.5}), -1.0), 0.5
)


def test_what_was_believed_is_pulled_by_many_lists_and_hardly_by_one() -> None:
    questions, scores = draw(seed=5, count=400)
    one, many = (fit_calibration(questions[:n], scores[:n], FIXED, "", BEFORE).texts for n in (1, 400))
    for fitted in (one, many):
        assert fitted.background == -1.0
        assert fitted.candidate.weights.keys() == {"score", "below_best"}
        assert fitted.list is not None
        assert fitted.list.weights.keys() == {"best", "margin"}
    assert one.list is not None
    assert many.list is not None
    assert abs(one.list.weights["best"] - 1.0) < 0.3
    assert many.list.weights["best"] > 2.0
    assert abs(one.candidate.weights["below_best"] - 0.5) < 0.3
    assert many.candidate.weights["below_best"] > 1.0


def test_where_no_verdict_was_believed_it_is_a_first_fit() -> None:
    lists = draw(seed=5, count=30)
    before = replace(BEFORE, texts=replace(BEFORE.texts, list=None, background=9.0))
    found, first = fit_calibration(*lists, FIXED, "", before).texts, fit_calibration(*lists, FIXED, "").texts
    assert (found.list, found.background) == (first.list, first.background)
    assert found.candidate != first.candidate


def test_the_pull_is_worth_a_few_lists() -> None:
    questions, scores = lists = draw(seed=6, count=10)
    found = fit_calibration(questions, scores, FIXED, "", BEFORE)
    lessons = taught(lists)
    rows = stack([list_evidence(one.scores, one.question.text, -1.0) for one in lessons])
    right = platt_targets([one.answerable for one in lessons])
    known = {name: rows[name] for name in ("best", "margin")}
    assert PULL == 3.0
    expected = fit_logistic(known, right, prior=BEFORE.texts.list, pull=3.0)
    assert found.texts.list is not None
    assert found.texts.list.to_dict() == pytest.approx(expected.to_dict(), rel=1e-5)


@pytest.mark.parametrize("kind", ["entries", "sentences", "documents"])
def test_each_kind_is_fitted_apart(kind: str) -> None:
    texts, others = draw(seed=7, count=30), draw(seed=8, count=30, kind=kind)
    others = others[0], [row * 5 - 20 for row in others[1]]
    mixed = fit_calibration(texts[0] + others[0], texts[1] + others[1], FIXED, "")
    assert mixed.texts == fit_calibration(*texts, FIXED, "").texts
    alone = fit_calibration(*others, FIXED, "")
    assert getattr(alone, kind) is None  # of texts nothing is known, so it stands for them
    assert getattr(mixed, kind) == alone.texts
    assert getattr(mixed, kind) != mixed.texts
    assert set(mixed.beliefs) == {"texts", kind}


@pytest.mark.parametrize("kind", ["entries", "sentences", "documents"])
def test_what_the_lists_say_nothing_about_is_kept(kind: str) -> None:
    before = replace(BEFORE, **{kind: Beliefs(Logistic(-1.0, {"score": 3.0}))})
    found = fit_calibration(*draw(seed=8, count=30, kind=kind), FIXED, "", before)
    assert found.texts == BEFORE.texts
    assert getattr(found, kind) != getattr(before, kind)
    texts = fit_calibration(*draw(seed=7, count=30), FIXED, "", before)
    assert getattr(texts, kind) == getattr(before, kind)
    assert texts.texts != before.texts


@pytest.mark.parametrize("labels", [[1.0], [1.0, 1.0], [1.0, 0.0]])
def test_lists_of_one_kind_that_no_other_can_be_made_of_teach_no_verdict(labels: list[float]) -> None:
    questions = [make(labels), make([1.0, 0.0])]
    scores = [np.arange(len(labels), dtype=np.float64), np.array([1.0, 0.0])]
    assert fit_calibration(questions, scores, FIXED, "").texts.list is None
    assert fit_calibration(questions, scores, FIXED, "", BEFORE).texts.list == BEFORE.texts.list


def test_a_falling_score_is_worth_the_share_of_the_right() -> None:
    questions, scores = draw(seed=9, count=50, size=4)
    turned = [-row for row in scores]
    for before in (None, BEFORE):
        found = fit_calibration(questions, turned, FIXED, "", before).texts.candidate
        assert found.weights == {"score": 0.0}
        assert special.expit(found.intercept) == pytest.approx(51 / 52 / 4 + 3 / 4 / 152, abs=1e-6)


@pytest.mark.parametrize("rule", [Rule("fixed", 0.3), Rule("best-f1"), Rule("precision", 0.9), Rule("recall", 0.8)])
def test_the_threshold_is_chosen_by_the_rule_on_the_lessons(rule: Rule) -> None:
    """Tried one by one: answered are those lessons whose answerability reaches it, right those with the best right."""
    lists = draw(seed=10, count=40)
    found = fit_calibration(*lists, rule, "")
    rows = []
    for one in taught(lists):
        sure = found.judge(one.question, one.scores).answerability
        rows.append((sure, one.labels[one.scores.argmax()] > 0, one.answerable))

    def measured(threshold: float) -> tuple[float, float, float]:
        answered = [right for sure, right, _ in rows if sure >= threshold]
        right, answerable = sum(answered), sum(able for *_, able in rows)
        return right / max(1, len(answered)), right / answerable, 2 * right / (len(answered) + answerable)

    tried = sorted({sure for sure, *_ in rows})
    expected = {
        "fixed": 0.3,
        "best-f1": max(tried, key=lambda t: (measured(t)[2], t)),
        "precision": min(t for t in tried if measured(t)[0] >= 0.9),
        "recall": max(t for t in tried if measured(t)[1] >= 0.8),
    }
    assert found.threshold == pytest.approx(expected[rule.kind])


def test_a_rule_that_cannot_be_met_is_said() -> None:
    questions, scores = draw(seed=11, count=20, size=4)
    with pytest.raises(InputError, match=r"no threshold reaches a precision of 0\.9"):
        fit_calibration(questions, [-row for row in scores], Rule("precision", 0.9), "")
