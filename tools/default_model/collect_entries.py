"""Collect entries of FAQs and manuals, a question or a title with its answer each, from Debian packages.

    python -m tools.default_model.collect_entries entries.jsonl --work packages   # all of packages.txt: 2 GB

Packages are downloaded with apt-get as it is configured, and unpacked without being installed. Those whose copyright
file names no free licence are skipped. Files stay in the --work folder, so that a second run need not download them;
without one they go when all is done. What comes out is in Anselm's own format, an entry a line, with the right answer
alone; tools.default_model.entry_lists adds wrong ones.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from anselm.errors import InputError
from anselm.files import write_atomically
from tools.default_model.entries import html, manuals, pod, text
from tools.default_model.entries.blocks import Block
from tools.default_model.entries.finding import Entry, find_entries
from tools.default_model.entries.licences import find_licence, is_free
from tools.default_model.entries.packages import Package, read_copyright, read_packages, read_text, unpack

READERS: dict[str, Callable[[str], Iterable[Block]]] = {"html": html.read, "pod": pod.read, "text": text.read}
PACKAGES = Path(__file__).with_name("packages.txt")
OWN_SOURCE = 15  # entries; packages with fewer are put together, so that every source has wrong answers to offer
EVERYWHERE = 3  # texts; a heading of more ("Getting Started") says nothing of what they are about
SAME = 400  # characters; answers that begin alike are the same


@dataclass(frozen=True)
class Found:
    entry: Entry
    package: str
    licence: str
    form: str


def main() -> None:
    parser = argparse.ArgumentParser(description="collect entries of FAQs and manuals from Debian packages")
    parser.add_argument("out", type=Path, help="a file to write, .jsonl or .jsonl.gz")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where the files of the packages are kept")
    parser.add_argument("--packages", type=Path, default=PACKAGES, metavar="FILE", help="names, one a line")
    given = parser.parse_args()
    try:
        packages = read_packages(given.packages)
        with write_atomically(given.out) as file, TemporaryDirectory() as scratch:
            found = collect(packages, prepare(given.work or Path(scratch)))
            if not found:
                raise InputError(f"none of the packages in {given.packages} gave an entry")
            for record in records(without_duplicates(found)):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
    except InputError as error:
        sys.exit(str(error))


def prepare(work: Path) -> Path:
    """The folder, made; what cannot work says so before the first download."""
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise InputError(f"{tool} is not here; packages can be collected on Debian and its relatives alone")
    try:
        work.mkdir(parents=True, exist_ok=True)
        TemporaryDirectory(dir=work).cleanup()
    except OSError as error:
        raise InputError(f"{work} cannot be written: {error.strerror}") from None
    return work


def collect(packages: Iterable[Package], work: Path) -> list[Found]:
    names: dict[str, str] = {}  # of one package for those after it
    found = []
    for package in packages:
        try:
            folder = unpack(package, work)
            licence = find_licence(read_copyright(package, work))
            if not is_free(licence):
                raise InputError(f"{package.name} is under no licence known to be free ({licence or 'none named'})")
        except InputError as error:
            print(f"skipped: {error}", flush=True)
            continue
        names |= entities(folder.rglob("*.entities"))
        some = list(read_package(package, folder, licence, names))
        print(f"{package.name}: {len(some)} entries", flush=True)
        found += some
    return found


def entities(paths: Iterable[Path]) -> dict[str, str]:
    return {name: value for path in sorted(paths) for name, value in manuals.entities(read_text(path)).items()}


def read_package(package: Package, folder: Path, licence: str, names: Mapping[str, str]) -> Iterator[Found]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    inside = {path: path.relative_to(folder).as_posix() for path in paths}
    forms = {path: form for path in paths if (form := package.form(inside[path]))}
    names = {**names, **entities(path for path, form in forms.items() if form == "manual")}
    for path, form in forms.items():
        document = read_text(path)
        own = {**names, **manuals.entities(document)}
        blocks = html.read(manuals.to_html(document, own)) if form == "manual" else READERS[form](document)
        for entry in find_entries(blocks, package.has_titles(inside[path])):
            section = f"{package.name} / {entry.section or path.name.split('.')[0]}"
            yield Found(replace(entry, section=section), package.name, licence, form)


def without_duplicates(found: Iterable[Found]) -> list[Found]:
    """One entry for each question and for each answer: that with the longest answer."""
    keys = {one: (plain(one.entry.question), plain(one.entry.answer)[:SAME]) for one in found}
    texts = Counter(question for question, _ in set(keys.values()))
    seen: set[str] = set()
    kept = []
    for one in sorted(keys, key=lambda one: -len(one.entry.answer)):
        if seen.isdisjoint(keys[one]) and texts[keys[one][0]] <= EVERYWHERE:
            kept.append(one)
        seen.update(keys[one])
    return sorted(kept, key=lambda one: (one.package, one.entry.section, one.entry.question))


def plain(words: str) -> str:
    return re.sub(r"\W+", " ", words.lower()).strip()


def records(found: Sequence[Found]) -> Iterator[dict[str, object]]:
    """In Anselm's own format."""
    sizes = Counter(one.package for one in found)
    numbers: Counter[str] = Counter()
    for one in found:
        source = one.package if sizes[one.package] >= OWN_SOURCE else f"other-{one.form}"
        yield {
            "id": f"{source}/{numbers[source]}",
            "question": one.entry.question,
            "candidates": [{"id": "0", "text": one.entry.answer, "label": 1}],
            "meta": {"source": source, "section": one.entry.section, "package": one.package, "licence": one.licence},
        }
        numbers[source] += 1


if __name__ == "__main__":
    main()
