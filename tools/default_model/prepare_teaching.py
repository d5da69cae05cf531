"""Write down everything that teacher and student are shown, as arrays of tokens: one file to take to a GPU.

    python -m tools.default_model.prepare_teaching ENTRIES.jsonl DICTIONARY.dict.dz OUT.npz --glosses data.noun ...

The entries are collect_entries.py's, the dictionary is that of Debian's dict-foldoc, the glosses those of wordnet-base.
Needs ANSELM_DATA. Labelled lists are those of the mixture, and lists of questions that were cut out of manuals; the
others are those of tools/default_model/gathering.py and short_texts.py.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.encoding.tokenizer import PairTokenizer
from anselm.models.frames.pretrained import load_pretrained
from tools.default_model import mixture as mix
from tools.default_model.cutting import varied
from tools.default_model.gathering import (
    Pool,
    Unit,
    cross,
    manual_pools,
    post_pool,
    read_terms,
    sentence_pools,
    term_pool,
    without_repeated,
)
from tools.default_model.near import nearest
from tools.default_model.piece_numbers import translation
from tools.default_model.short_texts import gloss_pool, read_glosses, short_answers, short_passages, short_posts

SEED = 21
LARGE = "all-mpnet-base-v2"
NEAR = 6  # by words
CROSS = 1500  # questions of anywhere, per pool
HEADED = 0.25  # of the labelled sentence lists
CUT_LISTS = 6000  # of each kind
COLLECTIONS = Path(__file__).parent / "collections"

KINDS = ("squad", "squadshifts", "selqa", "passage", "community")

Labelled = tuple[str, list[Unit], list[float], str]  # question, units, labels, kind


class Table:
    """Distinct texts by number; 0 is the empty one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", type=Path)
    parser.add_argument("terms", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--glosses", type=Path, nargs="*", default=[], help="of WordNet")
    parser.add_argument("--every", type=int, default=1, help="only one of so many, to try it")
    given = parser.parse_args()
    rng = random.Random(SEED)
    evaluated = [question for part in mix.EVALUATED for question in mix.load_lists(*part)]
    evaluated += load_dataset("insuranceqa-text", "dev").questions
    evaluated += load_dataset("insuranceqa-text", "test").questions
    is_known, repeats = known_question(evaluated), known_text(evaluated)
    sources = {part: mix.load_lists(*part)[:: given.every] for part in mix.SENTENCES}
    sites = {site: mix.load_lists(mix.COMMUNITY, site)[:: given.every] for site in mix.SITES}
    entries = load_dataset(given.entries).questions[:: given.every]
    pools = [pool for part, lists in sources.items() for pool in sentence_pools("/".join(part), lists, rng)]
    pools += [
        post_pool(sites, rng),
        *manual_pools(entries, rng),
        term_pool(list(read_terms(given.terms))[:: given.every], rng),
    ]
    pools += [
        *short_answers(entries, rng),
        short_posts(sites.values(), rng),
        *(short_passages("/".join(part), lists, rng) for part, lists in sources.items()),
        gloss_pool(list(read_glosses(given.glosses, rng))[:: given.every], rng),
    ]
    cross(pools, CROSS // given.every, rng)
    dropped = without_repeated(pools, is_known, repeats)
    print("dropped from what is not labelled", dict(dropped), flush=True)
    load = {**sources, **{(mix.COMMUNITY, site): lists for site, lists in sites.items()}}
    whole = Counter({part[0]: len(lists) for part, lists in load.items()}) + Counter(entries=len(entries))
    lists = mix.mixture(lambda *part: load[part] if part in load else mix.load_lists(*part), (), entries)
    print("labelled: from", dict(whole), "to", len(lists), "lists", flush=True)
    labelled = [*headed(lists, rng), *cut_lists(pools, rng)]
    dead = [one for one in labelled if is_known(one[0])]
    print("labelled lists of a known question", len(dead), flush=True)
    save(given.out, pools, [one for one in labelled if not is_known(one[0])])


def known_question(evaluated: Sequence[Question]):
    hand = [json.loads(path.read_text(encoding="utf-8")) for path in COLLECTIONS.glob("*.json")]
    asked = [one["text"] for record in hand for one in record.get("questions", [])]
    asked += [text for record in hand for text in record.get("unanswerable", [])]
    texts = [*asked, *(question.text for question in evaluated)]
    finder = mix._question_finder(frozenset(mix._words(text)) for text in texts)
    return lambda text: bool(words := frozenset(mix._words(text))) and finder(words)


def known_text(evaluated: Sequence[Question]):
    texts = {candidate.text for question in evaluated for candidate in question.candidates}
    known = {shingle for text in texts for shingle in mix._shingles(text)}
    return lambda text: mix._is_known(mix._shingles(text), known)


def headed(lists: Sequence[Question], rng: random.Random) -> Iterator[Labelled]:
    """The mixture's lists; some of the sentences behind the titles of their articles."""
    titles = {c.text: str(q.meta["title"]).replace("_", " ") for q in lists if "title" in q.meta for c in q.candidates}
    for question in lists:
        kind = first if (first := question.id.split("/")[0]) in KINDS else "entry"
        above = "title" in question.meta and "amazon" not in question.id and rng.random() < HEADED
        units = [(f"{titles[c.text]}:" if above and c.text in titles else "", c.text) for c in question.candidates]
        yield question.text, units, list(question.labels), kind


def cut_lists(pools: Sequence[Pool], rng: random.Random) -> Iterator[Labelled]:
    """Questions that were cut out of manuals, with where they come from as what is right."""
    for pool in pools:
        if pool.name not in ("manual entries", "manual sentences"):
            continue
        asked = rng.sample([query for query in pool.queries if query.own], min(CUT_LISTS, len(pool.queries) // 2))
        near = nearest([query.text for query in asked], [" ".join(unit) for unit in pool.units], NEAR)
        for query, row in zip(asked, near.tolist(), strict=True):
            others = [*query.own[1:], *(one for one in row if one >= 0), *rng.sample(range(len(pool.units)), 3)]
            wrong = [one for one in dict.fromkeys(others) if one != query.own[0]]
            numbers = [query.own[0], *wrong]
            yield query.text, [pool.units[one] for one in numbers], [1.0] + [0.0] * len(wrong), pool.name.split()[1]


def save(out: Path, pools: Sequence[Pool], labelled: Sequence[Labelled]) -> None:
    table, units = Table(), dict[Unit, int]()
    rows: list[tuple[int, int]] = []  # of units: numbers of texts
    bounds, text, own, near, asked_of = [0], [], [], [], []
    for number, pool in enumerate(pools):
        if not pool.units:
            continue
        start = len(rows)
        rows += [(table.of(above), table.of(words)) for above, words in pool.units]
        units |= {unit: start + place for place, unit in enumerate(pool.units)}
        bounds.append(len(rows))
        near.append(nearest([query.text for query in pool.queries], [" ".join(unit) for unit in pool.units], NEAR))
        near[-1][near[-1] >= 0] += start
        text += [table.of(query.text) for query in pool.queries]
        own += [[*(one + start for one in query.own), *[-1] * (5 - len(query.own))] for query in pool.queries]
        asked_of += [len(bounds) - 2] * len(pool.queries)
        print(
            pool.name,
            len(pool.units),
            "units",
            len(pool.queries),
            "queries",
            [q.text for q in pool.queries[:: max(1, len(pool.queries) // 5)]][:5],
            flush=True,
        )
    numbers, labels, sizes = [], [], []
    for _, some, values, _ in labelled:
        for unit in some:
            if unit not in units:
                units[unit] = len(rows)
                rows.append((table.of(unit[0]), table.of(unit[1])))
        numbers += [units[unit] for unit in some]
        labels += values
        sizes.append(len(some))
    asked = [table.of(question) for question, *_ in labelled]
    rng = random.Random(SEED)
    otherwise = [table.of(varied(question, rng)) for question, *_ in labelled]
    kinds = sorted({kind for *_, kind in labelled})
    _, tokenizer = load_pretrained("all-MiniLM-L6-v2")
    tokens = [one[:260] for one in tokenizer(list(table.numbers))]
    lengths = np.array([len(one) for one in tokens])
    print(
        len(tokens),
        "texts",
        lengths.sum(),
        "tokens",
        len(rows),
        "units",
        len(text),
        "queries",
        len(sizes),
        "labelled lists",
        len(numbers),
        "pairs",
        Counter(k for *_, k in labelled),
        flush=True,
    )
    arrays = {
        "units": rows, "pools": bounds, "query": text, "own": own, "asked": asked, "listed": numbers,
        "otherwise": otherwise, "near": np.concatenate(near), "translation": translated(tokenizer),
    }  # fmt: skip
    np.savez_compressed(
        out,
        ids=np.concatenate([np.array(one, dtype=np.uint16) for one in tokens]),
        lengths=lengths.astype(np.uint16),
        query_pool=np.array(asked_of, dtype=np.int8),
        sizes=np.array(sizes, dtype=np.int16),
        labels=np.array(labels, dtype=np.float16),
        kind=np.array([kinds.index(kind) for *_, kind in labelled], dtype=np.int8),
        kinds=np.array(kinds),
        pool_names=np.array([pool.name for pool in pools if pool.units]),
        **{name: np.array(values, dtype=np.int32) for name, values in arrays.items()},
    )


def translated(tokenizer: PairTokenizer) -> NDArray[np.int32]:
    _, large = load_pretrained(LARGE)
    return translation(tokenizer, large, LARGE)


if __name__ == "__main__":
    main()
