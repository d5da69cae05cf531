"""anselm rank: answers best first, for people and machines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anselm.checkpoints.catalogue import SHIPPED
from tests.cli.commands import QUESTION, anselm, as_json


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


def test_rank_in_bulk(lists: Path, tmp_path: Path) -> None:
    summary = as_json("rank", "--input", lists, "--output", tmp_path / "out.jsonl")
    assert summary["lists"] == 5
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 5
    assert summary["model"] == "default"


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


def test_both_halves_of_an_entry_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "faq.csv"
    path.write_text("question,answer\nWhen does the shop open?,At nine.\nIs parking free?,Yes.\n")
    best = as_json("rank", QUESTION, "-c", path, "-m", "bm25", "--explain")["results"][0]
    assert [word["text"] for word in best["explanation"]["entry_question"]] == ["When", "does", "the", "shop", "open"]
    assert all(
        best["question"][word["start"] : word["end"]] == word["text"] for word in best["explanation"]["entry_question"]
    )
    shown = " ".join(anselm("rank", QUESTION, "-c", path, "-m", "bm25", "--explain").stdout.decode().split())
    assert "shop open*? At nine." in shown


def test_rank_folds_duplicates() -> None:
    stdin = b"Parking is free.\nThe shop opens at nine.\nthe shop opens at NINE\nThe shop opens at ten.\n"
    found = as_json("rank", QUESTION, "-c", "-", "-m", "bm25", "--fold-duplicates", "--top", "2", stdin=stdin)
    assert [(result["index"], result["duplicates"]) for result in found["results"]] == [(1, [2]), (3, [])]
    shown = anselm("rank", QUESTION, "-c", "-", "-m", "bm25", "--fold-duplicates", stdin=stdin).stdout.decode()
    assert "[1] and 1 near-duplicate" in " ".join(shown.split())
    assert "NINE" not in shown


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


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_model_folder_of_any_name(lists: Path, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path / "model-") + b"\xff")
    shutil.copytree(SHIPPED / "bm25", folder)
    for name in ("out.jsonl", "out.run"):
        done = anselm("rank", "--input", lists, "--output", tmp_path / name, "-m", folder)
        assert done.returncode == 0, done.stderr
        assert "model-?" in (tmp_path / name).read_text()


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
