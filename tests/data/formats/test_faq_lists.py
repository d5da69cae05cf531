"""A FAQ as labelled lists, and how it is told from labelled pairs and grouped lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.data.datasets import load_dataset
from anselm.data.formats.faq_lists import faq_lists
from anselm.data.formats.judged_faq import read_judged_faq
from anselm.data.formats.known_formats import find_format
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from tests.packed_files import table, xlsx


def test_each_question_has_the_answers_of_all() -> None:
    entries = [
        Candidate("a", "Here.", question="Where?", meta={"topic": "x"}),
        Candidate("b", "There.", question="where ?".replace(" ", "")),
        Candidate("c", "Now.", question="When?"),
        Candidate("d", "here. ", question="Which place?"),
        Candidate("e", "Nobody asked."),
        Candidate("f", "", question="Unanswered?"),
    ]
    texts = [("a", "Here."), ("b", "There."), ("c", "Now."), ("e", "Nobody asked.")]
    expected = [("a", "Where?", "ab"), ("c", "When?", "c"), ("d", "Which place?", "a")]
    assert faq_lists(entries) == [
        Question(id, text, tuple(Candidate(one, answer, float(one in right)) for one, answer in texts))
        for id, text, right in expected
    ]


def test_long_lists_are_sampled_the_same_each_time() -> None:
    entries = [Candidate("", f"answer {number}", question=f"question {number}?") for number in range(200)]
    lists = faq_lists(entries)
    assert lists == faq_lists(entries)
    for number, question in enumerate(lists):
        places = [int(candidate.id) for candidate in question.candidates]
        assert len(set(places)) == 50
        assert places == sorted(places)
        assert [candidate.id for candidate in question.candidates if candidate.label] == [str(number)]
        assert not any(candidate.question for candidate in question.candidates)
    assert len({tuple(c.id for c in question.candidates) for question in lists}) == 200
    assert {int(c.id) for question in lists for c in question.candidates} == set(range(200))


FILES = {
    "a FAQ": ("a.csv", "question,answer\nWho?,Ann\nWhy?,So\n", "faq"),
    "under other names": ("a.tsv", "Q\tA\nWho?\tAnn\nWhy?\tSo\n", "faq"),
    "labelled pairs": ("a.csv", "question,answer,Label\nWho?,Ann,1\nWhy?,So,0\n", "csv"),
    "unlabelled pairs": ("a.csv", "question,answer\nWho?,Ann\nWho?,Bob\nWhy?,So\nWhy?,No\n", "csv"),
    "grouped lists": ("a.jsonl", '{"question": "Who?", "candidates": ["Ann"]}\n', "jsonl"),
    "records": ("a.jsonl", '{"question": "Who?", "answer": "Ann"}\n{"question": "Why?", "answer": "So"}\n', "faq"),
    "an object": ("a.json", '{"Who?": "Ann", "Why?": "So"}', "faq"),
    "SQuAD": ("a.json", json.dumps({"data": [{"title": "x", "paragraphs": []}]}), "squad"),
    "a page": ("a.md", "# Who?\n\nAnn\n\n# Why?\n\nSo\n", "faq"),
    "nothing": ("a.csv", "", "csv"),
    "other columns": ("a.csv", "x,y\n1,2\n", "csv"),
    "binary": ("a.csv", b"\0\1", "csv"),
}


@pytest.mark.parametrize(("name", "content", "form"), FILES.values(), ids=FILES)
def test_a_faq_is_told_from_other_files(name: str, content: str | bytes, form: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert find_format(path) == form
    if form == "faq":
        lists = load_dataset(path)
        assert [(q.text, [(c.text, c.label) for c in q.candidates]) for q in lists] == [
            ("Who?", [("Ann", 1.0), ("So", 0.0)]),
            ("Why?", [("Ann", 0.0), ("So", 1.0)]),
        ]


def test_one_question_makes_no_lists(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer\nWho?,Ann\n")
    with pytest.raises(FormatError, match="two are needed"):
        load_dataset(tmp_path / "a.csv")


def test_spreadsheets_are_told_as_tables_are(tmp_path: Path) -> None:
    pairs = {
        "a.xlsx": xlsx(table("Question/Answer", "Who?/Ann", "Why?/So")),
        "b.xlsx": xlsx(table("question/answer/label", "Who?/Ann/1", "Who?/Bob/0")),
        "c.xlsx": xlsx(table("question/right", "who is it/Who?", "what is it/")),
        "d.xlsx": xlsx(table("question/answer/label", "Who?/Ann/1"), table("x/y")),
    }
    for name, content in pairs.items():
        (tmp_path / name).write_bytes(content)
    assert [find_format(tmp_path / name) for name in pairs] == ["faq", "sheet", "sheet", "sheet"]
    assert [one.text for one in load_dataset(tmp_path / "a.xlsx").questions] == ["Who?", "Why?"]
    [question] = load_dataset(tmp_path / "b.xlsx").questions
    assert [(one.text, one.label) for one in question.candidates] == [("Ann", 1.0), ("Bob", 0.0)]
    asked = list(read_judged_faq(tmp_path / "c.xlsx", tmp_path / "a.xlsx"))
    assert [(one.id, one.text, [other.label for other in one.candidates]) for one in asked] == [
        ("2", "who is it", [1.0, 0.0]),
        ("3", "what is it", [0.0, 0.0]),
    ]
    with pytest.raises(FormatError, match=r"d\.xlsx: has 2 sheets with text \('S0', 'S1'\), where one is needed"):
        load_dataset(tmp_path / "d.xlsx")
