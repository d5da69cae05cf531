"""anselm ask: sentences of documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import FAQ, QUESTION, anselm, as_json


def test_how_many_sentences_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Something else stands here. " * 30 + "The shop opens at nine.")
    done = anselm("ask", QUESTION, path, "-m", "bm25", "--read", "5", "--json")
    record = json.loads(done.stdout)
    assert (record["passages"], record["read"]) == (31, 5)
    assert "of 31 passages the model read 5" in done.stderr.decode()
    assert record["results"][0]["text"] == "The shop opens at nine."
    assert anselm("ask", QUESTION, path, "-m", "bm25").stderr == b""
    assert anselm("ask", QUESTION, path, "--read", "0").returncode == 2


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


def test_ask_explains(faq: Path) -> None:
    found = as_json("ask", QUESTION, faq, "-m", "bm25", "--explain", "--top", "1")["results"][0]
    heaviest = max(found["explanation"]["answer"], key=lambda word: word["weight"])
    assert heaviest["text"] in ("shop", "opens", "morning")
    shown = anselm("ask", QUESTION, faq, "-m", "bm25", "--explain").stdout.decode()
    assert shown.count("The *shop opens* at nine in the *morning*.") == 1


def test_ask_folds_duplicates(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("Parking is free. The shop opens at nine in the morning.")
    (tmp_path / "new.txt").write_text("the shop opens at NINE in the morning! We sell tea.")
    found = as_json("ask", QUESTION, tmp_path / "new.txt", tmp_path / "old.txt", "-m", "bm25", "--fold-duplicates")
    first, *others = found["results"]
    assert (first["source"], first["index"], first["duplicates"]) == (str(tmp_path / "new.txt"), 0, [3])
    assert [result["text"] for result in others] == ["We sell tea.", "Parking is free."]
    shown = anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--fold-duplicates").stdout.decode()
    assert "new.txt:1 and 1 near-duplicate" in shown
    assert "nine" not in shown


def test_what_cannot_be_read_in_a_folder_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FAQ)
    (tmp_path / "b.txt").write_bytes(b"\0\1")
    done = anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--json")
    assert (done.returncode, len(json.loads(done.stdout)["results"])) == (3, 3)
    assert done.stderr.decode().splitlines()[0] == f"anselm: skipped: {tmp_path / 'b.txt'}: is binary, not a text"
    assert anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--strict").returncode == 2
    assert anselm("ask", QUESTION, tmp_path / "b.txt", "-m", "bm25").returncode == 2


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.txt", "", "there is no text in it"),
        ("blank.md", " \n\n", "there is no text in it"),
        ("empty.csv", "", "there is no text in it"),
        ("titles.md", "# Prices\n", "there are no sentences in it"),
        ("-", "", "there is no text in it"),
    ],
)
def test_a_file_with_nothing_to_find_is_named_and_the_others_are_asked(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    empty, good = name if name == "-" else tmp_path / name, tmp_path / "good.txt"
    good.write_text(FAQ)
    if name != "-":
        (tmp_path / name).write_text(content)
    done = anselm("ask", QUESTION, empty, good, "-m", "bm25", "--json", stdin=content.encode())
    assert (done.returncode, len(json.loads(done.stdout)["results"])) == (3, 3)
    assert done.stderr.decode().splitlines() == [
        f"anselm: skipped: {empty}: {says}",
        "anselm: 1 skipped; --strict stops at the first",
    ]
    strict = anselm("ask", QUESTION, good, empty, "-m", "bm25", "--strict", stdin=content.encode())
    assert (strict.returncode, strict.stdout, strict.stderr.decode()) == (2, b"", f"anselm: {empty}: {says}\n")
    alone = anselm("ask", QUESTION, empty, "-m", "bm25", stdin=content.encode())
    assert (alone.returncode, alone.stderr) == (2, b"anselm: there are no sentences in the documents\n")


def test_strict_stops_at_a_document_of_another_kind_in_a_folder(tmp_path: Path) -> None:
    """As is said where it is passed over."""
    (tmp_path / "good.txt").write_text(FAQ)
    (tmp_path / "old.doc").write_bytes(b"")
    assert anselm("ask", QUESTION, tmp_path, "-m", "bm25").returncode == 3
    assert anselm("ask", QUESTION, tmp_path, "-m", "bm25", "--strict").returncode == 2


def test_a_threshold_may_be_set() -> None:
    asked = ("rank", QUESTION, "-c", "-", "--model", "bm25")
    given = FAQ.encode()
    sure = as_json(*asked, stdin=given)["answerability"]
    above, below = (as_json(*asked, "--threshold", str(at), stdin=given) for at in (sure + 0.01, sure - 0.01))
    assert (above["answerable"], below["answerable"]) == (False, True)
    assert above["threshold"] == pytest.approx(sure + 0.01)
    for bad in ("1.5", "-0.1", "nan"):
        assert b"a threshold is a number from 0 to 1" in anselm(*asked, "--threshold", bad, stdin=given).stderr
