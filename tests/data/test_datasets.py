"""Finding and loading data by name or path, and the inventory commands over it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.data.datasets import find_corpus, find_data_dir, load_dataset, open_dataset
from anselm.data.inventory import convert, list_corpora, statistics
from anselm.errors import InputError, MissingDataError, UnknownNameError

ROWS = [
    {
        "id": "q1",
        "question": "Who?",
        "candidates": [{"id": "a", "text": "Ann", "label": 1}, {"id": "b", "text": "Bob"}],
    },
    {"id": "q2", "question": "Why not?", "candidates": [{"id": "a", "text": "No reason", "label": 0}]},
    {"id": "q3", "question": "When?", "candidates": [{"id": "a", "text": "Now", "label": 1}]},
]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize(("protocol", "kept"), [("raw", "q1 q2 q3"), ("clean", "q1 q3"), ("filtered", "q1")])
def test_files_know_protocols_too(protocol: str, kept: str, lists: Path) -> None:
    assert " ".join(question.id for question in load_dataset(lists, protocol=protocol)) == kept


def test_the_fingerprint_depends_on_ids_texts_and_labels_alone(lists: Path, tmp_path: Path) -> None:
    first = load_dataset(lists)
    assert first.sha256 == load_dataset(lists).sha256
    (tmp_path / "copy.jsonl").write_text(lists.read_text().replace("\n", "\n\n"))
    assert load_dataset(tmp_path / "copy.jsonl").sha256 == first.sha256
    (tmp_path / "other.jsonl").write_text(lists.read_text().replace('"label": 0', '"label": 1'))
    assert load_dataset(tmp_path / "other.jsonl").sha256 != first.sha256
    (tmp_path / "meta.jsonl").write_text(lists.read_text().replace('"id": "q1"', '"meta": {"by": "me"}, "id": "q1"'))
    assert load_dataset(tmp_path / "meta.jsonl")[0].meta
    assert load_dataset(tmp_path / "meta.jsonl").sha256 == first.sha256
    for old, new in (('"id": "q2"', '"id": "q4"'), ("Bob", "Rob"), ("Why not", "Why"), ('"id": "b"', '"id": "c"')):
        (tmp_path / "other.jsonl").write_text(lists.read_text().replace(old, new))
        assert load_dataset(tmp_path / "other.jsonl").sha256 != first.sha256


def test_a_beir_folder_has_the_split_that_was_read(lists: Path, tmp_path: Path) -> None:
    for split in ("test", "dev"):
        convert(str(lists), tmp_path / split, target_format="beir")
    (tmp_path / "dev" / "qrels" / "test.tsv").rename(tmp_path / "dev" / "qrels" / "dev.tsv")
    assert open_dataset(tmp_path / "test").split == load_dataset(tmp_path / "test").split == "test"
    assert load_dataset(tmp_path / "dev", "dev").split == "dev"
    assert load_dataset(lists).split == "all"


@pytest.mark.parametrize("name", ["semeval-2016", "SemEval2016", "semeval_2016"])
def test_names_are_found_however_they_are_written(name: str) -> None:
    assert find_corpus(name).name == "semeval-2016"


def test_mistakes_are_named(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    with pytest.raises(MissingDataError, match=r"Set ANSELM_DATA.*wikiqa comes from https"):
        load_dataset("wikiqa")
    with pytest.raises(MissingDataError, match="does not exist"):
        find_data_dir(tmp_path / "nowhere")
    with pytest.raises(UnknownNameError, match=r"unknown split of wikiqa 'tets'.*Did you mean 'test'"):
        load_dataset("wikiqa", "tets", data_dir=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown protocol of wikiqa 'dirty'; there is clean, filtered, raw"):
        load_dataset("wikiqa", "test", "dirty", data_dir=tmp_path)
    with pytest.raises(InputError, match="has no split 'dev'"):
        load_dataset(lists, "dev")
    lists.write_text(json.dumps(ROWS[2]))
    with pytest.raises(InputError, match="has no questions under the protocol 'filtered'"):
        load_dataset(lists, protocol="filtered")
    for form in (None, "jsonl"):
        with pytest.raises(InputError, match=r"lists\.parquet does not exist"):
            load_dataset(tmp_path / "lists.parquet", form=form)
    (tmp_path / "lists.parquet").touch()
    with pytest.raises(
        InputError, match=r"not clear from its name; known endings are \.jsonl.* data convert --from FORMAT"
    ):
        load_dataset(tmp_path / "lists.parquet")
    with pytest.raises(InputError, match=r"folder without a corpus\.jsonl"):
        load_dataset(tmp_path)


def test_statistics_of_a_file(lists: Path) -> None:
    assert statistics(str(lists)) == [
        {
            "data": str(lists), "split": "all", "protocol": "raw", "questions": 3, "pairs": 4, "relevant": 2,
            "without_answer": 1, "words_per_question": 1.3, "words_per_answer": 1.2,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["out.csv", "out.tsv.gz", "out.jsonl.gz", "folder"])
def test_convert_there_and_back(target: str, lists: Path, tmp_path: Path) -> None:
    assert convert(str(lists), tmp_path / target) == 3
    convert(str(tmp_path / target), tmp_path / "back.jsonl")
    before, after = load_dataset(lists), load_dataset(tmp_path / "back.jsonl")
    assert [q.labels for q in after] == [q.labels for q in before]
    assert [[c.text for c in q.candidates] for q in after] == [[c.text for c in q.candidates] for q in before]


def test_a_failed_conversion_leaves_nothing(lists: Path, tmp_path: Path) -> None:
    lists.write_text(lists.read_text() + "broken\n")
    before = sorted(tmp_path.iterdir())
    for target in ("out.csv", "out.jsonl.gz", "folder"):
        with pytest.raises(InputError, match="line 4: not valid JSON"):
            convert(str(lists), tmp_path / target)
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(InputError, match="exists already"):
        convert(str(lists), lists)
    with pytest.raises(InputError, match="can be read but not written"):
        convert(str(lists), tmp_path / "out.json")
    with pytest.raises(InputError, match=r"the format of .*out\.parquet is not clear.* --to FORMAT names another"):
        convert(str(lists), tmp_path / "out.parquet")


@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "folder"])
def test_entries_are_not_converted_to_what_would_lose_their_questions(target: str, tmp_path: Path) -> None:
    line = '{"question": "Late?", "candidates": [{"text": "You pay.", "question": "What if I am late?", "label": 1}]}'
    (tmp_path / "a.jsonl").write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"entries of FAQs.* can be converted to \.jsonl"):
        convert(str(tmp_path / "a.jsonl"), tmp_path / target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert convert(str(tmp_path / "a.jsonl"), tmp_path / "b.jsonl") == 1


TARGETS = pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.jsonl.gz", "folder"])


@TARGETS
def test_judgements_without_texts_stay_judgements(target: str, tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    with pytest.raises(InputError, match=r"a\.qrels has no text for question 'q1'.* can be converted to \.qrels"):
        convert(str(tmp_path / "a.qrels"), tmp_path / target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.qrels"]
    assert convert(str(tmp_path / "a.qrels"), tmp_path / "b.qrels") == 1


@TARGETS
@pytest.mark.parametrize(
    ("name", "text"), [("in.csv", "question,answer,label\n"), ("in.jsonl", "\n"), ("in.qrels", "")]
)
def test_nothing_is_not_converted(name: str, text: str, target: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    for out in (target, "out.qrels"):
        with pytest.raises(InputError, match="has no lists under the protocol 'raw'; nothing was written"):
            convert(str(tmp_path / name), tmp_path / out)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_list_says_what_is_here(tmp_path: Path) -> None:
    (tmp_path / "wikiqa").mkdir()
    (tmp_path / "wikiqa" / "WikiQA-dev.tsv").touch()
    (tmp_path / "wikiqa" / "WikiQA-test.tsv.gz").touch()
    here = {row["name"]: row["here"] for row in list_corpora(tmp_path)}
    assert (here["wikiqa"], here["trecqa"]) == ("dev, test", "-")
