"""Misspelt words of a question."""

from __future__ import annotations

import gzip
from itertools import product
from string import ascii_lowercase

import pytest

from anselm.text.spelling import Words, edits, english_words, likeliest, plain_words, respell, slip

COMMON = {"often": 1, "length": 2, "account": 3, "train": 4, "really": 5, "offend": 9_000}
WORDS = Words(COMMON, frozenset([*COMMON, "wheel", "tunnel", "members", "times"]))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("How offen do you turn them?", "How often do you turn them?"),  # another letter, of a frequent word
        ("lenght of the tunnel", "length of the tunnel"),  # in two turns
        ("my acount", "my account"),  # single for double
        ("DO YOU REALLLY?", "DO YOU REALLY?"),  # one too many
        ("Trian to the tunnel", "Train to the tunnel"),
        ("how (offen), 'lenght'!", "how (often), 'length'!"),
    ],
)
def test_a_slip_is_read_as_the_common_word_beside_it(typed: str, read: str) -> None:
    assert respell(typed, [], WORDS) == read


@pytest.mark.parametrize(
    "typed",
    [
        "the tunnel for members",  # known
        "ofen",  # short
        "mail lenght@offen.org, see offen.txt or /offen/lenght",  # parts of something else
        "re-lenght offen2",
        "did Offen come",  # may be a name
        "they were late, weren't they? doesnt matter",  # contractions, with their mark or without
        "zzyzzx",  # nothing is near
        "lenght offen",  # more that is unknown than known, and no word that is surely English
        "`lenght` of the tunnel",  # code
        "see the " + "lenght" * 9_000,
    ],
)
def test_what_may_be_right_stays(typed: str) -> None:
    assert respell(typed, [], WORDS) == typed


def test_many_slips_in_an_english_question_are_read() -> None:
    assert respell("what lenght offen acount", [], WORDS) == "what length often account"


def test_candidates_have_words_of_their_own() -> None:
    assert respell("when is the kefyr ready", ["Our kefir takes a day."], WORDS) == "when is the kefir ready"
    assert respell("when is the lenght set", ["The lenght is set at noon."], WORDS) == "when is the lenght set"
    assert (
        respell("we meet in Febuary", ["Closed in February."], WORDS) == "we meet in February"
    )  # a name that a candidate says


def test_a_candidate_s_word_is_read_in_a_question_of_a_few_words_in_no_language() -> None:
    words = Words({**COMMON, "booking": 50, "diesel": 60}, frozenset())
    said = ["A booking can be changed.", "Diesel is at the pump."]
    assert [respell(one, said, words) for one in ("bookng", "deisel", "lenght")] == ["booking", "diesel", "lenght"]
    assert respell("bookng", [], words) == "bookng"
    shower = Words({"shower": 4_000, "show": 150, "is": 1, "the": 2, "hot": 3}, frozenset())
    assert respell("is the showr hot", ["There is a shower."], shower) == "is the shower hot"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("is Mrs Kowalska in", "Mr Kowalski is in."),
        ("what does strtol do", "The function strtok cuts."),
        ("where is the lenghtd", "length"),
        ("how do i use trainjs", "trains"),
        ("what is a :lenght", "length"),
        ("what is a <lenght>", "length"),
        ("is the offene\u0301 here", "often"),  # decomposed: offené
    ],
)
def test_names_terms_and_code_stay(typed: str, said: str) -> None:
    words = Words({**COMMON, **dict.fromkeys(["is", "in", "the", "what", "where", "how", "trains"], 5)}, frozenset())
    assert respell(typed, [said], words) == typed


def test_what_no_model_reads_is_not_respelled_and_a_word_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    def count(word: str) -> set[str]:
        looked_up.append(word)
        return edits(word)

    monkeypatch.setattr("anselm.text.spelling.edits", count)
    found = respell("what is the lenght " * 200, [], WORDS)
    assert looked_up == ["lenght"]
    assert found.startswith("what is the length " * 100)
    assert found.endswith("what is the lenght " * 50)
    assert len(found) == len("what is the lenght " * 200)


def test_a_known_word_that_a_candidate_says_is_read_though_it_is_not_common() -> None:
    words = Words({"round": 400, "refund": 6_000, "get": 5}, frozenset({"round", "refund", "dishwasher"}))
    said = ["Mugs are dishwasher safe."]
    assert [respell(one, said, words) for one in ("diswasher ok?", "can i get a diswasher")] == [
        "dishwasher ok?",
        "can i get a dishwasher",
    ]
    assert respell("can i get a diswasher", [], words) == "can i get a diswasher"
    assert respell("can i get a rfund", [], words) == "can i get a refund"  # and no round: a letter is only missing


def test_one_of_many_is_no_slip() -> None:
    assert respell("where are the turners", ["The turner is at the gate."], WORDS) == "where are the turners"


def test_a_word_of_a_candidate_is_likelier_than_one_that_is_as_near() -> None:
    words = Words({"letter": 10, "latter": 11}, frozenset())
    assert likeliest("lutter", frozenset(), words) == "letter"
    assert likeliest("lutter", frozenset({"latter"}), words) == "latter"


def test_slips_are_told_apart() -> None:
    assert [slip("trian", "train"), slip("leter", "letter"), slip("insurence", "insurance")] == [0, 0, 1]
    assert [slip("vacum", "vacuum"), slip("fone", "tone"), slip("arve", "arrive")] == [0, 2, 1]


def test_edits_are_all_that_one_step_reaches() -> None:
    """Against the distance of Damerau and Levenshtein, over all words of up to four of three letters."""
    words = ["".join(letters) for size in range(1, 5) for letters in product("abc", repeat=size)]
    near = {word for word in edits("abc") if set(word) <= set("abc")}
    assert near == {word for word in words if one_step("abc", word)}
    assert len(edits("abc")) > 26 * 4


def one_step(one: str, two: str) -> bool:
    if abs(len(one) - len(two)) == 1:
        long, short = sorted((one, two), key=len, reverse=True)
        return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))
    if len(one) != len(two):
        return False
    odd = [place for place in range(len(one)) if one[place] != two[place]]
    turned = len(odd) == 2 and odd[1] == odd[0] + 1 and one[odd[0]] == two[odd[1]] and one[odd[1]] == two[odd[0]]
    return len(odd) == 1 or turned


def test_plain_words_know_their_places() -> None:
    text = "(Where) is x.y, 'Schloss-park', the gArden?! ünder naïve"
    assert list(plain_words(text)) == [(1, "Where"), (36, "gArden")]
    assert all(text[start:].startswith(word) for start, word in plain_words(text))


def test_english_as_it_is_packed() -> None:
    words = english_words()
    assert 10_000 < len(words.common) < 20_000
    assert len(words.known) > 100_000
    assert {"wifi", "login", "stroller", "colour", "backups", "paris", "venmo", "sonos", "backend", "systemd"} <= set(
        words.known
    )
    assert not {"recieve", "adress", "seperate", "libary", "definitly", "lenght"} & set(words.known)
    assert words.common["often"] < words.common["tunnel"]
    assert {"february", "monday"} <= set(words.common)
    assert not {"paris", "negro", "germans", "slave"} & set(words.common)  # nobody meant a name, or a people
    assert all(set(word) <= set(ascii_lowercase) for word in words.known)


def test_the_notice_of_the_word_lists_is_there() -> None:
    from importlib.resources import files

    room = files("anselm.text")
    assert "Kevin Atkinson" in room.joinpath("english_words_notice.txt").read_text(encoding="utf-8")
    assert gzip.decompress(room.joinpath("english_words.txt.gz").read_bytes())


FOREIGN = [
    "wie lange dauert die lieferung", "cuanto cuesta el envio", "Comment annuler une commande?",
    "les chiens sont admis",
    "Preciso de visto?", "Passwort vergessen", "Mot de passe", "wat kost een kaartje", "quanto costa la spedizione",
]  # fmt: skip


@pytest.mark.parametrize("typed", FOREIGN)
def test_other_languages_stay(typed: str) -> None:
    assert respell(typed, ["Delivery takes two days and is free."]) == typed
