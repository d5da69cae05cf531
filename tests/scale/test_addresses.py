"""What fsspec knows: memory, and S3 by moto; Parquet there and here. Skipped where the extra is not installed."""

from __future__ import annotations

import gc
import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from anselm.errors import FormatError, InputError
from anselm.scale import places
from anselm.scale.bulk_run import Order, rank_parts
from anselm.scale.input_parts import Part, find_parts
from anselm.scale.list_files import read_lists, write_lists
from anselm.scale.local_crew import LocalCrew
from anselm.scale.parquet_files import told
from anselm.scale.places import find_files, names_in, open_place, write_whole
from anselm.scale.ray_crew import RayCrew
from tests.scale.lists import OneWorker, line, lists, ranked_at_once, write

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory() -> str:
    return f"memory://{uuid.uuid4().hex}"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """An S3 of our own."""
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in {"KEY_ID": "me", "KEY": "x"}.items():
        monkeypatch.setenv(f"AWS_{'ACCESS' if name == 'KEY_ID' else 'SECRET_ACCESS'}_{name}", value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    places._file_system.cache_clear()
    fsspec.filesystem("s3").clear_instance_cache()
    name = f"b{uuid.uuid4().hex}"
    fsspec.filesystem("s3").mkdir(name)
    return f"s3://{name}"


def put(place: str, content: str) -> None:
    with write_whole(place) as file:
        file.write(content.encode())


def ids(place: str) -> list[str]:
    with open_place(place) as file:
        return [json.loads(one)["id"] for one in file.read().decode().splitlines()]


@pytest.mark.parametrize("kind", ["memory", "bucket"])
@pytest.mark.filterwarnings("ignore")  # of moto and botocore
def test_parts_of_an_address_are_ranked_to_an_address(kind: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(kind)
    for number in range(3):
        put(f"{root}/in/{number}.jsonl", "".join(line(one) for one in lists(10, 10 * number)))
    put(f"{root}/in/notes.txt", "?")
    order = Order(f"{root}/in/*.jsonl", f"{root}/out/", "bm25", part_bytes=900)
    report = rank_parts(order, lambda parts: OneWorker())
    assert (report.lists, report.failed) == (30, ())
    names = sorted(name for name in names_in(f"{root}/out/") if not name.startswith("_"))
    assert len(names) == report.parts > 3
    assert sorted(id for name in names for id in ids(f"{root}/out/{name}")) == sorted(one.id for one in lists(30))
    crew = OneWorker()
    assert rank_parts(order, lambda parts: crew).kept == report.parts
    assert crew.given == []
    with pytest.raises(InputError, match="begun with model 'bm25'"):
        rank_parts(Order(order.source, order.folder, "tfidf", part_bytes=900), lambda parts: OneWorker("tfidf"))


@pytest.mark.parametrize("kind", ["memory", "bucket"])
@pytest.mark.filterwarnings("ignore")
def test_what_fails_in_the_middle_leaves_nothing(kind: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(kind)
    put(f"{root}/a.jsonl", "old")
    with pytest.raises(KeyError):
        fail_in_the_middle(f"{root}/a.jsonl")
    with open_place(f"{root}/a.jsonl") as file:
        assert file.read() == b"old"


def fail_in_the_middle(place: str) -> None:
    with write_whole(place) as file:
        file.write(b"x" * 10_000_000)
        raise KeyError


class Brook(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A store whose files are fsspec's own, as those of S3 are."""

    content = "".join(line(one) for one in lists(30)).encode()

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        return {"name": path, "size": len(self.content), "type": "file"}

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        return BrookFile(self, path, mode, block_size=100, size=len(self.content))


class BrookFile(fsspec.spec.AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        return self.fs.content[start:end]  # type: ignore[no-any-return]


@pytest.mark.parametrize("most", [200, 1000, None])
def test_files_of_a_store_are_read_in_pieces(most: int | None) -> None:
    fsspec.register_implementation("brook", Brook, clobber=True)
    parts = find_parts(find_files("brook://in/big.jsonl"), most)
    assert [one for part in parts for one in read_lists(part)] == lists(30)


def test_what_is_not_there(memory: str) -> None:
    with pytest.raises(InputError, match=r"names no file|does not exist"):
        find_files(f"{memory}/in/*.jsonl")
    with pytest.raises(InputError, match="nosuch:// is no address that fsspec knows"):
        find_files("nosuch://x/y.jsonl")


def test_memory_is_refused_where_workers_are_other_processes(memory: str, tmp_path: Path) -> None:
    """Those of `OneWorker`, here, are not."""
    put(f"{memory}/in/a.jsonl", line(lists(1)[0]))
    write(tmp_path / "in" / "a.jsonl", [line(lists(1)[0])])
    crew = OneWorker()
    crew.apart = True
    for order in (Order(f"{memory}/in", str(tmp_path / "out")), Order(str(tmp_path / "in"), f"{memory}/out/")):
        with pytest.raises(InputError, match=rf"{memory}/\w+/? is in the memory of one process"):
            rank_parts(replace(order, model="bm25"), lambda parts: crew)
    assert (LocalCrew.apart, RayCrew.apart, crew.given, crew.closed) == (True, True, [], True)


@pytest.mark.parametrize("asked", ["in", "in/", "in/**", "in/**/*.jsonl", "in/*.jsonl"])
def test_what_is_written_is_not_read_by_the_next_run(asked: str, memory: str) -> None:
    with write_whole(f"{memory}/in/a.jsonl") as file:
        file.write("".join(line(one) for one in lists(3)).encode())
    order = Order(f"{memory}/{asked}", f"{memory}/in/out", "bm25")
    if asked == "in/*.jsonl":
        assert rank_parts(order, lambda parts: OneWorker()).lists == 3
        return
    with pytest.raises(InputError, match="which is read; give a folder outside of it"):
        rank_parts(order, lambda parts: OneWorker())
    assert len(find_files(f"{memory}/in")) == 1


def parquet(path: Path, rows: list[dict[str, Any]], group: int) -> Path:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_table(arrow.Table.from_pylist(rows), path, row_group_size=group, compression="none")
    return path


def test_parquet_is_read_by_row_groups_and_written(tmp_path: Path) -> None:
    rows = [json.loads(line(one)) for one in lists(20)]
    path = parquet(tmp_path / "in" / "big.parquet", rows, 3)
    parts = find_parts(find_files(str(path)), 1)
    assert [part.name for part in parts[:2]] == ["big.00000-of-00007.parquet", "big.00001-of-00007.parquet"]
    assert [one for part in parts for one in read_lists(part)] == lists(20)
    report = rank_parts(
        Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25", part_bytes=1), lambda parts: OneWorker()
    )
    assert report.lists == 20
    files = pytest.importorskip("pyarrow.parquet")
    found = [row for part in parts for row in files.read_table(tmp_path / "out" / part.name).to_pylist()]
    expected = ranked_at_once(lists(20), tmp_path)
    assert [row["id"] for row in found] == [one.id for one in lists(20)]
    for row in found:
        known = expected[row["id"]]
        assert (row["question"], row["answerable"]) == (known["question"], known["answerable"])
        assert [(one["id"], one["index"], one["score"]) for one in row["results"]] == [
            (one["id"], one["index"], one["score"]) for one in known["results"]
        ]


def test_plain_texts_and_bad_rows_of_parquet(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "oak?", "candidates": ["elm", "oak"]},
        {"id": "2", "question": None, "candidates": ["elm"]},
        {"id": "1", "question": "elm?", "candidates": ["elm"]},
    ]
    path = parquet(tmp_path / "a.parquet", rows, 5)
    skipped: list[str] = []
    (only,) = read_lists(Part(str(path), "a.parquet", 1), lambda error: skipped.append(str(error)))
    assert (only.id, only.text, [one.text for one in only.candidates]) == ("1", "oak?", ["elm", "oak"])
    assert 'a.parquet, row 2: "question" is missing' in skipped[0]
    assert "a.parquet, row 3: the id '1' was used in row 1 already" in skipped[1]
    write(tmp_path / "b.parquet", ["no parquet"])
    with pytest.raises(FormatError, match=r"b\.parquet: not whole Parquet"):
        list(read_lists(Part(str(tmp_path / "b.parquet"), "b.parquet", 1)))


def test_what_is_no_number_in_json_is_skipped_in_parquet(tmp_path: Path) -> None:
    rows = [{"question": "oak?", "candidates": ["elm"], "price": price} for price in (1.5, nan, inf, None)]
    path = parquet(tmp_path / "a.parquet", rows, 5)
    skipped: list[str] = []
    found = read_lists(Part(str(path), "a.parquet", 1), lambda error: skipped.append(str(error)))
    assert [one.meta for one in found] == [{"price": 1.5}, {}]
    assert [one.split(": ")[0] for one in skipped] == [f"{path}, row {number}" for number in (2, 3)]
    assert "the list holds NaN or an infinity" in skipped[0]


def damaged(path: Path, kind: str) -> bytes:
    """Noise; noise between the marks of Parquet; or a text in the second row group that is none."""
    whole = parquet(path, [json.loads(line(one)) for one in lists(20)], 10).read_bytes()
    noise = bytes(range(128, 256)) * 20
    return {
        "noise": noise,
        "marked": b"PAR1" + noise + b"\x50\0\0\0PAR1",
        "text": whole.replace(b"oak or elm 15?", b"oak or elm \xff\xff?"),
    }[kind]


@pytest.mark.parametrize("kind", ["noise", "marked", "text"])
@pytest.mark.parametrize("most", [500, None])
def test_damaged_parquet_is_named_and_keeps_no_other_from_being_ranked(
    kind: str, most: int | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in" / "good.jsonl", [line(lists(1)[0])])
    path = tmp_path / "in" / "bad.parquet"
    path.write_bytes(damaged(path, kind))
    order = Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25", part_bytes=most)
    report = rank_parts(order, lambda parts: OneWorker())
    gc.collect()  # what is left of a writer would complain now
    (failed,) = report.failed
    assert failed.startswith(f"{path}: not whole Parquet (")
    assert "\n" not in failed
    assert capfd.readouterr().err == ""
    assert (tmp_path / "out" / "good.jsonl").exists()
    assert not list((tmp_path / "out").glob("bad*")) or (kind, most) == ("text", 500)  # one of its two pieces is whole
    with pytest.raises(FormatError, match="not whole Parquet"):
        rank_parts(replace(order, folder=str(tmp_path / "strict"), strict=True), lambda parts: OneWorker())


def test_a_store_that_does_not_answer_is_no_damage() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(TimeoutError), told("s3://b/a.parquet"):
        raise TimeoutError


def test_metadata_of_candidates_is_json_in_parquet(tmp_path: Path) -> None:
    files = pytest.importorskip("pyarrow.parquet")
    with write_lists(str(tmp_path / "a.parquet")) as put_record:
        result = {"index": 0, "id": "a", "text": "elm", "score": 1.0, "probability": None, "meta": {"x": [1]}}
        put_record({"id": "1", "question": "?", "model": "m", "results": [result]})
    (row,) = files.read_table(tmp_path / "a.parquet").to_pylist()
    assert json.loads(row["results"][0]["meta"]) == {"x": [1]}
    assert row["answerable"] is None


def test_what_else_came_with_a_list_is_json_in_parquet(tmp_path: Path) -> None:
    files = pytest.importorskip("pyarrow.parquet")
    day = datetime(2026, 11, 18)
    rows = [{**json.loads(line(one)), "url": f"/{one.id}", "day": day} for one in lists(3)]
    parquet(tmp_path / "in" / "a.parquet", rows, 2)
    rank_parts(Order(str(tmp_path / "in"), str(tmp_path / "out"), "bm25"), lambda parts: OneWorker())
    found = files.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert [json.loads(row["meta"]) for row in found] == [
        {"url": f"/q{number}", "day": "2026-11-18 00:00:00"} for number in range(3)
    ]
