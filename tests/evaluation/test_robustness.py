"""The drop against scorers whose loss is known; copies against a hand-made adversarial file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from anselm.cli import app
from anselm.data.datasets import Dataset, load_dataset, load_originals
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.evaluation.robustness import assess_robustness
from anselm.evaluation.systems import Model, open_system
from anselm.scorer import Scores


class Gullible:
    """Falls for every distractor of some questions, and is right otherwise."""

    name, capacity, pairwise, language = "gullible", None, True, None

    def __init__(self, falls_for: set[str]) -> None:
        self.falls_for = falls_for

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([self._score(q.id, one) for one in q.candidates]) for q in questions]

    def _score(self, question: str, candidate: Candidate) -> float:
        if candidate.id == "distractor":
            return 2.0 if question in self.falls_for else -1.0
        return candidate.label or 0.0

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def lists(count: int) -> Dataset:
    candidates = (Candidate("a", "It was in Rome.", 1.0), Candidate("b", "It was late.", 0.0))
    questions = tuple(Question(f"q{n}", f"Where was the trial of {n + 30} men?", candidates) for n in range(count))
    return Dataset("lists", "all", "raw", questions)


def test_the_drop_of_a_scorer_that_falls_for_some() -> None:
    system = Model("gullible", Gullible({"q0", "q1", "q2"}))
    found = assess_robustness(system, lists(10), ["map", "p@1"])
    assert found.clean.metrics == {"map": 1.0, "p@1": 1.0}
    assert found.hard.metrics["map"] == pytest.approx(1 - 0.3 / 2)
    assert found.drops["p@1"].difference == pytest.approx(0.3)
    low, high = found.drops["p@1"].interval
    assert 0 <= low < 0.3 < high
    assert (found.source, found.distracted, found.fooled) == ("rules", 10, 3)
    assert found.hard.pairs == 30
    assert [row["rank"] for row in found.rows] == [1] * 3 + [3] * 7
    assert found.rows[0]["clean"]["p@1"] == 1.0
    assert found.rows[0]["metrics"]["p@1"] == 0.0


def test_a_scorer_that_falls_for_none() -> None:
    found = assess_robustness(Model("gullible", Gullible(set())), lists(4), ["map"])
    assert found.fooled == 0
    assert found.drops["map"].difference == 0
    assert found.to_dict()["drop"]["map"]["interval"] == (0, 0)


def test_a_run_cannot_be_asked(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q0 Q0 a 1 1.0 x\n")
    with pytest.raises(InputError, match="holds scores for given lists"):
        assess_robustness(open_system(run), lists(1), ["map"])


@pytest.fixture
def adversarial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two originals; one has two copies with a sentence more, the other has none."""

    def article(context: str, name: str, text: str) -> dict[str, object]:
        answer = {"text": "Rome", "answer_start": context.index("Rome")}
        asked = {"id": name, "question": text, "answers": [answer]}
        return {"title": name, "paragraphs": [{"context": context, "qas": [asked]}]}

    plain = "The trial was in Rome. It was late."
    records = [
        article(plain, "q1", "Where was the trial?"),
        article(f"{plain} The feast was in Oslo.", "q1-low", "Where was the trial?"),
        article(f"{plain} Where was the trial in Oslo.", "q1-high", "Where was the trial?"),
        article(plain, "q2", "Was it late in Rome?"),
    ]
    (tmp_path / "squad").mkdir()
    (tmp_path / "squad" / "sample1k-HCVerifyAll.json").write_text(json.dumps({"data": records}))
    monkeypatch.setattr("anselm.data.corpus.Corpus.problem", lambda *_: None)  # the published counts
    return tmp_path


def test_adversarial_copies_against_their_originals(adversarial: Path) -> None:
    dataset = load_dataset("addsent", data_dir=adversarial)
    originals = load_originals(dataset, adversarial)
    assert originals is not None
    assert [question.id for question in originals] == ["q1", "q2"]
    found = assess_robustness(open_system("overlap"), dataset, ["p@1"], data_dir=adversarial)
    assert (found.source, found.distracted, found.fooled) == ("copies", None, None)
    assert found.clean.values["p@1"].tolist() == [1.0, found.hard.values["p@1"][1]]
    assert found.hard.values["p@1"][0] == 0.0  # the copy that repeats the question
    assert (found.clean.questions, found.hard.questions, found.hard.copies) == (2, 2, 3)
    assert load_originals(load_dataset("addsent", protocol="raw", data_dir=adversarial), adversarial) is None


def test_the_command(tmp_path: Path) -> None:
    data, rows = "src/anselm/examples/lists.jsonl", tmp_path / "rows.jsonl"
    given = ["evaluate", "bm25", "--data", data, "--robust", "--metrics", "map", "--save", str(rows)]
    result = CliRunner().invoke(app, [*given, "--json", "--per-question"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert (said["distractors"], said["distracted"]) == ("rules", 5)
    assert said["drop"]["map"]["difference"] == pytest.approx(said["clean"]["map"] - said["metrics"]["map"])
    assert [json.loads(line) for line in rows.read_text().splitlines()] == said["per_question"]
    shown = CliRunner().invoke(app, [*given, "--per-question"])
    assert "A distractor in 5 of 5 lists" in shown.output
    assert "rank" in shown.output


@pytest.mark.parametrize(
    ("more", "problem"),
    [(["--save", "a.run"], "must end in .jsonl"), (["--save", "no/a.jsonl"], "folder of no/a.jsonl does not exist")],
)
def test_what_cannot_be_written(more: list[str], problem: str) -> None:
    given = ["evaluate", "bm25", "--data", "src/anselm/examples/lists.jsonl", "--robust", *more]
    result = CliRunner().invoke(app, given)
    assert problem in str(result.exception)


@pytest.mark.parametrize(("asked", "warned"), [("Wann wurde das Schloss gebaut?", True), ("When was it built?", False)])
def test_the_rules_are_for_english(tmp_path: Path, asked: str, warned: bool) -> None:
    candidates = [{"id": "a", "text": "1780.", "label": 1}, {"id": "b", "text": "Am See.", "label": 0}]
    lists = [{"id": name, "question": asked, "candidates": candidates} for name in "xyz"]
    (path := tmp_path / "lists.jsonl").write_text("\n".join(map(json.dumps, lists)))
    found = CliRunner().invoke(app, ["evaluate", "bm25", "--data", str(path), "--robust"])
    assert found.exit_code == 0
    assert ("only 0 of 3 questions look English" in found.stderr) == warned


def test_no_picture_of_two_evaluations() -> None:
    given = ["evaluate", "bm25", "--data", "src/anselm/examples/lists.jsonl", "--robust", "--plot", "a.svg"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 2
    assert "--plot draws" in result.output
