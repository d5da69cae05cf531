"""The command line as people and machines call it: output, machine contract, and bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
import typer
from rich.console import Console

from anselm import cli
from anselm.checkpoints.catalogue import SHIPPED
from anselm.checkpoints.checksums import renew_checksums
from anselm.cli import show as terminal
from anselm.evaluation.report import Report
from anselm.ranking.answers import Answers, Passage, Ranking, Result

FAQ = "Parking is free.\nThe shop opens at nine in the morning.\nReturns are accepted for 30 days.\n"
QUESTION = "When does the shop open in the morning?"


def anselm(
    *arguments: str | Path, stdin: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "anselm", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, env=os.environ | environment)


def as_json(*arguments: str | Path, stdin: bytes | None = None):
    done = anselm(*arguments, "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.fixture
def faq(tmp_path: Path) -> Path:
    path = tmp_path / "faq.txt"
    path.write_text(FAQ)
    return path


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "question": f"oak {i}?",
            "candidates": [{"text": "elm", "label": 0}, {"text": "oak", "label": 1}],
        }
        for i in range(5)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rank(faq: Path) -> None:
    found = as_json("rank", QUESTION, "--candidates", faq)
    assert found.keys() == {"question", "model", "answerable", "answerability", "threshold", "results"}
    assert found["question"] == QUESTION
    assert found["answerable"] is True
    assert found["results"][0].keys() == {"index", "text", "score", "probability"}
    assert found["results"][0]["index"] == 1
    question, verdict, *lines = anselm("rank", QUESTION, "--candidates", faq).stdout.decode().splitlines()
    assert (question, verdict.partition(",")[0]) == (QUESTION, "An answer was found")
    assert [line.split("\t") for line in lines] == [
        [str(place), f"{result['probability']:.0%}", f"[{result['index']}]", result["text"]]
        for place, result in enumerate(found["results"], start=1)
    ]


def test_rank_from_standard_input_with_ids() -> None:
    stdin = b'{"id": "a", "text": "Parking is free."}\n{"id": "b", "text": "The shop opens at nine."}\n'
    found = as_json("rank", QUESTION, "--candidates", "-", "--top", "1", stdin=stdin)
    assert [(result["id"], result["index"]) for result in found["results"]] == [("b", 1)]


def test_ids_that_were_not_given_do_not_come_back() -> None:
    stdin = b'{"text": "Parking is free."}\n{"id": "b", "text": "The shop opens at nine."}\n'
    found = as_json("rank", QUESTION, "--candidates", "-", stdin=stdin)
    assert [result.get("id") for result in found["results"]] == ["b", None]


def test_no_answer_is_said(faq: Path) -> None:
    assert as_json("rank", "Who painted this?", "--candidates", faq)["answerable"] is False
    assert "No answer found" in anselm("rank", "Who painted this?", "-c", faq).stdout.decode()


@pytest.mark.parametrize("command", ["rank", "ask"])
def test_no_answer_is_an_exit_code_where_it_is_asked_for(command: str, faq: Path) -> None:
    files = ["-c", faq] if command == "rank" else [faq]
    for question, code in ((QUESTION, 0), ("Who painted the Mona Lisa?", 1)):
        found = anselm(command, question, *files, "--exit-code", "--json")
        assert (found.returncode, found.stderr) == (code, b"")
        assert json.loads(found.stdout)["answerable"] is (code == 0)
        assert anselm(command, question, *files).returncode == 0
    unsure = ["-m", faq.with_name("model")]
    faq.with_name("model").mkdir()
    (faq.with_name("model") / "config.json").write_text('{"model": "bm25"}')  # without a calibration: no verdict
    assert anselm(command, "Who painted the Mona Lisa?", *files, *unsure, "--exit-code").returncode == 0


def test_what_is_skipped_comes_before_no_answer(tmp_path: Path) -> None:
    (tmp_path / "faq.jsonl").write_text('{"a": "oak"}\nbroken\n')
    done = anselm("rank", "Who painted the Mona Lisa?", "-c", tmp_path / "faq.jsonl", "-m", "bm25", "--exit-code")
    assert done.returncode == 3


def test_empty_candidates_are_told(tmp_path: Path) -> None:
    (tmp_path / "faq.jsonl").write_text('{"id": "b", "answer": " "}\n{"id": "a", "answer": "oak"}\n')
    done = anselm("rank", "elm?", "-c", tmp_path / "faq.jsonl", "-m", "bm25", "--json")
    record = json.loads(done.stdout)
    shown = [(result["id"], result["score"], result["probability"]) for result in record["results"]]
    assert (record["empty"], shown[1]) == (1, ("b", None, 0.0))
    assert shown[0][:2] == ("a", 0.0)
    assert (done.returncode, done.stderr) == (0, b"anselm: note: 1 empty candidate came last\n")


def test_texts_that_the_model_cannot_read_are_told(faq: Path) -> None:
    done = anselm("rank", "दुकान कब खुलती है?", "-c", faq, "--json", "--exit-code")
    record = json.loads(done.stdout)
    assert (record["answerable"], record["answerability"], done.returncode) == (None, None, 0)
    assert done.stderr.decode() == f"anselm: warning: {record['warnings'][0]}\n"
    shown = anselm("rank", "दुकान कब खुलती है?", "-c", faq).stdout.decode()
    assert "certainty" not in shown


def test_how_many_sentences_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Something else stands here. " * 30 + "The shop opens at nine.")
    done = anselm("ask", QUESTION, path, "-m", "bm25", "--read", "5", "--json")
    record = json.loads(done.stdout)
    assert (record["passages"], record["read"]) == (31, 5)
    assert "of 31 sentences the model read 5" in done.stderr.decode()
    assert record["results"][0]["text"] == "The shop opens at nine."
    assert anselm("ask", QUESTION, path, "-m", "bm25").stderr == b""
    assert anselm("ask", QUESTION, path, "--read", "0").returncode == 2


def test_rank_in_bulk(lists: Path, tmp_path: Path) -> None:
    summary = as_json("rank", "--input", lists, "--output", tmp_path / "out.jsonl")
    assert summary["lists"] == 5
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 5
    assert summary["model"] == "default"


def test_a_run_out_is_a_run_in(lists: Path, tmp_path: Path) -> None:
    as_json("rank", "--input", lists, "--output", tmp_path / "out.run", "--model", "bm25")
    assert (tmp_path / "out.run").read_text().split()[:4] == ["q0", "Q0", "1", "1"]
    report = as_json("evaluate", tmp_path / "out.run", "--data", lists)
    assert report["metrics"] == as_json("evaluate", "bm25", "--data", lists)["metrics"]


def test_ask(tmp_path: Path) -> None:
    path = tmp_path / "info.md"
    path.write_text("# Hours\n\nWelcome. The **shop** opens at nine in the morning. Parking is free.\n")
    found = as_json("ask", QUESTION, path, "--top", "2")
    best = found["results"][0]
    assert best["text"] == "The shop opens at nine in the morning."
    assert best["source"] == str(path)
    assert path.read_text()[best["start"] : best["end"]] == "The **shop** opens at nine in the morning."
    assert len(found["results"]) == 2
    first = anselm("ask", QUESTION, path).stdout.decode().splitlines()[2].split("\t")
    assert (first[0], *first[2:]) == ("1", f"{path}:3", "The shop opens at nine in the morning.")
    assert as_json("ask", QUESTION, "-", "-", stdin=FAQ.encode())["results"][0]["source"] == "-"
    sources = [result["source"] for result in as_json("ask", QUESTION, path, tmp_path, tmp_path / "info.md")["results"]]
    assert sources == [str(path)] * 3


def test_evaluate_and_compare(lists: Path) -> None:
    report = as_json("evaluate", "bm25", "--data", lists, "--metrics", "map,mrr,p@1")
    assert report["metrics"] == {"map": 1.0, "mrr": 1.0, "p@1": 1.0}
    assert (report["model"], report["questions"], report["pairs"], report["protocol"]) == ("bm25", 5, 10, "raw")
    assert "protocol raw" in anselm("evaluate", "bm25", "--data", lists).stdout.decode()
    compared = as_json("compare", "bm25", "tfidf", "--data", lists)
    assert compared["models"] == ["bm25", "tfidf"]
    assert compared["comparisons"]["map"]["difference"] == 0.0
    assert "paired randomisation test" in anselm("compare", "bm25", "tfidf", "--data", lists).stdout.decode()


def test_a_model_is_shown_as_it_was_named(lists: Path, tmp_path: Path) -> None:
    as_json("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "mine")
    assert as_json("compare", "bm25", tmp_path / "mine", "--data", lists)["models"] == ["bm25", str(tmp_path / "mine")]
    assert as_json("rank", "oak?", "-c", "-", "-m", tmp_path / "mine", stdin=b"oak\n")["model"] == str(
        tmp_path / "mine"
    )
    assert as_json("rank", "oak?", "-c", "-", stdin=b"oak\n")["model"] == "default"


def test_evaluate_a_published_run(tmp_path: Path) -> None:
    """AP of q1 is 1/2 and of q2 is 1; q3 has no answer and counts in raw only."""
    (tmp_path / "a.qrels").write_text("q1 0 a 0\nq1 0 b 1\nq2 0 a 1\nq2 0 b 0\nq3 0 a 0\n")
    (tmp_path / "a.run").write_text(
        "q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\nq2 Q0 a 1 2.0 x\nq2 Q0 b 2 1.0 x\nq3 Q0 a 1 1 x\n"
    )
    clean = as_json("evaluate", tmp_path / "a.run", "--data", tmp_path / "a.qrels", "--protocol", "clean")
    raw = as_json("evaluate", tmp_path / "a.run", "--data", tmp_path / "a.qrels")
    assert (clean["metrics"]["map"], clean["questions"]) == (0.75, 2)
    assert (raw["metrics"]["map"], raw["questions"]) == (0.5, 3)


def test_a_run_against_judgements_of_the_relevant_alone(tmp_path: Path) -> None:
    """As BEIR's and MS MARCO's: what nobody judged is not relevant, unless it is to be left out."""
    qrels, a, b = (tmp_path / name for name in ("qrels.dev.tsv", "a.run", "b.run"))
    qrels.write_text("q1\t0\tb\t1\nq2\t0\tz\t1\nq3\t0\ta\t1\n")
    a.write_text("q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 1 x\nq2 Q0 a 1 1 x\n")
    b.write_text("q1 Q0 b 1 2 x\nq9 Q0 a 1 1 x\n")
    found = as_json("evaluate", a, "--data", qrels, "--metrics", "map,mrr@1", "--per-question")
    assert found["metrics"] == {"map": pytest.approx(0.5 / 3), "mrr@1": 0.0}
    assert found["coverage"] == {"questions_missing": 1, "candidates": 4, "unjudged": 3, "relevant_missing": 2}
    assert found["per_question"][0] == {"id": "q1", "map": 0.5, "mrr@1": 0.0}
    assert [row["id"] for row in found["per_question"]] == ["q1", "q2", "q3"]
    assert "per_question" not in as_json("evaluate", a, "--data", qrels)
    judged = as_json("evaluate", a, "--data", qrels, "--metrics", "map", "--judged-only")
    assert (judged["judged_only"], judged["metrics"]) == (True, {"map": pytest.approx(1 / 3)})
    told = anselm("evaluate", a, "--data", qrels, "--per-question")
    shown = " ".join(told.stdout.decode().split())
    assert "1 of 3 questions (they count as 0), 2 relevant candidates (not found); not judged: 3 of its 4" in shown
    assert "q3 0.0000" in shown
    assert told.stderr == b""
    compared = as_json("compare", a, b, "--data", qrels, "--metrics", "map")
    assert compared["comparisons"]["map"]["n"] == compared["questions"] == 3
    assert compared["comparisons"]["map"]["difference"] == pytest.approx(-0.5 / 3)
    assert [row["questions_missing"] for row in compared["coverage"]] == [1, 2]
    b.write_text("9 Q0 a 1 1 x\n")
    wrong = anselm("evaluate", b, "--data", qrels)
    assert (wrong.returncode, wrong.stderr.count(b"\n")) == (2, 1)
    assert b"has none of the 3 questions" in wrong.stderr


def test_lists_that_any_order_is_right_for_are_told(tmp_path: Path, lists: Path) -> None:
    path = tmp_path / "relevant.csv"
    path.write_text("question,answer,label\noak?,elm,1\noak?,oak,1\n")
    assert b"every candidate that is ranked" in anselm("evaluate", "bm25", "--data", path).stderr
    assert anselm("evaluate", "bm25", "--data", lists).stderr == b""


def test_models() -> None:
    found = as_json("models")
    assert {"default", "bm25", "tfidf", "jaccard", "overlap"} <= {row["name"] for row in found}
    assert all(row["kind"] and row["summary"] for row in found)


def test_train_fits_statistics_and_calibration(lists: Path, tmp_path: Path) -> None:
    done = as_json("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "mine")
    assert done["lists"] == 5
    assert done["fitted_on"] == f"{lists} all (raw)"
    assert {"config.json", "statistics.json", "calibration.json"} <= {p.name for p in (tmp_path / "mine").iterdir()}
    assert as_json("evaluate", tmp_path / "mine", "--data", lists)["metrics"]["map"] == 1.0
    assert (
        as_json("rank", "oak?", "-c", "-", "--model", tmp_path / "mine", stdin=b"elm\noak\n")["results"][0]["index"]
        == 1
    )


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Ten questions, the last four without an answer; the better the match, the likelier it is right."""
    path = tmp_path / "judged.jsonl"
    rows = [
        {
            "id": f"q{i}",
            "question": "oak elm fir",
            "candidates": [
                {"text": " ".join(["oak", "elm", "fir"][: 1 + i % 3]), "label": int(i < 6)},
                {"text": "ash", "label": 0},
            ],
        }
        for i in range(10)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_calibrate_writes_into_the_checkpoint(judged: Path, tmp_path: Path) -> None:
    as_json("train", "--base", "bm25", "--data", judged, "--out", tmp_path / "mine")
    with renew_checksums(tmp_path / "mine", "calibration.json"):
        (tmp_path / "mine" / "calibration.json").write_text('{"slope": 50, "intercept": 0, "threshold": 0.9}')
    files = {path.name for path in (tmp_path / "mine").iterdir()}
    done = as_json("calibrate", tmp_path / "mine", "--data", judged, "--threshold", "recall=0.5")
    record = json.loads((tmp_path / "mine" / "calibration.json").read_text())
    assert record == {
        **{kind: weights for kind, weights in done["weights"].items() if weights},
        "threshold": done["threshold"], "fitted_on": done["fitted_on"],
    }  # fmt: skip
    assert record["fitted_on"] == f"{judged} all (raw)"
    assert {path.name for path in (tmp_path / "mine").iterdir()} == files
    assert (done["questions"], done["pairs"], done["chosen_by"]) == (10, 20, "recall=0.5")
    assert done["before"]["threshold"] == 0.9
    assert done["after"]["ece"] < done["before"]["ece"]
    assert done["after"]["log_loss"] < done["before"]["log_loss"]
    assert done["after"]["recall"] >= 0.5
    assert done["after"] == {"ece": done["after"]["ece"], "log_loss": done["after"]["log_loss"]} | next(
        row for row in done["tradeoff"] if row["threshold"] == done["threshold"]
    )
    again = as_json("evaluate", tmp_path / "mine", "--data", judged)
    assert (again["ece"], again["triggering"]["f1"]) == (done["after"]["ece"], done["after"]["f1"])


def test_calibrate_a_copy_of_a_shipped_model(judged: Path, tmp_path: Path) -> None:
    shipped = anselm("calibrate", "bm25", "--data", judged, "--out", tmp_path / "copy").stdout.decode()
    assert f"{tmp_path / 'copy'}, fitted on" in " ".join(shipped.split())
    lines = [line.split() for line in shipped.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("before", "after")] == ["before", "after"]
    assert sum("chosen" in line for line in lines) == 1
    assert (
        as_json("evaluate", tmp_path / "copy", "--data", judged)["ece"]
        != as_json("evaluate", "bm25", "--data", judged)["ece"]
    )
    fixed = as_json("calibrate", tmp_path / "copy", "--data", judged, "--threshold", "0.25")
    assert as_json("rank", "oak", "-c", "-", "-m", tmp_path / "copy", stdin=b"oak\n")["threshold"] == 0.25
    assert fixed["threshold"] == 0.25
    (tmp_path / "copy" / "secret.txt").symlink_to(judged)
    done = anselm("calibrate", tmp_path / "copy", "--data", judged, "--out", tmp_path / "second")
    assert done.returncode == 2
    assert b"secret.txt is a link that leads out of the checkpoint" in done.stderr
    assert not (tmp_path / "second").exists()


def test_evaluate_draws_a_picture(judged: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = as_json("evaluate", "bm25", "--data", judged, "--plot", tmp_path / "picture.png")
    assert report == as_json("evaluate", "bm25", "--data", judged)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_rank_explains(faq: Path) -> None:
    found = as_json("rank", QUESTION, "-c", faq, "-m", "bm25", "--explain", "--top", "2")
    for result in found["results"]:
        assert result["explanation"].keys() == {"question", "answer"}
        for text, words in ((QUESTION, "question"), (result["text"], "answer")):
            for word in result["explanation"][words]:
                assert word.keys() == {"text", "start", "end", "weight"}
                assert text[word["start"] : word["end"]] == word["text"]
    shown = " ".join(anselm("rank", QUESTION, "-c", faq, "-m", "bm25", "--explain").stdout.decode().split())
    assert "When does *the shop open* in *the morning*?" in shown
    assert "The *shop opens* at nine in the *morning*." in shown
    assert "*" not in anselm("rank", QUESTION, "-c", faq).stdout.decode()


def test_ask_explains(faq: Path) -> None:
    found = as_json("ask", QUESTION, faq, "-m", "bm25", "--explain", "--top", "1")["results"][0]
    heaviest = max(found["explanation"]["answer"], key=lambda word: word["weight"])
    assert heaviest["text"] in ("shop", "opens", "morning")
    shown = anselm("ask", QUESTION, faq, "-m", "bm25", "--explain").stdout.decode()
    assert shown.count("The *shop opens* at nine in the *morning*.") == 1


def test_rank_folds_duplicates() -> None:
    stdin = b"Parking is free.\nThe shop opens at nine.\nthe shop opens at NINE\nThe shop opens at ten.\n"
    found = as_json("rank", QUESTION, "-c", "-", "-m", "bm25", "--fold-duplicates", "--top", "2", stdin=stdin)
    assert [(result["index"], result["duplicates"]) for result in found["results"]] == [(1, [2]), (3, [])]
    shown = anselm("rank", QUESTION, "-c", "-", "-m", "bm25", "--fold-duplicates", stdin=stdin).stdout.decode()
    assert "[1] and 1 near-duplicate" in " ".join(shown.split())
    assert "NINE" not in shown


def test_ask_folds_duplicates(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("Parking is free. The shop opens at nine in the morning.")
    (tmp_path / "new.txt").write_text("the shop opens at NINE in the morning! We sell tea.")
    found = as_json("ask", QUESTION, tmp_path / "new.txt", tmp_path / "old.txt", "-m", "bm25", "--fold-duplicates")
    first, *others = found["results"]
    assert (first["source"], first["index"], first["duplicates"]) == (str(tmp_path / "new.txt"), 0, [3])
    assert [result["text"] for result in others] == ["We sell tea.", "Parking is free."]
    shown = anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--fold-duplicates", COLUMNS="200").stdout.decode()
    assert "new.txt:1 and 1 near-duplicate" in shown
    assert "nine" not in shown


def test_data_commands(lists: Path, tmp_path: Path) -> None:
    listed = as_json("data", "list")
    assert {"wikiqa", "trecqa", "semeval-2016", "squad"} <= {row["name"] for row in listed}
    stats = as_json("data", "stats", lists)
    assert (stats[0]["questions"], stats[0]["pairs"], stats[0]["relevant"]) == (5, 10, 5)
    as_json("data", "convert", lists, tmp_path / "pairs.csv")
    as_json("data", "convert", tmp_path / "pairs.csv", tmp_path / "beir")
    as_json("data", "convert", tmp_path / "beir", tmp_path / "again.jsonl")
    again = as_json("evaluate", "bm25", "--data", tmp_path / "again.jsonl")
    assert again["metrics"] == as_json("evaluate", "bm25", "--data", lists)["metrics"]


def test_rank_a_faq(tmp_path: Path) -> None:
    path = tmp_path / "faq.csv"
    path.write_text("Nr;Frage;Auskunft\n1;When does the shop open?;At nine.\n2;Is parking free?;Yes, it is.\n")
    found = as_json("rank", QUESTION, "-c", path, "--columns", "answer=Auskunft", "-m", "bm25")
    assert {result["id"]: result["text"] for result in found["results"]} == {"1": "At nine.", "2": "Yes, it is."}
    lines = as_json("rank", QUESTION, "-c", "-", "-m", "bm25", stdin=b"one\ntwo\n")
    assert not any("id" in result for result in lines["results"])


def test_what_is_skipped_is_named_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "faq.jsonl"
    path.write_text('{"a": "oak"}\n' + "broken\n" * 7 + '{"a": "elm"}\n')
    done = anselm("rank", "oak?", "-c", path, "-m", "bm25", "--json")
    assert done.returncode == 3
    assert [result["text"] for result in json.loads(done.stdout)["results"]] == ["oak", "elm"]
    told = done.stderr.decode().splitlines()
    problem = "not valid JSON: Expecting value at character 1"
    assert told[:5] == [f"anselm: skipped: {path}, line {number}: {problem}" for number in range(2, 7)]
    assert told[5:] == ["anselm: 7 skipped (2 more); --strict stops at the first"]


def test_what_cannot_be_read_in_a_folder_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FAQ)
    (tmp_path / "b.txt").write_bytes(b"\0\1")
    done = anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--json")
    assert (done.returncode, len(json.loads(done.stdout)["results"])) == (3, 3)
    assert done.stderr.decode().splitlines()[0] == f"anselm: skipped: {tmp_path / 'b.txt'}: is binary, not a text"
    assert anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--strict").returncode == 2
    assert anselm("ask", QUESTION, tmp_path / "b.txt", "-m", "bm25").returncode == 2


BAD = {
    "no question": (["rank", "", "-c", "FAQ"], "the question is empty"),
    "no candidates": (["rank", "Who?", "-c", "EMPTY"], "no candidates"),
    "nothing given": (["rank"], "a question and --candidates FILE are needed"),
    "a bad line": (["rank", "Who?", "-c", "BROKEN", "--strict"], "broken.jsonl, line 2: not valid JSON"),
    "nothing but bad lines": (["rank", "Who?", "-c", "BROKEN"], "no column of answers"),
    "a column that is not there": (
        ["rank", "Who?", "-c", "COLUMNS", "--columns", "answer=z"],
        "no column is named 'z'",
    ),
    "a part that is none": (["rank", "Who?", "-c", "COLUMNS", "--columns", "=,"], "or some of them, not '='"),
    "a part twice": (
        ["rank", "Who?", "-c", "COLUMNS", "--columns", "answer=a,answer=b"],
        "--columns names the answer twice: 'a' and 'b'",
    ),
    "a column twice": (
        ["ask", "Who?", "COLUMNS", "--columns", "answer=1,question=1"],
        "the column '1' cannot be both the answer and the question",
    ),
    "a long cutoff": (
        ["evaluate", "bm25", "-d", "LISTS", "--metrics", "p@" + "9" * 5_000],
        "unknown metric 'p@999",
    ),
    "an unknown part": (["rank", "Who?", "-c", "COLUMNS", "--columns", "reply=b"], "--columns takes question=NAME"),
    "columns of a text": (["rank", "Who?", "-c", "FAQ", "--columns", "answer=b"], "has no columns to name"),
    "an address": (["rank", "Who?", "-c", "https://x.y/faq.csv"], "https://x.y/faq.csv is an address"),
    "an address to ask": (["ask", "Who?", "https://x.y/faq.html"], "https://x.y/faq.html is an address"),
    "a folder": (["rank", "Who?", "-c", "FOLDER"], "is a folder; a file is needed"),
    "no file": (["rank", "Who?", "-c", "NOWHERE"], "nowhere does not exist"),
    "broken UTF-8": (["rank", "Who?", "-c", "LATIN"], "latin.txt, line 1: not valid UTF-8"),
    "100,000 candidates": (["rank", "Who?", "-c", "MANY"], "100,000 candidates are too many for one list"),
    "a 10 MB line": (["rank", "Who?", "-c", "LONG"], "long.txt, line 1: the candidate has 10,000,000 characters"),
    "duplicate ids": (
        ["rank", "Who?", "-c", "TWINS", "--strict"],
        "twins.jsonl, line 2: the id 'a' was used on line 1",
    ),
    "a bad label": (
        ["evaluate", "bm25", "-d", "LABEL"],
        "label.jsonl, line 1: the label of candidate 0 must be a number",
    ),
    "wrong columns": (["evaluate", "bm25", "-d", "COLUMNS"], "columns.csv, line 1: no column 'question'"),
    "no labels": (["evaluate", "bm25", "-d", "UNLABELLED"], "has no labels"),
    "an unknown model": (["rank", "Who?", "-c", "FAQ", "-m", "bm52"], "Did you mean 'bm25'?"),
    "an unknown corpus": (["evaluate", "bm25", "-d", "wikiaq"], "Did you mean 'wikiqa'?"),
    "an unknown metric": (["evaluate", "bm25", "-d", "LISTS", "--metrics", "mpa"], "unknown metric 'mpa'"),
    "an unknown tie rule": (["evaluate", "bm25", "-d", "LISTS", "--ties", "luck"], "unknown tie rule 'luck'"),
    "an unknown protocol": (["evaluate", "bm25", "-d", "LISTS", "--protocol", "dirty"], "unknown protocol 'dirty'"),
    "no data folder": (["evaluate", "bm25", "-d", "wikiqa", "--data-dir", "NOWHERE"], "nowhere does not exist"),
    "a corpus that is not there": (
        ["data", "check", "wikiqa", "--data-dir", "FOLDER"],
        "WikiQA-train.tsv does not exist",
    ),
    "a PDF": (["ask", "Who?", "PDF"], ".pdf"),
    "an empty document": (["ask", "Who?", "EMPTY"], "no sentences"),
    "no training split": (["train", "-d", "squadshifts", "--out", "OUT"], "squadshifts has no split 'train' to fit on"),
    "no candidate of top": (["rank", "--input", "LISTS", "--output", "OUT", "--top", "0"], "top must be at least 1"),
    "nothing to rank": (["rank", "--input", "EMPTY", "--output", "OUT"], "there are no questions to rank into"),
    "a leftover": (
        ["rank", "--input", "LISTS", "--output", "LEFT"],
        "left.jsonl.partial was not begun with",
    ),
    "a name too long": (["rank", "Who?", "-c", "x" * 300], "File name too long"),
    "a model name too long": (["rank", "Who?", "-c", "FAQ", "-m", "x" * 300], "File name too long"),
    "a document name too long": (["ask", "Who?", "x" * 300], "File name too long"),
    "a data name too long": (["evaluate", "bm25", "-d", "./" + "x" * 300], "File name too long"),
    "an output name too long": (["rank", "--input", "LISTS", "--output", "x" * 300], "File name too long"),
    "an untrained model": (["rank", "Who?", "-c", "FAQ", "-m", "cross-encoder"], "'cross-encoder'"),
    "no argument": (["ask"], "anselm: Missing argument 'question' (see"),
    "an unknown option": (["rank", "--foo"], "No such option: --foo"),
    "no number": (["rank", "Who?", "-c", "FAQ", "--top", "abc"], "Invalid value for '--top'"),
    "no data": (["evaluate", "bm25"], "Missing option '--data'"),
    "an unknown command": (["raank"], "No such command 'raank'. Did you mean 'rank'"),
    "an unknown data command": (["data", "lst"], "No such command 'lst'"),
    "bulk without output": (["rank", "--input", "LISTS"], "bulk ranking takes --input and --output"),
    "a question in bulk": (["rank", "Who?", "--input", "LISTS", "--output", "OUT"], "bulk ranking takes --input and"),
    "a shipped checkpoint": (["calibrate", "bm25", "-d", "LISTS"], "'bm25' comes with the package and stays as it is"),
    "no checkpoint": (["calibrate", "FOLDER", "-d", "LISTS"], "is not a checkpoint: there is no config.json"),
    "a copy that exists": (["calibrate", "bm25", "-d", "LISTS", "--out", "FOLDER"], "exists already"),
    "no labels to fit": (
        ["calibrate", "bm25", "-d", "UNLABELLED", "--out", "OUT"],
        "has no labels, so there is nothing",
    ),
    "nothing relevant": (["calibrate", "bm25", "-d", "WRONG", "--out", "OUT"], "no candidate in"),
    "all relevant": (["calibrate", "bm25", "-d", "RIGHT", "--out", "OUT"], "every candidate in"),
    "no rule": (
        ["calibrate", "bm25", "-d", "LISTS", "--out", "OUT", "--threshold", "f2"],
        "must be best-f1, precision=P",
    ),
    "a precision too high": (
        ["calibrate", "bm25", "-d", "UNSURE", "--out", "OUT", "--threshold", "precision=0.9"],
        "no threshold reaches a precision of 0.9",
    ),
    "no dev split": (["calibrate", "bm25", "-d", "squadshifts", "--out", "OUT"], "squadshifts has no split 'dev'"),
    "an unknown picture": (["evaluate", "bm25", "-d", "LISTS", "--plot", "OUT"], "must end in one of .png, .svg"),
    "explained in bulk": (["rank", "--input", "LISTS", "--output", "OUT", "--explain"], "for one question, not for"),
    "a lone qrels": (["evaluate", "bm25", "-d", "QRELS"], "judgements without texts"),
}


@pytest.mark.parametrize(("arguments", "problem"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_sentence(
    arguments: list[str], problem: str, faq: Path, lists: Path, tmp_path: Path
) -> None:
    contents = {
        "EMPTY": ("empty.txt", b""),
        "LATIN": ("latin.txt", b"caf\xe9\n"),
        "MANY": ("many.txt", b"yes\n" * 100_000),
        "LONG": ("long.txt", b"x" * 10_000_000),
        "TWINS": ("twins.jsonl", b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n'),
        "LABEL": ("label.jsonl", b'{"question": "Who?", "candidates": [{"text": "x", "label": "yes"}]}'),
        "UNLABELLED": ("unlabelled.jsonl", b'{"question": "Who?", "candidates": ["x"]}'),
        "WRONG": ("wrong.jsonl", b'{"question": "Who?", "candidates": [{"text": "x", "label": 0}]}'),
        "RIGHT": ("right.jsonl", b'{"question": "Who?", "candidates": [{"text": "x", "label": 1}]}'),
        "UNSURE": (
            "unsure.jsonl",
            b'{"question": "oak?", "candidates": [{"text": "oak", "label": 0}, {"text": "elm", "label": 1}]}',
        ),
        "COLUMNS": ("columns.csv", b"a,b\n1,2\n"),
        "BROKEN": ("broken.jsonl", b'{"question": "Who?", "candidates": ["x"]}\n{"question"\n'),
        "PDF": ("paper.pdf", b"%PDF-1.7\x00"),
        "QRELS": ("lone.qrels", b"q 0 a 1\n"),
        "PARTIAL": ("left.jsonl.partial", b"garbage\n"),
    }
    places = {
        "FAQ": faq,
        "LISTS": lists,
        "FOLDER": tmp_path / "folder",
        "NOWHERE": tmp_path / "nowhere",
        "OUT": tmp_path / "out",
        "LEFT": tmp_path / "left.jsonl",
    }
    places["FOLDER"].mkdir()
    for key, (name, content) in contents.items():
        places[key] = tmp_path / name
        places[key].write_bytes(content)
    before = {path.name for path in tmp_path.iterdir()}
    done = anselm(*(places.get(argument, argument) for argument in arguments))
    message = done.stderr.decode()
    assert done.returncode == 2, message
    assert problem in message
    assert message.startswith("anselm: ")
    assert "Traceback" not in message
    assert len(message.strip().splitlines()) == 1
    assert done.stdout == b"" or arguments[0] == "data"
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_full_disk_is_one_clear_sentence(faq: Path) -> None:
    for arguments in (["rank", QUESTION, "-c", str(faq)], ["models", "--json"], ["--help"]):
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "anselm", *arguments]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2
        assert done.stderr == b"anselm: standard input or output cannot be read or written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_where_nobody_can_be_told_the_exit_code_stays(faq: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"a": "oak"}\nbroken\n')
    lines = {
        ("rank", "oak?", "-c", str(tmp_path / "bad.jsonl"), "-m", "bm25"): 3,
        ("rank", "oak?", "-c", str(tmp_path / "missing.txt"), "-m", "bm25"): 2,
        ("rank", QUESTION, "-c", str(faq), "-m", "bm25", "--no-such"): 2,
    }
    for arguments, code in lines.items():
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "anselm", *arguments]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, check=False)
        assert done.returncode == code


def test_standard_input_is_not_replaced(lists: Path) -> None:
    before = lists.read_bytes()
    for output in (lists, lists.with_name("out.jsonl")):
        if output != lists:
            lists.rename(partial := output.with_name("out.jsonl.partial"))
        source = lists if output == lists else partial
        with source.open("rb") as stdin:
            command = [sys.executable, "-m", "anselm", "rank", "--input", "-", "--output", str(output), "--overwrite"]
            done = subprocess.run([*command, "-m", "bm25"], stdin=stdin, capture_output=True, text=True)
        assert (done.returncode, source.read_bytes()) == (2, before)
        assert "is what is read, which would be lost" in done.stderr


def test_standard_input_is_decoded_as_files_are(tmp_path: Path) -> None:
    text = "The shop opens at nine.\r\n\r\nParking is free – „always“.\r\n"
    (tmp_path / "a.txt").write_bytes(text.encode("utf-16"))
    there = as_json("ask", QUESTION, tmp_path / "a.txt", "-m", "bm25")["results"]
    here = as_json("ask", QUESTION, "-", "-m", "bm25", stdin=text.encode("utf-16"))["results"]
    assert [one | {"source": ""} for one in here] == [one | {"source": ""} for one in there]
    assert as_json("rank", QUESTION, "-c", "-", "-m", "bm25", stdin=text.encode("utf-16"))["results"]
    for command in (["ask", QUESTION, "-"], ["rank", QUESTION, "-c", "-"]):
        done = anselm(*command, "-m", "bm25", stdin=b"It opens.\0")
        assert (done.returncode, done.stderr) == (2, b"anselm: standard input: is binary, not a text\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_model_folder_of_any_name(lists: Path, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path / "model-") + b"\xff")
    shutil.copytree(SHIPPED / "bm25", folder)
    for name in ("out.jsonl", "out.run"):
        done = anselm("rank", "--input", lists, "--output", tmp_path / name, "-m", folder)
        assert done.returncode == 0, done.stderr
        assert "model-?" in (tmp_path / name).read_text()


def test_lists_are_converted_into_a_stream(lists: Path, tmp_path: Path) -> None:
    assert anselm("data", "convert", lists, tmp_path / "lists.csv").returncode == 0
    done = anselm("data", "convert", lists, "/dev/stdout", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, (tmp_path / "lists.csv").read_bytes())
    assert done.stderr == b"anselm: 5 lists written\n"


def test_an_ascii_terminal_loses_characters_but_nothing_else(faq: Path) -> None:
    faq.write_text("Le café ouvre à neuf heures.\n")
    shown = anselm("rank", "café?", "-c", faq, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0, shown.stderr
    assert "Le caf? ouvre" in shown.stdout.decode("ascii")
    machine = anselm("rank", "café?", "-c", faq, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(machine.stdout.decode("ascii"))["results"][0]["text"] == "Le café ouvre à neuf heures."
    assert "Le café".encode() in anselm("rank", "café?", "-c", faq, "--json", PYTHONIOENCODING="utf-8").stdout


def commands(group, *path: str) -> Iterator[tuple[str, ...]]:
    """Every command that can be typed, the groups among them."""
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *path, name)


COMMANDS = list(commands(typer.main.get_command(cli.app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_an_example(path: tuple[str, ...]) -> None:
    done = anselm(*path, "--help")
    assert done.returncode == 0
    assert f"Example: {' '.join(('anselm', *path))}" in done.stdout.decode()


def test_no_command_shows_help() -> None:
    assert len(COMMANDS) > 10
    for path in ((), ("data",)):
        done = anselm(*path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.strip() == anselm(*path, "--help").stdout.strip()
    assert anselm("--version").stdout.startswith(b"anselm ")


class AtOnce:
    """A timer without patience."""

    daemon = False

    def __init__(self, seconds: float, function) -> None:
        assert seconds == 2.0
        self.start = function

    def cancel(self) -> None: ...
    def join(self) -> None: ...


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ("evaluate bm25 --data LISTS", ["reading", "scoring"]),
        ("compare bm25 tfidf --data LISTS", ["reading", "scoring"]),
        ("train --base bm25 --data LISTS --out OUT", ["reading", "fitting"]),
        ("calibrate bm25 --data LISTS --out OUT", ["reading", "scoring"]),
        ("data stats LISTS", ["counting"]),
        ("data convert LISTS OUT.csv", ["converting"]),
        ("rank --input LISTS --output OUT.jsonl", ["ranking"]),
        ("rank Who? --candidates FAQ", ["ranking"]),
        ("ask Who? FAQ", ["asking"]),
    ],
)
def test_what_may_take_long_shows_how_far_it_is(
    arguments: str, labels: list[str], lists: Path, faq: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(terminal.bars, "Timer", AtOnce)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    places = {"LISTS": str(lists), "FAQ": str(faq), "OUT": str(tmp_path / "out")}
    for key, place in places.items():
        arguments = arguments.replace(key, place)
    cli.app(arguments.split(), standalone_mode=False)
    told = capsys.readouterr()
    assert all(label in told.err for label in labels)
    assert not any(label in told.out for label in labels)


def test_only_people_are_shown_progress(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(terminal.bars, "Timer", AtOnce)
    assert list(terminal.progress([1, 2], "counting")) == [1, 2]
    assert capsys.readouterr().err == ""


def screen(width: int = 80, terminal: bool = False) -> Console:
    return Console(file=StringIO(), width=width, force_terminal=terminal or None, color_system=None)


def seen(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


STATISTICS = {
    "split": "train-part2-all", "protocol": "official", "questions": 17_900, "pairs": 1_790_000, "relevant": 6_651,
    "without_answer": 12_345, "words_per_question": 49.5, "words_per_answer": 102.3,
}  # fmt: skip


@pytest.mark.parametrize("width", [120, 80, 40])
def test_a_table_breaks_no_word(width: int) -> None:
    console = screen(width)
    terminal.show_table(console, [STATISTICS] * 2)
    found = {part.rstrip(":") for part in seen(console).split()}
    assert {"train-part2-all", "official", "17,900", "1,790,000", "6,651", "12,345", "49.5", "102.3"} <= found
    assert {"questions", "pairs", "relevant", "without", "answer", "words", "question"} <= found
    assert max(map(len, seen(console).splitlines())) <= width


def test_control_characters_are_not_shown() -> None:
    wild = "red \x1b[31m\x07 and \u202eback"
    best = Passage(0, f"The {wild} one.", 1.0, 0.9, None, f"file{wild}", 0, 1, 1, f"Before {wild}.", f"After {wild}.")
    for width, terminal_too in ((80, True), (300, True), (80, False)):
        console = screen(width, terminal_too)
        terminal.show_answers(console, Answers(f"Who {wild}?", "m", True, 0.5, (best,), 0.9))
        assert not set("\x1b\x07\u202e") & set(seen(console))
        assert "The red [31m and back one." in " ".join(seen(console).split()) or width == 80


@pytest.mark.parametrize(
    ("before", "here", "after", "expected"),
    [
        ("Guarantee", "It lasts.", "Keep it.", ["Guarantee", "It lasts. Keep it."]),
        ("It lasts.", "Cleaning", "Wipe it.", ["It lasts.", "Cleaning", "Wipe it."]),
        ('He said: "No."', "She left!", "", ['He said: "No." She left!']),
        ("", "It lasts.", "Cleaning", ["It lasts.", "Cleaning"]),
    ],
)
def test_a_heading_stands_on_its_own_line(before: str, here: str, after: str, expected: list[str]) -> None:
    console = screen(terminal=True)
    best = Passage(0, here, 1.0, 0.9, None, "a.md", 0, 1, 1, before, after)
    terminal.show_answers(console, Answers("Who?", "m", True, 0.5, (best,), 0.9))
    assert [line.strip("│ ") for line in seen(console).splitlines() if line.startswith("│")] == expected


def test_people_see_bars_and_pipes_get_lines() -> None:
    ranking = Ranking(
        "Who?", "m", True, 0.5, (Result(1, "Ann  is\there.", 1.0, 0.75), Result(0, "Bob.", 0.5, 0.04)), 0.9
    )
    console = screen(terminal=True)
    terminal.show_ranking(console, ranking)
    assert "An answer was found, with 90% certainty that there is one." in seen(console)
    assert "1   █████████     75%   Ann is here.  [1]" in seen(console)
    console = screen()
    terminal.show_ranking(console, ranking)
    assert seen(console).splitlines()[2:] == ["1\t75%\t[1]\tAnn is here.", "2\t4%\t[0]\tBob."]


def test_a_line_is_one_line_however_long_it_is() -> None:
    console = screen(40)
    results = (Result(0, "word " * 100, 1.0, 0.9, question="Why\nso?"),)
    terminal.show_ranking(console, Ranking("Who?", "m", True, 0.5, results, 0.9))
    assert seen(console).splitlines()[2:] == [f"1\t90%\t[0]\tWhy so? {'word ' * 99}word"]


@pytest.mark.parametrize("people", [True, False])
def test_where_there_is_no_answer_only_the_nearest_are_shown(people: bool) -> None:
    results = tuple(Result(i, f"text {i}", 1.0, 0.1) for i in range(5))
    for answerable, shown in ((False, 3), (True, 5), (None, 5)):
        console = screen(200, people)
        sure = None if answerable is None else 0.2
        terminal.show_ranking(console, Ranking("Who?", "m", answerable, 0.5, results, sure))
        assert seen(console).count("text ") == shown
        assert ("No answer found: the certainty that there is one is 20%, below 50%." in seen(console)) is (
            answerable is False
        )


def test_without_probabilities_scores_are_shown() -> None:
    results = (Result(0, "Ann.", 1.239, None), Result(1, "Bob.", -0.5, None))
    console = screen()
    terminal.show_ranking(console, Ranking("Who?", "m", None, None, results))
    assert seen(console).splitlines() == ["Who?", "1\t1.24\t[0]\tAnn.", "2\t-0.50\t[1]\tBob."]
    console = screen(terminal=True)
    terminal.show_ranking(console, Ranking("Who?", "m", None, None, results))
    assert "score" in seen(console)
    assert "%" not in seen(console)


def test_an_ascii_terminal_gets_bars_of_ascii() -> None:
    assert terminal.rankings.bar(0.5, plain=True) == "######      "
    assert terminal.rankings.bar(0.5) == "██████      "


def test_reports_say_what_they_count() -> None:
    numbers = {"map": 0.5}
    console = screen(200)
    terminal.show_report(console, Report("m", "d", "test", "worst-copy", "source", 2, 60, numbers, copies=6))
    terminal.show_report(console, Report("m", "d", "test", "official", "source", 2, 60, numbers, semeval={"map": 0.5}))
    assert "2 questions (each the worst of its copies, 6 in all), 60 pairs" in seen(console)
    assert "By the rules of SemEval's 2016 scorer" in seen(console)
    assert "own scorer" not in seen(console)


def test_the_default_ranks_without_torch(faq: Path) -> None:
    """Nor with transformers, nor with a way out of this machine."""
    code = (
        "import socket, sys\n"
        "sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "def refuse(*arguments): raise OSError('no network here')\n"
        "socket.socket.connect = refuse\n"
        "from anselm.cli import main\n"
        f"sys.argv = ['anselm', 'rank', {QUESTION!r}, '-c', {str(faq)!r}, '--json']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["model"] == "default"
    assert found["answerable"]
    assert found["results"][0]["text"] == "The shop opens at nine in the morning."


def test_train_takes_bm25_where_no_base_is_named(lists: Path, tmp_path: Path) -> None:
    as_json("train", "-d", lists, "--out", tmp_path / "mine")
    assert json.loads((tmp_path / "mine" / "config.json").read_text())["model"] == "bm25"


def test_the_default_cannot_be_trained_further(lists: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = anselm("train", "-d", lists, "--base", "general", "--out", tmp_path / "mine")
    assert done.returncode == 2
    assert b"cannot be trained" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="closed by a shell of POSIX")
@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        ("rank oak? -c - -m bm25 <&-", 2, "anselm: standard input is closed, and it was to be read\n"),
        ("ask oak? - -m bm25 <&-", 2, "anselm: standard input is closed, and it was to be read\n"),
        ("rank --input - --output - -m bm25 <&-", 2, "anselm: standard input is closed, and it was to be read\n"),
        ("models <&-", 0, ""),
        ("models >&-", 2, "anselm: standard output is closed, and results go there\n"),
        ("--version >&-", 2, "anselm: standard output is closed, and results go there\n"),
        ("models --json 2>&-", 0, ""),
        ("raank 2>&-", 2, ""),
        ("raank <&- >&- 2>&-", 2, ""),
    ],
)
def test_a_closed_stream_is_one_clear_sentence(arguments: str, code: int, problem: str) -> None:
    command = ["sh", "-c", f"{sys.executable} -m anselm {arguments}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, problem)
