"""Whether what is here is as published: what a split holds is counted under every protocol and compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anselm.data.corpus import Corpus, Split, Tally
from anselm.data.resources import Resource, spell_numbers
from anselm.errors import AnselmError
from anselm.files import find_file


@dataclass(frozen=True)
class Check:
    """What was found of one split under one protocol, or of one resource.

    ok: all files are here and the counts are right; partial: not all are here, but what they can tell is right;
    missing: there is nothing to count; wrong: unreadable, other counts, or asked for by name and not here whole.
    """

    corpus: str
    split: str
    protocol: str
    status: str
    found: str
    expected: str
    problem: str = ""


def check_split(corpus: Corpus, split: str, data_dir: Path, needed: bool) -> Iterator[Check]:
    """One check for each protocol, in one reading."""
    missing, part = corpus.missing(split, data_dir), corpus.countable(split, data_dir)
    tallies = {protocol: Tally() for protocol in corpus.protocols}
    failure = count_into(tallies, corpus, split, part, data_dir) if part else None
    for protocol, tally in tallies.items():
        expected, found = corpus.expected(split, protocol), tally.counts()
        spelled = str(found) if part else "-"
        status, problem = "ok", corpus.problem(split, protocol, found, data_dir) if part else None
        if failure:
            problem = corpus.stopped(failure, split, protocol, found)
        if problem:
            status = "wrong"
        elif missing:
            status = "wrong" if needed else "partial" if part else "missing"
            known = f"found {found} without it" if part else "found no file"
            problem = f"{missing[0]} does not exist (expected {expected}, {known})"
        yield Check(corpus.name, split, protocol, status, spelled, str(expected), problem or "")


def count_into(
    tallies: dict[str, Tally], corpus: Corpus, split: str, part: Split, data_dir: Path
) -> AnselmError | None:
    """Count the lists of a split under each protocol; returns what ended the reading too early, if anything did."""
    try:
        for question in part.read(data_dir / corpus.folder):
            for protocol, tally in tallies.items():
                if corpus.protocols[protocol].keeps(question, split):
                    tally.add(question)
    except AnselmError as error:
        return error
    return None


def check_resource(owner: str, resource: Resource, folder: Path) -> Check:
    paths = [folder / file for file in resource.files]
    found, expected, problem = "-", spell_numbers(resource.expected), ""
    absent = next((path for path in paths if not find_file(path).exists()), None)
    if absent:
        status, problem = "missing", f"{absent} does not exist (expected {expected}, found no file)"
    else:
        try:
            found = spell_numbers(resource.count(*paths))
        except AnselmError as error:
            problem = f"{error} (expected {expected})"
        if not problem and found != expected:
            files = ", ".join(map(str, paths))
            problem = f"{owner} {resource.name} must have {expected}, but {found} were found in {files}"
        status = "wrong" if problem else "ok"
    return Check(owner, resource.name, "-", status, found, expected, problem)
