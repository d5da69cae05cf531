"""XML is streamed with lines, in flat memory, and what is broken is named."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from anselm.data.elements import attribute, child_text, claim, stream_elements
from anselm.errors import FormatError


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_elements_come_with_the_line_of_their_end(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xml", '<root>\n<row n="1"/>\n<row\n n="2">x</row></root>\n')
    assert [(line, row.get("n"), row.text) for line, row in stream_elements(path, "row")] == [
        (2, "1", None),
        (4, "2", "x"),
    ]


def test_nested_elements_entities_byte_order_mark_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    text = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<root><group><row>a &amp; b &#233;</row></group></root>'
    path.write_bytes(gzip.compress(text.encode()))
    assert [row.text for _, row in stream_elements(path, "row")] == ["a & b é"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<root>\n<row/>\n<row>", 4),  # cut: the end of the file is on the line after
        ("<root>\n<row>\n</root>", 3),  # a wrong end
        ("<root>\n<row a=1/>\n</root>", 2),
        ("", 1),
    ],
)
def test_broken_xml_is_named_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    path = write(tmp_path / "bad.xml", text)
    with pytest.raises(FormatError, match=rf"bad\.xml, line {line}: not well-formed XML"):
        list(stream_elements(path, "row"))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        path = write(tmp_path / f"{rows}.xml", "<root>\n" + "<row><a>text</a></row>\n" * rows + "</root>")
        tracemalloc.start()
        assert sum(1 for _ in stream_elements(path, "row")) == rows
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(10_000) < 1.5 * peak(500)


def test_missing_parts_and_repeated_ids_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xml", '<root><row n="1"><a> x </a><b/></row></root>')
    for line, row in stream_elements(path, "row"):
        assert attribute(row, "n", path, line) == "1"
        assert child_text(row, "a", path, line) == "x"
        assert child_text(row, "b", path, line) == ""
        with pytest.raises(FormatError, match="line 1: <row> has no attribute m"):
            attribute(row, "m", path, line)
        with pytest.raises(FormatError, match="line 1: <row> has no <c>"):
            child_text(row, "c", path, line)
    seen: set[str] = set()
    claim("Q1", seen, path, 1)
    with pytest.raises(FormatError, match="line 2: the id Q1 occurs twice"):
        claim("Q1", seen, path, 2)
