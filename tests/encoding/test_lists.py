"""Lists as arrays, against loops over the questions they were made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.data.question import Candidate, Question
from anselm.encoding.lists import (
    ANSWERS,
    CANDIDATES,
    COMPARED,
    CONTEXTS,
    OWNERS,
    Lists,
    Texts,
    best_window,
    encode_lists,
    running,
    spread,
    window_candidates,
)


def characters(texts: list[str]) -> list[list[int]]:
    """A tokenizer that can be read: one token per character."""
    return [[ord(character) for character in text] for text in texts]


def read(lists: Lists, text: int) -> str:
    start = lists.texts.starts[text]
    return "".join(map(chr, lists.texts.ids[start : start + lists.texts.lengths[text]]))


def question(
    text: str, candidates: Sequence[str], labels: Sequence[float | None] = (), title: object = None
) -> Question:
    judged = labels or [0.0] * len(candidates)
    rows = (Candidate(str(i), c, label) for i, (c, label) in enumerate(zip(candidates, judged, strict=True)))
    return Question(text, text, tuple(rows), {"title": title} if title is not None else {})


texts = st.text(alphabet="abc ", max_size=12)
some_questions = st.lists(st.builds(question, texts, st.lists(texts, max_size=5)), max_size=5)
BEES = [
    question("who", ["bees", "ants", "bees"], [1.0, None, 2.5], title="Insects"),
    question("where", ["hive"], [0.0], title="Homes"),
    question("who", ["ants", "who"]),
]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6))))
def test_spread_is_a_chain_of_ranges(pairs: list[tuple[int, int]]) -> None:
    starts, sizes = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    assert spread(starts, sizes).tolist() == [start + i for start, size in pairs for i in range(size)]
    assert running(sizes).tolist() == [int(sizes[:i].sum()) for i in range(len(sizes) + 1)]


@given(some_questions)
def test_every_text_can_be_read_back(questions: list[Question]) -> None:
    lists = encode_lists(questions, characters)
    assert len(lists) == len(questions)
    for i, asked in enumerate(questions):
        first, last = lists.bounds[i], lists.bounds[i + 1]
        assert read(lists, lists.questions[i]) == asked.text
        assert [read(lists, text) for text in lists.candidates[first:last]] == [c.text for c in asked.candidates]
        assert lists.labels[first:last].tolist() == list(asked.labels)
        lengths = [len(asked.text) + len(candidate.text) for candidate in asked.candidates]
        assert lists.pair_lengths[first:last].tolist() == lengths
        assert lists.longest[i] == max(lengths, default=0)
        assert lists.positions[first:last].tolist() == list(range(len(asked.candidates)))
    assert CONTEXTS not in lists.pairs


def test_each_distinct_text_is_tokenized_once_and_all_in_one_call() -> None:
    asked: list[list[str]] = []

    def tokenize(texts: list[str]) -> list[list[int]]:
        asked.append(texts)
        return characters(texts)

    lists = encode_lists(BEES, tokenize)
    assert asked == [["who", "where", "bees", "ants", "hive"]]
    assert lists.candidates.tolist() == [2, 3, 2, 4, 3, 0]
    assert lists.questions.tolist() == [0, 1, 0]
    assert lists.labels.tolist() == [1.0, 0.0, 2.5, 0.0, 0.0, 0.0]


def test_a_sentence_is_compared_by_its_paragraph_and_an_entry_by_its_answer_too() -> None:
    candidates = (
        Candidate("0", "no", heading="on", paragraph="yes no"),
        Candidate("1", "no", heading=""),
        Candidate("2", "at nine", question="when"),
        Candidate("3", "text"),
    )
    lists = encode_lists([Question("q", "who", candidates)], characters, compared=True)
    by = {name: [read(lists, text) for text in lists.pairs[name]] for name in (CANDIDATES, COMPARED, ANSWERS)}
    assert by[CANDIDATES] == ["on: no", "no", "when at nine", "text"]
    assert by[COMPARED] == ["on: yes no", "no", "when at nine", "text"]
    assert by[ANSWERS] == ["on: no", "no", "at nine", "text"]
    assert len(lists.texts.starts) == len({"who", *by[CANDIDATES], *by[COMPARED], *by[ANSWERS]})


@pytest.mark.parametrize(
    ("title", "neighbours", "expected"),
    [
        (True, 0, ["Insects", "Insects", "Insects", "Homes", "", ""]),
        (False, 1, ["ants", "bees bees", "ants", "", "who", "ants"]),
        (True, 2, ["Insects ants bees", "Insects bees bees", "Insects bees ants", "Homes", "who", "ants"]),
    ],
)
def test_a_context_is_the_title_and_the_neighbours(title: bool, neighbours: int, expected: list[str]) -> None:
    lists = encode_lists(BEES, characters, title, neighbours)
    assert [read(lists, text) for text in lists.pairs[CONTEXTS]] == expected
    around = [len(q.text) + len(c.text) for q in BEES for c in q.candidates]
    assert lists.pair_lengths.tolist() == [a + len(b) for a, b in zip(around, expected, strict=True)]


def test_a_title_that_is_null_is_no_title() -> None:
    lists = encode_lists([Question("q", "who", (Candidate("0", "bees"),), {"title": None})], characters, title=True)
    assert [read(lists, text) for text in lists.pairs[CONTEXTS]] == [""]


def rows(lists: Lists, picked: Lists) -> list[tuple[str, list[tuple[str, str, float]]]]:
    """A selection as questions with their candidates, contexts and labels."""
    contexts = picked.pairs.get(CONTEXTS, picked.candidates)
    pairs = zip(picked.candidates, contexts, picked.labels.tolist(), strict=True)
    return [
        (read(lists, text), [(read(lists, c), read(lists, around), label) for c, around, label in _take(pairs, size)])
        for text, size in zip(picked.questions, picked.sizes, strict=True)
    ]


def _take(pairs: zip[tuple[int, int, float]], count: int) -> list[tuple[int, int, float]]:
    return [next(pairs) for _ in range(count)]


@given(some_questions.filter(len), st.data(), st.booleans())
def test_what_is_picked_are_whole_lists(questions: list[Question], data: st.DataObject, title: bool) -> None:
    lists = encode_lists(questions, characters, title)
    chosen = data.draw(st.lists(st.integers(0, len(questions) - 1), max_size=6))
    picked = lists.pick(np.array(chosen, dtype=np.int64))
    expected = [
        (questions[i].text, [(c.text, "" if title else c.text, c.label) for c in questions[i].candidates])
        for i in chosen
    ]
    assert rows(lists, picked) == expected
    pairs = [len(questions[i].text) + len(c.text) for i in chosen for c in questions[i].candidates]
    assert picked.pair_lengths.tolist() == pairs


@given(some_questions.filter(len), st.integers(1, 7), st.integers(0, 1))
def test_the_parts_of_a_batch_are_the_whole(questions: list[Question], parts: int, neighbours: int) -> None:
    lists = encode_lists(questions, characters, neighbours=neighbours)
    whole = lists.pick(np.arange(len(questions)))
    shares = [whole.part(number, parts) for number in range(parts)]
    found: list[object] = [None] * len(questions)
    for number, share in enumerate(shares):
        found[number::parts] = rows(lists, share)
    assert found == rows(lists, whole)
    assert sorted(length for share in shares for length in share.pair_lengths) == sorted(whole.pair_lengths)


def lists_of(lengths: list[list[int]]) -> Lists:
    """Lists whose candidates have so many tokens, all of them different numbers."""
    flat = np.array([length for row in lengths for length in row], dtype=np.int64)
    texts = Texts(np.arange(100, 100 + 3 + flat.sum(), dtype=np.int32), *_places(np.concatenate([[3], flat])))
    candidates = np.arange(1, 1 + len(flat))
    sizes = np.array([len(row) for row in lengths], dtype=np.int64)
    questions = np.zeros(len(lengths), dtype=np.int64)
    pairs = {
        "candidates": candidates,
        "labels": np.arange(len(flat), dtype=np.float32),
        "positions": spread(np.zeros_like(sizes), sizes),
        CONTEXTS: candidates,
    }
    return Lists(texts, questions, running(sizes), pairs)


def _places(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return running(lengths)[:-1], lengths


@given(
    st.lists(st.lists(st.integers(0, 40), max_size=4), min_size=1, max_size=4), st.integers(1, 12), st.integers(0, 9)
)
def test_windows_hold_all_of_a_candidate(lengths: list[list[int]], room: int, overlap: int) -> None:
    lists = lists_of(lengths)
    pairs = sum(map(len, lengths))
    rooms = room + np.arange(pairs) % 3  # it differs from pair to pair
    windowed, owner = window_candidates(lists, rooms, overlap)
    assert len(windowed) == len(lists)
    assert windowed.labels.tolist() == [lists.labels[i] for i in owner]
    assert windowed.pairs[CONTEXTS].tolist() == [lists.pairs[CONTEXTS][i] for i in owner]
    assert windowed.positions.tolist() == [lists.positions[i] for i in owner]
    assert windowed.pairs.get(OWNERS, owner).tolist() == owner.tolist()
    assert windowed.questions.tolist() == lists.questions.tolist()
    assert owner.tolist() == sorted(owner.tolist())
    found = [read_ids(windowed, text) for text in windowed.candidates]
    for pair in range(pairs):
        mine = [window for window, whose in zip(found, owner, strict=True) if whose == pair]
        check_windows(read_ids(lists, lists.candidates[pair]), mine, int(rooms[pair]), overlap)
    which = np.repeat(np.arange(len(lists)), lists.sizes)[owner]
    assert windowed.sizes.tolist() == [int((which == i).sum()) for i in range(len(lists))]
    totals = [
        3 + len(window) + lists.texts.lengths[lists.pairs[CONTEXTS][i]] for window, i in zip(found, owner, strict=True)
    ]
    longest = [max((t for t, w in zip(totals, which, strict=True) if w == i), default=0) for i in range(len(lists))]
    assert windowed.longest.tolist() == longest


def read_ids(lists: Lists, text: int) -> list[int]:
    start = lists.texts.starts[text]
    return lists.texts.ids[start : start + lists.texts.lengths[text]].tolist()


def check_windows(whole: list[int], windows: list[list[int]], room: int, overlap: int) -> None:
    shared = min(overlap, room // 2)
    assert all(len(window) <= room for window in windows)
    assert (len(windows) == 1) == (len(whole) <= room)
    joined = windows[0] + [token for window in windows[1:] for token in window[shared:]]
    assert joined == whole  # nothing is left out, and each shares so much with the one before
    assert all(len(window) > shared for window in windows[1:])  # none that only repeats


def test_lists_that_fit_are_not_copied() -> None:
    lists = lists_of([[3, 5], [2]])
    windowed, owner = window_candidates(lists, np.array([3, 5, 9]), 2)
    assert windowed is lists
    assert owner.tolist() == [0, 1, 2]


# Columns that a model adds


def told_apart(lists: Lists) -> Lists:
    """Every text and every pair with a number of its own, an object, and a row of two."""
    texts, pairs = len(lists.texts.starts), len(lists.labels)
    objects = np.array([{"text": i} for i in range(texts)], dtype=object)
    table = np.arange(2 * pairs).reshape(pairs, 2)
    return lists.add(texts={"object": objects}, pairs={"number": np.arange(pairs), "table": table})


def test_the_texts_are_there_to_be_annotated() -> None:
    lists = encode_lists(BEES, characters, title=True)
    assert [read(lists, text) for text in range(len(lists.texts.starts))] == list(lists.texts.strings)


@given(some_questions.filter(len), st.data())
def test_columns_follow_their_pairs_however_they_are_chosen(questions: list[Question], data: st.DataObject) -> None:
    lists = told_apart(encode_lists(questions, characters))
    pairs = len(lists.labels)
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=pairs, max_size=pairs)), dtype=np.bool_)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=4)), dtype=np.int64)
    windowed, owner = window_candidates(lists, np.full(pairs, 3), 1)
    for found, numbers in (
        (lists.keep(wanted), np.flatnonzero(wanted)),
        (lists.pick(chosen), [pair for i in chosen for pair in range(lists.bounds[i], lists.bounds[i + 1])]),
        (windowed, owner),
    ):
        assert found.pairs["number"].tolist() == list(numbers)
        for name in ("table", "labels", "positions"):
            assert found.pairs[name].tolist() == [lists.pairs[name][i].tolist() for i in numbers]
        whose = [found.texts.columns["object"][text]["text"] for text in found.candidates]
        assert whose == [lists.candidates[i] for i in numbers]


def test_a_candidate_of_another_list_brings_its_columns_but_no_label_and_no_position() -> None:
    lists = told_apart(encode_lists(BEES, characters))  # bees ants bees | hive | ants who
    found = lists.insert(np.array([1, 0, 1]), np.array([2, 3, 0]), np.ones(3))
    assert found.pairs["number"].tolist() == [0, 1, 2, 3, 3, 2, 0, 4, 5]
    assert found.sizes.tolist() == [4, 3, 2]
    assert found.labels.tolist() == [1.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert found.labels.dtype == np.float32
    assert found.positions.tolist() == [0, 1, 2, -1, 0, -1, -1, 0, 1]


@pytest.mark.parametrize(("what", "count"), [("texts", 5), ("pairs", 6)])
def test_a_column_has_a_row_for_each(what: str, count: int) -> None:
    lists = encode_lists(BEES, characters)
    with pytest.raises(ValueError, match=f"the column 'trees' has 3 rows for {count} {what}"):
        lists.add(**{what: {"trees": np.zeros(3)}})


def test_the_best_window_counts() -> None:
    scores, owner = np.array([1.0, -2.0, -1.0, 5.0]), np.array([0, 1, 1, 3])
    assert best_window(scores, owner, 4).tolist() == [1.0, -1.0, -np.inf, 5.0]
