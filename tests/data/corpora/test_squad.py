"""SQuAD as sentence selection: hand-made articles with every trap, then the real files where they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anselm.data.corpora.squad import CORPORA, hold_out, read_adversarial, read_squad
from anselm.data.question import Question
from anselm.errors import FormatError

BY_NAME = {corpus.name: corpus for corpus in CORPORA}
CONTEXT = "Ada built a kite.  It flew over Łódź at noon. Bo cut the string. "


def by_stops(text: str) -> list[tuple[int, int]]:
    """A splitter of our own, so that these tests do not hang on the real one."""
    return [match.span() for match in re.finditer(r"\S[^.]*\.", text)]


def asked(name: str, *answers: str | tuple[str, int], question: str = "What? ") -> dict[str, Any]:
    """A question; an answer is its text, found in the context, or a text and an offset."""
    spans = [(answer, CONTEXT.index(answer)) if isinstance(answer, str) else answer for answer in answers]
    return {
        "id": name,
        "question": question,
        "answers": [{"text": text, "answer_start": start} for text, start in spans],
    }


def document(*questions: Any, context: str = CONTEXT) -> dict[str, Any]:
    return {"data": [{"title": "Kites", "paragraphs": [{"context": context, "qas": list(questions)}]}]}


def write(folder: Path, content: Any) -> Path:
    path = folder / "some.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def labels(folder: Path, *questions: Any) -> list[tuple[float, ...]]:
    return [question.labels for question in read_squad(write(folder, document(*questions)), by_stops)]


def test_candidates_are_the_sentences_with_their_places(tmp_path: Path) -> None:
    [question] = read_squad(write(tmp_path, document(asked("q1", "Łódź"))), by_stops)
    assert (question.id, question.text, question.meta) == ("q1", "What?", {"title": "Kites"})
    assert [candidate.id for candidate in question.candidates] == ["q1-0", "q1-1", "q1-2"]
    assert [candidate.text for candidate in question.candidates] == [
        "Ada built a kite.",
        "It flew over Łódź at noon.",
        "Bo cut the string.",
    ]
    assert question.labels == (0, 1, 0)
    for candidate in question.candidates:
        assert CONTEXT[candidate.meta["start"] : candidate.meta["end"]] == candidate.text


def test_the_first_and_the_last_character_of_a_sentence_are_in_it(tmp_path: Path) -> None:
    start = CONTEXT.index("It flew")
    ends = (".", CONTEXT.index(".")), ("I", start), (" Bo", CONTEXT.index(" Bo")), (" It", start - 1)
    assert [row.index(1) for row in labels(tmp_path, *(asked(f"q{i}", end) for i, end in enumerate(ends)))] == [
        0,
        1,
        2,
        1,
    ]


def test_a_span_across_sentences_belongs_to_the_one_where_it_starts(tmp_path: Path) -> None:
    assert labels(tmp_path, asked("q1", "a kite.  It flew")) == [(1, 0, 0)]


def test_every_annotator_counts(tmp_path: Path) -> None:
    assert labels(tmp_path, asked("q1", "noon", "the string", "noon")) == [(0, 1, 1)]


def test_a_question_without_answers_is_an_all_wrong_list(tmp_path: Path) -> None:
    assert labels(tmp_path, asked("q1"), asked("q2", "Ada", "Łódź", "Bo")) == [(0, 0, 0), (1, 1, 1)]


def test_a_paragraph_is_split_once(tmp_path: Path) -> None:
    seen = []

    def split(text: str) -> list[tuple[int, int]]:
        seen.append(text)
        return by_stops(text)

    path = write(tmp_path, document(asked("q1", "Ada"), asked("q2", "Bo"), asked("q3", "noon")))
    assert len(list(read_squad(path, split))) == 3
    assert seen == [CONTEXT]


@pytest.mark.parametrize(
    "answer", [("string. Bo", len(CONTEXT) - 5), ("Ada", -3), ("x", len(CONTEXT)), ("", 3), (" ", len(CONTEXT) - 1)]
)
def test_an_answer_outside_its_paragraph_is_named(tmp_path: Path, answer: tuple[str, int]) -> None:
    with pytest.raises(
        FormatError, match=rf"some\.json, question q2: the answer at {answer[1]}-.* {len(CONTEXT)} char"
    ):
        labels(tmp_path, asked("q1", "Ada"), asked("q2", answer))


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ([], "needs 'data'"),
        ({"version": "1.1"}, "needs 'data'"),
        ({"data": [{"paragraphs": []}]}, "needs 'title'"),
        ({"data": [{"title": "Kites"}]}, "article 'Kites': needs 'paragraphs'"),
        ({"data": [{"title": "Kites", "paragraphs": [{"qas": []}]}]}, "article 'Kites': needs 'context'"),
        ({"data": [{"title": "Kites", "paragraphs": [{"context": "A."}]}]}, "article 'Kites': needs 'qas'"),
        (document(without(asked("q2"), "id")), "article 'Kites': needs 'id'"),
        (document(without(asked("q2"), "question")), "question q2: needs 'question'"),
        (document(without(asked("q2"), "answers")), "question q2: needs 'answers'"),
        (document(asked("q2") | {"answers": [{"text": "Ada"}]}), "question q2: needs 'answer_start'"),
        (document(asked("q2") | {"answers": [{"answer_start": 0}]}), "question q2: needs 'text'"),
        (document(asked("q2") | {"answers": [{"text": "Ada", "answer_start": "0"}]}), "'answer_start' .* not '0'"),
        (document(asked("q2") | {"answers": ["Ada"]}), "question q2: needs 'answer_start'"),
        (json.dumps(document(asked("q2", "Ada")))[:-30], "line 1: not whole JSON"),
        ("", "line 1: not whole JSON"),
    ],
)
@pytest.mark.parametrize("read", [read_squad, read_adversarial])
def test_what_is_missing_is_named(tmp_path: Path, read: Callable[..., Any], broken: Any, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"some\.json.*{problem}"):
        list(read(write(tmp_path, broken), by_stops))


def test_copies_know_their_original(tmp_path: Path) -> None:
    names = ("a", "b", "a-turk0", "a-x-turk1")
    path = write(tmp_path, document(*(asked(name, "Ada") for name in names)))
    questions = list(read_adversarial(path, by_stops))
    found = [(q.id, q.meta["group"], q.meta["adversarial"], q.meta["copies"]) for q in questions]
    assert found == [("a", "a", False, 2), ("b", "b", False, 0), ("a-turk0", "a", True, 2), ("a-x-turk1", "a", True, 2)]
    assert questions[0].meta["title"] == "Kites"
    kept = filter(BY_NAME["addsent"].protocols["worst-copy"].keep, questions)
    assert [question.id for question in kept] == ["b", "a-turk0", "a-x-turk1"]


def test_worst_copy_is_the_default_of_the_adversarial_sets() -> None:
    assert BY_NAME["addsent"].default_protocol == BY_NAME["addonesent"].default_protocol == "worst-copy"


PARTS = [(name, split, protocol) for name, c in BY_NAME.items() for split in c.splits for protocol in c.protocols]


@pytest.mark.parametrize(("name", "split", "protocol"), PARTS)
def test_real_counts(real_data: Path, name: str, split: str, protocol: str) -> None:
    corpus = BY_NAME[name]
    if corpus.missing(split, real_data):
        pytest.skip(f"{name} {split} is not in the data folder")
    ids = set()
    for question in corpus.read(split, protocol, real_data):
        assert question.id not in ids
        ids.add(question.id)
        assert sum(question.labels) >= 1
        assert all(candidate.text for candidate in question.candidates)


def test_every_real_group_is_scored_once(real_data: Path) -> None:
    """1,000 originals: 787 by their copy, the others by themselves."""
    questions = list(BY_NAME["addonesent"].read("test", "worst-copy", real_data))
    assert len({question.meta["group"] for question in questions}) == 1000
    assert sum(question.meta["adversarial"] for question in questions) == 787


def test_real_answers_are_in_their_relevant_sentence(real_data: Path) -> None:
    """Independent of offsets: the first word of each answer occurs in a sentence that is labelled relevant."""
    path = real_data / "squad/dev-v1.1.json"
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    records = [record for article in articles for part in article["paragraphs"] for record in part["qas"]]
    for record, question in zip(records, read_squad(path), strict=True):
        relevant = [candidate.text for candidate in question.candidates if candidate.relevant]
        answers = {answer["text"] for answer in record["answers"]}
        assert 1 <= len(relevant) <= len(record["answers"])
        assert all(any(answer.split()[0] in text for text in relevant) for answer in answers)


def test_every_eighth_article_is_held_out_whole() -> None:
    titles = [title for title in "abcdefghijklmnopq" for _ in range(3)]
    lists = [Question(str(number), "?", (), {"title": title}) for number, title in enumerate(titles)]
    held, kept = (list(hold_out(lists, which)) for which in (True, False))
    assert [question.meta["title"] for question in held] == [*"aaaiiiqqq"]
    assert sorted([*held, *kept], key=lambda question: int(question.id)) == lists
