"""Lists of entries and sentences together, and scores that were written down before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.catalogue import ACCURATE, DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import DOCUMENTS, ENTRIES, Candidate, Question
from anselm.errors import InputError
from tools.default_model.kept_scores import kept_scorer
from tools.default_model.mixed_lists import mixed_lists
from tools.default_model.verdict_lists import Part

ANSWERS = ["At nine. Not on Sundays.", "It is free.", "By card.", "Two weeks. A fine follows."]


def faq(right: int) -> Question:
    entries = (
        Candidate(str(place), text, float(place == right), question=f"Question {place}?")
        for place, text in enumerate(ANSWERS)
    )
    return Question(f"faq {right}", f"asked {right}", tuple(entries))


def document(right: int) -> Question:
    found = (
        Candidate(
            str(place), f"Sentence {place}.", float(place == right), heading="Top", paragraph="Sentence 0. And on."
        )
        for place in range(3)
    )
    return Question(f"document {right}", f"sought {right}", tuple(found))


def test_a_mixture_holds_both_kinds_and_the_same_answers() -> None:
    faqs, documents = [[faq(right) for right in range(-1, 4)]], [[document(right) for right in range(-1, 3)]]
    found = list(mixed_lists(faqs, documents))
    assert len(found) == 9
    for question, before in zip(found, [*faqs[0], *documents[0]], strict=True):
        assert {one.kind for one in question.candidates} == {ENTRIES, DOCUMENTS}
        right = {one.text for one in before.candidates if one.relevant}
        assert all(any(one.text in text for text in right) for one in question.candidates if one.relevant)
        assert any(question.labels) is bool(right)
        assert len({one.id for one in question.candidates}) == len(question.candidates)
    assert {question.kind for question in found} == {ENTRIES, DOCUMENTS}  # now these first, now those


def kept(tmp_path: Path, parts: list[Part], seed: int = 0) -> tuple[Path, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    count = sum(len(question.candidates) for part in parts for question in part.questions)
    cosines = [f"{name}{other}" for name in ("small", "large") for other in ("", "_compared", "_alone")]
    signals = {name: rng.normal(size=count) for name in ("reader", "score", *cosines)}
    np.savez(tmp_path / "kept.npz", **signals)
    return tmp_path / "kept.npz", signals


def test_kept_scores_are_blended_as_the_checkpoint_says(tmp_path: Path) -> None:
    parts = [Part("faq entries", "a", [faq(0)]), Part("documents", "a", [document(1)])]
    path, signals = kept(tmp_path, parts)
    checkpoint = Checkpoint.read(SHIPPED / DEFAULT)
    entries, sentences = kept_scorer(path, parts, checkpoint).score([faq(0), document(1)])
    (a, b), (c, d) = checkpoint.config["entries"], checkpoint.config["blend"]
    share = checkpoint.config["answer_share"]
    similar = (1 - share) * signals["small_compared"] + share * signals["small_alone"]
    assert entries == pytest.approx(a * signals["reader"][:4] + b * similar[:4])
    assert sentences == pytest.approx(c * signals["reader"][4:] + d * signals["small_compared"][4:])


def test_a_short_list_is_read_by_the_larger_one_alone(tmp_path: Path) -> None:
    parts = [Part("documents", "a", [document(1)])]
    path, signals = kept(tmp_path, parts)
    checkpoint = Checkpoint.read(SHIPPED / ACCURATE)
    [scores] = kept_scorer(path, parts, checkpoint).score([document(1)])
    a, b = checkpoint.config["blend"]
    assert scores == pytest.approx(a * signals["score"] + b * signals["large"])


def test_scores_of_other_lists_are_refused(tmp_path: Path) -> None:
    path, _ = kept(tmp_path, [Part("documents", "a", [document(1)])])
    with pytest.raises(InputError, match="not of these lists, which have 4 pairs"):
        kept_scorer(path, [Part("faq entries", "a", [faq(0)])], Checkpoint.read(SHIPPED / DEFAULT))
