"""Every command explains itself, and shows how far it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from anselm import cli
from anselm.cli import show as terminal
from tests.cli.commands import anselm


def commands(group, *path: str) -> Iterator[tuple[str, ...]]:
    """Every command that can be typed, the groups among them."""
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *path, name)


COMMANDS = list(commands(typer.main.get_command(cli.app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_an_example(path: tuple[str, ...]) -> None:
    done = anselm(*path, "--help")
    assert done.returncode == 0
    text = done.stdout.decode()
    assert f"Example: {' '.join(('anselm', *path))}" in text
    others = ("--help", "-completion")  # which are not ours
    switches = [line for line in text.splitlines() if "<bool>" in line and not any(name in line for name in others)]
    assert not switches, "a switch takes no value"


def test_no_command_shows_help() -> None:
    assert len(COMMANDS) > 10
    for path in ((), ("data",)):
        done = anselm(*path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.strip() == anselm(*path, "--help").stdout.strip()
    assert anselm("--version").stdout.startswith(b"anselm ")


def test_what_is_used_daily_stands_first_and_every_command_under_a_heading() -> None:
    text = anselm("--help").stdout.decode()
    headings = ["Options", "Rank and ask", "Measure and train", "Serve", "Research"]
    assert re.findall(r"─ (\w[\w ]*) ─", text) == headings
    assert text.index(" rank ") < text.index(" evaluate ") < text.index(" serve ") < text.index(" probe ")


class AtOnce:
    """A timer without patience."""

    daemon = False

    def __init__(self, seconds: float, function) -> None:
        assert seconds == 2.0
        self.start = function

    def cancel(self) -> None: ...
    def join(self) -> None: ...


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ("evaluate bm25 --data LISTS", ["reading", "scoring"]),
        ("compare bm25 tfidf --data LISTS", ["reading", "scoring"]),
        ("train --base bm25 --data LISTS --out OUT", ["reading", "fitting"]),
        ("calibrate bm25 --data LISTS --out OUT", ["reading", "scoring"]),
        ("data stats LISTS", ["counting"]),
        ("data convert LISTS OUT.csv", ["converting"]),
        ("rank --input LISTS --output OUT.jsonl", ["ranking"]),
        ("rank Who? --candidates FAQ", ["ranking"]),
        ("ask Who? FAQ", ["asking"]),
        ("ask --questions FAQ FAQ", ["reading", "asking"]),
    ],
)
def test_what_may_take_long_shows_how_far_it_is(
    arguments: str, labels: list[str], lists: Path, faq: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(terminal.bars, "Timer", AtOnce)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    places = {"LISTS": str(lists), "FAQ": str(faq), "OUT": str(tmp_path / "out")}
    for key, place in places.items():
        arguments = arguments.replace(key, place)
    cli.app(arguments.split(), standalone_mode=False)
    told = capsys.readouterr()
    assert all(label in told.err for label in labels)
    assert not any(label in told.out for label in labels)


def test_only_people_are_shown_progress(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(terminal.bars, "Timer", AtOnce)
    assert list(terminal.progress([1, 2], "counting")) == [1, 2]
    assert capsys.readouterr().err == ""
