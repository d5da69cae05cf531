"""Streaming XML: one finished element at a time, with its line, in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from anselm.errors import FormatError
from anselm.files import read_lines


def stream_elements(path: Path, tag: str) -> Iterator[tuple[int, Element]]:
    """Stream (line of its end, element) for every `tag`; it is let go when the next one is asked for.

    The parser is fed line by line: this is what makes the line known when an element turns out to be wrong.
    """
    parser: XMLPullParser[Element] = XMLPullParser(events=("start", "end"))
    root: Element | None = None
    try:
        for line, text in read_lines(path):
            parser.feed(text + "\n")
            for event, element in cast(Iterator[tuple[str, Element]], parser.read_events()):
                if root is None:
                    root = element
                if event == "end" and element.tag == tag:
                    yield line, element
                    root.clear()  # else the whole file would hang from it in the end
        parser.close()
    except ParseError as error:
        problem = str(error).partition(": line")[0]
        raise FormatError(path, f"not well-formed XML ({problem}); the file may be cut", error.position[0]) from None


def attribute(element: Element, name: str, path: Path, line: int) -> str:
    """An attribute that must be there."""
    if (value := element.get(name)) is None:
        raise FormatError(path, f"<{element.tag}> has no attribute {name}", line)
    return value


def child(element: Element, tag: str, path: Path, line: int) -> Element:
    """A child element that must be there."""
    if (found := element.find(tag)) is None:
        raise FormatError(path, f"<{element.tag}> has no <{tag}>", line)
    return found


def child_text(element: Element, tag: str, path: Path, line: int) -> str:
    """The text of a child that must be there, without white space around it; it may be empty."""
    return (child(element, tag, path, line).text or "").strip()


def claim(id: str, seen: set[str], path: Path, line: int) -> None:
    """Note an id that must not have occurred before."""
    if id in seen:
        raise FormatError(path, f"the id {id} occurs twice", line)
    seen.add(id)
