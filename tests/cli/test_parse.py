"""anselm parse: brackets, JSON, drawings, and what there is to say where it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from anselm.annotations.tree_pictures import tree_svg
from anselm.annotations.trees import read_brackets
from anselm.cli.show.tree_drawings import draw_tree

TREE = "(S (NP (DT The) (NN hive)) (VP (VBZ stands)))"


def anselm(*arguments: str, cache: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"ANSELM_CACHE": str(cache)}
    command = [sys.executable, "-m", "anselm", "parse", *arguments]
    return subprocess.run(command, env=environment, input=given, capture_output=True, text=True)


def test_each_sentence_is_a_row(tmp_path: Path) -> None:
    svg = tmp_path / "trees.svg"
    text = "The hive stands. Who made it?"
    done = anselm(text, "Bees (did) 🐝.", "--parser", "flat", "--json", "--svg", str(svg), cache=tmp_path)
    rows = json.loads(done.stdout)
    assert [row["text"] for row in rows] == ["The hive stands.", "Who made it?", "Bees (did) 🐝."]
    words = [read_brackets(row["tree"]).words() for row in rows]
    assert "".join(words[0]) == "Thehivestands."
    assert "".join(words[2]) == "Bees(did)🐝."
    ElementTree.parse(svg)


def test_lines_of_standard_input(tmp_path: Path) -> None:
    done = anselm("-", "--parser", "flat", cache=tmp_path, given="Who made it?\n\nBees did.\n")
    assert [read_brackets(line).words() for line in done.stdout.splitlines()] == [
        ["Who", "made", "it", "?"],
        ["Bees", "did", "."],
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Who?"], "anselm train parser"),
        (["Who?", "--parser", "nobody"], "nobody"),
        (["Who?", "   ", "--parser", "flat"], "text 2: it is empty"),
        (["Who?", "--draw", "--json", "--parser", "flat"], "give one of them"),
        (["Who?", "--parser", "file:/nowhere"], "/nowhere"),
        (["Who?", "--parser", "flat", "--svg", "/nowhere/trees.svg"], "/nowhere"),
    ],
)
def test_one_sentence(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = anselm(*arguments, cache=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_a_drawing_has_every_label_and_word() -> None:
    tree = read_brackets(TREE)
    svg = ElementTree.fromstring(tree_svg([tree]))
    drawn = draw_tree(tree), " ".join("".join(part.itertext()) for part in svg.iter() if part.tag.endswith("text"))
    for picture in drawn:
        assert all(word in picture for word in ("S", "NP", "DT", "The", "NN", "hive", "VP", "VBZ", "stands"))
