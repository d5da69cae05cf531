"""benepar and Stanford's parser, by stand-ins with their interfaces: the one wants a download, the other Java."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from anselm.annotations import installed_parsers
from anselm.annotations.installed_parsers import Benepar, Stanford
from anselm.annotations.syntax import find_parser
from anselm.annotations.trees import write_brackets
from anselm.errors import InputError

BANNER = """
**********************************************************************
  Resource \x1b[93mbenepar_xx\x1b[0m not found.
  Please use the NLTK Downloader to obtain the resource:
**********************************************************************
"""  # as nltk.data.find has it


@dataclass
class InputSentence:
    """As benepar's: what goes into the tree is `escaped_words`, by default the words with other brackets."""

    words: list[str]
    escaped_words: list[str] | None = None


class Printed:
    """A tree of nltk is printed over several lines."""

    def __init__(self, leaves: list[str]) -> None:
        self.leaves = leaves

    def __str__(self) -> str:
        return "(TOP\n  (S\n    " + "\n    ".join(f"(NN {leaf})" for leaf in self.leaves) + "))"


class Parser:
    def __init__(self, name: str) -> None:
        if name != "benepar_en3":
            raise LookupError(BANNER)

    def parse(self, sentence: InputSentence) -> Printed:
        if len(sentence.words) > 5:
            raise ValueError("Sentence of length 6 is too long")
        plain = [word.replace("(", "-LRB-").replace(")", "-RRB-") for word in sentence.words]
        return Printed(sentence.escaped_words or plain)


@pytest.fixture
def benepar(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType("benepar")
    for name, found in (("Parser", Parser), ("InputSentence", InputSentence)):
        monkeypatch.setattr(made, name, found, raising=False)
    monkeypatch.setitem(sys.modules, "benepar", made)
    monkeypatch.setattr(installed_parsers, "version", lambda name: f"{name} 0.2")


@pytest.mark.usefixtures("benepar")
def test_benepar_gives_a_tree_for_each_sentence() -> None:
    parser = find_parser("benepar")
    assert (parser.name, parser.version) == ("benepar:benepar_en3", "benepar 0.2")
    trees, none = parser.parse(["Honey melts. Ice too.", ""])
    assert [write_brackets(tree) for tree in trees] == [
        "(TOP (S (NN Honey) (NN melts) (NN .)))", "(TOP (S (NN Ice) (NN too) (NN .)))"
    ]  # fmt: skip
    assert none == ()


@pytest.mark.usefixtures("benepar")
@pytest.mark.parametrize("words", [["(", "a/b", ")"], ["a\\b", "\\"], ["-LRB-", "[x]"], ["Löß", "何", "😀"]])
def test_words_come_back_from_benepar(words: list[str]) -> None:
    assert Benepar()._read(words).words() == words


@pytest.mark.usefixtures("benepar")
def test_what_benepar_lacks_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    told = (
        r"^benepar cannot load benepar_xx \(Resource benepar_xx not found\.\): python -c .*download\(\"benepar_xx\"\)'$"
    )
    with pytest.raises(InputError, match=told):
        Benepar("benepar_xx")
    with pytest.raises(InputError, match=r"^benepar cannot parse 'a b c d e f' \(Sentence of length 6 is too long\)$"):
        Benepar().parse(["a b c d e f"])
    monkeypatch.setitem(sys.modules, "benepar", None)
    with pytest.raises(InputError, match="trees by benepar need benepar, which is not installed: pip install benepar"):
        Benepar()


@pytest.mark.usefixtures("benepar")
def test_trees_of_other_words_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parser, "parse", lambda self, sentence: Printed(["Honey", "burns"]))
    with pytest.raises(InputError, match=r"^benepar gave a tree of other words than 'Honey melts': 'Honey burns'$"):
        Benepar().parse(["Honey melts"])


JAVA = """#!{python}
import os, sys, time
memory, flag, jars, name, *options, model, given = sys.argv[1:]
assert (memory, flag, jars) == ("-mx1500m", "-cp", {jars!r})
assert name == "edu.stanford.nlp.parser.lexparser.LexicalizedParser"
assert options == [
    "-sentences", "newline", "-tokenized", "-escaper", "edu.stanford.nlp.process.PTBEscapingProcessor",
    "-outputFormat", "oneline",
]
assert model.endswith("englishPCFG.ser.gz")
lines = open(given, encoding="utf-8").read().splitlines()
trees = ["(ROOT (S " + " ".join("(NN " + word + ")" for word in line.split()) + "))" for line in lines]
out = open(1, "w", encoding="utf-8")
print("Parsing file", given, file=sys.stderr)
{then}
print("\\n".join(trees), file=out)
"""
Install = Callable[[str], Stanford]


@pytest.fixture
def stanford(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """With a `java` that looks at what it is called with and, before it prints its trees, does what it is told."""
    if os.name == "nt":
        pytest.skip("a program without a suffix")
    jars, bin_ = tmp_path / "jars", tmp_path / "bin"
    jars.mkdir()
    bin_.mkdir()
    for name in ("stanford-parser.jar", "models.jar"):
        (jars / name).write_bytes(b"")
    monkeypatch.setenv("PATH", str(bin_))
    monkeypatch.delenv("STANFORD_PARSER", raising=False)

    def install(then: str) -> Stanford:
        (bin_ / "java").write_text(JAVA.format(python=sys.executable, jars=f"{jars}/*", then=then), encoding="utf-8")
        (bin_ / "java").chmod(0o755)
        return Stanford(str(jars))

    return install


def test_stanford_gives_a_tree_for_each_sentence(stanford: Install) -> None:
    parser = stanford("pass")
    assert (parser.name, parser.version) == ("stanford", "models.jar,stanford-parser.jar")
    trees, none = parser.parse(["Löß (何) and/or. Ice melts!", ""])
    assert [tree.words() for tree in trees] == [["Löß", "(", "何", ")", "and/or", "."], ["Ice", "melts", "!"]]
    assert write_brackets(trees[1]) == "(ROOT (S (NN Ice) (NN melts) (NN !)))"
    assert none == ()
    assert parser.parse([""]) == [()]


def test_stanford_is_found_by_its_variable(stanford: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stanford("pass").folder
    monkeypatch.setenv("STANFORD_PARSER", str(folder))
    assert Stanford().folder == folder
    assert find_parser(f"stanford:{folder}").name == "stanford"


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("sys.exit('Could not find the main class')", "gave 0 trees for 2 sentences: Could not find the main class"),
        ("del trees[1]", "gave 1 trees for 2 sentences: Parsing file"),
        ("print(trees[0][:-1], file=out); sys.exit(0)", "brackets that are not closed"),
        ("time.sleep(60)", "took more than 0.5 seconds"),
        (r"os.write(2, b'\xe4rger\n'); sys.exit(1)", "gave 0 trees for 2 sentences: \ufffdrger"),
        (r"os.write(1, b'(X \xe4)(X b)'); sys.exit(0)", r"wrote trees that are not UTF-8 \(byte 4\)"),
    ],
)
def test_what_stanford_does_wrong_is_one_sentence(
    then: str, told: str, stanford: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in then:
        monkeypatch.setattr(installed_parsers, "SECONDS", 0.5)
    with pytest.raises(InputError, match=told) as error:
        stanford(then).parse(["Ice melts.", "So?"])
    assert "\n" not in str(error.value)


def test_what_stanford_lacks_is_said(stanford: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stanford("pass").folder
    for missing in ("", str(tmp_path / "nowhere"), str(tmp_path)):
        with pytest.raises(InputError, match=r"need its jars: stanford:FOLDER, or STANFORD_PARSER=FOLDER"):
            Stanford(missing)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="need Java, which is not installed"):
        Stanford(str(folder))
