"""Packed folders of XML, which is what office programs write (.docx, .xlsx, .odt): opened, bounded and parsed.

What a file unpacks to is told before it is unpacked, and bounded. Entities are refused, which may stand for other files
or for texts without end, and so is a document type that declares anything; one that is only named is not looked up.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from posixpath import dirname, join, normpath
from typing import IO
from xml.etree import ElementTree
from xml.parsers import expat

from anselm.errors import FormatError, InputError

LARGEST = 500_000_000  # bytes, unpacked, of all parts together
LARGEST_TREE = 200_000_000  # of a part that is held as a tree, which takes several times as much
_BOMB, _HARMLESS = 100, 10_000_000  # times its size, which no text is packed from; bytes that need no such care
_CHUNK = 1 << 16
# What old Office files and encrypted new ones begin with, and what the latter hold.
_COMPOUND, _ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "EncryptedPackage".encode("utf-16-le")
# What programs pack: by the folder that they use, or by the type that they write into the first part.
_FOLDERS = {"word/": "a Word file (.docx)", "xl/": "an Excel file (.xlsx)", "ppt/": "a PowerPoint file (.pptx)"}
_TOLD, _LONGEST_TOLD = "mimetype", 100
_TYPES = {
    "application/epub+zip": "a book (.epub)",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text (.odt)",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet (.ods)",
}
# Of the packing, of the XML and its encoding; RuntimeError also where elements are nested too deeply.
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, RuntimeError, LookupError,
    ValueError, ArithmeticError, ElementTree.ParseError, expat.ExpatError,
)  # fmt: skip

Event = tuple[str, dict[str, str] | str | None]  # an element begins, with attributes, or ends; "" and text between


class ContentError(InputError):
    """What is wrong with a file inside; its name is added where it was opened."""


class Archive:
    """The parts of a packed folder, by name; `place` names the file in errors."""

    def __init__(self, folder: zipfile.ZipFile, size: int, place: object) -> None:
        self.place, self._size = place, size
        self._folder = folder
        self._names = frozenset(folder.namelist())
        self._read = 0

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        self._check(name)
        return self._folder.read(name)

    def parse(self, name: str) -> ElementTree.Element:
        """A part as a tree."""
        if self._folder.getinfo(name).file_size > LARGEST_TREE:
            raise FormatError(self.place, f"unpacks to more than {LARGEST_TREE:,} bytes")
        raw = self.read(name)
        for _ in _events(io.BytesIO(raw)):
            break  # the first element has begun, and no declarations stood above
        return ElementTree.fromstring(raw)

    def events(self, name: str) -> Iterator[Event]:
        """A part as it comes, whatever its length; names without their namespaces."""
        self._check(name)
        with self._folder.open(name) as file:
            yield from _events(file)

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The kinds and the names of the parts that one refers to, by the ids that it has for them."""
        folder, file = dirname(name), name.rpartition("/")[2]
        listed = join(folder, "_rels", f"{file}.rels")
        found = self.parse(listed) if listed in self else ()
        return {one.get("Id", ""): (kind_of(one), _resolve(folder, one.get("Target", ""))) for one in found}

    def main(self, usual: str) -> str:
        """The part that everything begins with."""
        return self.part("", "officeDocument") or usual

    def part(self, of: str, kind: str) -> str:
        """The first of this kind that one refers to."""
        return next((name for known, name in self.related(of).values() if known == kind), "")

    def _check(self, name: str) -> None:
        self._read += self._folder.getinfo(name).file_size
        if self._read > min(LARGEST, max(_HARMLESS, _BOMB * self._size)):
            found = f"unpacks to {self._read:,} bytes or more from {self._size:,}"
            raise FormatError(self.place, f"{found}; at most {LARGEST:,} are read, and {_BOMB} times what is packed")


@contextmanager
def open_archive(raw: bytes, place: object, form: str) -> Iterator[Archive]:
    """`form` is what the file should be: "a Word file (.docx)". Whatever is wrong with it inside is one sentence."""
    if raw.startswith(_COMPOUND):
        encrypted, old = "is encrypted; save a copy without a password", f"is not {form} but one of older programs"
        raise FormatError(place, encrypted if _ENCRYPTED in raw else f"{old}; save it anew in this format")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as folder:
            if (found := _form(folder)) not in ("", form):
                raise ContentError(f"is {found}, not {form}; give it a name that ends so")
            yield Archive(folder, len(raw), place)
    except ContentError as error:
        raise FormatError(place, str(error)) from None
    except _DAMAGES:
        raise FormatError(place, f"is not {form}, or damaged or encrypted") from None


def _form(folder: zipfile.ZipFile) -> str:
    """What it looks like; nothing where that is not clear."""
    told = _TOLD in folder.namelist() and folder.getinfo(_TOLD).file_size < _LONGEST_TOLD
    if found := _TYPES.get(folder.read(_TOLD).decode("ascii", "replace").strip() if told else ""):
        return found
    forms = {form for inside, form in _FOLDERS.items() if any(name.startswith(inside) for name in folder.namelist())}
    return forms.pop() if len(forms) == 1 else ""


def local(tag: str) -> str:
    """A name without its namespace, of which formats have several for the same."""
    return tag.rpartition("}")[2]


def kind_of(relation: ElementTree.Element) -> str:
    """The last word of the address that names it."""
    return relation.get("Type", "").rpartition("/")[2]


def _resolve(folder: str, target: str) -> str:
    return normpath(target[1:] if target.startswith("/") else join(folder, target))


def _events(file: IO[bytes]) -> Iterator[Event]:
    found: list[Event] = []
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.SkippedEntityHandler = _refuse_entity
    parser.StartElementHandler = lambda tag, attributes: found.append((local(tag), attributes))
    parser.EndElementHandler = lambda tag: found.append((local(tag), None))
    parser.CharacterDataHandler = lambda text: found.append(("", text))
    while chunk := file.read(_CHUNK):
        parser.Parse(chunk)
        yield from found
        found.clear()
    parser.Parse(b"", True)
    yield from found


def _refuse_declarations(name: str, system: str | None, public: str | None, inside: bool) -> None:
    if inside:
        raise ValueError("a document type with declarations")


def _refuse_entity(name: str, *_: object) -> None:
    raise ValueError(f"the entity {name}, which nobody has declared")
