"""Entries of a FAQ and sentences of documents in one list, as whoever gives both to `anselm ask` meets them.

Made of the collections of one writer: a FAQ's questions asked of its entries and of a document about something else; of
a FAQ of which every second entry became sentences, so that both are on the topic; and a document's questions asked of
its sentences and of a FAQ about something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anselm.data.question import Candidate, Question
from anselm.text.sentences import sentence_spans


def mixed_lists(faqs: Sequence[Sequence[Question]], documents: Sequence[Sequence[Question]]) -> Iterator[Question]:
    """`faqs`, `documents`: the lists of each; all lists of one have the same candidates."""
    for place, lists in enumerate(faqs):
        other = documents[place % len(documents)][0].candidates
        for number, question in enumerate(lists):
            yield halved(question, number) if number % 2 else beside(question, other, number)
    for place, lists in enumerate(documents):
        other = faqs[place % len(faqs)][0].candidates
        for number, question in enumerate(lists):
            yield beside(question, other, number)


def beside(question: Question, other: Sequence[Candidate], number: int) -> Question:
    """Its candidates and those of something else, now these first, now those."""
    wrong = tuple(replace(candidate, id=f"other {candidate.id}", label=0.0) for candidate in other)
    own = question.candidates
    return replace(question, candidates=(*own, *wrong) if number // 2 % 2 else (*wrong, *own))


def halved(question: Question, number: int) -> Question:
    """Every second entry as the sentences of its answer, its paragraph; all of those of a right one are right."""
    odd = number // 2 % 2
    kept = [one for place, one in enumerate(question.candidates) if place % 2 == odd]
    cut = [one for place, one in enumerate(question.candidates) if place % 2 != odd]
    said = [
        replace(one, id=f"{one.id} {place}", text=one.text[start:end], question="", heading="", paragraph=one.text)
        for one in cut
        for place, (start, end) in enumerate(sentence_spans(one.text))
    ]
    return replace(question, candidates=(*kept, *said) if number // 4 % 2 else (*said, *kept))
