"""What a folder of ranked parts was made with, so that a run that goes on does so with the same.

    _anselm/manifest.json       the model, the checksum of its files, settings, and the sizes of files that were cut
    _anselm/parts/NAME.json     of each part: how many lists, how many pairs, and which records were skipped

Readers of such folders pass over names that begin with an underscore. A part's record is written before the part, so
that a part that is there has one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from anselm.errors import FormatError, InputError
from anselm.files import parse_json
from anselm.scale.input_parts import PARQUET, Part
from anselm.scale.places import beside, is_address, is_pattern, open_place, write_whole

OWN = "_anselm"  # the folder
FILES = (".jsonl", ".ndjson", ".json", ".gz", PARQUET, ".run", ".csv", ".tsv")
MANIFEST = f"{OWN}/manifest.json"
LOCK = f"{OWN}/lock"
RECORDS = f"{OWN}/parts"
VERSION = 1
HALVES = "surrogatepass"  # a name that is no UTF-8 has half characters in Python, which come back as they were
REFUSED = "not the record of a part; --overwrite starts over"


@dataclass(frozen=True)
class Manifest:
    model: str
    checksum: str  # of the model's files
    top: int | None
    device: str | None  # the kind, where torch computes; scores differ by rounding
    part_bytes: int | None  # of pieces of large files
    respell: bool = True
    cut: Mapping[str, int] = field(default_factory=dict)  # bytes of the files that were cut, by their names

    def to_json(self) -> dict[str, Any]:
        return {"version": VERSION, **asdict(self)}


@dataclass(frozen=True)
class PartRecord:
    """What came of a part."""

    name: str
    lists: int
    pairs: int
    seconds: float
    skipped: int
    first_skipped: tuple[str, ...] = ()  # named, as many as are worth it
    version: str = ""  # of the file that was read
    ids: str = ""  # of a piece, packed (repeats.py)


def wants_parts(source: str, output: str) -> bool:
    """Whether a folder of parts is written, or read; else one file becomes one file."""
    return (
        output.endswith("/")
        or is_address(source)
        or is_address(output)
        or (Path(output) / OWN).is_dir()
        or Path(source).is_dir()
        or source.endswith(PARQUET)
        or (is_pattern(source) and not Path(source).exists())
    )


def check_folder(output: str) -> None:
    """Parts go into a folder; what is named as a file is not meant as one."""
    if output.endswith(FILES) and (is_address(output) or not Path(output).is_dir()):
        raise InputError(f"--output {output} is named as a file, but parts go into a folder: give {output}/ or another")


def sizes_of_cut(parts: Iterable[Part], sizes: Mapping[str, int]) -> dict[str, int]:
    return {part.place: sizes[part.place] for part in parts if part.stop is not None}


def check_manifest(folder: str, wanted: Manifest, names: set[str]) -> Mapping[str, int]:
    """That what is there was made with the same; where nothing is, that is written down. Gives what was cut before."""
    if MANIFEST not in names:
        write_json(beside(folder, MANIFEST), wanted.to_json())
        return {}
    there, now = {"respell": True, **read_json(beside(folder, MANIFEST))}, json.loads(json.dumps(wanted.to_json()))
    if (version := there.get("version")) != VERSION:
        raise InputError(
            f"{folder} was begun by another version of Anselm (its manifest is {version!r}, not {VERSION})"
        )
    both = there.pop("cut", {}), now.pop("cut")
    if not isinstance(both[0], dict):
        raise FormatError(beside(folder, MANIFEST), '"cut" must be an object; --overwrite starts over')
    for name in now:
        if there.get(name) != now[name]:
            was = f"{name} {there.get(name)!r:.80}, and this run has {now[name]!r:.80}"
            raise InputError(f"{folder} was begun with {was}; give another folder, or --overwrite to start over")
    for name in both[0].keys() & both[1].keys():
        if both[0][name] != both[1][name]:
            raise InputError(f"{name} has changed since {folder} was begun; --overwrite starts over")
    if both[1].keys() - both[0].keys():  # files that came later
        write_json(beside(folder, MANIFEST), {**there, "cut": {**both[0], **both[1]}})
    return both[0]


def record_place(folder: str, name: str) -> str:
    return beside(folder, f"{RECORDS}/{name}.json")


def write_record(folder: str, record: PartRecord) -> None:
    write_json(record_place(folder, record.name), asdict(record))


def read_record(folder: str, name: str) -> PartRecord:
    found = read_json(place := record_place(folder, name))
    try:
        record = PartRecord(**{**found, "first_skipped": tuple(found["first_skipped"])})
    except (TypeError, KeyError):
        raise FormatError(place, REFUSED) from None
    if not is_sound(record):
        raise FormatError(place, REFUSED)
    return record


def is_sound(record: PartRecord) -> bool:
    """Whether all of it is of the types that it should be of."""
    counts = (record.lists, record.pairs, record.skipped)
    texts = (record.name, record.version, *record.first_skipped)
    return (
        all(type(count) is int and count >= 0 for count in counts)
        and all(isinstance(text, str) for text in texts)
        and isinstance(record.seconds, int | float)
        and is_packed(record.ids)
    )


def is_packed(ids: object) -> bool:
    try:
        return isinstance(ids, str) and len(base64.b64decode(ids, validate=True)) % 8 == 0
    except ValueError:
        return False


def read_json(place: str) -> dict[str, Any]:
    with open_place(place) as file:
        try:
            found = parse_json(file.read().decode(errors=HALVES))
        except ValueError as error:
            raise FormatError(place, f"not whole JSON: {error}") from None
    if not isinstance(found, dict):
        raise FormatError(place, "an object is needed")
    return found


def write_json(place: str, value: Mapping[str, Any]) -> None:
    with write_whole(place) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False).encode(errors=HALVES) + b"\n")
