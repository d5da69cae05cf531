"""What the default ranker is trained on: lists from sources whose terms let a model that learned from them be shared.

    sentences    SQuAD, SQuADShifts and SelQA: a question, the sentences of one paragraph or section, and wrong ones of
                 other paragraphs of the article and of other articles
    passages     the same SQuAD-like questions with whole paragraphs, so that long texts are seen too
    community    Stack Exchange: advice and how-to, which looks nothing like the sentence that names a date
    entries      FAQs and manuals (collect_entries.py): a question or title among the answers of others

Sentences alone teach to look for short facts, and a model that has seen nothing else falls below BM25 on long answers.
Sentence lists that share a name with their question, nearly half of them, get a nearly right sentence too
(tools/default_model/swapping.py). Lists that nearly repeat what the
model will be measured on are left out: it would be measured on what it has seen.

All of it follows from the corpora, the entries and five seeds, so anybody who has those gets the same lists.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anselm.data.corpora.stackexchange import read_posts
from anselm.data.corpus import has_relevant
from anselm.data.datasets import find_corpus, find_data_dir, load_dataset
from anselm.data.question import Candidate, Question
from anselm.errors import UnknownNameError
from anselm.models.lexical import Config, bm25
from anselm.ranking.duplicates import prefix_length
from anselm.text.statistics import Statistics
from tools.default_model.entry_lists import fill_entries
from tools.default_model.swapping import add_swapped
from tools.default_model.widening import draw, widen

Load = Callable[[str, str], Sequence[Question]]  # of a corpus and a split

SQUAD_LIKE = (("squad", "train-subset"), ("squadshifts", "wiki"), ("squadshifts", "amazon"))
SENTENCES = (*SQUAD_LIKE, ("selqa", "dev"))
COMMUNITY = "stackexchange"
SITES = ("cardano", "coffee", "genai")
EVALUATED = (
    ("wikiqa", "dev"), ("wikiqa", "test"), ("trecqa", "dev"), ("trecqa", "test"), ("squad", "dev"),
    ("addsent", "test"), ("addonesent", "test"), ("semeval-2016", "dev"), ("semeval-2016", "test"),
    ("semeval-2015", "dev"), ("semeval-2015", "test"),
)  # fmt: skip

PASSAGES = 3000  # lists per source; more would outweigh the sentences
NEAR, FAR = 3, 3  # other paragraphs in a passage list: of the article, and of the source
OWN, HARD, RANDOM = 5, 4, 6  # answers in a community list: its own at most, and those of other questions
SENTENCES_SEED, PASSAGES_SEED, COMMUNITY_SEED, SWAPPED_SEED, ENTRIES_SEED = 5, 7, 8, 4, 11

SAME_QUESTION = 0.8  # Jaccard similarity of the sets of words
SHINGLE = 6  # words; runs of six hardly ever agree by chance
SAME_ANSWER, FEWEST_SHINGLES = 0.5, 3  # share of the shingles; with fewer than three a stock phrase would be enough

PLAIN = Config(k1=1.2, b=0.75, stem=False, stopword_weight=1.0)  # textbook BM25: candidates to doubt, not to rank


def mixture(load: Load, without: Collection[str] = (), entries: Iterable[Question] = ()) -> list[Question]:
    """All lists; corpora in `without` are held out, so that the model can be measured on them as on unseen ones.

    `entries` are questions with their right answers alone, and with the names of source and section.
    """
    corpora = {*(corpus for corpus, _ in SENTENCES), COMMUNITY}
    if unknown := next((name for name in without if name not in corpora), None):
        raise UnknownNameError("corpus of the mixture", unknown, corpora)
    evaluated = [question for part in EVALUATED for question in load(*part)]
    parts = (*SENTENCES, *((COMMUNITY, site) for site in SITES))
    kept = {part: without_repeats(load(*part), evaluated) for part in parts if part[0] not in without}
    lists = {part: list(filter(has_relevant, kept[part])) for part in SENTENCES if part in kept}
    paragraphs = passages({_join(*part): lists[part] for part in SQUAD_LIKE if part in lists}, PASSAGES, PASSAGES_SEED)
    posts = {site: kept[COMMUNITY, site] for site in SITES if (COMMUNITY, site) in kept}
    nearly = add_swapped(sentences(lists, SENTENCES_SEED), random.Random(SWAPPED_SEED))
    filled = fill_entries(without_repeats(entries, evaluated), ENTRIES_SEED)
    return [*nearly, *paragraphs, *community(posts, COMMUNITY_SEED), *filled]


def load_lists(corpus: str, split: str) -> Sequence[Question]:
    """From ANSELM_DATA, no question left out; of Stack Exchange also those with one answer, since others are added."""
    found = find_corpus(corpus)
    if corpus != COMMUNITY:
        return load_dataset(corpus, split, list(found.protocols)[-1])  # corpora list the whole one last
    [file] = found.split(split).files
    return list(read_posts(find_data_dir(None, found) / found.folder / file, min_answers=1))


def sentences(lists: Mapping[tuple[str, str], Sequence[Question]], seed: int) -> list[Question]:
    """Every list, widened by wrong sentences of its own source alone."""
    rng = random.Random(seed)
    named = ([replace(one, id=_join(*part, one.id)) for one in questions] for part, questions in lists.items())
    return [question for questions in named for question in widen(questions, rng)]


def passages(lists: Mapping[str, Sequence[Question]], per_source: int, seed: int) -> list[Question]:
    """Whole paragraphs in place of sentences, for at most `per_source` questions of each source.

    Half of the wrong ones are of the same article, where the topic gives nothing away; where it has too few, of any.
    """
    rng = random.Random(seed)
    return [found for source, questions in lists.items() for found in _passages(source, questions, per_source, rng)]


def _passages(source: str, questions: Sequence[Question], count: int, rng: random.Random) -> Iterator[Question]:
    whole = {question.id: " ".join(candidate.text for candidate in question.candidates) for question in questions}
    articles: defaultdict[str, set[str]] = defaultdict(set)
    for question in questions:
        articles[question.meta["title"]].add(whole[question.id])
    every = sorted(set(whole.values()))
    near = {title: sorted(texts) for title, texts in articles.items()}
    for question in rng.sample(questions, min(count, len(questions))):
        own = whole[question.id]
        wrong = draw(near[question.meta["title"]], NEAR, {own}, rng)
        wrong += draw(every, NEAR + FAR - len(wrong), {own, *wrong}, rng)
        labelled = [(own, 1.0), *((text, 0.0) for text in wrong)]
        rng.shuffle(labelled)
        candidates = tuple(Candidate(str(place), *pair) for place, pair in enumerate(labelled))
        yield Question(_join("passage", source, question.id), question.text, candidates)


def community(posts: Mapping[str, Sequence[Question]], seed: int) -> list[Question]:
    """Every question that has a right answer twice, as its title and as title and body: people ask in both ways.

    Its own answers, some of which are wrong, are all on the topic. So answers of other questions of the site join them,
    some that share words with the title and some at random, else being on the topic would be nothing to learn.
    """
    rng = random.Random(seed)
    return [found for site in sorted(posts) for found in _site(site, posts[site], rng)]


def _site(site: str, questions: Sequence[Question], rng: random.Random) -> Iterator[Question]:
    pool = [(asked, candidate) for asked, question in enumerate(questions) for candidate in question.candidates]
    terms = [Counter(_words(candidate.text)) for _, candidate in pool]
    statistics = Statistics.fit(terms)
    for asked, question in enumerate(questions):
        own = question.candidates[:OWN]
        if not any(candidate.relevant for candidate in own):
            continue
        title = question.meta["title"]
        scores = bm25(Counter(sorted(set(_words(title)))), terms, statistics, PLAIN)
        ranked = np.argsort(-scores, kind="stable").tolist()
        hard = [place for place in ranked if pool[place][0] != asked and scores[place] > 0][:HARD]
        rest = [place for place in range(len(pool)) if pool[place][0] != asked and place not in hard]
        for form, text in (("title", title), ("text", question.text)):
            others = hard + rng.sample(rest, min(RANDOM, len(rest)))
            candidates = [*own, *(replace(pool[place][1], label=0.0) for place in others)]
            rng.shuffle(candidates)
            yield Question(_join("community", site, question.id, form), text, tuple(candidates))


def without_repeats(lists: Iterable[Question], evaluated: Iterable[Question]) -> list[Question]:
    """Drop lists that would show the model in training what it is measured on.

    A question is a repeat if its words are nearly those of an evaluated one (Jaccard similarity of the sets), and a
    candidate if half of its shingles occur among the evaluated candidates, wherever: a paragraph may be cut otherwise.
    """
    measured = list(evaluated)
    same_question = _question_finder(frozenset(_words(question.text)) for question in measured)
    texts = {candidate.text for question in measured for candidate in question.candidates}
    known = {shingle for text in texts for shingle in _shingles(text)}

    def is_repeat(question: Question) -> bool:
        return same_question(frozenset(_words(question.text))) or any(
            _is_known(_shingles(candidate.text), known) for candidate in question.candidates
        )

    return [question for question in lists if not is_repeat(question)]


def _question_finder(known: Iterable[frozenset[str]]) -> Callable[[frozenset[str]], bool]:
    """Whether a set of words is nearly one of the known.

    Sets so similar share one of the rarest words of each, so only known ones that have such a word are compared (as in
    anselm.ranking.duplicates).
    """
    having: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for one in set(known):
        for word in one:
            having[word].append(one)

    def is_known(asked: frozenset[str]) -> bool:
        rare = sorted(asked, key=lambda word: len(having.get(word, ())))[: prefix_length(len(asked), SAME_QUESTION)]
        near = (one for word in rare for one in having.get(word, ()))
        return any(len(asked & one) / len(asked | one) >= SAME_QUESTION for one in near)

    return is_known


def _is_known(shingles: set[tuple[str, ...]], known: Collection[tuple[str, ...]]) -> bool:
    return len(shingles) >= FEWEST_SHINGLES and sum(s in known for s in shingles) >= SAME_ANSWER * len(shingles)


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)}


def _words(text: str) -> list[str]:
    """Runs of ASCII letters and digits: cruder than text/tokens.py, and what the shipped model's lists were made by."""
    return re.findall(r"[a-z0-9]+", text.lower())


def _join(*names: str) -> str:
    return "/".join(names)
