"""Entries of FAQs and manuals as lists: a question or a title, its own answer, and answers of other entries.

An entry has one answer and no wrong ones. Those that join it are of three kinds: of the same section, where the topic
gives nothing away; of the same source, where they share words with the question; and of anywhere.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.models.lexical import Lexical, bm25
from anselm.text.statistics import Statistics
from tools.default_model.widening import draw

NEAR, HARD, FAR = 2, 3, 2  # wrong answers: of the section, of the source, of anywhere
SOURCE, SECTION = "source", "section"  # in the meta of an entry


def fill_entries(entries: Sequence[Question], seed: int) -> list[Question]:
    """Every entry with wrong answers; entries are questions that have right ones alone."""
    rng = random.Random(seed)
    sources: defaultdict[str, list[Question]] = defaultdict(list)
    for entry in entries:
        if SOURCE not in entry.meta:
            raise InputError(f"the entry {entry.id!r} has no {SOURCE!r} in its meta, which wrong answers are drawn by")
        sources[entry.meta[SOURCE]].append(entry)
    every = sorted({candidate.text for entry in entries for candidate in entry.candidates})
    return [found for source in sorted(sources) for found in _fill(sources[source], every, rng)]


def _fill(entries: Sequence[Question], every: Sequence[str], rng: random.Random) -> Iterator[Question]:
    """Those of one source."""
    sections: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        sections[entry.meta.get(SECTION, "")] |= {candidate.text for candidate in entry.candidates}
    near = {section: sorted(texts) for section, texts in sections.items()}
    texts = sorted(set().union(*sections.values()))
    lexical = Lexical("bm25")
    terms = [lexical.terms(text) for text in texts]
    statistics = Statistics.fit(terms)
    for entry in entries:
        taken = {candidate.text for candidate in entry.candidates}
        wrong = draw(near[entry.meta.get(SECTION, "")], NEAR, taken, rng)
        taken.update(wrong)
        scores = bm25(lexical.terms(entry.text), terms, statistics, lexical.config)
        ranked = (texts[place] for place in np.argsort(-scores, kind="stable") if scores[place] > 0)
        wrong += [text for text in ranked if text not in taken][:HARD]
        taken.update(wrong)
        wrong += draw(every, NEAR + HARD + FAR - len(wrong), taken, rng)
        candidates = [*entry.candidates, *(Candidate(f"x{place}", text, 0.0) for place, text in enumerate(wrong))]
        rng.shuffle(candidates)
        yield replace(entry, candidates=tuple(candidates))
