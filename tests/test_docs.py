"""Every command and every Python block in README and docs runs, from the root of the repository.

Commands in `console` blocks run anywhere; those in `sh` blocks of the page on data need the corpora.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from anselm.cli import app
from tests.cli.commands import anselm

ROOT = Path(__file__).parents[1]
OTHERS = ("haystack", "langchain_core", "llama_index", "rerankers")  # packages that a page is about and no test needs
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that looks like the repository but may be written to."""
    (tmp_path / "src").symlink_to(ROOT / "src")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands(page: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, since one may use what another wrote; in this process, since starting one for each takes minutes."""
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    monkeypatch.chdir(root)
    for block in blocks(page, "console"):
        for line in block.splitlines():
            assert line.startswith("$ anselm ")
            done = anselm(*shlex.split(line, comments=True)[2:])
            assert done.returncode == 0, f"{line}\n{done.stderr.decode()}"
            assert done.stdout


def test_commands_on_corpora(real_data: Path, root: Path) -> None:
    lines = [line for block in blocks(ROOT / "docs" / "data.md", "sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("anselm ")]
    assert commands
    for command in commands:
        run(command, root, os.environ | {"ANSELM_DATA": str(real_data)})


SHELL = [(page, line) for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]


@pytest.mark.parametrize(
    ("page", "line"), [row for row in SHELL if row[1].startswith("anselm ")], ids=lambda part: str(part)[-60:]
)
def test_commands_that_need_more_than_the_base_install_can_be_understood(page: Path, line: str) -> None:
    """Training takes long and needs files of one's own; that verb and options exist is checked all the same."""
    command, arguments = typer.main.get_command(app), shlex.split(line, comments=True)[1:]
    while isinstance(command, TyperGroup):
        _, command, arguments = command.resolve_command(typer.Context(command), arguments)
    assert command is not None
    command.make_context(line, arguments)


def run(line: str, root: Path, environment: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", *shlex.split(line, comments=True)]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python(page: Path, root: Path) -> None:
    for block in blocks(page, "python"):
        if any(f"from {name}" in block and find_spec(name) is None for name in OTHERS):
            continue
        done = subprocess.run([sys.executable, "-c", block], cwd=root, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_picture_in_the_readme_is_what_one_sees(root: Path) -> None:
    picture = re.search(r"```\n(╭.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert picture
    command = [sys.executable, "-m", "anselm", "ask", "what do i pay if i am late", "--top", "3"]
    environment = os.environ | {"COLUMNS": "80", "FORCE_COLOR": "1", "TERM": "dumb"}  # as a terminal without colours
    path = "src/anselm/examples/faq.csv"
    done = subprocess.run([*command, path], cwd=root, env=environment, capture_output=True, text=True)
    assert unmeasured(done.stdout) == unmeasured(picture[1])


def unmeasured(shown: str) -> list[str]:
    """Without bars and percentages: in int8 they differ by a hair from processor to processor."""
    return [re.sub(r"[█▏▎▍▌▋▊▉ ]+\d+%", " %", line).rstrip() for line in shown.rstrip().splitlines()]


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_recorded_results_are_shown() -> None:
    """A paper's page, or where it has none docs/results.md, holds the tables that the records make."""
    from anselm.experiments.result_tables import tables
    from anselm.experiments.results import read_results

    found = read_results(ROOT / "results")
    for paper in {result.paper for result in found}:
        page = ROOT / "docs" / f"{paper}.md"
        shown = (page if page.exists() else ROOT / "docs" / "results.md").read_text(encoding="utf-8")
        for line in tables([result for result in found if result.paper == paper]).splitlines():
            assert not line.startswith("|") or line in shown
