"""Bad command lines: each is one clear sentence and exit code 2, leaves nothing behind, and changes nothing.

They run in this process, through the same `main` that the command runs; a process for each would take minutes.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from anselm.cli import main

GOOD = {"question": "oak?", "candidates": [{"text": "elm", "label": 0}, {"text": "oak", "label": 1}]}


def lists(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def labelled(label: str) -> bytes:
    """JSON that Python's own writer would not write."""
    return f'{{"question": "oak?", "candidates": [{{"text": "elm", "label": {label}}}]}}\n'.encode()


FILES: dict[str, bytes] = {
    "good.jsonl": lists({"id": "a", **GOOD}, {"id": "b", **GOOD}),
    "faq.txt": b"Parking is free.\nThe shop opens at nine.\n",
    "page.md": b"# Hours\n\nThe shop opens at nine.\n",
    "empty.txt": b"",
    "empty.jsonl": b"",
    "empty.csv": b"",
    "blank.txt": b"\n  \n\t\n",
    "blank.jsonl": b"\n\n",
    "nul.txt": b"one\0two\nthree\n",
    "nul.jsonl": b"\0\0\0\n",
    "binary.txt": bytes(range(256)) * 4,
    "binary.jsonl": bytes(range(255, -1, -1)) * 4,
    "latin.txt": b"caf\xe9\n",
    "latin.jsonl": b'{"question": "caf\xe9", "candidates": ["x"]}\n',
    "latin.md": b"caf\xe9 is open.\n",
    "utf16.txt": "one\ntwo\n".encode("utf-16"),
    "utf16.jsonl": json.dumps(GOOD).encode("utf-16"),
    "utf16.md": "One is here.\n".encode("utf-16"),
    "utf32.jsonl": json.dumps(GOOD).encode("utf-32"),
    "bom.jsonl": b"\xef\xbb\xbf" * 2 + lists(GOOD),
    "cut.jsonl": b'{"question": "oak?", "candid',
    "deep-meta.jsonl": labelled("1")[:-2] + b', "meta": {"a": ' + b"[" * 800 + b"]" * 800 + b"}}\n",
    "deep.jsonl": b'{"question": "oak?", "candidates": ' + b"[" * 100_000 + b"\n",
    "digits.jsonl": labelled("1" * 5_000),
    "surrogate.jsonl": b'{"question": "oak \\ud800?", "candidates": ["x"]}\n',
    "long.txt": b"x" * 1_000_001 + b"\n",
    "long.jsonl": lists({"question": "x" * 1_000_001, "candidates": ["x"]}),
    "many.jsonl": lists({"question": "oak?", "candidates": ["x"] * 50_001}),
    "array.jsonl": b"[1, 2]\n",
    "number.jsonl": b"7\n",
    "null.jsonl": b"null\n",
    "string.jsonl": b'"oak?"\n',
    "no-question.jsonl": lists({"candidates": ["x"]}),
    "no-candidates.jsonl": lists({"question": "oak?"}),
    "no-candidate.jsonl": lists({"question": "oak?", "candidates": []}),
    "object-candidates.jsonl": lists({"question": "oak?", "candidates": {"a": "x"}}),
    "string-candidates.jsonl": lists({"question": "oak?", "candidates": "x"}),
    "number-candidate.jsonl": lists({"question": "oak?", "candidates": [7]}),
    "null-candidate.jsonl": lists({"question": "oak?", "candidates": [None]}),
    "list-candidate.jsonl": lists({"question": "oak?", "candidates": [["x"]]}),
    "number-text.jsonl": lists({"question": "oak?", "candidates": [{"text": 7}]}),
    "no-text.jsonl": lists({"question": "oak?", "candidates": [{"id": "a"}]}),
    "all-empty.jsonl": lists({"question": "oak?", "candidates": ["", " \t"]}),
    "empty-question.jsonl": lists({"question": " ", "candidates": ["x"]}),
    "null-question.jsonl": lists({"question": None, "candidates": ["x"]}),
    "list-question.jsonl": lists({"question": ["oak?"], "candidates": ["x"]}),
    "same-candidate.jsonl": lists({"question": "?", "candidates": [{"id": 1, "text": "x"}, {"id": "1", "text": "y"}]}),
    "same-question.jsonl": lists({"id": "a", **GOOD}, {"id": "a", **GOOD}),
    "float-id.jsonl": lists({"id": 1.5, **GOOD}),
    "list-id.jsonl": lists({"id": ["a"], **GOOD}),
    "string-meta.jsonl": lists({**GOOD, "meta": "x"}),
    "nan-label.jsonl": labelled("NaN"),
    "infinite-label.jsonl": labelled("Infinity"),
    "huge-label.jsonl": labelled("1e999"),
    "word-label.jsonl": labelled('"yes"'),
    "list-label.jsonl": labelled("[1]"),
    "unlabelled.jsonl": lists({"question": "oak?", "candidates": ["x", "y"]}),
    "wrong.jsonl": labelled("0"),
    "right.jsonl": labelled("1"),
    "columns.csv": b"a,b\n1,2\n",
    "columns.tsv": b"a\tb\n1\t2\n",
    "label.csv": b"question,answer,label\noak?,elm,maybe\n",
    "answer.csv": b"question,answer,label\noak?,,1\n",
    "binary.csv": bytes(range(256)),
    "judged.qrels": b"a 0 x 1\n",
    "judged-twice.qrels": b"a 0 x 1\na 0 x 1\n",
    "narrow.qrels": b"a 0 x\n",
    "word.qrels": b"a 0 x yes\n",
    "paper.pdf": b"%PDF-1.7\0\n",
    "posts.xml": b"<posts><row",
    "thread.xml": b"<xml><Thread>",
    "squad.json": b'{"data": 7}',
    "broken.json": b'{"data": [',
    "cut.jsonl.gz": gzip.compress(lists(GOOD) * 50)[:-9],
    "plain.jsonl.gz": lists(GOOD),
    "left.jsonl.partial": b"garbage\n",
    "there.jsonl": b"precious\n",
    "recipe.toml": b"model = [",
    "odd.toml": b'model = "bm25"\n',
}
FOLDERS = ("folder", "empty-beir", "model")
LINES_OF_BULK = [  # each is skipped, and then there is nothing to rank
    "nul", "binary", "latin", "utf16", "utf32", "bom", "cut", "deep", "surrogate", "long", "many", "array", "number",
    "null", "string", "no-question", "no-candidates", "no-candidate", "object-candidates", "string-candidates",
    "number-candidate", "null-candidate", "list-candidate", "number-text", "no-text", "all-empty", "empty-question",
    "null-question", "list-question", "same-candidate", "float-id", "list-id", "string-meta", "nan-label",
    "infinite-label", "huge-label", "word-label", "list-label", "digits", "deep-meta",
]  # fmt: skip
BAD_LISTS = [*LINES_OF_BULK, "same-question"]
COMMANDS = [
    "rank",
    "rank oak?",
    "rank oak? -c",
    "rank oak? -c nowhere.txt",
    "rank oak? -c folder",
    "rank oak? -c empty.txt",
    "rank oak? -c blank.txt",
    "rank oak? -c latin.txt",
    "rank oak? -c binary.txt",
    "rank oak? -c long.txt",
    "rank oak? -c cut.jsonl",
    "rank '' -c faq.txt",
    "rank ' ' -c faq.txt",
    "rank oak? -c faq.txt --top 0",
    "rank oak? -c faq.txt --top -3",
    "rank oak? -c faq.txt --top two",
    "rank oak? -c faq.txt --top 1.5",
    "rank oak? -c faq.txt --model nowhere",
    "rank oak? -c faq.txt --model folder",
    "rank oak? -c faq.txt --model faq.txt",
    "rank oak? -c faq.txt --model ''",
    "rank oak? -c faq.txt --model model",
    "rank oak? -c faq.txt --overwrite",
    "rank oak? -c latin.txt --strict",
    "rank oak? --output out.jsonl",
    "rank oak? -c faq.txt --input good.jsonl --output out.jsonl",
    "rank --input good.jsonl",
    "rank --output out.jsonl",
    "rank --input nowhere.jsonl --output out.jsonl",
    "rank --input folder --output out.jsonl",
    "rank --input good.jsonl --output folder",
    "rank --input good.jsonl --output nowhere/out.jsonl",
    "rank --input good.jsonl --output there.jsonl",
    "rank --input good.jsonl --output good.jsonl --overwrite",
    "rank --input good.jsonl --output left.jsonl",
    "rank --input good.jsonl --output out.jsonl --top 0",
    "rank --input good.jsonl --output out.jsonl --explain",
    "rank --input good.jsonl --output out.jsonl --group",
    "rank --input good.jsonl --output out.jsonl --model nowhere",
    "rank --input good.jsonl --output /dev/full",
    "rank --input empty.jsonl --output out.jsonl",
    "rank --input blank.jsonl --output out.run",
    "rank --input cut.jsonl.gz --output out.run",
    "rank --input plain.jsonl.gz --output out.jsonl",
    "rank --input same-question.jsonl --output out.run --strict",
    "ask",
    "ask oak?",
    "ask oak? nowhere.md",
    "ask oak? folder",
    "ask oak? empty.txt",
    "ask oak? latin.md",
    "ask oak? paper.pdf",
    "ask '' page.md",
    "ask oak? page.md --top 0",
    "ask oak? page.md --model nowhere",
    "ask --questions",
    "ask --questions faq.txt",
    "ask --questions folder page.md",
    "ask --questions empty.txt page.md",
    "ask --questions latin.txt page.md --strict",
    "ask --questions binary.txt page.md --strict",
    "ask --questions cut.jsonl page.md --strict",
    "ask --questions NUL page.md",
    "ask --questions faq.txt folder",
    "ask --questions faq.txt page.md --output folder",
    "ask --questions faq.txt page.md --output NUL",
    "ask --questions faq.txt page.md --read 0",
    "ask --questions faq.txt page.md --model nowhere",
    "ask --questions faq.txt page.md --columns right=x",
    "evaluate",
    "evaluate bm25",
    "evaluate bm25 --data nowhere.jsonl",
    "evaluate bm25 --data folder",
    "evaluate bm25 --data nocorpus",
    "evaluate nowhere --data good.jsonl",
    "evaluate bm25 --data good.jsonl --metrics mpa",
    "evaluate bm25 --data good.jsonl --metrics p@0",
    "evaluate bm25 --data good.jsonl --metrics p@x",
    "evaluate bm25 --data good.jsonl --ties luck",
    "evaluate bm25 --data good.jsonl --protocol dirty",
    "evaluate bm25 --data good.jsonl --split test",
    "evaluate bm25 --data good.jsonl --save out.txt",
    "evaluate bm25 --data good.jsonl --save nowhere/out.run",
    "evaluate bm25 --data good.jsonl --plot out.gif",
    "evaluate bm25 --data unlabelled.jsonl",
    "evaluate bm25 --data columns.csv",
    "evaluate bm25 --data columns.tsv",
    "evaluate bm25 --data label.csv",
    "evaluate bm25 --data answer.csv",
    "evaluate bm25 --data binary.csv",
    "evaluate bm25 --data empty.csv",
    "evaluate bm25 --data judged.qrels",
    "evaluate bm25 --data judged-twice.qrels",
    "evaluate bm25 --data narrow.qrels",
    "evaluate bm25 --data word.qrels",
    "evaluate bm25 --data squad.json",
    "evaluate bm25 --data broken.json",
    "evaluate bm25 --data posts.xml",
    "evaluate bm25 --data thread.xml",
    "evaluate bm25 --data empty-beir",
    "evaluate bm25 --data paper.pdf",
    "evaluate bm25 --data cut.jsonl.gz",
    "evaluate bm25 --data plain.jsonl.gz",
    "compare bm25 --data good.jsonl",
    "compare bm25 nowhere --data good.jsonl",
    "calibrate bm25 --data good.jsonl",
    "calibrate nowhere --data good.jsonl --out out",
    "calibrate bm25 --data unlabelled.jsonl --out out",
    "calibrate bm25 --data wrong.jsonl --out out",
    "calibrate bm25 --data right.jsonl --out out",
    "calibrate bm25 --data good.jsonl --out folder",
    "calibrate bm25 --data good.jsonl --out out --threshold f2",
    "calibrate bm25 --data good.jsonl --out out --threshold precision=2",
    "calibrate bm25 --data good.jsonl --out out --threshold nan",
    "train",
    "train --data good.jsonl",
    "train --data good.jsonl --out folder",
    "train --data nowhere.jsonl --out out",
    "train --data good.jsonl --out out --epochs many",
    "train recipe.toml --out out",
    "train odd.toml --out out",
    "train good.jsonl --data good.jsonl --out out",
    "train nowhere/at/all --out out",
    "export nowhere --out out",
    "export model --out out",
    "vectors --data faq.txt",
    "vectors --data faq.txt --out faq.txt",
    "vectors --data faq.txt --out out.pdf",
    "vectors --data faq.txt --out nowhere/out.bin",
    "vectors --data faq.txt --out out.bin --width 0",
    "bench nowhere",
    "bench bm25 --candidates 10,x",
    "bench bm25 --candidates 0",
    "reproduce nowhere",
    "reproduce --list --check",
    "reproduce nowhere --list",
    "data convert nowhere.jsonl out.csv",
    "data convert good.jsonl",
    "data convert good.jsonl good.jsonl",
    "data convert good.jsonl there.jsonl",
    "data convert good.jsonl out.pdf",
    "data convert good.jsonl out.csv --from tree",
    "data convert good.jsonl out.csv --to tree",
    "data convert good.jsonl nowhere/out.csv",
    "data convert empty.jsonl out.csv",
    "data convert judged.qrels out.jsonl",
    "data convert unlabelled.jsonl out.qrels",
    "data convert cut.jsonl.gz out.csv",
    "data stats nowhere.jsonl",
    "data stats nocorpus",
    "data check nocorpus --data-dir folder",
    "data check wikiqa --data-dir nowhere",
    "data lst",
    "raank",
    "--nothing",
    "models --top 3",
    "rank oak? -c faq.txt -m ../../../../../../etc",
    "rank oak? -c NUL",
    "rank oak? -c faq.txt -m NUL",
    "rank --input NUL --output out.jsonl",
    "rank --input good.jsonl --output NUL",
    "ask oak? NUL",
    "evaluate bm25 --data NUL",
    "rank oak? -c LONG",
    "ask oak? LONG",
    "rank --input good.jsonl --output LONG",
]


def arguments(line: str) -> list[str]:
    names = {"''": "", "' '": " ", "NUL": "a\0b.jsonl", "LONG": "x" * 300}
    joined = line.replace("' '", "\x01")
    return [" " if part == "\x01" else names.get(part, part) for part in joined.split()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    for name in FOLDERS:
        (folder / name).mkdir()
    (folder / "model" / "config.json").write_text('{"model": "bm52"}')
    (folder / "empty-beir" / "corpus.jsonl").write_text("")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


def listing(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_size for path in folder.rglob("*")}


def run(
    given: list[str], place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    before = listing(place)
    monkeypatch.chdir(place)
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["anselm", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capfd.readouterr()
    assert listing(place) == before
    assert "Traceback" not in err
    return int(ended.value.code or 0), out, err


def test_there_are_enough() -> None:
    assert len(set(COMMANDS)) == len(COMMANDS)
    assert len(COMMANDS) >= 120


@pytest.mark.parametrize("line", COMMANDS)
def test_a_bad_command_is_one_sentence(
    line: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(arguments(line), place, monkeypatch, capfd)
    told = [said for said in err.splitlines() if not said.startswith("anselm: skipped: ")]
    assert (code, out) == (2, "")
    assert len(told) == 1
    assert told[0].startswith("anselm: ")
    assert len(told[0]) < 1_000


@pytest.mark.parametrize("name", BAD_LISTS)
def test_bad_lists_are_not_measured(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(["evaluate", "bm25", "--data", f"{name}.jsonl"], place, monkeypatch, capfd)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"anselm: {name}.jsonl, line ")


@pytest.mark.parametrize("name", LINES_OF_BULK)
def test_bad_lists_are_not_ranked(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bulk = ["rank", "--model", "bm25", "--input", f"{name}.jsonl", "--output", "out.jsonl"]
    code, out, err = run(bulk, place, monkeypatch, capfd)
    *skipped, problem = err.splitlines()
    assert (code, out) == (2, "")
    if not skipped:  # refused as a whole
        assert problem.startswith(f"anselm: {name}.jsonl, line 1: begins as UTF-16 does")
        return
    assert all(line.startswith(f"anselm: skipped: {name}.jsonl, line ") for line in skipped)
    assert problem == "anselm: there are no questions to rank into out.jsonl"
    code, out, err = run([*bulk, "--strict"], place, monkeypatch, capfd)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err == skipped[0].replace("skipped: ", "") + "\n"
