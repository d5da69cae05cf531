"""Text to teach a student with: pools of candidates, and questions to ask them, far more than anybody has labelled.

A pool holds units, each a text with what stands above it (a title, the question an entry is filed under) or nothing. A
query is asked of one pool; `own` are units that stand where it was found, `near` those that share its rarest words.
The teacher looks for others by meaning, and says what it thinks of all of them.

    sentences    of SQuAD, SQuADShifts and SelQA, alone and behind the title of their article
    passages     whole paragraphs of the same
    posts        answers of Stack Exchange
    manuals      sections of manuals and answers of FAQs: whole, as entries behind their title, and sentence by sentence
    terms        definitions of a dictionary of computing

Questions are those of the sources, titles, variants of both as people type them, and what cutting.py makes of
statements. Whatever nearly repeats an evaluated question or text is left out and counted.
"""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from anselm.data.question import Question
from tools.default_model.cutting import keywords, questions_of, varied

Unit = tuple[str, str]  # what stands above, and the text
OWN = 5  # units of a query at most
FEWEST, MOST = 5, 400  # words of a sentence or a text; longer ones are cut
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?[A-Z0-9])")


@dataclass(frozen=True)
class Query:
    text: str
    own: tuple[int, ...]  # units of the pool


@dataclass
class Pool:
    name: str
    units: list[Unit] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    numbers: dict[Unit, int] = field(default_factory=dict)

    def add(self, unit: Unit) -> int:
        if unit not in self.numbers:
            self.numbers[unit] = len(self.units)
            self.units.append(unit)
        return self.numbers[unit]

    def ask(self, text: str, own: Iterable[int]) -> None:
        self.queries.append(Query(" ".join(text.split()), tuple(own)[:OWN]))


def sentences_of(text: str) -> list[str]:
    parts = (part.strip() for line in text.split("\n") for part in SENTENCE_END.split(line.strip()))
    return [part for part in parts if FEWEST <= len(part.split()) <= MOST]


def sentence_pools(name: str, lists: Sequence[Question], rng: random.Random) -> list[Pool]:
    """A source of sentences, alone and behind titles; and its paragraphs, where its lists are paragraphs."""
    alone, headed, whole = Pool(f"{name} sentences"), Pool(f"{name} headed"), Pool(f"{name} passages")
    for question in lists:
        title = str(question.meta.get("title") or question.meta.get("article") or "").replace("_", " ")
        if re.fullmatch(r"[\w-]{8,} ?\d*|.*\d{4,}.*", title):  # a number of a review, no title
            title = ""
        texts = [candidate.text for candidate in question.candidates]
        own = [alone.add(("", text)) for text in texts]
        right = [place for place, candidate in enumerate(question.candidates) if candidate.relevant]
        first = [*right, *(place for place in range(len(own)) if place not in right)]
        alone.ask(varied(question.text, rng), [own[place] for place in first])
        passage = whole.add(("", " ".join(texts)))
        whole.ask(question.text if rng.random() < 0.5 else varied(question.text, rng), [passage])
        above = [headed.add((f"{title}:" if title else "", text)) for text in texts]
        headed.ask(question.text, [above[place] for place in first] if rng.random() < 0.5 else [])
    for number, (_, text) in enumerate(list(alone.units)):
        for asked in questions_of(text, rng, 2):
            alone.ask(asked, [number])
    alone.queries += [Query(question.text, ()) for question in lists]
    return [alone, headed, whole]


def post_pool(sites: Mapping[str, Sequence[Question]], rng: random.Random) -> Pool:
    pool = Pool("posts")
    for lists in sites.values():
        for question in lists:
            own = [pool.add(("", candidate.text)) for candidate in question.candidates]
            title = str(question.meta["title"])
            for text in (
                title,
                question.text,
                varied(title, rng),
                varied(title, rng),
                *sentences_of(question.text)[:4],
            ):
                pool.ask(text, own)
                pool.ask(text, [])
            for candidate, number in zip(question.candidates, own, strict=True):
                for asked in (q for s in sentences_of(candidate.text)[:6] for q in questions_of(s, rng, 1)):
                    pool.ask(asked, [number])
    return pool


def manual_pools(entries: Sequence[Question], rng: random.Random) -> list[Pool]:
    """Answers whole, as entries, and sentence by sentence behind their title."""
    whole, filed, parts = Pool("manual answers"), Pool("manual entries"), Pool("manual sentences")
    for entry in entries:
        [answer] = entry.candidates[:1]
        text = " ".join(answer.text.split()[:MOST])
        number, as_entry = whole.add(("", text)), filed.add((entry.text, text))
        sentences = sentences_of(answer.text)[:12]
        places = [parts.add((f"{entry.text.rstrip('?')}:", sentence)) for sentence in sentences]
        whole.ask(varied(entry.text, rng), [number])
        filed.ask(varied(entry.text, rng), [as_entry])
        parts.ask(entry.text if rng.random() < 0.5 else varied(entry.text, rng), places)
        cut = [(asked, place) for place, s in zip(places, sentences, strict=True) for asked in questions_of(s, rng, 1)]
        rng.shuffle(cut)
        for asked, place in cut[:3]:
            parts.ask(asked, [place, *(other for other in places if other != place)])
        for asked, _ in cut[1:4]:
            filed.ask(asked if rng.random() < 0.6 else varied(asked, rng), [as_entry])
        for asked, _ in cut[3:5]:
            whole.ask(asked, [number])
        if sentences:
            filed.ask(keywords(rng.choice(sentences), rng), [as_entry])
    return [whole, filed, parts]


def read_terms(path: Path) -> Iterator[tuple[str, str]]:
    """Heads and definitions of a dictionary in dictd's format: heads at the margin, the rest behind blanks."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        head, lines = "", list[str]()
        for line in file:
            if line[:1].strip():
                if head and lines:
                    yield head, _definition(lines)
                head, lines = line.strip(), []
            else:
                lines.append(line)


def _definition(lines: Sequence[str]) -> str:
    text = re.sub(r"[{}]", "", "".join(lines))
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    kept = [re.sub(r"^<[^>]*> ", "", part) for part in paragraphs if len(part.split()) >= FEWEST and "http" not in part]
    return " ".join(kept[:3])


def term_pool(terms: Iterable[tuple[str, str]], rng: random.Random) -> Pool:
    pool = Pool("terms")
    for head, text in terms:
        if len(text.split()) < 12 or len(head.split()) > 5 or set("[]<>") & set(text):
            continue
        number = pool.add(("" if rng.random() < 0.7 else f"{head}:", " ".join(text.split()[:120])))
        pool.ask(
            rng.choice(("what is {}", "what does {} mean", "{}", "define {}", "what are {}s")).format(head), [number]
        )
        for asked in (q for s in sentences_of(text)[:3] for q in questions_of(s, rng, 1)):
            pool.ask(asked, [number])
    return pool


def cross(pools: Sequence[Pool], count: int, rng: random.Random) -> None:
    """Questions of one pool asked of another, where nothing answers them."""
    asked = [query.text for pool in pools for query in pool.queries]
    for pool in pools:
        pool.queries += [Query(text, ()) for text in rng.sample(asked, min(count, len(asked)))]


def without_repeated(
    pools: Sequence[Pool], is_known: Callable[[str], bool], repeats: Callable[[str], bool]
) -> Counter[str]:
    """Take out queries that repeat an evaluated question, and units whose text repeats an evaluated one; how many."""
    dropped: Counter[str] = Counter()
    for pool in pools:
        kept = [number for number, (_, text) in enumerate(pool.units) if not repeats(text)]
        again = {number: place for place, number in enumerate(kept)}
        dropped["texts"] += len(pool.units) - len(kept)
        pool.units = [pool.units[number] for number in kept]
        distinct = dict.fromkeys(query for query in pool.queries if query.text)
        fresh = [query for query in distinct if not is_known(query.text)]
        dropped["questions"] += len(distinct) - len(fresh)
        pool.queries = [replace(q, own=tuple(again[one] for one in q.own if one in again)) for q in fresh]
    return dropped
