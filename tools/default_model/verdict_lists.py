"""Lists with and without an answer, by family and source: what the default model's verdict is fitted on and judged by.

A family is a kind of text (FAQ entries, their answers alone, documents, passages, forum threads, pools, ...), a source
is where its lists come from: a corpus, or one of the writers of tools/default_model/collections. Needs ANSELM_DATA.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anselm.data.datasets import load_dataset
from anselm.data.question import Candidate, Question
from anselm.ranking.passages import find_spots, in_paragraphs
from anselm.text.documents import document_from_text
from tools.default_model.collected import WRITERS, asked, plain, records_of, same
from tools.default_model.make_default import insurance_lists, titles
from tools.default_model.mixed_lists import mixed_lists
from tools.default_model.passage_lists import passage_lists
from tools.default_model.pools import make_pools
from tools.default_model.verdict_table import MIXTURES, PASSAGES

SQUAD, POOLS, SEED = 400, 150, 3
FEW = (1, 2, 3, 5)  # candidates of a short list
STRETCHES = (4, 8, 14, 22)  # sentences of a short document


@dataclass(frozen=True)
class Part:
    """The lists of one source of one family. `removable`: their answers may be taken out to make further lists."""

    family: str
    source: str
    questions: Sequence[Question]
    removable: bool = True


def all_parts() -> list[Part]:
    return [*collected(), *corpora()]


def collected() -> Iterator[Part]:
    for writer in WRITERS:
        files = records_of(writer)
        by_faq = [[*faq_lists(one)] for one in files if one["kind"] == "faq"]
        faqs = [question for lists in by_faq for question in lists]
        yield Part("faq entries", writer, faqs)
        answers = [replace(question, candidates=tuple(map(answer_alone, question.candidates))) for question in faqs]
        yield Part("faq answers", writer, answers)
        yield Part("few candidates", writer, [*few_lists(faqs), *few_lists(answers)], removable=False)
        by_document = [[*document_lists(one)] for one in files if one["kind"] == "document"]
        documents = [question for lists in by_document for question in lists]
        yield Part("documents", writer, documents)
        yield Part("short documents", writer, [*stretches(documents)], removable=False)
        yield Part(MIXTURES, writer, [*mixed_lists(by_faq, by_document)])
        yield Part(PASSAGES, writer, [*passage_lists([one for one in files if one["kind"] == "document"])])
        threads = [question for one in files if one["kind"] == "forum" for question in forum_lists(one)]
        if threads:
            yield Part("forum threads", writer, threads, removable=False)


def corpora() -> Iterator[Part]:
    yield Part("wikiqa", "wikiqa", load_dataset("wikiqa", "dev", "raw").questions, removable=False)
    yield Part("trecqa", "trecqa", [q for q in load_dataset("trecqa", "dev", "raw").questions if q.candidates])
    yield Part("squad", "squad", random.Random(1).sample(load_dataset("squad", "dev").questions, SQUAD))
    yield Part("insuranceqa", "insuranceqa", insurance_lists())
    semeval = load_dataset("semeval-2016", "dev", "clean").questions
    yield Part("pools", "wikiqa", make_pools(load_dataset("wikiqa", "dev", "clean").questions, POOLS, SEED))
    yield Part("pools", "semeval", make_pools(semeval, POOLS, SEED) + make_pools(titles(semeval), POOLS, SEED))
    threads = [q for year in ("2016", "2015") for q in load_dataset(f"semeval-{year}", "dev", "official").questions]
    yield Part("forum threads", "semeval", threads, removable=False)


def faq_lists(record: Mapping[str, Any]) -> Iterator[Question]:
    for number, (text, right) in enumerate(asked(record)):
        entries = (
            Candidate(one["id"], one["answer"], float(one["id"] in right), question=one["question"])
            for one in record["entries"]
        )
        yield Question(f"{record['subject']} {number}", text, tuple(entries))


def answer_alone(entry: Candidate) -> Candidate:
    return replace(entry, question="")


def document_lists(record: Mapping[str, Any]) -> Iterator[Question]:
    """Sentences as `anselm ask` finds them; one is right if it is, or is part of, or holds a right one."""
    spots = find_spots(document_from_text(record["markdown"], record["subject"], "markdown"))
    for number, (text, right) in enumerate(asked(record)):
        sought = [plain(sentence) for sentence in right]
        yield Question(
            f"{record['subject']} {number}",
            text,
            tuple(
                replace(spot.candidate, label=float(any(same(plain(spot.candidate.text), one) for one in sought)))
                for spot in spots
            ),
        )


def forum_lists(record: Mapping[str, Any]) -> Iterator[Question]:
    for number, thread in enumerate(record["threads"]):
        replies = (Candidate(str(place), r["text"], float(r["good"])) for place, r in enumerate(thread["replies"]))
        yield Question(f"{record['subject']} {number}", thread["question"], tuple(replies))


def few_lists(questions: Sequence[Question]) -> Iterator[Question]:
    """A right one among few, or none: of every second question with an answer, and of the others."""
    rng = random.Random(SEED)
    for number, question in enumerate(questions):
        right = [candidate for candidate in question.candidates if candidate.relevant]
        wrong = [candidate for candidate in question.candidates if not candidate.relevant]
        size = FEW[number % len(FEW)]
        kept = rng.sample(right, 1) if right and number // len(FEW) % 2 == 0 else []
        yield replace(question, candidates=(*kept, *rng.sample(wrong, size - len(kept))))


def stretches(questions: Sequence[Question]) -> Iterator[Question]:
    """Sentences in a row, as if they were the whole document: with an answer, of every second four of those that have
    one, and without. Long documents alone would teach that short ones have no answers."""
    rng = random.Random(SEED)
    for number, question in enumerate(questions):
        given = question.candidates
        size = min(len(given), STRETCHES[number % len(STRETCHES)])
        right = [place for place, candidate in enumerate(given) if candidate.relevant]
        starts = range(len(given) - size + 1)
        if right and number // len(STRETCHES) % 2 == 0:
            held = rng.choice(right)
            starts = range(max(0, held - size + 1), min(held, len(given) - size) + 1)
            yield cut(question, rng.choice(starts), size)
        elif free := [start for start in starts if not any(start <= place < start + size for place in right)]:
            yield cut(question, rng.choice(free), size)


def cut(question: Question, start: int, size: int) -> Question:
    return replace(question, candidates=tuple(in_paragraphs(question.candidates[start : start + size])))
