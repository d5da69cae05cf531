"""Grouped JSONL: round trip, streaming, and one clear sentence for each kind of bad line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.data.formats.jsonl import parse_lines, read_jsonl, write_jsonl
from anselm.data.formats.records import (
    MAX_CANDIDATES,
    MAX_CHARACTERS,
    RecordError,
    candidates_from_json,
    check_question,
)
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
candidates = st.builds(Candidate, st.uuids().map(str), texts, st.none() | st.integers(0, 3).map(float) | st.just(0.5))
questions = st.lists(
    st.builds(Question, st.uuids().map(str), texts, st.lists(candidates, min_size=1, max_size=4).map(tuple)), max_size=4
)


@given(questions)
def test_what_is_written_is_read_back(lists: list[Question]) -> None:
    file = io.StringIO()
    assert write_jsonl(lists, file) == len(lists)
    lines = enumerate(file.getvalue().split("\n"), start=1)
    assert list(parse_lines(lines, "memory")) == lists


def test_ids_and_labels_may_be_absent(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text('\n{"question": "Who?", "candidates": ["Ann", {"text": "Bob", "label": true}]}\n')
    (question,) = read_jsonl(path)
    assert (question.id, question.text) == ("2", "Who?")
    assert question.candidates == (Candidate("0", "Ann"), Candidate("1", "Bob", 1.0))
    assert question.labels == (0.0, 1.0)


def test_gzip_and_crlf_and_bom(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl.gz"
    path.write_bytes(gzip.compress('\ufeff{"question": "Wo?", "candidates": ["Köln"]}\r\n'.encode()))
    assert [question.text for question in read_jsonl(path)] == ["Wo?"]


def test_it_streams(tmp_path: Path) -> None:
    """A bad second line is only met after the first list was given out."""
    path = tmp_path / "lists.jsonl"
    path.write_text('{"question": "Who?", "candidates": ["Ann"]}\nbroken\n')
    stream = read_jsonl(path)
    assert next(stream).text == "Who?"
    with pytest.raises(FormatError, match="line 2: not valid JSON"):
        next(stream)


BAD = {
    "[1]": "a JSON object",
    '{"question": "Who?"}': '"candidates" is missing',
    '{"candidates": ["a"]}': '"question" is missing',
    '{"question": " ", "candidates": ["a"]}': "the question is empty",
    '{"question": 7, "candidates": ["a"]}': '"question" must be a string',
    '{"question": "Who?", "candidates": []}': "no candidates",
    '{"question": "Who?", "candidates": "Ann"}': "must be an array",
    '{"question": "Who?", "candidates": ["Ann", "  "]}': "candidate 1 is empty",
    '{"question": "Who?", "candidates": [{"id": "a"}]}': 'an object with a "text"',
    '{"question": "Who?", "candidates": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}': "the id 'a'",
    '{"question": "Who?", "candidates": [{"text": "x", "label": "good"}]}': "must be a number, not 'good'",
    '{"question": "Who?", "candidates": [{"text": "x", "label": NaN}]}': "finite number",
    '{"question": "Who?", "candidates": [{"text": "x", "label": [1]}]}': "must be a number",
    '{"question": "Who?", "id": 1.5, "candidates": ["x"]}': "an id must be",
    '{"question": "Who?", "candidates": ["x"], "meta": 3}': '"meta" must be an object',
    '{"question": "Who?", "candidates": ["x"], "x": NaN}': "the list holds NaN or an infinity",
    '{"question": "Who?", "candidates": ["x"], "meta": {"x": [-Infinity]}}': "the list holds NaN or an infinity",
    '{"question": "Who?", "candidates": ["x", {"text": "y", "x": {"y": 1e999}}]}': "candidate 1 holds NaN",
    "[" * 200_000: "not valid JSON",
    '{"question": "Who?", "candidates": ["x"], "meta": {"a": '
    + "[" * 800
    + "]" * 800
    + "}}": "not valid JSON: nested more than 100 levels deep",
    '{"question": "Who?", "candidates": [{"text": "x", "label": 1'
    + "0" * 400
    + "}]}": "must be a finite number, not 1000",
    '{"question": "Who?", "candidates": [{"text": "x", "label": 1' + "0" * 5000 + "}]}": "a number has more than 4,300",
    '{"question": "Who?", "id": 1' + "0" * 5000 + ', "candidates": ["x"]}': "a number has more than 4,300 digits",
    '{"question": "Who \\ud800?", "candidates": ["x"]}': "\\ud800 is half a character (a lone surrogate)",
    '{"question": "Who?", "candidates": ["x \\uDFFF\\uD83D"]}': "\\udfff is half a character",
    '{"question": "Who?", "candidates": ["x"], "meta": {"\\ud800": 1}}': "\\ud800 is half a character",
}


@pytest.mark.parametrize(("line", "problem"), BAD.items(), ids=range(len(BAD)))
def test_a_bad_line_is_named(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text("\n" + line + "\n")
    with pytest.raises(FormatError) as caught:
        list(read_jsonl(path))
    message = str(caught.value)
    assert message.startswith(f"{path}, line 2: ")
    assert problem in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 200


def test_characters_beyond_the_first_plane_may_be_escaped(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text('{"question": "Who \\ud83d\\ude00?", "candidates": ["a \\\\ud800"]}')
    (question,) = read_jsonl(path)
    assert (question.text, question.candidates[0].text) == ("Who 😀?", "a \\ud800")


def test_half_a_character_is_refused_wherever_it_comes_from() -> None:
    """From the command line, Python turns bytes that are no UTF-8 into lone surrogates."""
    with pytest.raises(
        RecordError, match=r"the question holds half a character \(the lone surrogate U\+DCFF at char.* 3"
    ):
        check_question("ab\udcff")
    with pytest.raises(RecordError, match="candidate 1 holds half a character"):
        candidates_from_json(["a", {"text": "\ud800"}])


def test_repeated_question_ids_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text('{"id": "q", "question": "Who?", "candidates": ["x"]}\n' * 2)
    with pytest.raises(FormatError, match=r"line 2: the id 'q' was used on line 1"):
        list(read_jsonl(path))


def test_broken_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_bytes(b'{"question": "Who?", "candidates": ["x"]}\n{"question": "\xff"}\n')
    with pytest.raises(FormatError, match="line 2: not valid UTF-8"):
        list(read_jsonl(path))


def test_a_cut_gzip_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl.gz"
    whole = gzip.compress(json.dumps({"question": "Who?", "candidates": ["x" * 5000]}).encode())
    path.write_bytes(whole[:-12])
    with pytest.raises(FormatError, match="cannot be unpacked"):
        list(read_jsonl(path))


@pytest.mark.parametrize(
    ("values", "problem"),
    [(["x"] * (MAX_CANDIDATES + 1), "too many for one list"), (["x" * (MAX_CHARACTERS + 1)], "characters; at most")],
)
def test_a_corpus_in_place_of_a_list_is_turned_away(values: list[str], problem: str, tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps({"question": "Who?", "candidates": values}))
    with pytest.raises(FormatError, match=problem):
        list(read_jsonl(path))
