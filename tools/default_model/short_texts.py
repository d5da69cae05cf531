"""Short texts to teach a student with, one to four sentences long, as answers of a help desk are.

A student of whole manuals and single sentences got worse at them (docs/lab/2026-11-18-students.md). Pools like those of
gathering.py, made of the same sources by cutting, and of the glosses of WordNet, for words of every day.

    answers      windows of the answers of manuals and FAQs, and of posts, without the question they are filed under
    entries      the same windows behind the question
    windows      two or three sentences in a row of SQuAD, SQuADShifts and SelQA
    glosses      what a word means, with examples, asked by the word
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from anselm.data.question import Question
from tools.default_model.cutting import keywords, questions_of, varied
from tools.default_model.gathering import Pool, sentences_of

LONGEST = 90  # words of a window
INSIDE = 2  # windows of an answer besides its beginning
GLOSSES = 20_000
ABOUT = ("what is {}", "what does {} mean", "{}", "what is meant by {}", "tell me about {}")
SYNSET = re.compile(r"^\d{8} (\d\d) \w [0-9a-f]{2} ([A-Za-z_-]{3,}) .*\| ([^;]{15,}?)(?:; (.*))?$")


def windows(sentences: Sequence[str], rng: random.Random) -> Iterator[list[str]]:
    """The beginning, and some of what follows."""
    if not sentences:
        return
    inside = rng.sample(range(1, len(sentences)), min(INSIDE, (len(sentences) - 1) // 3))
    for start in (0, *sorted(inside)):
        some = sentences[start : start + rng.choice((1, 2, 2, 3, 3, 4))]
        while len(some) > 1 and sum(len(one.split()) for one in some) > LONGEST:
            some = some[:-1]
        yield [" ".join(one.split()[:LONGEST]) for one in some]


def short_answers(entries: Sequence[Question], rng: random.Random) -> list[Pool]:
    """Of manuals: alone, and as entries."""
    alone, filed = Pool("manual short answers"), Pool("manual short entries")
    for entry in entries:
        for number, some in enumerate(windows(sentences_of(entry.candidates[0].text)[:16], rng)):
            text = " ".join(some)
            own, as_entry = alone.add(("", text)), filed.add((entry.text, text))
            asked = [entry.text if rng.random() < 0.3 else varied(entry.text, rng)] if number == 0 else []
            cut = [one for sentence in some for one in questions_of(sentence, rng, 1)]
            words = [keywords(rng.choice(some), rng)] if rng.random() < 0.4 else []
            for one in [*asked, *rng.sample(cut, min(rng.choice((1, 2)), len(cut))), *words]:
                alone.ask(one, [own])
            if number == 0:
                filed.ask(varied(entry.text, rng), [as_entry])
            for one in rng.sample(cut, min(rng.choice((0, 1)), len(cut))):
                filed.ask(varied(one, rng), [as_entry])
    return [alone, filed]


def short_posts(sites: Iterable[Sequence[Question]], rng: random.Random) -> Pool:
    pool = Pool("posts short answers")
    for question in (one for lists in sites for one in lists):
        asked = [str(question.meta["title"]), *sentences_of(question.text)[:2]]
        for candidate in question.candidates:
            for some in windows(sentences_of(candidate.text)[:16], rng):
                own = pool.add(("", " ".join(some)))
                pool.ask(varied(rng.choice(asked), rng), [own])
                for one in (one for sentence in some[:2] for one in questions_of(sentence, rng, 1)):
                    pool.ask(one, [own])
    return pool


def short_passages(name: str, lists: Sequence[Question], rng: random.Random) -> Pool:
    """Sentences in a row around the right one."""
    pool = Pool(f"{name} windows")
    for question in lists:
        texts = [candidate.text for candidate in question.candidates]
        right = [place for place, candidate in enumerate(question.candidates) if candidate.relevant]
        size, held = rng.choice((2, 3)), rng.choice(right) if right else 0
        starts = range(held % size, len(texts), size)
        own = {start: pool.add(("", " ".join(texts[start : start + size]))) for start in starts}
        best = own[held]
        asked = question.text if rng.random() < 0.5 else varied(question.text, rng)
        pool.ask(asked, [best, *(one for one in own.values() if one != best)] if right else [])
    return pool


def read_glosses(paths: Iterable[Path], rng: random.Random) -> Iterator[tuple[str, str, list[str]]]:
    """Word, gloss and examples of some of WordNet's words (data.noun, data.verb), no names; a word is taken once."""
    found: dict[str, tuple[str, list[str]]] = {}
    for line in (line for path in paths for line in path.read_text(encoding="utf-8").splitlines()):
        if (match := SYNSET.match(line.strip())) and not match[2][0].isupper():
            found.setdefault(match[2].replace("_", " "), (match[3].strip(), re.findall(r'"([^"]+)"', match[4] or "")))
    words = sorted(found)
    yield from ((word, *found[word]) for word in rng.sample(words, min(GLOSSES, len(words))))


def gloss_pool(glosses: Iterable[tuple[str, str, list[str]]], rng: random.Random) -> Pool:
    pool = Pool("glosses")
    for word, gloss, examples in glosses:
        text = f"{word}: {gloss}." if rng.random() < 0.3 else f"{gloss[0].upper()}{gloss[1:]}."
        number = pool.add(("", " ".join([text, *(f"{one[0].upper()}{one[1:]}." for one in examples[1:2])])))
        pool.ask(rng.choice(ABOUT).format(word), [number])
        for one in examples[:1]:
            pool.ask(one, [number])
    return pool
