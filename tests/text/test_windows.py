"""Windows: hand-counted cases, and that nothing is ever cut off."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.text.windows import windows


@pytest.mark.parametrize(
    ("text", "max_words", "overlap", "expected"),
    [
        ("", 3, 1, []),
        (" \n ", 3, 1, []),
        (" a b c ", 3, 1, ["a b c"]),
        ("a b c d", 3, 0, ["a b c", "d"]),
        ("a b c d", 3, 1, ["a b c", "c d"]),
        ("a b c d e", 3, 1, ["a b c", "c d e"]),
        ("a b c d e f", 3, 2, ["a b c", "b c d", "c d e", "d e f"]),
        ("one  two\nfour", 1, 0, ["one", "two", "four"]),
        ("abcdefghij k", 2, 0, ["abcdefgh", "ij k"]),  # words are cut after 4 characters here
        ("日本語の文です", 3, 1, ["日本語", "語の文", "文です"]),
    ],
)
def test_by_hand(text: str, max_words: int, overlap: int, expected: list[str]) -> None:
    assert [text[start:end] for start, end in windows(text, max_words, overlap, max_chars=4)] == expected


@given(st.text(alphabet="ab日 \n\u3000", max_size=60), st.integers(1, 6), st.data())
def test_windows_cover_everything_and_keep_to_the_maximum(text: str, max_words: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, max_words - 1))
    spans = windows(text, max_words, overlap, max_chars=5)
    covered = {position for start, end in spans for position in range(start, end)}
    assert all(position in covered for position, character in enumerate(text) if not character.isspace())
    assert spans == sorted(set(spans))
    for start, end in spans:
        assert text[start:end].strip()
        assert len(text[start:end].replace("日", " 日 ").split()) <= max_words
    for (_, end), (start, _) in pairwise(spans):
        assert (start < end) == (overlap > 0)


def test_ten_million_characters_without_a_space() -> None:
    spans = windows("x" * 10_000_000, max_words=200, overlap=20)
    assert spans[0] == (0, 200 * 50)
    assert spans[-1][1] == 10_000_000


@pytest.mark.parametrize(("max_words", "overlap", "max_chars"), [(0, 0, 1), (3, 3, 1), (3, -1, 1), (3, 0, 0)])
def test_impossible_windows(max_words: int, overlap: int, max_chars: int) -> None:
    with pytest.raises(ValueError, match=f"windows of {max_words} words, {overlap} shared"):
        windows("a", max_words, overlap, max_chars)
