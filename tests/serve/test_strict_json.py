"""JSON from strangers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.serve.refusals import Refusal
from anselm.serve.strict_json import DEEPEST, MOST_VALUES, parse, render

LEAVES = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(LEAVES, lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=8)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": -Infinity}', "-Infinity is no number"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "too many digits"),
        (b'{"a": "\\ud800"}', "half a character"),
        (b'{"\\uDFFF": 1}', "half a character"),
        (b'{"a": "x\\u0000"}', "NUL character, at character 2"),
        (b'{"a": "x\x00"}', "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "nested too deep"),
        (b"[" + b"[]," * MOST_VALUES + b"1]", "too many values; at most 200,000"),
        (b"[" + b'"a,[",' * MOST_VALUES + b"1,1]", "too many values"),
        (b"[" + b'"",' * (MOST_VALUES - 1) + b'""' * 5 * MOST_VALUES + b",1]", "not JSON"),
        (b"{", "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_refused_in_one_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(Refusal, match=sentence) as caught:
        parse(body)
    assert caught.value.status_code == 400
    assert "\n" not in str(caught.value.detail)


def test_what_is_just_not_too_deep_is_read() -> None:
    assert parse(b"[" * DEEPEST + b"]" * DEEPEST)


def test_marks_within_texts_are_no_values() -> None:
    text = ',[{\\" \\\\' * MOST_VALUES
    assert parse(b'["' + text.encode() + b'"]') == [json.loads(f'"{text}"')]
    assert len(parse(b"[" + b'"a,",' * 150_000 + b"1]")) == 150_001
    assert len(parse(b"[" + b"1," * (MOST_VALUES - 2) + b"1]")) == MOST_VALUES - 1


def test_whole_pairs_of_surrogates_are_characters() -> None:
    assert parse(b'"\\ud83d\\ude00"') == "😀"


@given(VALUES)
def test_what_is_json_comes_back(value: object) -> None:
    body = json.dumps(value).encode()
    if "\\u0000" in body.decode():
        return
    assert parse(render(parse(body))) == value
