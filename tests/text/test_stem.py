"""Porter's stemmer: the paper's own examples, and NLTK's implementation over many words."""

import itertools

import pytest

from anselm.text.stem import stem

# The examples printed beside the rules in Porter (1980), followed to the end of the algorithm.
PAPER = {
    "caresses": "caress",
    "ponies": "poni",
    "ties": "ti",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "bled": "bled",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubled": "troubl",
    "sized": "size",
    "hopping": "hop",
    "falling": "fall",
    "hissing": "hiss",
    "fizzed": "fizz",
    "failing": "fail",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "conditional": "condit",
    "rational": "ration",
    "digitizer": "digit",
    "vietnamization": "vietnam",
    "hopefulness": "hope",
    "sensibiliti": "sensibl",
    "triplicate": "triplic",
    "formative": "form",
    "electrical": "electr",
    "goodness": "good",
    "revival": "reviv",
    "adjustable": "adjust",
    "replacement": "replac",
    "adoption": "adopt",
    "communism": "commun",
    "bowdlerize": "bowdler",
    "probate": "probat",
    "rate": "rate",
    "cease": "ceas",
    "controlling": "control",
    "roll": "roll",
    "generalizations": "gener",
    "oscillators": "oscil",
}


@pytest.mark.parametrize(("word", "expected"), PAPER.items())
def test_the_papers_examples(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["", "a", "is", "us", "日", "3.14", "x" * 100_000 + "s"])
def test_what_is_no_english_word_stays(word: str) -> None:
    assert stem(word) == word


def test_agrees_with_nltk() -> None:
    porter = pytest.importorskip("nltk.stem.porter")
    reference = porter.PorterStemmer(mode=porter.PorterStemmer.ORIGINAL_ALGORITHM)
    starts = ["b", "tr", "ay", "yell", "happ", "oper", "conn", "rel", "st", "ski", "gener", "communi", "xyy", "poll"]
    middles = ["", "e", "at", "ion", "al", "iz", "ivit", "ful", "ous", "abl", "bil", "ic", "y", "ll", "zz", "ow", "ex"]
    ends = "s ed ing eed ies sses y e er ly ness ment ement ation ator alism iti ous ive ize ent ence ical ative"
    tried = ["".join(parts) for parts in itertools.product(starts, middles, middles, ends.split())]
    tried = [word for word in tried if len(word) > 2]
    assert [(word, stem(word)) for word in tried] == [(word, reference.stem(word)) for word in tried]
