"""Tags against sentences tagged by hand, and against NLTK's treebank sample where it is."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from anselm.annotations.tags import ENTITY_TYPES, PARTS_OF_SPEECH, entity_types, tag_words

# Penn's tags; those of verbs begin with VB, and what is not here is punctuation.
UNIVERSAL = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "IN": "ADP", "TO": "PRT", "RP": "PRT", "POS": "PRT",
    "MD": "VERB", "CC": "CONJ", "CD": "NUM", "DT": "DET", "PDT": "DET", "WDT": "DET", "EX": "DET", "PRP": "PRON",
    "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "WRB": "ADV", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "JJ": "ADJ",
    "JJR": "ADJ", "JJS": "ADJ", "FW": "X", "UH": "X", "LS": "X", "SYM": "X",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("The old man will walk quickly to Paris", "DET ADJ NOUN VERB VERB ADV PRT PROPN"),
        ("Zebras are animals of Africa", "PROPN VERB NOUN ADP PROPN"),
        ("They film it in New York in May 2003", "PRON VERB PRON ADP PROPN PROPN ADP PROPN NUM"),
        ("You may use the used car", "PRON VERB VERB DET ADJ NOUN"),
        ("what is the population of germany", "DET VERB DET NOUN ADP NOUN"),
        ("HOW TO INSTALL FIREFOX", "ADV PRT VERB PROPN"),
        ("", ""),
    ],
)
def test_parts_of_speech(sentence: str, tags: str) -> None:
    assert tag_words(sentence.split()) == tags.split()


@pytest.mark.parametrize(
    ("sentence", "types"),
    [
        ("Henry Cavill lives in Jersey", "person person none none place"),
        ("born on 5 May 1983", "none none date date date"),
        ("the University of California paid 5 million dollars", "none o o o none money money money"),
        ("by 12 percent in 40 boxes", "none percent percent none number none"),
        ("about Superman", "none name"),
        ("", ""),
    ],
)
def test_types_of_entities(sentence: str, types: str) -> None:
    assert entity_types(sentence.split()) == types.replace("o ", "organisation ").split()


def test_every_tag_is_on_the_list() -> None:
    words = ["", "A", "1", "é", "日", "'s", "U.S.", "of", "of", "-", "percent", "5"]
    assert set(tag_words(words)) <= set(PARTS_OF_SPEECH)
    assert set(entity_types(words)) <= set(ENTITY_TYPES)
    assert len(entity_types(words)) == len(words)


def treebank(path: Path) -> Iterator[list[tuple[str, str]]]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".mrg"):
                for tree in re.split(r"\n(?=\( \()", archive.read(name).decode()):
                    yield re.findall(r"\(([^\s()]+) ([^\s()]+)\)", tree)


def test_agreement_with_the_treebank(real_data: Path) -> None:
    right = total = 0
    for leaves in treebank(real_data / "nltk_data" / "corpora" / "treebank.zip"):
        known = [(word, UNIVERSAL.get(tag, "VERB" if tag[:2] == "VB" else "")) for tag, word in leaves]
        known = [(word, tag) for word, tag in known if tag]
        found = tag_words([word for word, _ in known])
        right += sum(one == tag for one, (_, tag) in zip(found, known, strict=True))
        total += len(known)
    assert total == 82_369
    assert 0.915 < right / total < 0.92
