"""Standard input and output: full, closed, in other encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import QUESTION, anselm, anselm_process, as_json


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


def test_an_ascii_terminal_loses_characters_but_nothing_else(faq: Path) -> None:
    faq.write_text("Le café ouvre à neuf heures.\n")
    shown = anselm_process("rank", "café?", "-c", faq, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0, shown.stderr
    assert "Le caf? ouvre" in shown.stdout.decode("ascii")
    machine = anselm_process("rank", "café?", "-c", faq, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(machine.stdout.decode("ascii"))["results"][0]["text"] == "Le café ouvre à neuf heures."
    assert "Le café".encode() in anselm_process("rank", "café?", "-c", faq, "--json", PYTHONIOENCODING="utf-8").stdout


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
