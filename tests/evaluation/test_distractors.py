"""Each rule that makes a distractor against questions worked by hand."""

from __future__ import annotations

import re
from random import Random

import pytest

from anselm.data.question import Candidate, Question
from anselm.evaluation.alterations import alter
from anselm.evaluation.distractors import add_distractor
from anselm.evaluation.replacements import MAKERS, NAMES, OPPOSITES, draw_replacement
from anselm.evaluation.statements import make_statement
from anselm.evaluation.verb_forms import past, third_person


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        ("Where did Super Bowl 50 take place?", "Super Bowl 50 took place in {}", "place"),
        ("where is baby bash from", "baby bash is from {}", "place"),
        ("who sang proud mary", "{} sang proud mary", "person"),
        ("Who is the president of France?", "the president of France is {}", "person"),
        ("Who was elected in 1990?", "{} was elected in 1990", "person"),
        ("To whom did he sell it?", "he sold it to {}", "person"),
        ("When was it founded?", "it was founded in {}", "year"),
        ("In what year was it founded?", "it was founded in {}", "year"),
        ("Why was this bill passed?", "this bill was passed because of {}", "reason"),
        ("how many acts are in hamlet", "{} acts are in hamlet", "number"),
        ("How many kids does she have?", "she has {} kids", "number"),
        ("How old is she?", "she is {}", "age"),
        ("how does one get it", "one gets it by {}", "name"),
        ("What is the capital of France?", "the capital of France is {}", "place"),
        ("what was the parthenon used for", "the parthenon was used for {}", "name"),
        ("What did he write?", "he wrote {}", "name"),
        ("What river runs through Warsaw?", "the river of {} runs through Warsaw", "place"),
        ("What team did Tucker play for?", "Tucker played for the team of {}", "organisation"),
        ("What country has higher scores?", "the country of {} has higher scores", "place"),
        ("It is also known as what?", "It is also known as {}", "name"),
        ("Can I pay by card?", "I can pay by card", "name"),
        ("us constitution date", "us constitution date is {}", "name"),
        ("", "is {}", "name"),
        ("{} who?", "() {}", "name"),
    ],
)
def test_a_question_as_a_statement(question: str, text: str, kind: str) -> None:
    found = make_statement(question)
    assert (found.text, found.kind) == (text, kind)


@pytest.mark.parametrize(
    ("question", "pattern"),
    [
        ("Where was Henry Cavill born?", rf"Where was ({'|'.join(NAMES['person'])}) buried\?"),
        ("What is the capital of France?", rf"What is the capital of ({'|'.join(NAMES['place'])})\?"),
        ("Which British actor was it?", rf"Which ({'|'.join(NAMES['nationality'])}) actor was it\?"),
        ("Who won it in 1990?", r"Who lost it in 1[789]\d\d\?"),
        ("Who won it on June 14, 1990?", r"Who lost it on \w+ \d+, 1[789]\d\d\?"),
        ("Who has 12%?", r"Who has \d+ percent\?"),
        ("Who has 12 of them?", r"Who has \d+ of them\?"),
        ("how old is the largest one", r"how old is the smallest one"),
        ("how is temperature made", r"how is \w+ made"),
    ],
)
def test_a_question_about_something_else(question: str, pattern: str) -> None:
    found = alter(question, [], Random(1))
    assert found is not None
    assert found != question
    assert re.fullmatch(pattern, found), found


def test_names_in_lower_case_are_known_from_the_list() -> None:
    found = alter("where is rashard lewis from", ["Rashard Quovon Lewis plays for Miami."], Random(1))
    assert found is not None
    assert re.fullmatch(r"where is (the )?[A-Z]\w+( [A-Z]\w+)? from", found), found


def test_nothing_to_swap() -> None:
    assert alter("why", [], Random(1)) is None
    assert alter("", [], Random(1)) is None


def test_opposites_go_both_ways() -> None:
    assert OPPOSITES["largest"] == "smallest"
    assert OPPOSITES["smallest"] == "largest"
    assert not any(one == other for one, other in OPPOSITES.items())


def test_what_is_drawn_does_not_occur_around() -> None:
    around = " ".join(NAMES["person"][1:]).casefold()
    assert {draw_replacement("person", Random(n), around) for n in range(20)} == {NAMES["person"][0]}
    assert all(draw_replacement(kind, Random(1)) for kind in (*NAMES, *MAKERS))


@pytest.mark.parametrize(
    ("verb", "before", "now"),
    [
        ("write", "wrote", "writes"),
        ("carry", "carried", "carries"),
        ("play", "played", "plays"),
        ("stop", "stopped", "stops"),
        ("live", "lived", "lives"),
        ("look", "looked", "looks"),
        ("watch", "watched", "watches"),
        ("have", "had", "has"),
        ("go", "went", "goes"),
    ],
)
def test_forms_of_verbs(verb: str, before: str, now: str) -> None:
    assert (past(verb), third_person(verb)) == (before, now)


def a_list(**more: str) -> Question:
    texts = ("Henry Cavill was born in Jersey.", "He is an actor.", "The island is small.")
    candidates = tuple(Candidate(str(n), text, float(n == 0), **more) for n, text in enumerate(texts))
    return Question("q1", "Where was Henry Cavill born?", candidates)


def test_one_candidate_more_that_is_not_relevant() -> None:
    question = a_list(heading="Life")
    found = add_distractor(question)
    (made,) = [candidate for candidate in found.candidates if candidate not in question.candidates]
    assert [candidate for candidate in found.candidates if candidate is not made] == list(question.candidates)
    assert (made.id, made.label, made.heading, made.question) == ("distractor", 0.0, "Life", "")
    assert re.fullmatch(r"[A-Z]\w+ \w+ was buried in [A-Z][\w ]+\.", made.text), made.text


def test_an_entry_among_entries() -> None:
    made = next(one for one in add_distractor(a_list(question="Who?")).candidates if one.id == "distractor")
    assert re.fullmatch(r"Where was [A-Z]\w+ \w+ buried\?", made.question)


def test_the_same_seed_makes_the_same_in_whatever_company() -> None:
    question = a_list()
    assert add_distractor(question, 3) == add_distractor(question, 3)
    places = {tuple(one.id for one in add_distractor(question, seed).candidates) for seed in range(30)}
    assert len(places) == 4  # every place of a list of three


def test_an_id_that_is_taken() -> None:
    question = Question("q", "Who won it?", (Candidate("distractor", "A.", 1.0),))
    assert {one.id for one in add_distractor(question).candidates} == {"distractor", "distractor-1"}


def test_an_empty_list() -> None:
    assert len(add_distractor(Question("q", "Who won it?", ())).candidates) == 1
