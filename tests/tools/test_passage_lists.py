"""Passages as a retriever hands them over: sentences whole, the right ones there, in an order that says nothing."""

from __future__ import annotations

from tools.default_model.passage_lists import HANDED, WORDS, count_words, cut_passages, passage_lists

SENTENCES = [f"Sentence {number} tells of the bee called {name}." for number, name in enumerate("abcdefghijkl" * 20)]
RECORD = {
    "kind": "document",
    "subject": "Bees",
    "markdown": "# Bees\n\n" + " ".join(SENTENCES),
    "questions": [{"text": f"Which bee is in {n}?", "right": [SENTENCES[n]]} for n in range(0, 200, 7)],
    "unanswerable": ["Who flies?", "Who sings?"],
}
OTHER = {**RECORD, "subject": "Tea", "markdown": "# Tea\n\n" + " ".join(f"Leaf {n} is green." for n in range(900))}


def test_passages_hold_all_sentences_once_and_are_long_enough() -> None:
    for words in WORDS:
        passages = cut_passages(RECORD, words)
        assert [sentence for passage in passages for sentence in passage] == SENTENCES
        assert all(count_words(passage) >= words for passage in passages[:-1])
        assert all(count_words(passage[:-1]) < words for passage in passages[:-2])
        assert count_words(passages[-1]) >= words / 2


def test_a_question_has_its_answer_among_those_that_are_handed_over() -> None:
    lists = list(passage_lists([RECORD, OTHER]))[: len(RECORD["questions"]) + 2]
    firsts = []
    for question, asked in zip(lists, [*RECORD["questions"], None, None], strict=True):
        right = [one.text for one in question.candidates if one.relevant]
        assert len(question.candidates) <= HANDED
        assert len({one.id for one in question.candidates}) == len(question.candidates)
        assert (len(right) == 1 and asked["right"][0] in right[0]) if asked else not right
        firsts.append(bool(question.candidates[0].relevant))
    assert 0 < sum(firsts) < len(firsts) / 2
