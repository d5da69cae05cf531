"""The lists of the default ranker: hand-made records against naive computations, and the real repeats counted."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.data.question import Candidate, Question
from anselm.errors import UnknownNameError
from tools.default_model import mixture as mixing
from tools.default_model.mixture import EVALUATED, community, load_lists, mixture, passages, without_repeats

# Passages


def ask(id: str, title: str, *sentences: str, right: int = 0) -> Question:
    rows = (Candidate(f"{id}-{i}", text, float(i == right)) for i, text in enumerate(sentences))
    return Question(id, f"What of {id}?", tuple(rows), {"title": title})


def article(title: str, paragraphs: int, questions: int = 2) -> list[Question]:
    """Several questions about each paragraph of two sentences."""
    return [
        ask(f"{title}{number}{letter}", title, f"{title} {number}.", "It ends.")
        for number in range(paragraphs)
        for letter in "abc"[:questions]
    ]


LARGE, SMALL, SINGLE = article("Bees", 6), article("Wood", 2), article("Tea", 1)
SOURCES = {"squad/train": [*LARGE, *SMALL, *SINGLE], "shifts/wiki": article("Milk", 7)}


def test_a_passage_list_has_the_own_paragraph_and_six_others() -> None:
    found = {question.id: question for question in passages(SOURCES, 100, seed=1)}
    assert set(found) == {f"passage/{source}/{q.id}" for source, lists in SOURCES.items() for q in lists}
    for source, lists in SOURCES.items():
        everything = {" ".join(c.text for c in q.candidates) for q in lists}
        for question in lists:
            made = found[f"passage/{source}/{question.id}"]
            texts = {label: [c.text for c in made.candidates if c.label == label] for label in (0.0, 1.0)}
            own = " ".join(c.text for c in question.candidates)
            assert made.text == question.text
            assert texts[1.0] == [own]
            assert len(set(texts[0.0])) == len(texts[0.0]) == 6
            assert set(texts[0.0]) <= everything - {own}
            assert len({c.id for c in made.candidates}) == 7


def test_three_of_the_other_paragraphs_are_of_the_same_article_as_far_as_it_has_any() -> None:
    lists = {"s": [*LARGE, *SMALL, *SINGLE, *article("Milk", 40)]}
    for question in passages(lists, 1000, seed=2):
        [title] = {candidate.text.split()[0] for candidate in question.candidates if candidate.relevant}
        wrong = {candidate.text for candidate in question.candidates if not candidate.relevant}
        near = len({text for text in wrong if text.startswith(title)})
        assert len(wrong) == 6
        assert near in {"Bees": (3, 4, 5), "Wood": (1,), "Tea": (0,), "Milk": (3, 4, 5, 6)}[title]


def test_passages_are_drawn_from_the_seed_and_their_places_tell_nothing() -> None:
    lists = {"s": article("Bees", 30, questions=3)}
    some = passages(lists, 40, seed=1)
    assert len({question.id for question in some}) == 40
    assert passages(lists, 40, seed=1) == some
    assert passages(lists, 40, seed=2) != some
    assert {question.labels.index(1.0) for question in some} == set(range(7))


def test_a_source_of_few_paragraphs_offers_what_it_has() -> None:
    for question in passages({"s": SMALL}, 10, seed=1):
        assert sorted(question.labels) == [0.0, 1.0]
    assert [question.labels for question in passages({"s": SINGLE}, 10, seed=1)] == [(1.0,), (1.0,)]


# Community

TOPICS = ("kettle", "lime", "filter", "grinder", "roast", "crema", "milk", "foam", "scale", "cup")


def post(id: int, title: str, *answers: str, right: int | None = 0, body: str = "I wonder.") -> Question:
    rows = (Candidate(f"{id}.{i}", text, float(i == right)) for i, text in enumerate(answers))
    return Question(str(id), f"{title}\n{body}", tuple(rows), {"title": title})


COFFEE = [
    post(number, f"How to clean the {topic}?", f"The {topic} wants vinegar {number}.", f"Clean {topic} {other} often.")
    for number, (topic, other) in enumerate(zip(TOPICS, TOPICS[1:] + TOPICS[:1], strict=True))
]
UNANSWERED = post(77, "Is there a kettle to clean?", "Nobody likes the kettle, clean or not.", right=None)
GENAI = [post(number, "How to prompt?", f"Ask a model {number} times.") for number in range(9)]


def naive_hardest(posts: Sequence[Question], asked: Question) -> list[str]:
    """Ids of the four answers of other questions that textbook BM25 puts first for the title."""
    documents = {c.id: re.findall("[a-z0-9]+", c.text.lower()) for q in posts for c in q.candidates}
    mean = sum(map(len, documents.values())) / len(documents)
    scores = {}
    for id, document in documents.items():
        scores[id] = 0.0
        for word in set(re.findall("[a-z0-9]+", asked.meta["title"].lower())):
            n = sum(word in other for other in documents.values())
            tf = document.count(word)
            idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
            scores[id] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(document) / mean))
    own = {candidate.id for candidate in asked.candidates}
    return sorted((id for id in scores if id not in own and scores[id] > 0), key=lambda id: -scores[id])[:4]


def test_a_community_list_joins_own_hard_and_random_answers() -> None:
    posts = [*COFFEE, UNANSWERED]
    found = {question.id: question for question in community({"coffee": posts}, seed=1)}
    assert set(found) == {f"community/coffee/{q.id}/{form}" for q in COFFEE for form in ("title", "text")}
    texts = {candidate.id: candidate.text for q in posts for candidate in q.candidates}
    for question in COFFEE:
        own = {candidate.id: candidate.label for candidate in question.candidates}
        hard = naive_hardest(posts, question)
        drawn = []
        for form, text in (("title", question.meta["title"]), ("text", question.text)):
            made = found[f"community/coffee/{question.id}/{form}"]
            labels = {candidate.id: candidate.label for candidate in made.candidates}
            assert made.text == text
            assert len(made.candidates) == len(labels) == 2 + 4 + 6
            assert labels == {id: own.get(id, 0.0) for id in labels}  # right elsewhere is wrong here
            assert {*own, *hard} <= set(labels)
            assert all(texts[candidate.id] == candidate.text for candidate in made.candidates)
            drawn.append(set(labels) - set(hard))
        assert drawn[0] != drawn[1]  # other random ones for each form
    assert any("77.0" in [c.id for c in q.candidates] for q in found.values())  # its answer is a wrong one like any


def test_an_answer_that_shares_no_word_with_the_title_is_not_hard() -> None:
    posts = [post(100, "Zebra?", "Striped."), *GENAI]
    [title, _] = [question for question in community({"genai": posts}, seed=1) if "/100/" in question.id]
    assert len(title.candidates) == 1 + 0 + 6


def test_at_most_five_own_answers_one_of_them_right() -> None:
    many = [f"Beans, and cup {number}." for number in range(7)]
    posts = [post(50, "Beans?", *many, right=4), post(51, "Beans?", *many, right=5), *COFFEE]
    found = community({"coffee": posts}, seed=1)
    assert not [question for question in found if "/51/" in question.id]  # its right answer is the sixth
    fifty = [question for question in found if "/50/" in question.id]
    assert len(fifty) == 2
    for made in fifty:
        own = sorted(candidate.id for candidate in made.candidates if candidate.id.startswith("50."))
        assert own == [f"50.{number}" for number in range(5)]
        assert sum(candidate.relevant for candidate in made.candidates) == 1


def test_sites_do_not_mix_and_small_ones_have_fewer_answers() -> None:
    found = community({"genai": GENAI[:2], "coffee": COFFEE}, seed=1)
    assert [q.id.split("/")[1] for q in found] == ["coffee"] * 20 + ["genai"] * 4  # whatever the order that is given
    for question in found[-4:]:
        assert sorted(candidate.id for candidate in question.candidates) == ["0.0", "1.0"]
    assert all(not c.text.startswith("Ask") for question in found[:20] for c in question.candidates)


def test_community_lists_are_drawn_from_the_seed_and_places_tell_nothing() -> None:
    found = community({"coffee": COFFEE}, seed=1)
    assert community({"coffee": COFFEE}, seed=1) == found
    assert community({"coffee": COFFEE}, seed=2) != found
    assert len({question.labels.index(1.0) for question in found}) > 5


# Repeats


def listed(text: str, *candidates: str) -> Question:
    return Question(text, text, tuple(Candidate(str(i), said, 1.0) for i, said in enumerate(candidates)))


ten_words = st.lists(st.sampled_from("abcdefghij"), min_size=0, max_size=8).map(" ".join)


@given(st.lists(ten_words, max_size=12), st.lists(ten_words, max_size=12))
def test_repeated_questions_are_those_of_all_pairs(training: list[str], evaluated: list[str]) -> None:
    def is_repeat(text: str) -> bool:
        mine = set(text.split())
        pairs = ((mine & set(other.split()), mine | set(other.split())) for other in evaluated)
        return any(10 * len(shared) >= 8 * len(both) > 0 for shared, both in pairs)

    found = without_repeats(map(listed, training), map(listed, evaluated))
    assert [question.text for question in found] == [text for text in training if not is_repeat(text)]


@pytest.mark.parametrize(
    ("question", "stays"),
    [
        ("who made a kettle", True),  # 3 of 6
        ("Who MADE the first kettle?", False),  # 5 of 5, in other case and order
        ("who made that first kettle here", True),  # 4 of 7
        ("who made the kettle, first of", False),  # 5 of 6
        ("made first the kettle", False),  # 4 of 5: just enough
        ("made the kettle", True),  # 3 of 5
        ("tea or milk first", True),  # 3 of 4
        ("", True),
        ("?", True),
    ],
)
def test_a_repeated_question_has_eight_words_of_ten(question: str, stays: bool) -> None:
    evaluated = [listed("Kettle: the first, who made (the) first?"), listed(""), listed("Tea or milk?")]
    found = without_repeats([listed(question)], evaluated)
    assert len(found) == stays


SAID = "one two three four five six seven eight nine ten eleven twelve"


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (SAID.upper().replace(" ", ", "), False),
        ("one two three four five six seven eight", False),  # three shingles, all known
        ("one two three four five six seven", True),  # only two
        ("one two three four five six seven eight a b c", False),  # 3 of 6: just enough
        ("one two three four five six seven eight a b c d", True),  # 3 of 7
        ("twelve eleven ten nine eight seven six five four three two one", True),  # the same words in another order
        ("five six seven eight nine ten eleven twelve apples pears plums figs", True),  # 3 of 7
        ("six seven eight nine ten eleven twelve alpha beta gamma", False),  # 2 of 5 from one, 2 from the other
        ("ten eleven twelve one two three four five", True),  # 0 of 3: evaluated texts do not run into each other
        ("", True),
    ],
)
def test_a_repeated_answer_shares_half_of_its_shingles(answer: str, stays: bool) -> None:
    evaluated = [listed("x", "", SAID, SAID), listed("y", "nine ten eleven twelve alpha beta gamma")]
    found = without_repeats([listed("a", "Tea.", answer, "Milk.")], evaluated)
    assert len(found) == stays


def test_what_repeats_a_question_or_an_answer_goes() -> None:
    found = without_repeats([listed("a b c", SAID), listed("d", SAID), listed("e")], [listed("a b c", SAID)])
    assert [question.text for question in found] == ["e"]


def test_real_repeats_are_found(real_data: Path) -> None:
    evaluated = [question for part in EVALUATED for question in load_lists(*part)]
    assert len(load_lists("selqa", "dev")) == 785
    assert len(without_repeats(load_lists("selqa", "dev"), evaluated)) == 774


# All together


class Shelf:
    """Small corpora, each with what must go: a repeated question, a repeated answer, nothing right."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, corpus: str, split: str) -> list[Question]:
        self.asked.append((corpus, split))
        if (corpus, split) in EVALUATED:
            return [listed(f"who measured {corpus} {split} in full", f"{SAID} {corpus}")]
        if corpus == "stackexchange":
            repeat = post(9, "Who measured wikiqa dev in full", "No.", body="")
            return [*(post(n, f"Which {split}?", f"{split} {n}.") for n in range(3)), repeat]
        unanswered = ask("none", "T", "Nothing.", "At all.", right=5)
        repeat = replace(ask("asked", "T", "Asked."), text="Who measured trecqa test in full?")
        return [*article(f"{corpus}{split}", 3), unanswered, repeat, ask("said", "T", "Said", SAID)]


def kinds(questions: Sequence[Question]) -> list[str]:
    """The first parts of the ids, each once, in order."""
    found = (re.match("(passage/)?[^/]+/[^/]+", question.id) for question in questions)
    return list(dict.fromkeys(match[0] for match in found if match))


SENTENCES = ["squad/train-subset", "squadshifts/wiki", "squadshifts/amazon", "selqa/dev"]
PASSAGES = [f"passage/{source}" for source in SENTENCES[:3]]
COMMUNITY = [f"community/{site}" for site in ("cardano", "coffee", "genai")]


def test_the_mixture_has_every_kind_and_no_repeats() -> None:
    load = Shelf()
    found = mixture(load)
    assert kinds(found) == SENTENCES + PASSAGES + COMMUNITY
    assert len(found) == len({question.id for question in found}) == 4 * 6 + 3 * 6 + 3 * 3 * 2
    assert set(EVALUATED) <= set(load.asked)
    assert all(any(candidate.relevant for candidate in question.candidates) for question in found)
    texts = {text for q in found for text in (q.text, *(c.text for c in q.candidates))}
    assert not {text for text in texts if re.search("measured|twelve|Nothing|Asked|^No", text)}


@pytest.mark.parametrize("without", [(), ("squad",), ("squadshifts",), ("selqa", "squad"), ("stackexchange",)])
def test_a_corpus_that_is_held_out_leaves_nothing_behind(without: tuple[str, ...]) -> None:
    load = Shelf()
    found = mixture(load, without)
    sources = [source for source in SENTENCES if source.split("/")[0] not in without]
    community = [] if "stackexchange" in without else COMMUNITY
    assert kinds(found) == sources + [kind for kind in PASSAGES if kind.removeprefix("passage/") in sources] + community
    assert not [part for part in load.asked if part[0] in without and part not in EVALUATED]


def test_sentence_lists_are_widened_from_their_own_source() -> None:
    for question in mixture(Shelf()):
        corpus, split = question.id.split("/")[:2]
        if corpus in ("passage", "community"):
            continue
        added = [candidate for candidate in question.candidates if candidate.id.startswith("x")]
        assert len(question.candidates) - len(added) == 2
        assert {candidate.label for candidate in added} == {0.0}
        assert len(added) == 2  # the first sentences of the two other paragraphs; all end alike
        assert all(candidate.text.startswith(f"{corpus}{split} ") for candidate in added)


def test_passages_are_at_most_so_many_per_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mixing.PASSAGES == 3000
    monkeypatch.setattr(mixing, "PASSAGES", 4)
    assert sum(question.id.startswith("passage/") for question in mixture(Shelf())) == 3 * 4


def test_what_is_no_part_cannot_be_held_out() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown corpus of the mixture 'squadshift'; .*'squadshifts'"):
        mixture(Shelf(), ["selqa", "squadshift"])


def test_posts_with_one_answer_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSELM_DATA", str(tmp_path))
    row = '<row Id="{}" PostTypeId="{}" Score="1" Body="tea" Title="Tea?" ParentId="1"/>'
    (tmp_path / "stackexchange").mkdir()
    (tmp_path / "stackexchange" / "coffee.Posts.xml").write_text(f"<posts>{row.format(1, 1)}{row.format(2, 2)}</posts>")
    assert [len(question.candidates) for question in load_lists("stackexchange", "coffee")] == [1]


def test_of_other_corpora_no_question_is_left_out(real_data: Path) -> None:
    assert len(load_lists("wikiqa", "dev")) == 296
