"""anselm ask --questions: a log of questions put to the same documents."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from anselm.cli import question_lists
from tests.cli.commands import QUESTION, anselm, as_json

EXAMPLES = Path(__file__).parents[2] / "src/anselm/examples"
FAQ, ASKED, KETTLE = EXAMPLES / "faq.csv", EXAMPLES / "asked.csv", EXAMPLES / "kettle.md"
MODEL = ("--model", "bm25")


def lines(done: Any) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def asked() -> list[str]:
    with ASKED.open(newline="") as file:
        return [row["question"] for row in csv.DictReader(file)]


@pytest.mark.parametrize("model", ["bm25", "default"])
def test_each_line_is_what_the_question_gets_alone(model: str) -> None:
    found = lines(anselm("ask", "--questions", ASKED, FAQ, KETTLE, "--top", "2", "-m", model))
    assert [row.pop("id") for row in found] == [f"{number}" for number in range(2, 10)]
    assert found == [as_json("ask", question, FAQ, KETTLE, "--top", "2", "-m", model) for question in asked()]
    assert {"probability", "source", "line"} <= found[0]["results"][0].keys()


def test_questions_of_a_pool(tmp_path: Path) -> None:
    anselm("pool", "add", tmp_path / "faq.pool", FAQ)
    found = lines(anselm("ask", "--questions", ASKED, "--pool", tmp_path / "faq.pool"))
    assert [row.pop("id") for row in found] == [f"{number}" for number in range(2, 10)]
    assert found == [as_json("ask", question, "--pool", tmp_path / "faq.pool") for question in asked()]
    some = lines(anselm("ask", "--questions", ASKED, "--pool", tmp_path / "faq.pool", "--where", "topic=visit"))
    assert {one["meta"]["topic"] for row in some for one in row["results"]} == {"visit"}
    nothing = anselm("ask", "--questions", ASKED, "--pool", tmp_path / "faq.pool", "--where", "topic=none")
    assert (nothing.returncode, b"no passage is as --where says" in nothing.stderr) == (2, True)


FORMS = {
    "lines": ("a.txt", f"{QUESTION}\n\n  Late? \n", ["1", "3"]),
    "lines of any name": ("a", f"{QUESTION}\r\nLate?\r\n", ["1", "2"]),
    "a table": ("a.csv", f'id,Query,right\nx,"{QUESTION}",\n,Late?,late\n', ["x", "3"]),
    "a table of another country": ("a.csv", f"Nr;Frage\n7;{QUESTION}\n8;Late?\n", ["7", "8"]),
    "tabs": ("a.tsv", f"question\tqid\n{QUESTION}\tx\nLate?\ty\n", ["x", "y"]),
    "records": ("a.jsonl", json.dumps({"id": 7, "question": QUESTION}) + '\n"Late?"\n', ["7", "2"]),
}


@pytest.mark.parametrize(("name", "content", "ids"), FORMS.values(), ids=FORMS)
def test_questions_come_in_several_forms(name: str, content: str, ids: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content.encode())
    found = lines(anselm("ask", "--questions", tmp_path / name, FAQ, *MODEL))
    assert [(row["id"], row["question"]) for row in found] == list(zip(ids, [QUESTION, "Late?"], strict=True))


@pytest.mark.parametrize("form", ["lines", "records"])
def test_questions_come_from_standard_input(form: str) -> None:
    _, content, ids = FORMS[form]
    found = lines(anselm("ask", "--questions", "-", FAQ, *MODEL, stdin=content.encode()))
    assert [row["id"] for row in found] == ids


def test_columns_of_the_questions_and_of_the_faq_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("when,wording\nmonday,Late?\n")
    (tmp_path / "faq.csv").write_text("ref,wording,reply text\na,What if I am late?,You pay.\n")
    columns = ("--columns", "asked=wording,question=wording,id=ref")
    [row] = lines(anselm("ask", "--questions", tmp_path / "log.csv", tmp_path / "faq.csv", *MODEL, *columns))
    best = row["results"][0]
    assert (row["question"], best["question"], best["id"]) == ("Late?", "What if I am late?", "a")


def test_rows_that_cannot_be_read_are_skipped_and_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("question,id\nLate?,a\nwell, then,b\n ,c\nOpen?,d\n")
    done = anselm("ask", "--questions", path, FAQ, *MODEL)
    assert [json.loads(line)["id"] for line in done.stdout.decode().splitlines()] == ["a", "d"]
    assert done.returncode == 3
    assert done.stderr.decode().splitlines() == [
        f"anselm: skipped: {path}, line 3: 3 cells where the header has 2",
        f"anselm: skipped: {path}, line 4: the question is empty",
        "anselm: 2 skipped; --strict stops at the first",
    ]
    out = tmp_path / "out.jsonl"
    strict = anselm("ask", "--questions", path, FAQ, *MODEL, "--strict", "--output", out)
    assert (strict.returncode, strict.stdout, out.exists()) == (2, b"", False)
    (tmp_path / "bad.jsonl").write_text("[1]\n{\n")
    bad = anselm("ask", "--questions", tmp_path / "bad.jsonl", FAQ, *MODEL)
    assert (bad.returncode, bad.stderr.decode().count("\n")) == (2, 1)
    assert b"bad.jsonl, line 1: a JSON object with a question is needed" in bad.stderr


def test_answers_are_written_as_the_name_says(tmp_path: Path) -> None:
    records = lines(anselm("ask", "--questions", ASKED, FAQ, "--top", "2", *MODEL))
    for name in ("a.jsonl", "a.csv", "a.tsv"):
        said = anselm("ask", "--questions", ASKED, FAQ, "--top", "2", *MODEL, "--output", tmp_path / name)
        assert said.returncode == 0
        told = f"8 questions asked into {tmp_path / name}: 3 answered, 3 refused, 2 perhaps"
        assert " ".join(said.stdout.decode().split()) == told
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()] == records
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    for row, record in zip(rows, records, strict=True):
        assert (row["id"], row["question"]) == (record["id"], record["question"])
        assert row["answerable"] == str(record["answerable"]).lower()
        assert row["answerability"] == f"{record['answerability']:.4f}"
        for number, one in enumerate(record["results"], start=1):
            known = (
                one["text"],
                one["question"],
                one["id"],
                f"{one['probability']:.4f}",
                one["source"],
                f"{one['line']}",
            )
            names = ("answer", "filed_under", "answer_id", "probability", "source", "line")
            assert tuple(row[f"{name}_{number}"] for name in names) == known
    tabs = [line.split("\t") for line in (tmp_path / "a.tsv").read_text().splitlines()]
    assert tabs == [list(rows[0]), *(list(row.values()) for row in rows)]


def test_fewer_answers_than_asked_for_leave_cells_empty(tmp_path: Path) -> None:
    (tmp_path / "faq.txt").write_text("The shop opens at nine.\nReturns\tare accepted.\n")
    done = anselm(
        "ask", "--questions", ASKED, tmp_path / "faq.txt", "--top", "3", *MODEL, "--output", tmp_path / "o.csv"
    )
    assert done.returncode == 0
    widths = {len(row) for row in csv.reader(StringIO((tmp_path / "o.csv").read_text()))}
    assert widths == {4 + 3 * 6}


def test_an_output_that_exists_is_replaced_on_request_alone_and_never_half(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")
    command = ("ask", "--questions", ASKED, FAQ, *MODEL, "--output", out)
    refused = anselm(*command)
    assert (refused.returncode, out.read_text()) == (2, "mine\n")
    assert b"exists already; give another name or --overwrite" in refused.stderr
    counted = as_json(*command, "--overwrite")
    assert (counted["questions"], counted["skipped"], counted["model"]) == (8, 0, "bm25")
    assert counted["answered"] + counted["perhaps"] + counted["refused"] == 8
    assert len(out.read_text().splitlines()) == 8
    for given in (ASKED, FAQ):
        copy = tmp_path / given.name
        copy.write_bytes(given.read_bytes())
    own = anselm("ask", "--questions", tmp_path / "asked.csv", tmp_path / "faq.csv", "--output", tmp_path / "faq.csv")
    assert (own.returncode, b"which would be lost" in own.stderr) == (2, True)


def test_what_fails_on_the_way_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")

    def broken(self: Any, answers: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(question_lists.Tally, "watch", broken)
    done = anselm("ask", "--questions", ASKED, FAQ, *MODEL, "--output", out, "--overwrite")
    assert (done.returncode, out.read_text()) == (130, "mine\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_people_see_a_short_table(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    shown = Console(file=screen, width=70, force_terminal=True, color_system=None)
    monkeypatch.setattr(question_lists, "console", lambda: shown)
    monkeypatch.setattr(question_lists, "wants_lines", lambda errand: False)
    assert anselm("ask", "--questions", ASKED, FAQ, *MODEL).stdout == b""
    heading, _, *rows, total = screen.getvalue().splitlines()
    assert heading.split() == ["question", "verdict", "first", "answer"]
    assert all(len(row) <= 70 for row in rows)
    assert "answered 100%" in rows[2]
    assert "perhaps 44%" in rows[3]
    assert "refused 23%" in rows[4]
    assert total == "8 questions: 3 answered, 3 refused, 2 perhaps"


def test_texts_that_the_model_does_not_read_are_warned_of_once() -> None:
    questions = "Wann habt ihr geöffnet?\nWas kostet das?\nWhen do you open?\n".encode()
    done = anselm("ask", "--questions", "-", FAQ, stdin=questions)
    assert [json.loads(line)["answerable"] for line in done.stdout.decode().splitlines()] == [None, None, True]
    [warning] = done.stderr.decode().splitlines()
    assert warning.startswith("anselm: warning: ")
    assert warning.endswith(" (2 of 3 questions)")


def test_that_few_of_many_passages_were_read_is_said_once(tmp_path: Path) -> None:
    done = anselm("ask", "--questions", ASKED, KETTLE, *MODEL, "--read", "5")
    assert done.stderr.decode() == (
        "anselm: note: of 25 passages the model read 5, those nearest by words and meaning; --read N reads more\n"
    )
