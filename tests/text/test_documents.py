"""Documents: files found and read, sentences with their places, and errors that say what is wrong."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anselm.errors import FormatError, InputError, UnknownNameError
from anselm.text.documents import Document, Sentence, document_from_text, find_documents, read_document, sentences


def write(folder: Path, name: str, content: str | bytes = "text") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_sentences_of_plain_text() -> None:
    document = document_from_text("It rains.\r\nDr. No\r\nsleeps.\n\n-----\nThe end", "note")
    assert sentences(document) == [
        Sentence("It rains.", "note", 0, 9),
        Sentence("Dr. No\r\nsleeps.", "note", 11, 26),
        Sentence("The end", "note", 34, 41),  # the rule before it holds no word
    ]


def test_sentences_of_markdown_cover_their_markup() -> None:
    document = document_from_text("# A *title*\n\nSee [the\npage](http://x.y). Then go.", "m", kind="markdown")
    found = sentences(document)
    assert [sentence.text for sentence in found] == ["See the page.", "Then go."]
    assert [sentence.heading for sentence in found] == ["A title", "A title"]
    slices = [document.text[sentence.start : sentence.end] for sentence in found]
    assert slices == ["See [the\npage](http://x.y).", "Then go."]


def test_sentences_of_html_cover_their_markup() -> None:
    document = document_from_text("<p>Tom &amp; <b>Jerry</b> run.</p><p>&lt;end&gt;</p>", "h", kind="html")
    found = sentences(document)
    assert [sentence.text for sentence in found] == ["Tom & Jerry run.", "<end>"]
    slices = [document.text[sentence.start : sentence.end] for sentence in found]
    assert slices == ["Tom &amp; <b>Jerry</b> run.", "&lt;end&gt;"]


def test_a_very_long_sentence_comes_in_overlapping_parts() -> None:
    words = [f"w{number}" for number in range(1, 500)]
    document = document_from_text(f"Start. Log: {' '.join(words)}. The end.", "log")
    found = sentences(document)
    ends = [(sentence.text.split()[0], sentence.text.split()[-1]) for sentence in found]
    assert ends == [("Start.", "Start."), ("Log:", "w199"), ("w180", "w379"), ("w360", "w499."), ("The", "end.")]
    assert all(document.text[sentence.start : sentence.end] == sentence.text for sentence in found)


@given(st.text(alphabet="aB.? \n-#1日", max_size=300))
def test_in_plain_text_the_slice_is_the_sentence(text: str) -> None:
    found = sentences(document_from_text(text, "t"))
    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in found)
    covered = {place for sentence in found for place in range(sentence.start, sentence.end)}
    assert all(place in covered for place, character in enumerate(text) if character.isalpha())


KINDS = {"text": ["a.txt", "a", "a.rst"], "markdown": ["A.MD", "a.markdown"], "html": ["a.htm", "a.html"]}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for kind, names in KINDS.items() for name in names])
def test_the_suffix_tells_the_kind(tmp_path: Path, name: str, kind: str) -> None:
    path = write(tmp_path, name, "\ufeffÜber\r\nalles")
    assert read_document(path) == Document(str(path), "Über\r\nalles", kind)


def test_invalid_utf8_names_the_file_and_the_line(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"one\ntwo\nab\xff\n")
    with pytest.raises(FormatError, match=r"a\.txt, line 3: not valid UTF-8 \(byte 3 of the line\)"):
        read_document(path)


@pytest.mark.parametrize(("name", "kind"), [("a.txt.gz", "text"), ("A.MD.GZ", "markdown"), ("a.htm.gz", "html")])
def test_packed_files_are_unpacked(tmp_path: Path, name: str, kind: str) -> None:
    path = write(tmp_path, name, gzip.compress("\ufeffÜber\r\nalles".encode()))
    assert read_document(path) == Document(str(path), "Über\r\nalles", kind)
    assert find_documents([tmp_path]) == [path]


@pytest.mark.parametrize(
    "content", [b"text", gzip.compress(b"text" * 99)[:-9], gzip.compress(b"text")[:9] + b"\xff" * 20]
)
def test_a_broken_archive_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"a\.txt\.gz: cannot be read: "):
        read_document(write(tmp_path, "a.txt.gz", content))


@pytest.mark.parametrize("name", ["a.xls", "a.doc", "a.rtf.gz"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        InputError,
        match=r"is not one of \.csv, \.docx, .* or a text file without a suffix; save it as \.(xls|doc)x",
    ):
        read_document(write(tmp_path, name))


def test_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="program: is binary, not a text"):
        read_document(write(tmp_path, "program", b"\x7fELF\0\0"))


@pytest.mark.parametrize("name", ["missing.txt", "x" * 5000, "nul\0"])
def test_what_is_not_there_is_one_sentence(tmp_path: Path, name: str) -> None:
    for act in (read_document, lambda path: find_documents([path])):
        with pytest.raises(InputError, match="cannot be read"):
            act(tmp_path / name)


def test_a_folder_is_no_document(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_document(tmp_path)


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    for name in ["b.md", "a.txt", "sub/c.html", "sub/deep/d.TXT", "e.png", "LICENSE", ".hidden.txt", ".git/f.txt"]:
        write(tmp_path, name)
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    found = [path.relative_to(tmp_path).as_posix() for path in find_documents([tmp_path])]
    assert found == ["a.txt", "b.md", "sub/c.html", "sub/deep/d.TXT"]


def test_files_keep_their_order_and_come_once(tmp_path: Path) -> None:
    late, early, bare = write(tmp_path, "z.txt"), write(tmp_path, "a.txt"), write(tmp_path, "LICENSE")
    assert find_documents([late, bare, tmp_path, early]) == [late, bare, early]


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no document in the folder .*no file ends in \.csv"):
        find_documents([tmp_path])


def test_an_unknown_kind_names_the_choices() -> None:
    with pytest.raises(
        UnknownNameError, match="unknown kind of document 'markdwn'; there is csv, docx, epub, html, json"
    ):
        document_from_text("x", "y", kind="markdwn")


def test_numbered_headings_of_plain_text_are_no_sentences() -> None:
    text = (
        "Terms\r\n\r\n1. Orders\r\n\r\nWe send it soon.\r\n\r\n2.1 Goods and returns\r\n\r\nBring it back.\r\n\r\n"
        "1. Wash it\n\n2. Dry it\n\n3 Bring it back\n\n4. It is free.\n\n12 Angry Men\nwas shown.\n\n5. Ends\n"
    )
    found = sentences(document_from_text(text, "a"))
    assert [one.text for one in found if one.text in ("1. Orders", "2.1 Goods and returns")] == []
    above = {one.text: one.heading for one in found}
    assert above["We send it soon."] == "1. Orders"
    assert above["Bring it back."] == "1. Orders > 2.1 Goods and returns"
    whole = " ".join(above)
    assert all(part in whole for part in ("Wash it", "Dry it", "Bring it back", "free.", "Angry Men", "Ends"))
