"""List by list a student scores as pair by pair; what the teacher wrote down is read in its order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("transformers")

from tools.default_model.teaching import lean  # noqa: E402
from tools.default_model.teaching.arrays import Data, from_sizes  # noqa: E402
from tools.default_model.teaching.late import Late  # noqa: E402
from tools.default_model.teaching.lessons import Care, Lessons, all_written, mixed_shares  # noqa: E402
from tools.default_model.teaching.scoring import write  # noqa: E402

PIECES = 300


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """Twelve texts, eight units of them in two pools, the second of entries."""
    rng = np.random.default_rng(5)
    lengths = np.array([0, *rng.integers(2, 12, 11)])
    np.savez(
        tmp_path / "texts.npz", ids=rng.integers(110, PIECES, lengths.sum()), lengths=lengths,
        units=np.array([(0, 1), (2, 3), (0, 4), (5, 6), (0, 7), (0, 8), (8, 9), (0, 9)]), pools=np.array([0, 5, 8]),
        pool_names=np.array(["posts", "manual entries"]), translation=np.arange(PIECES),
    )  # fmt: skip
    return Data(tmp_path / "texts.npz", "cpu")


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    lists = from_sizes(np.array([10, 11]), np.array([5, 3]), np.arange(8), np.array([1, 0, 0, 0, 0, -1, -1, -1.0]))
    columns = {name: np.linspace(-1, 1, 8) for name in ("score", "large", "small")}
    write(tmp_path / "part000.npz", lists, reader=np.full(8, 0.5), **columns)
    (tmp_path / "done-0-of-1").write_text("")
    return tmp_path


def test_list_by_list_as_pair_by_pair(data: Data, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lean, "LISTS", 2)
    monkeypatch.setattr(lean, "CHUNKS", 3)
    torch.manual_seed(1)
    model = Late(torch.randn(PIECES, 64), torch.randn(PIECES) * 0.3, 2, "static").eval()
    step = next(lean.steps(parts, data, np.random.default_rng(0)))
    lists, units = step.lists, np.concatenate([np.arange(*step.lists.bounds[one : one + 2]) for one in step.some])
    with torch.no_grad():
        scores, cosines = lean.score(model, lean.Flat(data), step)
        expected = model(data.rows(lists.questions[units], lists.units[units], "small"))
    np.testing.assert_allclose(scores, expected[0], atol=1e-5)
    np.testing.assert_allclose(cosines, expected[1], atol=1e-5)


def test_a_lesson_has_the_teachers_blend(data: Data, parts: Path) -> None:
    lessons = Lessons(data, parts, 10_000, patient=True)
    lesson = next(iter(lessons))
    where = {int(unit): place for place, unit in enumerate(lesson.units)}
    value = np.linspace(-1, 1, 8).astype(np.float16).astype(float)
    assert float(lesson.taught[where[0]]) == pytest.approx((0.572 + 5.97) * value[0], abs=1e-3)
    assert float(lesson.taught[where[7]]) == pytest.approx((0.25 + 6.0) * value[7], abs=1e-3)  # an entry
    assert lessons.fresh == 8


def test_the_present_blend_is_a_part_of_what_texts_and_entries_teach(data: Data, parts: Path) -> None:
    """Posts are texts; the sentence pools of gathering.py end with other names."""
    lessons = Lessons(data, parts, 10_000, True, Care(count=2.0, present=0.25))
    lesson = next(iter(lessons))
    where = {int(unit): place for place, unit in enumerate(lesson.units)}
    value = np.linspace(-1, 1, 8).astype(np.float16).astype(float)
    text = 0.75 * (0.572 + 5.97) * value[0] + 0.25 * (0.634 * 0.5 + 6.4 * value[0])
    entry = 0.75 * (0.25 + 6.0) * value[7] + 0.25 * (0.2 * 0.5 + 6.0 * value[7])
    assert float(lesson.taught[where[0]]) == pytest.approx(text, abs=2e-3)
    assert float(lesson.taught[where[7]]) == pytest.approx(entry, abs=2e-3)
    assert lesson.weight.tolist() == [2.0, 2.0]
    plain = Lessons(data, parts, 10_000, True, Care(count=2.0))
    plain.sentence[:] = True
    assert next(iter(plain)).weight.tolist() == [1.0, 1.0]


def test_all_is_written_when_every_run_is_over(tmp_path: Path) -> None:
    assert not all_written(tmp_path)
    (tmp_path / "done-1-of-2").write_text("")
    assert not all_written(tmp_path)
    (tmp_path / "done-0-of-2").write_text("")
    assert all_written(tmp_path)


def test_labels_are_a_part_of_what_a_labelled_list_teaches() -> None:
    taught, owner = torch.tensor([0.0, 0.0, 1.0, 1.0]), torch.tensor([0, 0, 1, 1])
    found = mixed_shares(taught, torch.tensor([1.0, 0.0, -1.0, -1.0]), owner, 2)
    np.testing.assert_allclose(found, [0.7 * 0.5 + 0.3, 0.7 * 0.5, 0.5, 0.5], atol=1e-6)
