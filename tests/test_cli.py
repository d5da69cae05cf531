"""The command line as people and machines call it: output, machine contract, and bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FAQ = "Parking is free.\nThe shop opens at nine in the morning.\nReturns are accepted for 30 days.\n"
QUESTION = "When does the shop open in the morning?"


def anselm(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "anselm", *map(str, arguments)], input=stdin, capture_output=True)


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
    assert found.keys() == {"question", "model", "answerable", "threshold", "results"}
    assert found["question"] == QUESTION
    assert found["answerable"] is True
    assert found["results"][0].keys() == {"index", "text", "score", "probability"}
    assert found["results"][0]["index"] == 1
    shown = anselm("rank", QUESTION, "--candidates", faq).stdout.decode()
    assert "The shop opens at nine" in shown
    assert "█" in shown


def test_rank_from_standard_input_with_ids() -> None:
    stdin = b'{"id": "a", "text": "Parking is free."}\n{"id": "b", "text": "The shop opens at nine."}\n'
    found = as_json("rank", QUESTION, "--candidates", "-", "--top", "1", stdin=stdin)
    assert [(result["id"], result["index"]) for result in found["results"]] == [("b", 1)]


def test_no_answer_is_said(faq: Path) -> None:
    assert as_json("rank", "Who painted this?", "--candidates", faq)["answerable"] is False
    assert "No answer found" in anselm("rank", "Who painted this?", "-c", faq).stdout.decode()


def test_rank_in_bulk(lists: Path, tmp_path: Path) -> None:
    summary = as_json("rank", "--input", lists, "--output", tmp_path / "out.jsonl")
    assert summary["lists"] == 5
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 5


def test_ask(tmp_path: Path) -> None:
    path = tmp_path / "info.md"
    path.write_text("# Hours\n\nWelcome. The **shop** opens at nine in the morning. Parking is free.\n")
    found = as_json("ask", QUESTION, path, "--top", "2")
    best = found["results"][0]
    assert best["text"] == "The shop opens at nine in the morning."
    assert best["source"] == str(path)
    assert path.read_text()[best["start"] : best["end"]] == "The **shop** opens at nine in the morning."
    assert len(found["results"]) == 2
    shown = anselm("ask", QUESTION, path).stdout.decode()
    assert "Welcome. The shop opens at nine in the morning. Parking is free." in " ".join(shown.split())
    assert as_json("ask", QUESTION, "-", stdin=FAQ.encode())["results"][0]["source"] == "-"


def test_evaluate_and_compare(lists: Path) -> None:
    report = as_json("evaluate", "bm25", "--data", lists, "--metrics", "map,mrr,p@1")
    assert report["metrics"] == {"map": 1.0, "mrr": 1.0, "p@1": 1.0}
    assert (report["model"], report["questions"], report["pairs"], report["protocol"]) == ("bm25", 5, 10, "raw")
    assert "protocol raw" in anselm("evaluate", "bm25", "--data", lists).stdout.decode()
    compared = as_json("compare", "bm25", "tfidf", "--data", lists)
    assert compared["models"] == ["bm25", "tfidf"]
    assert compared["comparisons"]["map"]["difference"] == 0.0
    assert "paired randomisation test" in anselm("compare", "bm25", "tfidf", "--data", lists).stdout.decode()


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


def test_models() -> None:
    found = as_json("models")
    assert {"default", "bm25", "tfidf", "jaccard", "overlap"} <= {row["name"] for row in found}
    assert all(row["kind"] and row["summary"] for row in found)


def test_train_fits_statistics_and_calibration(lists: Path, tmp_path: Path) -> None:
    done = as_json("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "mine")
    assert done["lists"] == 5
    assert {"config.json", "statistics.json", "calibration.json"} <= {p.name for p in (tmp_path / "mine").iterdir()}
    assert as_json("evaluate", tmp_path / "mine", "--data", lists)["metrics"]["map"] == 1.0
    assert (
        as_json("rank", "oak?", "-c", "-", "--model", tmp_path / "mine", stdin=b"elm\noak\n")["results"][0]["index"]
        == 1
    )


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


BAD = {
    "no question": (["rank", "", "-c", "FAQ"], "the question is empty"),
    "no candidates": (["rank", "Who?", "-c", "EMPTY"], "no candidates"),
    "nothing given": (["rank"], "a question and --candidates FILE are needed"),
    "an empty line": (["rank", "Who?", "-c", "GAP"], "gap.txt, line 2: the candidate is empty"),
    "a folder": (["rank", "Who?", "-c", "FOLDER"], "is a folder; a file is needed"),
    "no file": (["rank", "Who?", "-c", "NOWHERE"], "nowhere does not exist"),
    "broken UTF-8": (["rank", "Who?", "-c", "LATIN"], "latin.txt, line 1: not valid UTF-8"),
    "100,000 candidates": (["rank", "Who?", "-c", "MANY"], "100,000 candidates are too many for one list"),
    "a 10 MB line": (["rank", "Who?", "-c", "LONG"], "long.txt, line 1: the candidate has 10,000,000 characters"),
    "duplicate ids": (["rank", "Who?", "-c", "TWINS"], "two candidates have the id 'a'"),
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
    "bulk without output": (["rank", "--input", "LISTS"], "bulk ranking takes --input and --output"),
    "bad bulk input": (["rank", "--input", "BROKEN", "--output", "OUT"], "broken.jsonl, line 2: not valid JSON"),
    "a lone qrels": (["evaluate", "bm25", "-d", "QRELS"], "judgements without texts"),
}


@pytest.mark.parametrize(("arguments", "problem"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_sentence(
    arguments: list[str], problem: str, faq: Path, lists: Path, tmp_path: Path
) -> None:
    contents = {
        "EMPTY": ("empty.txt", b""),
        "GAP": ("gap.txt", b"one\n\ntwo\n"),
        "LATIN": ("latin.txt", b"caf\xe9\n"),
        "MANY": ("many.txt", b"yes\n" * 100_000),
        "LONG": ("long.txt", b"x" * 10_000_000),
        "TWINS": ("twins.jsonl", b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n'),
        "LABEL": ("label.jsonl", b'{"question": "Who?", "candidates": [{"text": "x", "label": "yes"}]}'),
        "UNLABELLED": ("unlabelled.jsonl", b'{"question": "Who?", "candidates": ["x"]}'),
        "COLUMNS": ("columns.csv", b"a,b\n1,2\n"),
        "PDF": ("paper.pdf", b"%PDF-1.7\x00"),
        "BROKEN": ("broken.jsonl", b'{"question": "Who?", "candidates": ["x"]}\n{"question"\n'),
        "QRELS": ("lone.qrels", b"q 0 a 1\n"),
    }
    places = {
        "FAQ": faq,
        "LISTS": lists,
        "FOLDER": tmp_path / "folder",
        "NOWHERE": tmp_path / "nowhere",
        "OUT": tmp_path / "out",
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
    assert "Traceback" not in message
    assert len(message.strip().splitlines()) == 1
    assert done.stdout == b"" or arguments[0] == "data"
    assert {path.name for path in tmp_path.iterdir()} == before


def test_help_has_an_example() -> None:
    for verb in ("rank", "ask", "evaluate", "compare", "train"):
        shown = anselm(verb, "--help").stdout.decode()
        assert "Example: anselm" in shown
    assert anselm("--version").stdout.startswith(b"anselm ")
