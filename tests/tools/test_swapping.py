"""Nearly right sentences: hand-made lists against what must have changed in them, and what must not."""

from __future__ import annotations

import random

from anselm.data.question import Candidate, Question
from tools.default_model.swapping import add_swapped


def ask(id: str, text: str, right: str, *wrong: str) -> Question:
    candidates = (Candidate("0", right, 1.0), *(Candidate(str(n), one, 0.0) for n, one in enumerate(wrong, start=1)))
    return Question(id, text, candidates)


TESLA = ask("t", "When did Nikola Tesla move to Prague?", "Nikola Tesla moved to Prague in 1880.", "He sang.")
ERIE = ask("e", "How long is the Erie Canal of 1825?", "Since 1825 the Erie Canal is 584 km long.", "It rains.")
BREAD = ask("b", "why does bread rise?", "Yeast makes it rise.", "It is eaten with butter.")
LISTS = [TESLA, ERIE, BREAD]


def test_names_and_numbers_that_the_question_has_are_swapped_for_others() -> None:
    seen = set()
    for seed in range(20):
        tesla, erie, _ = add_swapped(LISTS, random.Random(seed))
        assert tesla.candidates[:-1] == TESLA.candidates
        added = tesla.candidates[-1]
        assert added.label == 0.0
        assert added.text.endswith("in 1880.")  # the answer itself is not asked for
        assert added.text != TESLA.candidates[0].text
        assert "584 km long" in erie.candidates[-1].text
        seen.add(added.text)
    assert len(seen) > 2
    assert any("Erie Canal" in text for text in seen)


def test_a_list_without_a_shared_name_stays_as_it_is() -> None:
    assert list(add_swapped(LISTS, random.Random(1)))[2] is BREAD
    assert list(add_swapped([BREAD], random.Random(1))) == [BREAD]


def test_where_no_other_name_is_known_nothing_is_added() -> None:
    alone = ask("a", "Is it in Rome?", "It is in Rome.")
    assert list(add_swapped([alone], random.Random(1))) == [alone]


def test_the_wrong_sentence_follows_from_the_seed() -> None:
    assert list(add_swapped(LISTS, random.Random(3))) == list(add_swapped(LISTS, random.Random(3)))
