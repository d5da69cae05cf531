"""What was annotated before is not annotated again; what is damaged on disk is; several processes may write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from anselm.annotations.annotation_cache import AnnotationCache
from anselm.annotations.annotation_file import append_annotations, read_annotations
from anselm.annotations.annotator import Annotation


class Reverser:
    """Says each text backwards, and what it was asked."""

    name = "reverser"
    costly = True

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.asked: list[str] = []

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        self.asked += texts
        return [(text[::-1], self.version) for text in texts]


def test_each_text_is_read_once() -> None:
    cache, reverser = AnnotationCache(), Reverser()
    assert cache.annotate(reverser, ["ab", "cd", "ab"]) == [("ba", "1"), ("dc", "1"), ("ba", "1")]
    assert cache.annotate(reverser, ["cd", "ef\udc80"]) == [("dc", "1"), ("\udc80fe", "1")]
    assert reverser.asked == ["ab", "cd", "ef\udc80"]


def test_another_version_reads_again() -> None:
    cache = AnnotationCache()
    assert cache.annotate(Reverser("1"), ["ab"]) == [("ba", "1")]
    assert cache.annotate(Reverser("2"), ["ab"]) == [("ba", "2")]


def test_the_least_used_goes_first() -> None:
    cache, reverser = AnnotationCache(most=2), Reverser()
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.annotate(reverser, [text])
    assert reverser.asked == ["a", "b", "c", "b"]


def test_a_list_larger_than_the_cache() -> None:
    assert AnnotationCache(most=2).annotate(Reverser(), list("abcde")) == [(letter, "1") for letter in "abcde"]


def test_kept_on_disk_for_the_next_process(tmp_path: Path) -> None:
    AnnotationCache(tmp_path).annotate(Reverser(), ["ab", "né\n"])
    reverser = Reverser()
    assert AnnotationCache(tmp_path).annotate(reverser, ["né\n", "ab"]) == [("\nén", "1"), ("ba", "1")]
    assert reverser.asked == []


def test_what_is_cheap_is_not_kept_on_disk(tmp_path: Path) -> None:
    cheap = Reverser()
    cheap.costly = False
    AnnotationCache(tmp_path).annotate(cheap, ["ab"])
    assert list(tmp_path.iterdir()) == []


def test_what_is_damaged_is_made_again(tmp_path: Path) -> None:
    AnnotationCache(tmp_path).annotate(Reverser(), ["ab", "cd"])
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes().replace(b'"ba"', b'"xx"') + b"\xff\x00 cut off in the mid")
    reverser = Reverser()
    assert AnnotationCache(tmp_path).annotate(reverser, ["ab", "cd"]) == [("ba", "1"), ("dc", "1")]
    assert reverser.asked == ["ab"]
    again = Reverser()
    AnnotationCache(tmp_path).annotate(again, ["ab", "cd"])
    assert again.asked == []  # what was made again stands on a line of its own


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert AnnotationCache(tmp_path / "file").annotate(Reverser(), ["ab"]) == [("ba", "1")]


def test_several_processes_append(tmp_path: Path) -> None:
    path = tmp_path / "a.annotations"
    code = (
        "import sys; from pathlib import Path; from anselm.annotations.annotation_file import append_annotations as a\n"
        "for n in range(200): a(Path(sys.argv[1]), {f'{sys.argv[2]}-{n}': (sys.argv[2] * n,)})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "xyz"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert read_annotations(path) == {f"{name}-{n}": (name * n,) for name in "xyz" for n in range(200)}
    append_annotations(path, {})
    assert len(read_annotations(path)) == 600
