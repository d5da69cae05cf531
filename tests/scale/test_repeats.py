"""What nobody sees in one part alone: ids in two pieces; and records that somebody has edited."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anselm.errors import AnselmError, FormatError
from anselm.scale.bulk_run import Order, rank_parts
from tests.scale.lists import OneWorker, line, lists, read, write


@pytest.fixture
def order(tmp_path: Path) -> Order:
    """Pieces of one file; its lists 3 and 4 have the ids of 0 and 12, in other pieces."""
    ids = {3: "q0", 4: "q12"}
    write(tmp_path / "in" / "a.jsonl", [line(replace(one, id=ids.get(n, one.id))) for n, one in enumerate(lists(20))])
    return Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25", part_bytes=300)


def run(order: Order) -> tuple[str, ...]:
    return rank_parts(order, lambda parts: OneWorker()).repeated


def test_an_id_that_comes_in_two_pieces_is_named_and_both_lists_are_ranked(order: Order, tmp_path: Path) -> None:
    repeated = run(order)
    assert len(repeated) == 2
    pieces = {path.name: [one["id"] for one in read(path)] for path in (tmp_path / "out").glob("*.jsonl")}
    assert sum(map(len, pieces.values())) == 20
    for sentence in repeated:
        _, place, _, name, *_, first, _, earlier = sentence.split()
        assert pieces[name][int(place) - 1] == pieces[earlier][int(first) - 1] in ("q0", "q12")
        assert earlier < name
    assert run(order) == repeated  # also by a run that finds all parts done


def test_equal_ids_in_two_files_are_nobodys_business(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / "in" / name, [line(one) for one in lists(20)])
    assert run(Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25", part_bytes=300)) == ()


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("manifest.json", {"cut": None}),
        ("manifest.json", {"cut": [1]}),
        ("parts/{part}.json", {"lists": "3"}),
        ("parts/{part}.json", {"pairs": None}),
        ("parts/{part}.json", {"skipped": -1}),
        ("parts/{part}.json", {"name": 3}),
        ("parts/{part}.json", {"version": {}}),
        ("parts/{part}.json", {"first_skipped": [1]}),
        ("parts/{part}.json", {"first_skipped": None}),
        ("parts/{part}.json", {"ids": 7}),
        ("parts/{part}.json", {"ids": "é"}),
        ("parts/{part}.json", {"ids": "AAAA"}),
        ("parts/{part}.json", {"seconds": "long"}),
    ],
)
def test_records_that_were_edited_are_refused_in_a_sentence(
    order: Order, tmp_path: Path, place: str, changes: dict[str, object]
) -> None:
    run(order)
    part = next((tmp_path / "out").glob("*.jsonl")).name
    path = tmp_path / "out" / "_anselm" / place.format(part=part)
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(AnselmError, match=path.name):
        run(order)
    run(replace(order, overwrite=True))


@pytest.mark.parametrize("part_bytes", [None, 300])
def test_utf_16_is_said_once_and_not_of_every_line(tmp_path: Path, part_bytes: int | None) -> None:
    (tmp_path / "a.jsonl").write_bytes("".join(line(one) for one in lists(20)).encode("utf-16"))
    order = Order(str(tmp_path / "a.jsonl"), str(tmp_path / "out"), "bm25", part_bytes=part_bytes)
    report = rank_parts(order, lambda parts: OneWorker())
    assert (report.lists, report.skipped, len(report.failed)) == (0, 0, report.parts)
    assert all("begins as UTF-16 does" in said for said in report.failed)
    with pytest.raises(FormatError, match="UTF-16"):
        rank_parts(replace(order, strict=True), lambda parts: OneWorker())


def test_fields_of_a_candidate_come_back_as_its_metadata(tmp_path: Path) -> None:
    candidate = {"text": "oak", "url": "http://a", "meta": {"page": 3, "url": "http://b"}, "none": None}
    write(tmp_path / "a.jsonl", [json.dumps({"question": "oak?", "candidates": [candidate, "elm"]}) + "\n"])
    rank_parts(Order(str(tmp_path / "a.jsonl"), str(tmp_path / "out"), "bm25"), lambda parts: OneWorker())
    (record,) = read(tmp_path / "out" / "a.jsonl")
    assert record["results"][0]["meta"] == {"page": 3, "url": "http://b"}
    assert "meta" not in record["results"][1]
