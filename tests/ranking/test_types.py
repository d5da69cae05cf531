"""A user's script passes mypy --strict: the examples of the README, and one that uses what they do not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
from pathlib import Path

import anselm
from anselm.ranking.answers import Answers, Passage, Ranking, Result

answers: Answers = anselm.ask("When?", [Path("manual.md"), "A text."], top=3, read=100, columns={"answer": "Reply"})
passage: Passage | None = answers.answer
if passage is not None:
    place: tuple[str, int, int, int] = (passage.source, passage.start, passage.end, passage.line)
counts: tuple[int, int] = (answers.passages, answers.read)

ranker = anselm.Ranker.load("default", threads=2)
rankings: list[Ranking[Result]] = ranker.rank_many(["When?", "Who?"], [["At nine."], [{"text": "Ann."}]], top=1)
for ranking in rankings:
    best: Result = ranking.best
    verdict: bool | None = ranking.answerable
    sure: float | None = ranking.answerability
    if ranking.answer:
        chance: float | None = ranking.answer.probability
    ids: list[str | None] = [result.id for result in ranking]
whole: Ranking[Result] = ranker.ask("When?", "At nine.")  # answers are a ranking, too
own = anselm.rank("When?", [anselm.Candidate("a", "At nine.", question="When do you open?")], model=Path("mine"))
try:
    anselm.rank("", [])
except anselm.errors.InputError as error:
    message: str = str(error)
"""

WRONG = """
import anselm

best: int = anselm.rank("When?", ["At nine."]).best
anselm.rank("When?", ["At nine."]).answer.text
anselm.Ranker.load("default", thread=2)
"""


def test_scripts_of_users_are_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert examples
    for number, code in enumerate([SCRIPT, *examples]):
        (tmp_path / f"good_{number}.py").write_text(code)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        "--no-incremental",
    ]
    files = [path.name for path in sorted(tmp_path.glob("*.py"))]
    environment = os.environ | {"MYPYPATH": str(ROOT / "src")}
    done = subprocess.run([*command, *files], cwd=tmp_path, env=environment, capture_output=True, text=True)
    *errors, summary = done.stdout.splitlines()
    wrong = [line for line in errors if line.startswith("wrong.py:") and ": error: " in line]
    assert [line for line in errors if line.startswith("good_")] == [], done.stderr
    assert [line.split(":")[1] for line in wrong] == ["4", "5", "6"]  # that it sees types at all
    assert summary == f"Found 3 errors in 1 file (checked {len(files)} source files)"
