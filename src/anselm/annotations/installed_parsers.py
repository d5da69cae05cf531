"""benepar, stanza and the Stanford parser, where the user has them; nothing of Anselm needs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anselm.annotations.installed import load_stanza
from anselm.annotations.penn_words import penn_words
from anselm.annotations.trees import Tree, read_brackets, read_trees, write_brackets
from anselm.errors import InputError
from anselm.text.sentences import sentence_spans

SECONDS = 600  # that another program may take
HOME = "STANFORD_PARSER"  # a folder with its jars
MEMORY = "-mx1500m"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Benepar:
    """Berkeley's neural parser, a model of its own by name: benepar_en3."""

    costly = True

    def __init__(self, model: str = "") -> None:
        try:
            import benepar
        except ImportError:
            raise InputError("trees by benepar need benepar, which is not installed: pip install benepar") from None
        self.name, self.version = f"benepar:{model or 'benepar_en3'}", version("benepar")
        try:
            self._parser: Any = benepar.Parser(model or "benepar_en3")
        except Exception as error:  # what its libraries raise for a model that is not there
            name = model or "benepar_en3"
            advice = f"python -c 'import benepar; benepar.download(\"{name}\")'"
            raise InputError(f"benepar cannot load {name} ({first_line(error)}): {advice}") from None
        self._make: Any = benepar.InputSentence

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        return [tuple(self._read(words) for words in sentences_of(text)) for text in texts]

    def _read(self, words: list[str]) -> Tree:
        """It writes words into its trees as it is told to; by itself it leaves a backslash as it is."""
        try:
            found = self._parser.parse(self._make(words=words, escaped_words=[as_line([word]) for word in words]))
        except Exception as error:  # of more pieces than its encoder takes, say
            raise InputError(f"benepar cannot parse {' '.join(words)!r:.80} ({first_line(error)})") from None
        tree = read_brackets(str(found))  # of nltk
        if tree.words() != words:
            told, given = " ".join(tree.words()), " ".join(words)
            raise InputError(f"benepar gave a tree of other words than {given!r:.80}: {told!r:.80}")
        return tree


class Stanza:
    """stanza's constituency parser, for a language."""

    costly = True

    def __init__(self, language: str = "") -> None:
        self._read = load_stanza(language or "en", "tokenize,pos,constituency", "trees")
        self.name, self.version = f"stanza:{language or 'en'}", version("stanza")

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        return [tuple(read_brackets(str(one.constituency)) for one in self._read(text).sentences) for text in texts]


class Stanford:
    """The Stanford parser in Java: the folder of its jars is named, or in $STANFORD_PARSER."""

    costly = True

    def __init__(self, folder: str = "") -> None:
        self.folder = Path(folder or os.environ.get(HOME, ""))
        if not (folder or HOME in os.environ) or not any(self.folder.glob("*.jar")):
            raise InputError(f"trees by Stanford's parser need its jars: stanford:FOLDER, or {HOME}=FOLDER")
        if shutil.which("java") is None:
            raise InputError("trees by Stanford's parser need Java, which is not installed")
        self.name, self.version = "stanford", ",".join(sorted(jar.name for jar in self.folder.glob("*.jar")))

    def parse(self, texts: Sequence[str]) -> list[tuple[Tree, ...]]:
        sentences = [sentences_of(text) for text in texts]
        trees = iter(self._run([words for found in sentences for words in found]))
        return [tuple(next(trees) for _ in found) for found in sentences]

    def _run(self, sentences: list[list[str]]) -> list[Tree]:
        """Words that are known go in, one sentence per line; one tree per line comes out."""
        if not sentences:
            return []
        with tempfile.TemporaryDirectory() as scratch:
            given = Path(scratch) / "sentences.txt"
            given.write_text("\n".join(map(as_line, sentences)) + "\n", encoding="utf-8")
            command = ["java", MEMORY, "-cp", f"{self.folder}/*", *STANFORD, str(given)]
            try:
                found = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
            except subprocess.TimeoutExpired:
                raise InputError(f"Stanford's parser took more than {SECONDS} seconds") from None
        trees = list(read_trees(utf8(found.stdout))) if found.returncode == 0 else []
        if len(trees) != len(sentences):
            log = found.stderr.decode(errors="replace").strip()  # in whatever encoding Java takes for the system's
            said = next(reversed(log.splitlines()), "it says nothing")
            raise InputError(f"Stanford's parser gave {len(trees)} trees for {len(sentences)} sentences: {said:.200}")
        return trees


STANFORD = (
    "edu.stanford.nlp.parser.lexparser.LexicalizedParser", "-sentences", "newline", "-tokenized", "-escaper",
    "edu.stanford.nlp.process.PTBEscapingProcessor", "-outputFormat", "oneline",
    "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz",
)  # fmt: skip


def utf8(written: bytes) -> str:
    try:
        return written.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"Stanford's parser wrote trees that are not UTF-8 (byte {error.start + 1})") from None


def first_line(error: Exception) -> str:
    """Of what it says: NLTK's errors are banners of twenty lines, in colours."""
    lines = (line.strip() for line in COLOUR.sub("", str(error)).splitlines())
    return next((line for line in lines if line.strip("*")), type(error).__name__)[:200]


def as_line(words: Sequence[str]) -> str:
    """With brackets written as the treebank does."""
    return " ".join(write_brackets(Tree("X", (), word))[3:-1] for word in words)


def sentences_of(text: str) -> list[list[str]]:
    """The words of its sentences."""
    return [[found.word for found in penn_words(text[start:end])] for start, end in sentence_spans(text)]
