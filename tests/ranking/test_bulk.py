"""Ranking files: streamed, resumed, never half-written."""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anselm.data.formats.jsonl import read_rankable
from anselm.data.formats.trec import read_run
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.files import read_lines
from anselm.ranking.bulk import partial_of, rank_file
from anselm.ranking.ranker import Ranker

LISTS = [
    Question(f"q{i}", f"oak {i}?", tuple(Candidate(f"c{j}", text) for j, text in enumerate(["elm", "oak"])))
    for i in range(200)
]


@pytest.fixture(scope="module")
def ranker() -> Ranker:
    return Ranker.load("bm25")


def stop_after(count: int) -> Iterator[Question]:
    yield from LISTS[:count]
    raise KeyboardInterrupt


def test_lines_follow_the_machine_contract(ranker: Ranker, tmp_path: Path) -> None:
    assert rank_file(ranker, LISTS, tmp_path / "out.jsonl") == 200
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [question.id for question in LISTS]
    assert lines[0].keys() == {"id", "question", "model", "answerable", "answerability", "threshold", "results"}
    assert [(result["id"], result["index"]) for result in lines[0]["results"]] == [("c1", 1), ("c0", 0)]
    assert lines[0]["results"][0].keys() == {"id", "index", "text", "score", "probability"}


def test_a_stopped_run_goes_on_where_it_ended(ranker: Ranker, tmp_path: Path) -> None:
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    rank_file(ranker, LISTS, whole, top=1)
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output, top=1)
    assert not output.exists()
    partial = tmp_path / "out.jsonl.partial"
    done = partial.read_text().count("\n")
    assert 0 < done < 150
    partial.write_text(partial.read_text() + '{"id": "q1')  # torn in the middle of a line, as by a kill
    ranked: list[Question] = []

    def watch(questions):
        for question in questions:
            ranked.append(question)
            yield question

    assert rank_file(ranker, LISTS, output, top=1, progress=watch) == 200
    assert output.read_bytes() == whole.read_bytes()
    assert not partial.exists()
    assert len(ranked) == 200


def other_texts(questions: list[Question]) -> list[Question]:
    return [replace(q, candidates=tuple(replace(c, text=c.text.upper()) for c in q.candidates)) for q in questions]


def other_ids(questions: list[Question]) -> list[Question]:
    return [replace(q, candidates=tuple(replace(c, id=c.id + "x") for c in q.candidates)) for q in questions]


@pytest.mark.parametrize(
    "change", ["input", "shorter", "texts", "ids", "model", "a retrained folder", "another folder", "top"]
)
def test_another_runs_leftovers_are_not_mixed_in(change: str, ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    other = {
        "input": LISTS[::-1], "shorter": LISTS[:5], "texts": other_texts(LISTS), "ids": other_ids(LISTS),
    }.get(change, LISTS)  # fmt: skip
    model = {
        "model": Ranker.load("tfidf"),
        "a retrained folder": Ranker(ranker.scorer, Ranker.load("tfidf").calibration, ranker.name),
        "another folder": Ranker(ranker.scorer, ranker.calibration, "my-bm25"),
    }.get(change, ranker)
    before = (tmp_path / "out.jsonl.partial").read_bytes()
    with pytest.raises(InputError, match="not begun with this input, model and --top"):
        rank_file(model, other, output, top=1 if change == "top" else None)
    assert (tmp_path / "out.jsonl.partial").read_bytes() == before
    assert not output.exists()


@pytest.mark.parametrize(
    "line", ["garbage", "{}", "[1]", "7", '{"results": [1]}', '{"results": [{"index": []}]}', "\xff", "[" * 100_000]
)
def test_a_corrupt_leftover_is_named(line: str, ranker: Ranker, tmp_path: Path) -> None:
    partial = tmp_path / "out.jsonl.partial"
    partial.write_bytes(line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"out\.jsonl\.partial was not begun with .* \(see its line 1\); remove it"):
        rank_file(ranker, LISTS, tmp_path / "out.jsonl")
    assert partial.exists()


def begin(ranker: Ranker, output: Path) -> list[dict[str, Any]]:
    """A run that was stopped; what it has written."""
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    return [json.loads(line) for line in partial_of(output).read_text().splitlines()]


def refuses(ranker: Ranker, output: Path, records: list[dict[str, Any]], place: int) -> None:
    """What was left behind, because of one of its lines."""
    partial_of(output).write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(InputError, match=rf"see its line {range(len(records))[place] + 1}\)"):
        rank_file(ranker, LISTS, output)


WRONG: dict[str, tuple[str, Any]] = {
    "an index of another type": ("index", True),
    "a large index": ("index", 10**400),
    "a score of another type": ("score", "9"),
    "a large score": ("score", 10**400),
    "a score that is none": ("score", float("nan")),
    "no score": ("score", None),
    "a score that is too low": ("score", -9.0),
    "a probability of another type": ("probability", [0.5]),
    "a large probability": ("probability", 10**400),
    "a probability beyond 1": ("probability", 1.5),
}


@pytest.mark.parametrize("place", [0, 7, -1])
@pytest.mark.parametrize(("name", "value"), WRONG.values(), ids=WRONG)
def test_each_line_that_is_kept_is_checked(name: str, value: Any, place: int, ranker: Ranker, tmp_path: Path) -> None:
    records = begin(ranker, tmp_path / "out.jsonl")
    records[place]["results"][0][name] = value
    refuses(ranker, tmp_path / "out.jsonl", records, place)


@pytest.mark.parametrize("name", ["answerability", "answerable", "threshold"])
def test_so_is_what_it_says_of_the_list(name: str, ranker: Ranker, tmp_path: Path) -> None:
    records = begin(ranker, tmp_path / "out.jsonl")
    records[7][name] = "0.5"
    refuses(ranker, tmp_path / "out.jsonl", records, 7)


def lower(results: list[dict[str, Any]]) -> None:
    results[0]["score"] -= 0.1


def exchange(results: list[dict[str, Any]]) -> None:
    results[0]["score"], results[1]["score"] = results[1]["score"], results[0]["score"]
    results.reverse()


def doubt(results: list[dict[str, Any]]) -> None:
    results[0]["probability"] /= 2


@pytest.mark.parametrize("change", [lower, exchange, doubt])
@pytest.mark.parametrize("place", [0, -1])
def test_the_first_and_the_last_line_are_what_the_model_says(
    change: Callable[[list[dict[str, Any]]], None], place: int, ranker: Ranker, tmp_path: Path
) -> None:
    records = begin(ranker, tmp_path / "out.jsonl")
    change(records[place]["results"])
    refuses(ranker, tmp_path / "out.jsonl", records, place)


def test_top_is_checked_before_anything_is_written(ranker: Ranker, tmp_path: Path) -> None:
    for top in (0, -1):
        with pytest.raises(InputError, match=f"top must be at least 1, not {top}"):
            rank_file(ranker, LISTS, tmp_path / "out.jsonl", top=top)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.run"])
def test_nothing_to_rank_is_refused(name: str, ranker: Ranker, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"there are no questions to rank into .*{name}"):
        rank_file(ranker, [], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_name_that_says_so_is_packed_also_after_a_stop(ranker: Ranker, tmp_path: Path) -> None:
    plain, output = tmp_path / "plain.jsonl", tmp_path / "out.jsonl.gz"
    rank_file(ranker, LISTS, plain)
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    assert not output.exists()
    assert rank_file(ranker, LISTS, output) == 200
    assert gzip.decompress(output.read_bytes()) == plain.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"plain.jsonl", "out.jsonl.gz"}


@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_a_run_for_trec_eval(name: str, ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / name
    with pytest.raises(KeyboardInterrupt):
        rank_file(ranker, stop_after(150), output)
    assert not list(tmp_path.iterdir())  # whole or not at all
    assert rank_file(ranker, LISTS, output) == 200
    run = read_run(output)
    assert list(run) == [question.id for question in LISTS]
    best = ranker.rank(LISTS[0].text, LISTS[0].candidates).results[0]
    assert run["q0"] == {"c1": best.score, "c0": 0.0}
    _, line = next(read_lines(output))
    assert line.split() == ["q0", "Q0", "c1", "1", repr(best.score), "bm25"]


def test_existing_output_is_kept(ranker: Ranker, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        rank_file(ranker, LISTS, output)
    assert output.read_text() == "precious"
    rank_file(ranker, LISTS, output, overwrite=True)
    assert len(output.read_text().splitlines()) == 200
    with pytest.raises(InputError, match="is a folder"):
        rank_file(ranker, LISTS, tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        rank_file(ranker, LISTS, tmp_path / "nowhere" / "out.jsonl")


def test_a_link_and_permissions_stay(ranker: Ranker, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("out.jsonl", "out.jsonl.gz", "out.run"):
        real, link = tmp_path / "there" / name, tmp_path / name
        real.write_text("old")
        real.chmod(0o600)
        link.symlink_to(real)
        assert rank_file(ranker, LISTS[:3], link, overwrite=True) == 3
        assert link.is_symlink()
        assert stat.S_IMODE(real.stat().st_mode) == 0o600
        assert "q2" in "".join(line for _, line in read_lines(real))
    assert len(list((tmp_path / "there").iterdir())) == 3


def test_a_device_takes_what_comes(ranker: Ranker, tmp_path: Path) -> None:
    assert rank_file(ranker, LISTS, Path("/dev/null")) == 200
    assert Path("/dev/null").is_char_device()
    with pytest.raises(InputError, match="/dev/full cannot be written: No space left"):
        rank_file(ranker, LISTS, Path("/dev/full"))


def test_what_came_before_an_error_of_the_input_is_kept(ranker: Ranker, tmp_path: Path) -> None:
    def broken() -> Iterator[Question]:
        yield from LISTS[:70]
        raise FormatError("lists.jsonl", "broken", 71)

    for name, left in (("out.jsonl", 70), ("out.run", None)):
        output, partial = tmp_path / name, tmp_path / f"{name}.partial"
        with pytest.raises(FormatError, match="line 71: broken"):
            rank_file(ranker, broken(), output)
        assert (partial.read_text().count("\n") if partial.exists() else None) == left
        assert not output.exists()
    assert rank_file(ranker, LISTS, tmp_path / "out.jsonl") == 200


BULK = ("rank", "--model", "bm25", "--input")


def start(*arguments: str | Path, **options) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "anselm", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, preexec_fn=hear_ctrl_c, **(pipes | options))


def hear_ctrl_c() -> None:
    """Whatever a shell starts in the background ignores it, and so would a command that such tests start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finish(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> tuple[int, str, str]:
    out, err = process.communicate(stdin, timeout=120)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    from anselm.data.formats.jsonl import write_jsonl

    path = tmp_path / "lists.jsonl"
    with path.open("w") as file:
        write_jsonl(LISTS, file)
    return path


# In one process, since starting one takes a second: a child forks when ranker and lists are there, and ranks at once.
RACE = """
import os, sys
from pathlib import Path
from anselm.ranking.bulk import rank_file
from anselm.data.formats.jsonl import read_rankable
from anselm.errors import InputError
from anselm.ranking.ranker import Ranker

ranker, lists, folder = Ranker.load("bm25"), list(read_rankable(Path(sys.argv[1]))), Path(sys.argv[2])
for round in range(20):
    output = folder / f"{round}{['.jsonl', '.jsonl.gz', '.run', '.run.gz'][round % 4]}"
    children, (ready, go) = [], os.pipe()
    for _ in range(2 + round % 3):
        if not (child := os.fork()):
            os.close(go)
            os.read(ready, 1)  # until the other end is closed, for all of them at once
            try:
                rank_file(ranker, lists, output, overwrite=round % 2 == 0)
            except InputError as error:
                known = "another run is writing" in str(error) or "exists already" in str(error)
                os._exit(2 if known else 7)
            except BaseException:
                os._exit(8)
            os._exit(0)
        children.append(child)
    os.close(ready), os.close(go)
    print(output.name, *sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_of_several_equal_runs_one_writes(ranker: Ranker, lists: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", RACE, lists, folder], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == 20
    for ending in (".jsonl", ".run"):
        rank_file(ranker, LISTS, tmp_path / f"whole{ending}")
    for number, (name, first, *others) in enumerate(rows):
        output = folder / name
        assert first == "0"
        assert set(others) <= ({"0", "2"} if number % 2 == 0 else {"2"})  # with --overwrite one may follow the other
        content = gzip.decompress(output.read_bytes()) if name.endswith(".gz") else output.read_bytes()
        whole = tmp_path / f"whole{'.run' if '.run' in name else '.jsonl'}"
        assert content == whole.read_bytes()
    assert len(list(folder.iterdir())) == 20
    assert any("2" in others for _, _, *others in rows)


def test_a_second_run_says_so_and_a_kill_frees_the_file(lists: Path, tmp_path: Path) -> None:
    """The first run holds the file while it waits for its standard input."""
    output, partial = tmp_path / "out.jsonl", tmp_path / "out.jsonl.partial"
    first = start(*BULK, "-", "--output", output)
    assert first.stdin
    first.stdin.write(b"".join(lists.read_bytes().splitlines(keepends=True)[:70]))
    first.stdin.flush()
    for _ in range(600):
        if partial.exists():
            break
        time.sleep(0.1)
    code, out, err = finish(start(*BULK, lists, "--output", output))
    assert (code, out) == (2, "")
    assert err == f"anselm: another run is writing {partial}; wait for it, or give another name\n"
    first.kill()
    first.communicate()
    assert finish(start(*BULK, lists, "--output", output))[0] == 0
    assert output.read_text().count("\n") == 200
    assert not partial.exists()


def test_ctrl_c_says_how_to_go_on(lists: Path, tmp_path: Path) -> None:
    for name, advice in (("out.jsonl", "the same command goes on where it ended"), ("out.run", "nothing was kept")):
        process = start(*BULK, "-", "--output", tmp_path / name)
        assert process.stdin
        process.stdin.write(lists.read_bytes())
        process.stdin.flush()
        while not (tmp_path / f"{name}.partial").exists():
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        assert process.returncode == 130
        assert process.stderr
        assert process.stderr.read().decode() == f"anselm: stopped; {advice}\n"
        process.communicate()
    assert not (tmp_path / "out.run.partial").exists()


BAD_LINES = [
    ('{"question"', "not valid JSON"),
    ("[1]", "a JSON object"),
    ('{"question": " ", "candidates": ["x"]}', "the question is empty"),
    ('{"question": "Who?", "candidates": []}', "there are no candidates"),
    ('{"question": "Who?", "candidates": ["", " "]}', "every candidate is empty"),
    ('{"question": 7, "candidates": ["x"]}', '"question" must be a string'),
    ('{"question": "Who?", "candidates": [7]}', "candidate 0 must be a string"),
    ('{"question": "Who?", "candidates": ["x"], "x": NaN}', "the list holds NaN or an infinity"),
    ('{"id": "q1", "question": "Who?", "candidates": ["x"]}', "the id 'q1' was used on line 2"),
]


def test_bad_lines_are_named_skipped_and_counted(lists: Path, tmp_path: Path) -> None:
    good = lists.read_bytes().splitlines(keepends=True)[:3]
    bad = [line.encode() + b"\n" for line, _ in BAD_LINES] + [b"caf\xe9\n"]
    lists.write_bytes(b"".join([*good[:2], *bad, *good[2:]]))
    output = tmp_path / "out.jsonl"
    code, out, err = finish(start(*BULK, lists, "--output", output, "--json"))
    assert code == 3
    summary = json.loads(out)
    assert (summary["lists"], summary["skipped"]) == (3, 10)
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == ["q0", "q1", "q2"]
    told = err.splitlines()
    expected = [*(problem for _, problem in BAD_LINES), "not valid UTF-8 (byte 4 of the line)"]
    for number, (line, problem) in enumerate(zip(told, expected, strict=False), start=3):
        assert line.startswith(f"anselm: skipped: {lists}, line {number}: ")
        assert problem in line
    assert told[10:] == ["anselm: 10 lines were skipped, see above"]


def test_strict_stops_at_the_first_and_keeps_what_was_done(lists: Path, tmp_path: Path) -> None:
    rows = lists.read_bytes().splitlines(keepends=True)
    lists.write_bytes(b"".join([*rows[:5], b"{\n", *rows[5:]]))
    output, partial = tmp_path / "out.jsonl", tmp_path / "out.jsonl.partial"
    code, out, err = finish(start(*BULK, lists, "--output", output, "--strict"))
    assert (code, out) == (2, "")
    assert err.startswith(f"anselm: {lists}, line 6: not valid JSON")
    assert partial.read_text().count("\n") == 5
    code, out, err = finish(start(*BULK, lists, "--output", output))  # goes on, and past the bad line
    assert code == 3
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == [q.id for q in LISTS]
    assert not partial.exists()


def test_standard_input_and_output(lists: Path, tmp_path: Path) -> None:
    code, out, err = finish(start(*BULK, "-", "--output", "-"), lists.read_bytes())
    assert (code, err) == (0, "anselm: 200 lists ranked\n")
    assert [json.loads(line)["id"] for line in out.splitlines()] == [q.id for q in LISTS]
    assert {path.name for path in tmp_path.iterdir()} == {"lists.jsonl"}


def test_the_input_is_never_the_output(lists: Path, tmp_path: Path) -> None:
    before = lists.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(lists)
    (tmp_path / "out.jsonl.partial").hardlink_to(lists)
    for output in ("lists.jsonl", "link.jsonl", "out.jsonl"):
        code, _, err = finish(start(*BULK, lists, "--output", tmp_path / output, "--overwrite"))
        assert code == 2
        assert "is what is read, which would be lost" in err
    assert lists.read_bytes() == before


def test_an_empty_candidate_keeps_no_other_from_being_ranked(tmp_path: Path) -> None:
    (tmp_path / "lists.jsonl").write_text('{"question": "oak?", "candidates": ["", "oak", " "]}\n')
    code, out, err = finish(start(*BULK, tmp_path / "lists.jsonl", "--output", "-"))
    assert (code, err) == (0, "anselm: 1 lists ranked\n")
    record = json.loads(out)
    assert record["empty"] == 2
    shown = [(result["index"], result["score"], result["probability"]) for result in record["results"]]
    assert shown[0][0] == 1
    assert shown[1:] == [(0, None, 0.0), (2, None, 0.0)]


def test_an_empty_candidate_comes_last_in_a_run_too(ranker: Ranker, tmp_path: Path) -> None:
    question = Question("q", "oak?", (Candidate("a", ""), Candidate("b", "oak"), Candidate("c", "elm")))
    assert rank_file(ranker, [question], tmp_path / "out.run") == 1
    run = read_run(tmp_path / "out.run")["q"]
    assert sorted(run, key=lambda id: -run[id]) == ["b", "c", "a"]
    assert run["a"] < run["c"]


def test_an_output_that_appears_meanwhile_is_kept(ranker: Ranker, tmp_path: Path) -> None:
    """Another run may end between our first look and our turn."""
    output = tmp_path / "out.jsonl"

    def late() -> Iterator[Question]:
        output.write_text("theirs")
        yield from LISTS

    with pytest.raises(InputError, match="exists already"):
        rank_file(ranker, late(), output)
    assert output.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [output]


def test_what_else_came_with_a_list_comes_back_and_is_what_a_run_goes_on_with(ranker: Ranker, tmp_path: Path) -> None:
    rows = [
        {
            "id": f"q{n}",
            "question": "oak?",
            "url": f"/{n}",
            "none": None,
            "meta": {"by": n},
            "candidates": ["oak", "elm"],
        }
        for n in range(3)
    ]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rank_file(ranker, read_rankable(source), output)
    whole = output.read_text()
    assert [json.loads(line)["meta"] for line in whole.splitlines()] == [{"url": f"/{n}", "by": n} for n in range(3)]
    partial = output.rename(tmp_path / "out.jsonl.partial")
    partial.write_text(whole.splitlines(keepends=True)[0])
    assert rank_file(ranker, read_rankable(source), output) == 3
    assert output.read_text() == whole
    output.rename(partial).write_text(whole.replace('"url": "/0"', '"url": "/9"'))
    with pytest.raises(InputError, match="was not begun with this input"):
        rank_file(ranker, read_rankable(source), output)
