"""Scores of an evaluation as a file, and back: SemEval's predictions and TREC runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anselm.cli import main
from anselm.data.datasets import Dataset, load_dataset
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.evaluation.report import Report, assess, evaluate
from anselm.evaluation.score_files import check_target, save_scores
from anselm.evaluation.systems import open_system

TEXTS = ("elm", "oak oak", "oak tree", "fir")


def listed(id: str, *labels: float, first: str = "a0") -> Question:
    ids = (first, *(f"a{i}" for i in range(1, len(labels))))
    candidates = zip(ids, TEXTS, labels, strict=False)
    return Question(id, "oak?", tuple(Candidate(id, text, label) for id, text, label in candidates))


DATA = Dataset("d", "test", "official", (listed("q1", 0, 1, 1, 0), listed("q2", 1, 0, 0), listed("q3", 0, 0)))


def measured(model: str | Path, data: Dataset = DATA) -> Report:
    return assess(open_system(model), data, ["map", "mrr"], "source")


@pytest.fixture
def overlap(tmp_path: Path) -> Path:
    """A checkpoint that is not calibrated; its score is the share of the question's words."""
    folder = tmp_path / "overlap"
    folder.mkdir()
    (folder / "config.json").write_text('{"model": "overlap", "config": {"stopword_weight": 1, "stem": false}}')
    return folder


def test_predictions_are_written_as_the_official_scorer_reads_them(overlap: Path, tmp_path: Path) -> None:
    """By hand: overlap is 1 where the text has oak; probability 1 / (1 + e^-(4 s - 2)) reaches 0.8 only there."""
    (overlap / "calibration.json").write_text('{"slope": 4, "intercept": -2, "threshold": 0.8}')
    path = tmp_path / "system.pred"
    save_scores(measured(overlap), path)
    assert path.read_text().splitlines()[:5] == [
        "q1\ta0\t0\t0.0\tfalse",
        "q1\ta1\t0\t1.0\ttrue",
        "q1\ta2\t0\t1.0\ttrue",
        "q1\ta3\t0\t0.0\tfalse",
        "q2\ta0\t0\t0.0\tfalse",
    ]
    (overlap / "calibration.json").write_text('{"slope": 4, "intercept": -2, "threshold": 0.95}')
    save_scores(measured(overlap), path)
    assert "true" not in path.read_text()  # 1 has a probability of 0.88


def test_a_run_is_best_first(overlap: Path, tmp_path: Path) -> None:
    save_scores(measured(overlap), tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text().splitlines()[:4] == [
        "q1 Q0 a1 1 1.0 anselm", "q1 Q0 a2 2 1.0 anselm", "q1 Q0 a0 3 0.0 anselm", "q1 Q0 a3 4 0.0 anselm",
    ]  # fmt: skip
    assert measured(tmp_path / "a.run").metrics == measured(overlap).metrics
    late = Dataset("d", "test", "official", (listed("q1", 0, 1, 1, 0, first="z"),))  # ties stay in the source's order
    save_scores(measured(overlap, late), tmp_path / "a.run")
    assert [line.split()[2] for line in (tmp_path / "a.run").read_text().splitlines()] == ["a1", "a2", "z", "a3"]


def test_without_a_threshold_what_is_above_0_is_relevant(overlap: Path, tmp_path: Path) -> None:
    plain = measured(overlap)
    assert plain.ranked is not None
    assert plain.ranked.called is None
    save_scores(plain, tmp_path / "a.pred")
    labels = [line.split("\t")[-1] for line in (tmp_path / "a.pred").read_text().splitlines()]
    assert labels == ["false", "true", "true", "false", "false", "true", "true", "false", "true"]


def test_what_cannot_be_written_is_refused(overlap: Path, tmp_path: Path) -> None:
    for name in ("a.txt", "a", "a.pred.gz"):
        with pytest.raises(InputError, match=rf"{name} must end in \.pred \(SemEval predictions\) or \.run"):
            check_target(tmp_path / name)
    with pytest.raises(InputError, match=r"the folder of .*a\.pred does not exist"):
        check_target(tmp_path / "nowhere" / "a.pred")
    (tmp_path / "folder.run").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        check_target(tmp_path / "folder.run")
    path = tmp_path / "a.pred"
    path.write_text("before")
    for bad in ("a\tb", "a\nb", " "):
        data = Dataset("d", "test", "official", (listed("q1", 0, 1), listed("q2", 0, 1, first=bad)))
        with pytest.raises(FormatError, match="is empty, or has a tab or the end of a line in it"):
            save_scores(measured(overlap, data), path)
        assert path.read_text() == "before"  # nothing is half-written
    assert {file.name for file in tmp_path.iterdir()} == {"overlap", "folder.run", "a.pred"}


@pytest.mark.parametrize(
    ("corpus", "calls_some"), [("semeval-2016", True), ("semeval-2016-b", True), ("semeval-2016-c", False)]
)
def test_saved_predictions_earn_the_same_official_numbers(
    corpus: str, calls_some: bool, real_data: Path, tmp_path: Path
) -> None:
    """Subtasks A, B and C; lists of C have a hundred comments, of which BM25 calls none more likely than not."""
    data = load_dataset(corpus, "dev", "official", real_data)
    ours = assess(open_system("bm25"), data, ["map"], "source")
    save_scores(ours, tmp_path / "bm25.pred")
    again = evaluate(tmp_path / "bm25.pred", corpus, "dev", "official", ["map"], "source", real_data)
    assert again.semeval == ours.semeval
    assert again.semeval is not None
    assert set(again.semeval) == {"map", "average_recall", "mrr", "precision", "recall", "f1", "accuracy"}
    assert (0 < again.semeval["recall"] < 1) is calls_some
    assert again.metrics == ours.metrics


def test_the_command(overlap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (tmp_path / "lists.csv").write_text("question,answer,label\noak?,elm,0\noak?,oak,1\n")

    def run(*arguments: str | Path) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["anselm", "evaluate", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err

    target = ("--data", tmp_path / "lists.csv", "--save", tmp_path / "a.pred")
    code, err = run(overlap, *target)
    assert code == 0
    told = f"{overlap} has no threshold of its own; {tmp_path / 'a.pred'} calls relevant what is above 0"
    assert err == f"anselm: note: {told}\n"
    assert [line.split("\t")[-1] for line in (tmp_path / "a.pred").read_text().splitlines()] == ["false", "true"]
    assert run("bm25", *target) == (0, "")
    code, err = run("bm25", "--data", os.devnull, "--save", tmp_path / "a.txt")  # before the data is looked at
    assert (code, err.count("\n")) == (2, 1)
    assert "a.txt must end in .pred (SemEval predictions) or .run (a TREC run)" in err
