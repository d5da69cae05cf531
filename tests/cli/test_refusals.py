"""What cannot be done is one clear sentence, whichever command was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import anselm

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
    "no argument": (["ask"], "anselm: a question is needed, or --questions: anselm ask"),
    "a column of a log without one": (
        ["rank", "Who?", "-c", "COLUMNS", "--columns", "right=b"],
        "not 'right=b'; that is for questions beside --faq or in --questions",
    ),
    "an output of one question": (
        ["ask", "Who?", "FAQ", "--output", "OUT"],
        "--output and --overwrite are for",
    ),
    "questions of nothing": (["ask", "--questions", "FAQ"], "give files to ask"),
    "a question with questions": (
        ["ask", "Who?", "FAQ", "--questions", "FAQ"],
        "with --questions every argument is a file to be asked, and there is no 'Who?'",
    ),
    "many questions explained": (
        ["ask", "--questions", "FAQ", "FAQ", "--explain"],
        "--explain, --graph and --exit-code are for one question",
    ),
    "answers under no known name": (
        ["ask", "--questions", "FAQ", "FAQ", "--output", "OUT"],
        "out must end in .jsonl, .csv or .tsv",
    ),
    "an overwritten nothing": (["ask", "--questions", "FAQ", "FAQ", "--overwrite"], "--overwrite is for an --output"),
    "answers into nowhere": (
        ["ask", "--questions", "FAQ", "FAQ", "--output", "NOWHERE/out.csv"],
        "the folder of NOWHERE/out.csv does not exist",
    ),
    "questions in a PDF": (["ask", "--questions", "PDF", "FAQ"], "paper.pdf cannot be read as questions: .pdf is not"),
    "no questions": (["ask", "--questions", "EMPTY", "FAQ"], "there are no questions in"),
    "no column of questions": (
        ["ask", "--questions", "COLUMNS", "FAQ"],
        "no column of questions; there is 'a', 'b' (say --columns asked=NAME)",
    ),
    "questions nowhere": (["ask", "--questions", "NOWHERE", "FAQ"], "nowhere does not exist"),
    "bad questions, strictly": (
        ["ask", "--questions", "BROKEN", "FAQ", "--strict"],
        "broken.jsonl, line 2: not valid JSON",
    ),
    "no answer of top": (["ask", "--questions", "FAQ", "FAQ", "--top", "0"], "top must be at least 1"),
    "columns of a pool": (
        ["ask", "--questions", "FAQ", "--pool", "NOWHERE", "--columns", "id=a"],
        "a pool has no columns to name",
    ),
    "standard input twice": (["ask", "--questions", "-", "-"], "standard input can be the questions or a document"),
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
