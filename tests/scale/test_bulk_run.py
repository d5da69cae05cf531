"""Parts in, parts out: the same as one process, gone on with, refused where something else was asked for."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from math import nan
from pathlib import Path

import pytest

from anselm.errors import AnselmError, FormatError, InputError
from anselm.outputs import hold
from anselm.scale.bulk_run import BulkReport, Order, rank_parts
from anselm.scale.crew import Outcome, Refused, dispatch
from anselm.scale.tasks import score_tasks
from tests.scale.lists import OneWorker, line, lists, ranked_at_once, read, read_all, write


@pytest.fixture
def order(tmp_path: Path) -> Order:
    for number, name in enumerate(["a.jsonl", "b.jsonl.gz", "c.jsonl"]):
        write(tmp_path / "in" / name, [line(one) for one in lists(20, 20 * number)])
    return Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25")


def run(order: Order, crew: OneWorker | None = None) -> tuple[BulkReport, OneWorker]:
    crew = crew or OneWorker()
    return rank_parts(order, lambda parts: crew), crew


def test_every_part_gives_one_of_the_same_name_as_one_process_would(order: Order, tmp_path: Path) -> None:
    told: list[int] = []
    report = rank_parts(order, lambda parts: OneWorker(), told.append)
    assert (report.parts, report.lists, report.skipped, report.failed) == (3, 60, 0, ())
    assert report.pairs == sum(len(one.candidates) for one in lists(60))
    assert sum(told) == 60
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == ["_anselm", "a.jsonl", "b.jsonl.gz", "c.jsonl"]
    assert read_all(out) == ranked_at_once(lists(60), tmp_path)
    assert [one["id"] for one in read(out / "b.jsonl.gz")] == [f"q{n}" for n in range(20, 40)]


def test_pieces_of_a_large_file_hold_each_list_once(order: Order, tmp_path: Path) -> None:
    report, crew = run(replace(order, part_bytes=600))
    assert report.lists == 60
    assert {"b.jsonl.gz", "a.00000-of-00006.jsonl"} <= set(crew.given)
    assert report.uncut == ()
    assert read_all(tmp_path / "out") == ranked_at_once(lists(60), tmp_path)
    changed = tmp_path / "in" / "a.jsonl"
    write(changed, [line(one) for one in lists(21)])
    with pytest.raises(InputError, match=r"a\.jsonl has changed since"):
        run(replace(order, part_bytes=600))


def test_a_file_that_was_written_again_is_not_passed_over(order: Order, tmp_path: Path) -> None:
    run(order)
    before = (tmp_path / "out" / "a.jsonl").read_bytes()
    write(tmp_path / "in" / "a.jsonl", [line(one) for one in lists(21)])
    with pytest.raises(InputError, match=r"a\.jsonl has changed since .*out/a\.jsonl was made"):
        run(order)
    assert (tmp_path / "out" / "a.jsonl").read_bytes() == before
    report, _ = run(replace(order, overwrite=True))
    assert report.lists == 61


def test_a_file_that_has_grown_past_a_piece_does_not_stand_there_twice(order: Order, tmp_path: Path) -> None:
    order = replace(order, source=str(tmp_path / "in" / "a.jsonl"), part_bytes=6_000)
    run(order)
    write(tmp_path / "in" / "a.jsonl", [line(one) for one in lists(60)])
    with pytest.raises(InputError, match=r"a\.jsonl has changed since .*out/a\.jsonl was made"):
        run(order)
    report, _ = run(replace(order, overwrite=True))
    assert report.parts > 1
    assert len(read_all(tmp_path / "out")) == report.lists == 60


def test_shards_that_are_named_as_pieces_are_ranked_one_by_one(tmp_path: Path) -> None:
    """As on Hugging Face; the last one is also cut, and then goes on."""
    for number, count in enumerate((3, 4, 30)):
        name = f"c4.{number:05d}-of-00003.jsonl"
        write(tmp_path / "in" / "en" / name, [line(one) for one in lists(count, 30 * number)])
    asked = Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25", part_bytes=1500)
    orders = [replace(asked, source=f"{tmp_path}/in/en/c4.0000{number}*") for number in range(3)]
    reports = [run(order)[0] for order in (*orders, *orders)]
    assert [report.kept for report in reports] == [0, 0, 0, 1, 1, reports[2].parts]
    assert reports[2].parts > 1
    assert len(read_all(tmp_path / "out")) == 37
    write(tmp_path / "in" / "en" / "c4.00002-of-00003.jsonl", [line(one) for one in lists(3, 60)])  # one piece now
    with pytest.raises(InputError, match=r"c4\.00002-of-00003\.jsonl has changed since .*3\.0000\d-of-0000\d\.jsonl"):
        run(orders[2])


def test_starting_over_leaves_no_part_of_before(order: Order, tmp_path: Path) -> None:
    run(replace(order, part_bytes=600))
    (tmp_path / "in" / "c.jsonl").unlink()
    run(replace(order, overwrite=True))
    assert sorted(path.name for path in (tmp_path / "out").glob("*.jsonl*")) == ["a.jsonl", "b.jsonl.gz"]


def test_names_that_meet_are_refused(order: Order, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.00000-of-00006.jsonl", [line(one) for one in lists(2)])
    with pytest.raises(InputError, match=r"would both be written to a\.00000-of-00006\.jsonl"):
        run(replace(order, part_bytes=600))


def test_what_is_read_and_what_is_written_are_apart(order: Order, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which is read; give a folder outside of it"):
        run(replace(order, folder=f"{order.source}/out"))
    assert not (tmp_path / "in" / "out").exists()


@pytest.mark.parametrize(
    ("pattern", "folder", "found"),
    [
        ("**", "in/out", True),
        ("**/*.jsonl*", "in/out", True),
        ("**/[a-c].*", "in/out/deep", True),
        ("*/**/*.jsonl", "in/sub", True),
        ("**", "in/_out", False),  # names with an underscore are passed over
        ("*.jsonl", "in/out", False),
        ("a*/**", "in/out", False),
        ("**/x.jsonl", "in/out", False),  # by which nothing is named that is written
        ("**", "out", False),
    ],
)
def test_a_pattern_does_not_read_what_it_has_written(
    pattern: str, folder: str, found: bool, order: Order, tmp_path: Path
) -> None:
    write(tmp_path / "in" / "sub" / "d.jsonl", [line(one) for one in lists(2, 100)])
    write(tmp_path / "in" / "abc" / "e.jsonl", [line(one) for one in lists(2, 200)])
    asked = replace(order, source=f"{order.source}/{pattern}", folder=str(tmp_path / folder))
    if pattern == "**/x.jsonl":
        write(tmp_path / "in" / "x.jsonl", [line(one) for one in lists(2, 300)])
        asked = replace(asked, part_bytes=100)  # in pieces, which have other names
    if found:
        with pytest.raises(InputError, match="which is read; give a folder outside of it"):
            run(asked)
        assert not list(tmp_path.rglob("_anselm"))
    else:
        first, _ = run(asked)
        assert run(asked)[0] == replace(first, kept=first.parts)


def test_files_of_others_are_left_alone(order: Order, tmp_path: Path) -> None:
    mine, ours = tmp_path / "out" / "sub" / ".mine.partial", tmp_path / "out" / ".a.jsonl.1.partial"
    for path in (mine, ours):
        write(path, ["?"])
    run(order)
    assert mine.exists()
    assert not ours.exists()


def test_a_file_counts_once_however_often_a_pattern_names_it(order: Order) -> None:
    report, _ = run(replace(order, source=f"{order.source}/**/**/a.jsonl"))
    assert report.lists == 20


def test_a_large_file_that_cannot_be_cut_is_told(order: Order, tmp_path: Path) -> None:
    report, crew = run(replace(order, part_bytes=100))
    assert report.uncut == (str(tmp_path / "in" / "b.jsonl.gz"),)
    assert "b.jsonl.gz" in crew.given


def test_parts_that_are_there_are_passed_over(order: Order, tmp_path: Path) -> None:
    run(order)
    (tmp_path / "out" / "b.jsonl.gz").unlink()
    before = (tmp_path / "out" / "a.jsonl").stat().st_mtime_ns
    report, crew = run(order)
    assert crew.given == ["b.jsonl.gz"]
    assert (report.kept, report.lists) == (2, 60)
    assert (tmp_path / "out" / "a.jsonl").stat().st_mtime_ns == before
    write(tmp_path / "in" / "d.jsonl", [line(one) for one in lists(5, 60)])  # one that came later
    assert run(order)[0].lists == 65
    assert read_all(tmp_path / "out") == ranked_at_once(lists(65), tmp_path)


def test_a_name_that_is_no_utf8_is_gone_on_with(tmp_path: Path) -> None:
    source = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    try:
        write(source, [*map(line, lists(9)), "{broken\n"])
    except OSError:
        pytest.skip("the system has no such names")
    order = Order(str(source), str(tmp_path / "out"), "bm25", part_bytes=400)
    first, _ = run(order)
    assert (first.parts > 1, first.lists, first.skipped) == (True, 9, 1)
    assert run(order)[0] == replace(first, kept=first.parts)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": "tfidf"}, "begun with model 'bm25', and this run has 'tfidf'"),
        ({"top": 1}, "begun with top None, and this run has 1"),
        ({"part_bytes": 9}, "begun with part_bytes 16777216, and this run has 9"),
        ({"respell": False}, "begun with respell True, and this run has False"),
    ],
)
def test_a_run_with_other_settings_is_refused(order: Order, change: dict[str, object], sentence: str) -> None:
    run(order)
    with pytest.raises(InputError, match=sentence):
        run(replace(order, **change))  # type: ignore[arg-type]


def test_a_folder_of_before_questions_were_respelled_is_gone_on_with(order: Order, tmp_path: Path) -> None:
    run(order)
    manifest = tmp_path / "out" / "_anselm" / "manifest.json"
    record = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({name: value for name, value in record.items() if name != "respell"}))
    assert run(order)[0].kept == 3


def test_other_weights_are_refused(order: Order, tmp_path: Path) -> None:
    run(order)
    manifest = tmp_path / "out" / "_anselm" / "manifest.json"
    record = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**record, "checksum": "other"}))
    with pytest.raises(InputError, match="begun with checksum 'other'"):
        run(order)
    manifest.write_text(json.dumps({**record, "version": 2}))
    with pytest.raises(InputError, match="begun by another version"):
        run(order)
    manifest.write_text("{")
    with pytest.raises(FormatError, match=r"manifest\.json: not whole JSON"):
        run(order)


def test_overwrite_starts_over(order: Order, tmp_path: Path) -> None:
    run(order)
    report, crew = run(replace(order, model="tfidf", overwrite=True), OneWorker("tfidf"))
    assert (report.kept, sorted(crew.given)) == (0, ["a.jsonl", "b.jsonl.gz", "c.jsonl"])
    assert read_all(tmp_path / "out") == ranked_at_once(lists(60), tmp_path, "tfidf")


def test_what_would_be_lost_is_refused(order: Order, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl is what is read"):
        run(replace(order, folder=order.source))
    write(tmp_path / "other" / "a.jsonl", ["mine\n"])
    with pytest.raises(InputError, match=r"a\.jsonl is there already, and no manifest"):
        run(replace(order, folder=str(tmp_path / "other")))
    with pytest.raises(InputError, match="is a file; parts are written into a folder"):
        run(replace(order, folder=str(tmp_path / "other" / "a.jsonl")))


def test_what_a_killed_worker_left_is_removed(order: Order, tmp_path: Path) -> None:
    left = write(tmp_path / "out" / ".a.jsonl.4711.partial", ["{"])
    run(order)
    assert not left.exists()


def test_one_run_at_a_time(order: Order, tmp_path: Path) -> None:
    (tmp_path / "out" / "_anselm").mkdir(parents=True)
    with hold(tmp_path / "out" / "_anselm" / "lock"), pytest.raises(InputError, match="another run is writing"):
        run(order)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_lock_that_is_no_file_is_named(order: Order, tmp_path: Path) -> None:
    (tmp_path / "out" / "_anselm").mkdir(parents=True)
    os.mkfifo(tmp_path / "out" / "_anselm" / "lock")
    with pytest.raises(InputError, match=r"out/_anselm/lock is a pipe or a device, and a file is locked there"):
        run(order)


def test_one_bad_record_is_named_and_counted_and_the_rest_is_done(order: Order, tmp_path: Path) -> None:
    rows = [line(one) for one in lists(20)]
    write(tmp_path / "in" / "a.jsonl", [*rows[:7], '{"question": 3}\n', *rows[7:]])
    report, _ = run(order)
    assert (report.lists, report.skipped) == (60, 1)
    assert "a.jsonl, line 8: " in report.first_skipped[0]
    assert run(order)[0].first_skipped == report.first_skipped  # also by a run that finds all parts done
    with pytest.raises(FormatError, match=r"a\.jsonl, line 8"):
        run(replace(order, strict=True, folder=str(tmp_path / "strict")))
    assert not (tmp_path / "strict" / "a.jsonl").exists()


def test_what_is_written_is_json_to_strict_readers(order: Order, tmp_path: Path) -> None:
    record = json.loads(line(lists(1)[0]))
    rows = [{**record, "price": price} for price in (nan, 2.5)]
    write(tmp_path / "in" / "a.jsonl", [json.dumps(row) + "\n" for row in rows])
    report, _ = run(order)
    assert report.skipped == 1
    assert "a.jsonl, line 1: the list holds NaN or an infinity" in report.first_skipped[0]
    assert [one["meta"] for one in read(tmp_path / "out" / "a.jsonl")] == [{"price": 2.5}]
    with pytest.raises(FormatError, match=r"a\.jsonl, line 1: the list holds NaN"):
        run(replace(order, strict=True, folder=str(tmp_path / "strict")))


def test_a_part_that_cannot_be_read_keeps_no_other_from_being_ranked(order: Order, tmp_path: Path) -> None:
    whole = (tmp_path / "in" / "b.jsonl.gz").read_bytes()
    (tmp_path / "in" / "b.jsonl.gz").write_bytes(whole[:-20])
    report, _ = run(order)
    assert (report.lists, len(report.failed)) == (40, 1)
    assert "b.jsonl.gz: cannot be unpacked or read" in report.failed[0]
    assert not (tmp_path / "out" / "b.jsonl.gz").exists()
    (tmp_path / "in" / "b.jsonl.gz").write_bytes(whole)
    assert run(order)[0].lists == 60


def test_a_part_whose_worker_is_lost_is_done_again(order: Order, tmp_path: Path) -> None:
    report, crew = run(order, OneWorker(lost={"b.jsonl.gz": 2}))
    assert (report.lists, report.failed, crew.replaced, crew.closed) == (60, (), 2, True)
    assert crew.given.count("b.jsonl.gz") == 3
    assert read_all(tmp_path / "out") == ranked_at_once(lists(60), tmp_path)


def test_a_part_that_loses_three_workers_is_given_up(order: Order) -> None:
    report, crew = run(order, OneWorker(lost={"b.jsonl.gz": 9}))
    assert (report.lists, report.failed) == (40, ("b.jsonl.gz: given up, its worker is gone",))
    assert crew.given.count("b.jsonl.gz") == 3


def test_the_last_task_of_all_is_done_again() -> None:
    crew = OneWorker(lost={"0": 1}, size=2)
    outcomes = list(dispatch(crew, score_tasks(lists(3), 3)))
    assert [isinstance(one, Outcome) and not isinstance(one.message, Refused) for one in outcomes] == [True]
    assert crew.given == ["0", "0"]


def test_scores_are_those_of_the_ranker() -> None:
    crew = OneWorker(size=3)
    found = {
        int(one.task.name): one.message.result  # type: ignore[union-attr]
        for one in dispatch(crew, score_tasks(lists(10), 4))
        if isinstance(one, Outcome)
    }
    expected = crew.ranker.scorer.score(lists(10))
    assert [row.tolist() for number in range(3) for row in found[number]] == [row.tolist() for row in expected]


def test_an_error_that_ends_a_strict_run_closes_the_crew(order: Order, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", ["{\n"])
    crew = OneWorker()
    with pytest.raises(AnselmError):
        run(replace(order, strict=True), crew)
    assert crew.closed
