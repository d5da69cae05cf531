"""SQuAD v1.1 and files in its format as sentence selection: which sentence of the paragraph holds the answer?

Format: {"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
"answer_start"}]}]}]}]}, offsets in characters of the context.

A sentence is relevant where an annotated answer starts in it; an answer that runs on into the next sentence still has
one place. Every annotator's answer counts, as in SQuAD's own scorer, which takes the best match over the annotators, so
that a list may have two relevant sentences; training files have a single annotator.

- squad: dev has 10,570 questions with up to six annotators, train 87,599 with one. train-subset (11,877) is the part of
  train that Du et al. (2017) tested question generation on: never use it beside train. It is also there in two:
  subset-dev has the questions on every eighth of its 44 articles, from the first (1,192), subset-train the others.
- addsent, addonesent (Jia and Liang 2017): 1,000 questions of dev (so never train on dev) and copies of them whose
  paragraph has a misleading sentence added: 2,560 copies of 787 questions, or one copy of each of the 787. The id of
  a copy is the original's id, a hyphen and a suffix. An original counts only where it has no copy, and a question's
  score is that of its worst copy; `group` in the meta says which copies belong together. "worst-copy" keeps 2,773 of
  3,560 lists and 1,000 of 1,787.
- squadshifts (Miller et al. 2020): new questions on new Wikipedia articles (7,938), New York Times articles (10,065),
  Reddit posts (9,803) and Amazon reviews (9,885).

Pairs are not pinned: they depend on the sentence splitter. Some questions in all files have white space around them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from anselm.data.corpus import RAW, Corpus, Counts, Protocol, Split
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.errors import FormatError
from anselm.files import read_json
from anselm.text.sentences import sentence_spans

Splitter = Callable[[str], list[tuple[int, int]]]
SUBSET = "train-v1.1.subset-du2017-test.json"
Kind = TypeVar("Kind")


class Paragraph(NamedTuple):
    """A paragraph, its sentences as half-open spans of the context, and its questions as they are in the JSON."""

    title: str
    context: str
    sentences: list[tuple[int, int]]
    questions: list[Any]


def read_squad(path: Path, split_sentences: Splitter = sentence_spans) -> Iterator[Question]:
    """Stream the questions of a SQuAD file, each with the sentences of its paragraph as candidates."""
    for paragraph in _paragraphs(path, split_sentences):
        # Texts and offsets are shared by the questions of a paragraph: five questions should not cost five copies.
        sentences = [(paragraph.context[start:end], {"start": start, "end": end}) for start, end in paragraph.sentences]
        for record in paragraph.questions:
            question_id = _field(record, "id", str, f"{path}, article {paragraph.title!r}")
            place = f"{path}, question {question_id}"
            relevant = {_sentence_of(answer, paragraph, place) for answer in _field(record, "answers", list, place)}
            candidates = (
                Candidate(f"{question_id}-{index}", text, float(index in relevant), meta, heading="")
                for index, (text, meta) in enumerate(sentences)
            )
            text = _field(record, "question", str, place).strip()
            yield Question(question_id, text, tuple(candidates), {"title": paragraph.title})


def read_adversarial(path: Path, split_sentences: Splitter = sentence_spans) -> Iterator[Question]:
    """As `read_squad`, for AddSent and AddOneSent: `group` (the original's id), `adversarial`, `copies` in the meta."""
    # An original may stand before its copies, so these are counted first, in a pass that splits nothing.
    ids = [question.id for question in read_squad(path, whole_paragraph)]
    copies = Counter(original for original, hyphen, _ in (name.partition("-") for name in ids) if hyphen)
    for question in read_squad(path, split_sentences):
        group, hyphen, _ = question.id.partition("-")
        about = {"group": group, "adversarial": bool(hyphen), "copies": copies[group]}
        yield replace(question, meta={**question.meta, **about})


def whole_paragraph(context: str) -> list[tuple[int, int]]:
    """In place of a splitter, where sentences do not matter."""
    return [(0, len(context))]


def _paragraphs(path: Path, split_sentences: Splitter) -> Iterator[Paragraph]:
    for article in _field(read_json(path), "data", list, path):
        title = _field(article, "title", str, path)
        place = f"{path}, article {title!r}"
        for record in _field(article, "paragraphs", list, place):
            context = _field(record, "context", str, place)
            yield Paragraph(title, context, split_sentences(context), _field(record, "qas", list, place))


def _sentence_of(answer: Any, paragraph: Paragraph, place: str) -> int:
    """The sentence where an answer starts. A start in the space between two sentences belongs to the second."""
    start = _field(answer, "answer_start", int, place)
    end = start + len(_field(answer, "text", str, place))
    index = bisect_right([sentence_end for _, sentence_end in paragraph.sentences], start)
    if not 0 <= start < end <= len(paragraph.context) or index == len(paragraph.sentences):
        length = len(paragraph.context)
        raise FormatError(
            place, f"the answer at {start}-{end} is empty or outside its paragraph of {length} characters"
        )
    return index


def _field(record: Any, key: str, kind: type[Kind], place: object) -> Kind:
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise FormatError(place, f"needs {key!r} ({kind.__name__}) as in SQuAD v1.1, not {value!r:.60}")
    return value


def stands_for_group(question: Question) -> bool:
    """A copy, or an original without copies: what Jia and Liang score; the worst of a group is its score."""
    return question.meta["adversarial"] or not question.meta["copies"]


def _squad(file: str, questions: int) -> Split:
    return Split((file,), lambda folder: read_squad(folder / file), {"raw": Counts(questions)})


def hold_out(questions: Iterable[Question], held: bool) -> Iterator[Question]:
    """The questions on every eighth article, or those on the others: a model that learned of an article knows it."""
    articles = groupby(questions, key=lambda question: question.meta["title"])
    for number, (_, own) in enumerate(articles):
        if (number % 8 == 0) == held:
            yield from own


def _part_of_subset(held: bool, questions: int) -> Split:
    return Split((SUBSET,), lambda folder: hold_out(read_squad(folder / SUBSET), held), {"raw": Counts(questions)})


def _adversarial(file: str, worst_copy: int, raw: int) -> Split:
    counts = {"worst-copy": Counts(worst_copy), "raw": Counts(raw)}
    return Split((file,), lambda folder: read_adversarial(folder / file), counts)


def _count_copies(path: Path) -> Numbers:
    copies = ["-" in question.id for question in read_squad(path, whole_paragraph)]
    return {"originals": copies.count(False), "copies": copies.count(True)}


def _copies(file: str, copies: int) -> tuple[Resource]:
    return (Resource("copies", (file,), _count_copies, {"originals": 1000, "copies": copies}),)


WORST_COPY = Protocol(
    "adversarial copies, and originals without any; the worst copy of a question counts",
    stands_for_group,
    worst_of="group",
    original=lambda question: not question.meta["adversarial"],
)
_JIA = "Jia and Liang. Adversarial Examples for Evaluating Reading Comprehension Systems. EMNLP 2017."
_ADDSENT, _ADDONESENT = "sample1k-HCVerifyAll.json", "sample1k-HCVerifySample.json"
_JIA_SOURCE = "https://github.com/robinjia/adversarial-squad"

CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="squad",
        summary="crowd-written questions with the sentences of a Wikipedia paragraph",
        folder="squad",
        source="https://rajpurkar.github.io/SQuAD-explorer/ (train-subset: "
        "https://github.com/bloomsburyai/question-generation)",
        terms="CC BY-SA 4.0",
        citation="Rajpurkar, Zhang, Lopyrev and Liang. SQuAD: 100,000+ Questions for Machine Comprehension of Text. "
        "EMNLP 2016.",
        splits={
            "dev": _squad("dev-v1.1.json", 10570),
            "train": _squad("train-v1.1.json", 87599),
            "train-subset": _squad(SUBSET, 11877),
            "subset-train": _part_of_subset(False, 10685),
            "subset-dev": _part_of_subset(True, 1192),
        },
        protocols={"raw": RAW},
    ),
    Corpus(
        name="addsent",
        summary="SQuAD with misleading sentences added, several copies per question",
        folder="squad",
        source=_JIA_SOURCE,
        terms="MIT",
        citation=_JIA,
        splits={"test": _adversarial(_ADDSENT, worst_copy=2773, raw=3560)},
        protocols={"worst-copy": WORST_COPY, "raw": RAW},
        resources=_copies(_ADDSENT, 2560),
    ),
    Corpus(
        name="addonesent",
        summary="SQuAD with one misleading sentence added, one copy per question",
        folder="squad",
        source=_JIA_SOURCE,
        terms="MIT",
        citation=_JIA,
        splits={"test": _adversarial(_ADDONESENT, worst_copy=1000, raw=1787)},
        protocols={"worst-copy": WORST_COPY, "raw": RAW},
        resources=_copies(_ADDONESENT, 787),
    ),
    Corpus(
        name="squadshifts",
        summary="SQuAD-style questions on newer Wikipedia, news, forum posts and reviews",
        folder="squadshifts",
        source="https://modestyachts.github.io/squadshifts-website/",
        terms="none stated",
        citation="Miller, Krauth, Recht and Schmidt. The Effect of Natural Distribution Shift on Question Answering "
        "Models. ICML 2020.",
        splits={
            "wiki": _squad("new_wiki_v1.0.json", 7938),
            "nyt": _squad("nyt_v1.0.json", 10065),
            "reddit": _squad("reddit_v1.0.json", 9803),
            "amazon": _squad("amazon_reviews_v1.0.json", 9885),
        },
        protocols={"raw": RAW},
    ),
)
