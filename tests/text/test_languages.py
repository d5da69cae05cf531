"""Texts in a script that a model does not read."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from anselm.checkpoints.catalogue import load_model
from anselm.data.question import Question
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_scorer
from anselm.text.languages import foreign_texts, is_foreign, other_language

HINDI, RUSSIAN, CHINESE, ARABIC = "दुकान कब खुलती है?", "Когда вы открываетесь?", "你们几点开门？", "متى تفتحون؟"


@pytest.mark.parametrize("text", [HINDI, RUSSIAN, CHINESE, ARABIC, "Πότε ανοίγετε;", "언제 여나요?", "Когда open?"])
def test_other_scripts_are_foreign(text: str) -> None:
    assert is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "When do you open?", "Où est-ce que ça s'ouvre à Łódź?", "Nguyễn Tấn Dũng", "straße", "ＡＢＣ ｄｅｆ", "",
        " ", "12:30 - 17.00", "🙂 👍", "α particles", "The word дом means house.", "x²", "１２３", "naı̈ve ﬁnd",
    ],
)  # fmt: skip
def test_what_is_mostly_latin_or_of_no_script_is_not(text: str) -> None:
    assert not is_foreign(text)


def test_every_latin_letter_is_latin() -> None:
    """By the names that Unicode gives them; those of phonetics, which nobody writes in, are not asked for."""
    letters = [chr(code) for code in range(0x250) if chr(code).isalpha()] + [chr(c) for c in range(0x1E00, 0x1F00)]
    for letter in letters:
        named = unicodedata.name(letter, "").startswith(("LATIN", "FEMININE ORD", "MASCULINE ORD"))
        assert is_foreign(letter) is not named or letter == "µ", letter


def test_a_warning_for_each_text() -> None:
    assert foreign_texts("English", "When?", "At nine.") == ()
    assert foreign_texts(None, HINDI, HINDI) == ()
    [question] = foreign_texts("English", HINDI, "At nine.")
    assert question == (
        "the question is mostly in a script that this model, which reads English, does not know: no verdict is given"
    )
    [best] = foreign_texts("English", "When?", HINDI)
    assert best.startswith("the best candidate is mostly in a script")
    assert foreign_texts("English", HINDI, RUSSIAN) == (question, best)


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("German", ["wie lange dauert die lieferung", "was kostet das pro woche", "Ist Bettwäsche dabei?"]),
        ("French", ["puis-je venir avec mon chien", "La livraison est gratuite à partir de 50 euros."]),
        ("Spanish", ["cuanto cuesta el envio", "Puedo devolver un artículo?"]),
        ("Italian", ["quanto costa la spedizione", "Il negozio è chiuso."]),
        ("Dutch", ["mag ik mijn hond meenemen", "wat kost een kaartje"]),
        ("Portuguese", ["quanto custa o bilhete para as crianças", "Não aceitamos cartões."]),
        ("Polish", ["gdzie jest parking", "czy mogę zapłacić kartą"]),
        ("Turkish", ["bilet ne kadar", "otopark var mı"]),
        ("a Scandinavian language", ["hur mycket kostar det", "hvor ligger det"]),
    ],
)
def test_other_languages_of_latin_letters_are_known_by_their_small_words(language: str, texts: list[str]) -> None:
    assert [other_language(text) for text in texts] == [language] * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "who was the author of les miserables", "is the crème brûlée vegan", "how do you say das boot in english",
        "Does the Überholspur pass work in München?", "where is the café in el paso", "when did he die", "Déjà vu",
        "2 H2O(l) → O2(g) + 4 H+(aq) + 4 e–", "", "Zürich", "The Musée d'Orsay is in Paris, and it is open on Sundays.",
        "Passwort",  # one word tells nothing
    ],
)  # fmt: skip
def test_english_with_a_foreign_name_is_english(text: str) -> None:
    assert other_language(text) is None


def test_what_an_english_model_says_of_german() -> None:
    assert foreign_texts("English", "When?", "Wir öffnen um neun.") == (
        "the best candidate seems to be in German, which this model, which reads English, does not know: "
        "no verdict is given",
    )
    german = "question,answer\nWann haben Sie geöffnet?,Wir öffnen um neun.\n"
    assert foreign_texts(None, german, german) == ()
    ranking = Ranker.load("default").rank("Was kostet das?", ["Das kostet nichts.", "Wir öffnen um neun."])
    assert (ranking.answerable, ranking.answerability, len(ranking.warnings)) == (None, None, 2)
    assert Ranker.load("bm25").rank("Was kostet das?", ["Das kostet nichts.", "Wir öffnen um neun."]).warnings == ()


class English:
    """Scores by length."""

    name, capacity, pairwise, language = "english", None, True, "English"

    def score(self, questions: list[Question]) -> list[np.ndarray]:
        return [np.array([float(len(c.text)) for c in question.candidates]) for question in questions]

    def save(self, folder: object) -> None: ...


@pytest.mark.parametrize(
    ("question", "candidates", "warnings"),
    [
        ("When?", ["At nine.", HINDI[:3]], 0),  # the best one is Latin
        ("When?", ["9", HINDI], 1),
        (HINDI, ["At nine.", "9"], 1),
        (HINDI, ["9", RUSSIAN], 2),
    ],
)
def test_no_verdict_where_the_model_cannot_read(question: str, candidates: list[str], warnings: int) -> None:
    """Probabilities are given all the same, and so is the order."""
    ranking = Ranker(English(), Calibration(Beliefs(Logistic(0.0, {"score": 1.0})), 0.5)).rank(question, candidates)
    assert len(ranking.warnings) == warnings
    assert (ranking.answerable, ranking.answerability is None) == ((None, True) if warnings else (True, False))
    assert ranking.threshold == 0.5
    assert all(result.probability for result in ranking)
    assert ranking.answer is ranking.best
    assert ranking.to_dict().get("warnings", []) == list(ranking.warnings)


def test_which_language_models_read() -> None:
    assert load_scorer("default").language == "English"
    for name in ("bm25", "jaccard"):
        assert hasattr(load_model(name), "language")
    assert Ranker.load("default").rank(HINDI, ["At nine.", "Parking is free."]).answerable is None
