"""SelQA's JSON: hand-made records with the corpus's traps, then the real dev file where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anselm.data.corpora.selqa import CORPORA, read_selqa
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

SELQA = CORPORA[0]
RECORD: dict[str, Any] = {
    "question": "When did the mill burn down?",
    "candidates": ["", " The mill stood by the river.", "It burnt down in 1820.", "It was rebuilt."],
    "answers": [2],
    "article": "Old Mill",
    "section": "History",
    "topic": "ART",
    "q_types": ["when"],
    "is_paraphrase": False,
}


def write(folder: Path, *records: Any) -> Path:
    path = folder / "some.json"
    path.write_text(json.dumps(records))
    return path


def test_empty_candidates_are_dropped_without_moving_the_answers(tmp_path: Path) -> None:
    [question] = read_selqa(write(tmp_path, RECORD))
    assert question == Question(
        "0",
        "When did the mill burn down?",
        (
            Candidate("0-1", "The mill stood by the river.", 0.0, heading=""),
            Candidate("0-2", "It burnt down in 1820.", 1.0, heading=""),
            Candidate("0-3", "It was rebuilt.", 0.0, heading=""),
        ),
        {"article": "Old Mill", "section": "History", "topic": "ART", "q_types": ["when"], "is_paraphrase": False},
    )


def test_equal_texts_are_two_questions_and_no_answer_is_an_all_wrong_list(tmp_path: Path) -> None:
    first, second, third = read_selqa(
        write(tmp_path, RECORD, RECORD | {"answers": []}, RECORD | {"answers": [1, 2, 3]})
    )
    assert [first.id, second.id, third.id] == ["0", "1", "2"]
    assert [first.labels, second.labels, third.labels] == [(0, 1, 0), (0, 0, 0), (1, 1, 1)]


@pytest.mark.parametrize("key", RECORD)
def test_a_missing_key_is_named_with_file_and_question(tmp_path: Path, key: str) -> None:
    cut = {name: value for name, value in RECORD.items() if name != key}
    with pytest.raises(FormatError, match=rf"some\.json, question 1: needs '{key}'"):
        list(read_selqa(write(tmp_path, RECORD, cut)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answers": [4]}, r"indices of its 4 candidates \(0 to 3\), not 4"),
        ({"answers": [-1]}, "not -1"),
        ({"answers": ["2"]}, "not '2'"),
        ({"answers": [True]}, "not True"),
        ({"candidates": ["a", None]}, "candidates must be strings"),
        ({"question": None}, "needs 'question'"),
    ],
)
def test_bad_values_are_named_with_file_and_question(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=rf"some\.json, question 0: .*{problem}"):
        list(read_selqa(write(tmp_path, RECORD | change)))


def test_a_record_that_is_no_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="question 0: needs 'question'"):
        list(read_selqa(write(tmp_path, "text")))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (json.dumps([RECORD])[:-20].encode(), "line 1: not whole JSON"),
        (b"", "line 1: not whole JSON"),
        (b"[\n\xff]", "cannot be read"),
        (b"[" * 100_000, "cannot be read: nested more than 100 levels"),
        (b'["\\ud800"]', "cannot be read: .*half a character"),
        (b'{"data": []}', "a JSON array"),
    ],
)
def test_cut_and_foreign_files_are_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "some.json").write_bytes(content)
    with pytest.raises(FormatError, match=rf"some\.json.*{problem}"):
        list(read_selqa(tmp_path / "some.json"))


def test_the_questions_before_a_bad_one_are_streamed(tmp_path: Path) -> None:
    questions = read_selqa(write(tmp_path, RECORD, {}))
    assert next(questions).id == "0"
    with pytest.raises(FormatError):
        next(questions)


def test_real_counts_and_labels_agree_with_the_tsv(real_data: Path) -> None:
    questions = list(SELQA.read("dev", "raw", real_data))
    pairs = [(candidate.text, candidate.label) for question in questions for candidate in question.candidates]
    lines = (real_data / "selqa/selqa-ass-dev.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    table = [line.split("\t") for line in lines]
    assert [label for _, label in pairs] == [float(label) for _, _, label in table]
    # the TSV is the same text with its tokens apart
    assert ["".join(text.split()) for text, _ in pairs] == ["".join(text.split()) for _, text, _ in table]
    assert sum(question.meta["is_paraphrase"] for question in questions) == 394
