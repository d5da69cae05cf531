"""Word vectors: the same numbers as gensim reads and writes, odd words, broken files, the table of a vocabulary."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.errors import FormatError, InputError
from anselm.text.vocabulary import PAD, UNKNOWN, Vocabulary
from anselm.text.word_vectors import WordVectors, read_vectors, table_for, write_vectors

ODD = "1\u00a0000"  # a space, but not one that separates
NAMES = ["v.txt", "v.txt.gz", "v.bin", "v.bin.gz"]


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """More rows than are parsed at once, some with numbers that are hard to write."""
    table = np.random.default_rng(1).normal(size=(5000, 7)).astype(np.float32)
    table[1] = [0, -0.0, 1e-38, 3.4e38, 1 / 3, -1e-45, 16_777_217]
    return WordVectors(("the", "café", ODD, "日", "\u0085", *(f"w{i}" for i in range(4995))), table)


def same(one: WordVectors, two: WordVectors) -> bool:
    return one.words == two.words and one.table.dtype == np.float32 and np.array_equal(one.table, two.table)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_again_exactly(name: str, vectors: WordVectors, tmp_path: Path) -> None:
    write_vectors(vectors, tmp_path / name)
    assert same(read_vectors(tmp_path / name), vectors)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_gensim_reads_what_we_write(name: str, vectors: WordVectors, tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    write_vectors(vectors, tmp_path / name)
    read = keyed.load_word2vec_format(str(tmp_path / name), binary=".bin" in name)
    assert tuple(read.index_to_key) == vectors.words
    np.testing.assert_allclose(read.vectors, vectors.table, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize(("name", "header"), [*((name, True) for name in NAMES), ("v.txt", False), ("v.gz", False)])
def test_we_read_what_gensim_writes(name: str, header: bool, vectors: WordVectors, tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors(7)
    keyed.add_vectors(list(vectors.words), vectors.table)
    keyed.save_word2vec_format(str(tmp_path / name), binary=".bin" in name, write_header=header, sort_attr="none")
    read = read_vectors(tmp_path / name)
    assert read.words == vectors.words
    np.testing.assert_allclose(read.table, vectors.table, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize("written", NAMES)
@pytest.mark.parametrize("renamed", ["plain", "x.vec", "x.gz", "glove.txt"])
def test_the_content_says_what_a_file_is(written: str, renamed: str, vectors: WordVectors, tmp_path: Path) -> None:
    write_vectors(vectors, tmp_path / written)
    (tmp_path / written).rename(tmp_path / renamed)
    assert same(read_vectors(tmp_path / renamed), vectors)


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def floats(*values: float) -> bytes:
    return np.array(values, "<f4").tobytes()


@pytest.mark.parametrize("begin", ["", "4 2\n", "4 2\r\n", "\ufeff", "\ufeff4 2\n"])
@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"])
def test_rows_split_at_plain_spaces_and_the_last_fields_are_the_numbers(begin: str, end: str, tmp_path: Path) -> None:
    lines = ["a 1 2", f"{ODD} 3 4", ". . . 5 6", "\u00a0 7 -8e-1"]
    read = read_vectors(put(tmp_path / "v.txt", begin + "".join(line + end for line in lines)))
    assert read.words == ("a", ODD, ". . .", "\u00a0")
    assert read.table.tolist() == np.array([[1, 2], [3, 4], [5, 6], [7, -0.8]], np.float32).tolist()


def test_the_first_of_two_rows_of_a_word_counts(tmp_path: Path) -> None:
    read = read_vectors(put(tmp_path / "v.txt", "a 1 2\nb 3 4\na 5 6\n"))
    assert (read.words, read.table.tolist()) == (("a", "b"), [[1, 2], [3, 4]])


def test_binary_rows_may_end_in_a_line_end_or_not(tmp_path: Path) -> None:
    for gap in (b"", b"\n"):
        read = read_vectors(put(tmp_path / "v", b"2 2\na " + floats(1, 2) + gap + b"b " + floats(3, 4) + gap))
        assert (read.words, read.table.tolist()) == (("a", "b"), [[1, 2], [3, 4]])


def test_numbers_whose_bytes_are_valid_utf_8_are_still_no_text(tmp_path: Path) -> None:
    assert floats(2, 0).decode() == "\0\0\0@\0\0\0\0"
    assert read_vectors(put(tmp_path / "v", b"1 2\na " + floats(2, 0))).table.tolist() == [[2, 0]]


PACKED = gzip.compress(b"".join(b"w%d 0.5 0.25\n" % i for i in range(20_000)))
BROKEN: list[tuple[str, str | bytes, str]] = [
    ("v.txt", "", "v.txt: is empty"),
    ("v.bin", b"", "v.bin: is empty"),
    ("v.txt", gzip.compress(b""), "v.txt: is empty"),
    ("v.txt", "a\nb\n", "v.txt, line 1: a word and its numbers are needed"),
    ("v.txt", "a\t1\t2\n", "v.txt, line 1: a word and its numbers are needed"),
    ("v.txt", "a 1 2\nb 3\n", "v.txt, line 2: the word 'b' has 1 numbers, but 2 are needed"),
    ("v.txt", "a 1 2\nb 3 4 5\n", "v.txt, line 2: the word 'b' has 3 numbers, but 2 are needed"),
    ("v.txt", "2 3\na 1 2 3\nb 1 2\n", "v.txt, line 3: the word 'b' has 2 numbers, but 3 are needed"),
    ("v.txt", "a 1 2\n\nb 3 4\n", "v.txt, line 2: the word '' has 0 numbers, but 2 are needed"),
    ("v.txt", "a 1 2\nb 3 four\n", "v.txt, line 2: 'four' of the word 'b' is no finite number"),
    ("v.txt", "a 1 2\nb 3 nan\n", "v.txt, line 2: 'nan' of the word 'b' is no finite number"),
    ("v.txt", "a 1 2\nb -inf 4\n", "v.txt, line 2: '-inf' of the word 'b' is no finite number"),
    ("v.txt", "a 1 2\nb 1e39 4\n", "v.txt, line 2: '1e39' of the word 'b' is no finite number"),
    ("v.txt", "a 1  2\n", "v.txt, line 1: '' of the word 'a' is no finite number"),
    ("v.txt", b"a 1 2\n\xe9 1 2\n", "v.txt, line 2: not valid UTF-8"),
    ("v.txt", "3 2\na 1 2\nb 3 4\n", "v.txt: the file is cut off: the header says 3 words, but there are 2"),
    ("v.txt", "1 2\na 1 2\nb 3 4\n", "v.txt: the header says 1 words, but there are more"),
    ("v.txt", "0 2\n", "v.txt, line 1: the number of words and the width are needed"),
    ("v.txt", PACKED[:-20], "v.txt: cannot be unpacked or read"),
    ("v.txt", PACKED[:12], "v.txt: cannot be unpacked or read"),
    ("v.bin", b"hello\n", "v.bin, line 1: the number of words and the width are needed, .* not 'hello'"),
    ("v.bin", b"2 2\na " + floats(1, 2), "v.bin: the file is cut off: the header says 2 words, but there are 1"),
    ("v.bin", b"2 2\na " + floats(1, 2) + b"b " + floats(3), "v.bin, word 2: the file is cut off; 2 numbers"),
    ("v.bin", b"2 2\na " + floats(1, 2) + b"b", "v.bin, word 2: the file is cut off"),
    ("v.bin", b"1 2\na " + floats(1, 2) + b"b " + floats(3, 4), "v.bin: the header says 1 words, but there are more"),
    ("v.bin", b"2 2\na " + floats(1, 2) + b"b " + floats(3, np.nan), "word 2: nan of the word 'b' is no finite number"),
    ("v.bin", b"1 2\n\xff " + floats(1, 2), "v.bin, word 1: not valid UTF-8"),
]


@pytest.mark.parametrize(("name", "content", "problem"), BROKEN)
def test_what_is_wrong_with_a_file_is_named(name: str, content: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        read_vectors(put(tmp_path / name, content))


def test_a_mistake_far_into_a_file_is_named_by_its_line(tmp_path: Path) -> None:
    lines = [f"w{i} 1 2" for i in range(9000)]
    lines[8000] = "w8000 1 ?"
    with pytest.raises(FormatError, match="line 8001: '\\?' of the word 'w8000'"):
        read_vectors(put(tmp_path / "v.txt", "\n".join(lines)))


def test_files_that_are_not_there() -> None:
    with pytest.raises(InputError, match=r"none\.txt does not exist"):
        read_vectors(Path("none.txt"))


@pytest.mark.parametrize("word", ["New York", "", "a\nb", "a\r"])
def test_words_that_a_file_cannot_hold_are_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"word 2, .*, is empty or holds a space"):
        write_vectors(WordVectors(("a", word), np.ones((2, 3), np.float32)), tmp_path / "v.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("table", [np.ones((3, 2), np.float32), np.ones(2, np.float32)])
def test_words_and_rows_must_be_as_many(table: Any) -> None:
    with pytest.raises(InputError, match=r"shape \(.*\) does not fit 2 words"):
        WordVectors(("a", "b"), table)


def test_the_table_of_a_vocabulary(vectors: WordVectors) -> None:
    calm = WordVectors(vectors.words[5:], vectors.table[5:] / 4)  # no extreme numbers
    vocabulary = Vocabulary((*(f"new{i}" for i in range(2000)), "w7", "w0"))
    table, found = table_for(vocabulary, calm, np.random.default_rng(3))
    assert (table.shape, table.dtype, found) == ((2004, 7), np.float32, 2)
    assert not table[PAD].any()
    assert np.array_equal(table[vocabulary.numbers["w7"]], calm.table[7])
    assert np.array_equal(table[vocabulary.numbers["w0"]], calm.table[0])
    drawn = table[UNKNOWN:-2]
    assert drawn.std() == pytest.approx(0.25, rel=0.05)
    assert abs(drawn.mean()) < 0.01
    assert len(np.unique(drawn, axis=0)) == 2001
    again, _ = table_for(vocabulary, WordVectors(calm.words[1:], calm.table[1:]), np.random.default_rng(3))
    np.testing.assert_allclose(again[UNKNOWN:-2], drawn, rtol=1e-3)  # though another word has no vector now


def test_no_vectors_make_no_table() -> None:
    with pytest.raises(InputError, match="no word vectors"):
        table_for(Vocabulary(("a",)), WordVectors((), np.empty((0, 3), np.float32)), np.random.default_rng(1))


def test_the_real_vectors(real_data: Path) -> None:
    path = real_data / "vectors" / "glove.6B.100d.subset.txt.gz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    read = read_vectors(path)
    assert read.table.shape == (107_928, 100)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n").split(" ") for line in file]
    assert list(read.words) == [line[0] for line in lines]
    np.testing.assert_array_equal(read.table[::100], [list(map(np.float32, line[1:])) for line in lines[::100]])
