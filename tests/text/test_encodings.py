"""Bytes to text: UTF-8 and UTF-16 are known, what is binary or in another encoding is refused."""

from __future__ import annotations

import codecs

import pytest

from anselm.errors import FormatError
from anselm.text.encodings import decode

TEXT = "Où est-il ?\r\n„Dort“, 日本.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_decoded(encoding: str) -> None:
    assert decode(TEXT.encode(encoding), "a") == TEXT
    assert decode("".encode(encoding), "a") == ""


HINDI = "कहाँ है? हम नौ बजे खुलते हैं। पार्किंग मुफ्त है।\n"


@pytest.mark.parametrize("text", ["Где?\n", "Πού είναι;\n", HINDI, "在哪里? 请到柜台来.\n", "Where?\n", "A"])
def test_utf_16_needs_no_mark(text: str) -> None:
    assert decode(text.encode("utf-16-le"), "a") == decode(text.encode("utf-16-be"), "a") == text


@pytest.mark.parametrize("text", ["We open at nine.\0\n", "one\0two\nthree\n", "Où est-il donc, mon ami ?\0\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_stray_zero_does_not_make_it_utf_16(text: str, encoding: str) -> None:
    for raw in (text.encode(encoding), text[1:].encode(encoding)):
        with pytest.raises(FormatError, match=r"^a: is binary, not a text$"):
            decode(raw, "a")


def test_a_stray_zero_among_letters_of_other_languages() -> None:
    for text in ("在哪里? 这里.\0\n", "Где же?\0\n"):
        with pytest.raises(FormatError, match=r"^a: is binary, not a text$"):
            decode(text.encode() + b"\n" * (len(text.encode()) % 2), "a")


def test_both_byte_order_marks_are_known() -> None:
    assert decode(codecs.BOM_UTF16_BE + "a\n".encode("utf-16-be"), "a") == "a\n"
    assert decode(codecs.BOM_UTF16_LE + "a\n".encode("utf-16-le"), "a") == "a\n"


@pytest.mark.parametrize(
    "raw", [b"\0\1", b"\x7fELF\2\1\1\0\0\0", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a\0b", bytes(range(256))]
)
def test_binary_files_are_no_text(raw: bytes) -> None:
    with pytest.raises(FormatError, match=r"^a: is binary, not a text$"):
        decode(raw, "a")


def test_another_encoding_is_named_by_what_it_would_be() -> None:
    with pytest.raises(
        FormatError, match=r"^a, line 2: not valid UTF-8 \(byte 4 of the line\); in Windows-1252 it would be 'é'"
    ):
        decode("x\ncafé".encode("cp1252"), "a")
    with pytest.raises(FormatError, match=r"not valid UTF-16-LE \(byte 3\)"):
        decode(codecs.BOM_UTF16_LE + b"a\0b", "a")
