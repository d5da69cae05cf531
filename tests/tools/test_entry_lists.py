"""Entries of FAQs with wrong answers beside their own, against what such lists must hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from tools.default_model.entry_lists import FAR, HARD, NEAR, fill_entries

WORDS = ("oven", "lamp", "door", "pump", "belt", "coil", "fuse", "gear")


def entry(source: str, section: str, word: str, number: int) -> Question:
    right = Candidate("0", f"Turn the {word} of {source} {section} {number}.", 1.0)
    return Question(f"{source}/{section}/{word}{number}", f"How is the {word} turned?", (right,), meta(source, section))


def meta(source: str, section: str) -> dict[str, str]:
    return {"source": source, "section": section}


def book(source: str) -> Iterator[Question]:
    for section in "ABC":
        for word in WORDS:
            yield from (entry(source, section, word, number) for number in range(3))


ENTRIES = [*book("stove"), *book("mill"), entry("alone", "A", "valve", 1)]


def own(question: Question) -> str:
    return next(candidate.text for candidate in question.candidates if candidate.relevant)


def wrong(question: Question) -> list[str]:
    return [candidate.text for candidate in question.candidates if not candidate.relevant]


def test_every_entry_keeps_its_answer_and_gets_distinct_wrong_ones() -> None:
    found = {question.id: question for question in fill_entries(ENTRIES, seed=1)}
    every = {own(question) for question in ENTRIES}
    assert set(found) == {question.id for question in ENTRIES}
    for question in ENTRIES:
        filled = found[question.id]
        assert (filled.text, filled.meta, own(filled)) == (question.text, question.meta, own(question))
        assert len(set(wrong(filled))) == len(wrong(filled)) == NEAR + HARD + FAR
        assert set(wrong(filled)) <= every - {own(question)}
        assert len({candidate.id for candidate in filled.candidates}) == len(filled.candidates)


def test_some_are_of_the_section_some_share_words_and_the_rest_is_of_anywhere() -> None:
    elsewhere = 0
    for question in fill_entries(ENTRIES, seed=2):
        source, section = question.meta["source"], question.meta["section"]
        if source == "alone":
            continue
        word = question.text.split()[3]
        texts = wrong(question)
        assert sum(f"of {source} {section} " in text for text in texts) >= NEAR
        assert sum(f"the {word} of {source} " in text for text in texts) >= HARD
        elsewhere += sum(f"of {source} " not in text for text in texts)
    assert elsewhere > 0


def test_a_source_of_one_entry_is_filled_from_anywhere() -> None:
    [question] = [question for question in fill_entries(ENTRIES, seed=1) if question.meta["source"] == "alone"]
    assert all("of stove" in text or "of mill" in text for text in wrong(question))


@pytest.mark.parametrize("seed", [1, 2])
def test_lists_follow_from_the_seed_and_places_tell_nothing(seed: int) -> None:
    found = fill_entries(ENTRIES, seed)
    assert fill_entries(ENTRIES, seed) == found
    places = {next(place for place, one in enumerate(question.candidates) if one.relevant) for question in found}
    assert places == set(range(NEAR + HARD + FAR + 1))
    assert fill_entries(ENTRIES, seed + 1) != found


def test_answers_that_two_entries_share_are_not_wrong_for_either() -> None:
    first = entry("stove", "A", "oven", 0)
    again = Question("again", "What of the oven?", first.candidates, first.meta)
    for question in fill_entries([first, again, *book("mill")], seed=1):
        assert own(question) not in wrong(question)


def test_an_entry_without_a_source_is_named() -> None:
    with pytest.raises(InputError, match="the entry 'q7' has no 'source' in its meta"):
        fill_entries([Question("q7", "Why?", ENTRIES[0].candidates)], seed=1)
