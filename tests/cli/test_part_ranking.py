"""anselm rank in parts, as it is typed; and workers of anselm evaluate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anselm.cli import app
from anselm.errors import AnselmError
from tests.scale.lists import line, lists, ranked_at_once, read_all, write


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout, done.stderr


def refusal(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert isinstance(done.exception, AnselmError), done.output
    return str(done.exception)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(2):
        write(tmp_path / "in" / f"{number}.jsonl", [line(one) for one in lists(10, 10 * number)])
    return tmp_path


def test_a_pattern_into_a_folder(folder: Path) -> None:
    command = ("rank", "--input", f"{folder}/in/*.jsonl", "--output", f"{folder}/out/", "-m", "bm25")
    out, _ = run(*command, "--workers", 1, "--json")
    report = json.loads(out)
    assert (report["parts"], report["kept"], report["lists"], report["skipped"]) == (2, 0, 20, 0)
    assert read_all(folder / "out") == ranked_at_once(lists(20), folder)
    again, _ = run(*command)  # with as many workers as there are cores, which have nothing to do
    assert "20 lists ranked into" in again
    assert "2 of which were there" in " ".join(again.split())


def test_a_folder_is_not_made_of_a_file_name(folder: Path) -> None:
    said = refusal("rank", "--input", f"{folder}/in", "--output", f"{folder}/out.jsonl", "-m", "bm25")
    assert f"give {folder}/out.jsonl/ or another" in said
    assert not (folder / "out.jsonl").exists()


def test_one_bad_record_is_named_counted_and_told_by_the_exit_code(folder: Path) -> None:
    write(folder / "in" / "2.jsonl", [line(lists(1, 20)[0]), "[]\n"])
    command = ("rank", "--input", folder / "in", "--output", f"{folder}/out/", "-m", "bm25", "--workers", 1)
    _, said = run(*command, code=3)
    assert "2.jsonl, line 2: a JSON object" in said
    assert "1 record was skipped" in said
    assert len(read_all(folder / "out")) == 21
    strict = refusal(*command[:4], f"{folder}/strict/", *command[5:], "--strict")
    assert "2.jsonl, line 2: a JSON object" in strict


def test_every_part_that_could_not_be_ranked_is_named(folder: Path) -> None:
    for name in ("x", "y", "z"):
        (folder / "in" / f"{name}.jsonl.gz").write_bytes(b"no gzip")
    command = ("rank", "--input", folder / "in", "--output", f"{folder}/out/", "-m", "bm25", "--workers", "1")
    done = CliRunner().invoke(app, [str(argument) for argument in command])
    assert str(done.exception) == "3 of 5 parts were not ranked, see above"
    for name in ("x", "y", "z"):
        assert f"not ranked: {folder}/in/{name}.jsonl.gz: cannot be unpacked" in done.stderr
    assert len(read_all(folder / "out")) == 20


def test_what_does_not_fit_is_refused(folder: Path) -> None:
    given = ("rank", "--input", f"{folder}/in/*.jsonl", "--output", f"{folder}/out/", "-m", "bm25")
    assert "unknown engine 'spark'; there is local, ray" in refusal(*given, "--engine", "spark")
    assert "workers must be at least 1" in refusal(*given, "--workers", 0)
    assert "--part-size is -1" in refusal(*given, "--part-size", -1)
    one = ("rank", "oak?", "-c", folder / "in/0.jsonl", "-m", "bm25")
    for option in (("--workers", 2), ("--part-size", 1), ("--engine", "local"), ("--overwrite",)):
        assert "are for ranking in bulk" in refusal(*one, *option)
    file = ("rank", "--input", folder / "in/0.jsonl", "--output", folder / "one.jsonl", "-m", "bm25")
    assert "--part-size is for ranking in parts" in refusal(*file, "--part-size", 1)
    one = ("rank", "--input", folder / "in/0.jsonl", "--output", folder / "in/1.jsonl", "--workers", 1)
    assert "1.jsonl is named as a file, but parts go into a folder" in refusal(*one)
    assert "the device 'tpu' is not known" in refusal(*given, "--device", "tpu")
    for command in (given, ("pool", "add", folder / "a.pool", folder / "in"), ("evaluate", "bm25", "--data", "wikiqa")):
        assert "device" in refusal(*command, "--device", "")  # an empty name is none


def test_what_goes_with_a_worker_is_refused(folder: Path) -> None:
    into = refusal("rank", "--input", folder / "in", "--output", "memory://x/", "-m", "bm25", "--workers", 1)
    assert into.startswith("memory://x/ is in the memory of one process, which workers in others do not see")
    out_of = refusal("rank", "--input", "memory://x/*.jsonl", "--output", f"{folder}/out/", "-m", "bm25")
    assert out_of.startswith("memory://x/*.jsonl is in the memory of one process")
    assert not (folder / "out").exists()


def test_one_file_to_one_file_stays_as_it_was(folder: Path) -> None:
    run("rank", "--input", folder / "in/0.jsonl", "--output", folder / "one.jsonl", "-m", "bm25")
    assert (folder / "one.jsonl").is_file()
    assert not list(folder.rglob("_anselm"))


def test_evaluation_by_workers_is_the_same(tmp_path: Path) -> None:
    rows = []
    for question in lists(30):
        record = json.loads(line(question))
        record["candidates"][1]["label"] = 1
        rows.append(json.dumps(record) + "\n")
    data = write(tmp_path / "data.jsonl", rows)
    alone, _ = run("evaluate", "bm25", "--data", data, "--json")
    shared, _ = run("evaluate", "bm25", "--data", data, "--json", "--workers", 2)
    assert json.loads(shared) == json.loads(alone)
