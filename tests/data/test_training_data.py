"""Which data is fitted on, unless told otherwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from anselm.data.datasets import all_corpora, load_training_data
from anselm.data.question import Candidate, Question
from anselm.errors import InputError


def make(labels: Sequence[float]) -> Question:
    return Question("q", "oak?", tuple(Candidate(str(i), "elm", label) for i, label in enumerate(labels)))


@pytest.mark.parametrize("corpus", all_corpora().values(), ids=lambda corpus: corpus.name)
def test_every_corpus_lists_the_protocol_that_keeps_all_last(corpus) -> None:
    name, rule = list(corpus.protocols.items())[-1]
    assert name in ("raw", "official")
    assert rule.worst_of is None
    assert all(rule.keeps(make(labels), "test") for labels in ([0, 0], [1, 1], [0, 1]))


@pytest.mark.parametrize("name", [name for name, corpus in all_corpora().items() if "train" not in corpus.splits])
def test_a_corpus_without_train_says_what_it_has(name: str, tmp_path: Path) -> None:
    splits = ", ".join(all_corpora()[name].splits)
    with pytest.raises(InputError, match=f"{name} has no split 'train' to fit on; name one of {splits}"):
        load_training_data(name, data_dir=tmp_path)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (("wikiqa",), ("wikiqa", "train", "raw")),
        (("SemEval2016",), ("SemEval2016", "train", "official")),
        (("wikiqa", "dev"), ("wikiqa", "dev", "raw")),
        (("wikiqa", None, "clean"), ("wikiqa", "train", "clean")),
        (("faq.jsonl",), ("faq.jsonl", None, None)),
    ],
)
def test_what_is_read_unless_told_otherwise(given: tuple, asked: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.data.datasets.load_dataset", lambda *arguments, columns: arguments)
    assert load_training_data(*given) == (*asked, None)


def test_the_training_split_and_every_question_are_the_default(real_data: Path) -> None:
    found = load_training_data("wikiqa", data_dir=real_data)
    assert (found.split, found.protocol, len(found)) == ("train", "raw", 2_118)
    chosen = load_training_data("wikiqa", "dev", "clean", real_data)
    assert (chosen.split, chosen.protocol, len(chosen)) == ("dev", "clean", 126)
    semeval = load_training_data("semeval-2016", data_dir=real_data)
    assert (semeval.split, semeval.protocol, len(semeval)) == ("train", "official", 607)


def test_a_file_is_taken_whole(tmp_path: Path) -> None:
    lines = [{"question": "oak?", "candidates": [{"text": "elm", "label": label}]} for label in (0, 1)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = load_training_data(tmp_path / "a.jsonl")
    assert (found.split, found.protocol, len(found)) == ("all", "raw", 2)


def test_a_beir_folder_is_fitted_on_its_training_part(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "oak"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "oak?"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    with pytest.raises(InputError, match=r"train\.tsv does not exist; splits in this BEIR folder: test"):
        load_training_data(tmp_path)
    assert len(load_training_data(tmp_path, "test")) == 1
