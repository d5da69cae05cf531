"""What must hold for every corpus: a new file in the folder is tested here without being named."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.checks import check_split
from anselm.data.corpus import Corpus
from anselm.data.datasets import all_corpora
from anselm.errors import CountError, MissingDataError

CORPORA = pytest.mark.parametrize("corpus", all_corpora().values(), ids=lambda corpus: corpus.name)


@CORPORA
def test_it_says_where_it_comes_from(corpus: Corpus) -> None:
    assert all((corpus.summary, corpus.source, corpus.terms, corpus.citation))
    assert corpus.source.startswith("http")


@CORPORA
def test_counts_are_of_protocols_that_exist(corpus: Corpus) -> None:
    for split in corpus.splits.values():
        assert split.counts.keys() <= corpus.protocols.keys()
        assert split.files


@CORPORA
def test_clean_is_the_default_where_it_exists(corpus: Corpus) -> None:
    assert corpus.default_protocol == "clean" or "clean" not in corpus.protocols
    assert corpus.default_split in corpus.splits


@CORPORA
def test_a_missing_file_says_what_to_get_and_where_to_put_it(corpus: Corpus, tmp_path: Path) -> None:
    for split, part in corpus.splits.items():
        with pytest.raises(MissingDataError) as caught:
            next(corpus.read(split, corpus.default_protocol, tmp_path))
        message = str(caught.value)
        assert str(tmp_path / corpus.folder / part.files[0]) in message
        assert corpus.source in message
        assert corpus.terms in message


@CORPORA
def test_real_splits_have_their_counts_and_well_formed_lists(corpus: Corpus, real_data: Path) -> None:
    """Read once under all protocols; ids are unique, no list is empty."""
    for split in corpus.splits:
        if corpus.missing(split, real_data):
            continue
        seen: set[str] = set()
        for question in corpus.splits[split].read(real_data / corpus.folder):
            assert question.id not in seen
            seen.add(question.id)
            assert len({candidate.id for candidate in question.candidates}) == len(question.candidates) > 0
            assert question.text.strip()
        for found in check_split(corpus, split, real_data, needed=True):
            assert (found.status, found.problem) == ("ok", "")


def test_counts_that_differ_are_named(tmp_path: Path) -> None:
    corpus = all_corpora()["wikiqa"]
    folder = tmp_path / "wikiqa"
    folder.mkdir()
    header = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\r\n"
    (folder / "WikiQA-test.tsv").write_text(header + "Q1\tWho?\tD1\tT\tD1-0\tAnn.\t1\r\n")
    with pytest.raises(CountError) as caught:
        list(corpus.read("test", "clean", tmp_path))
    for part in (str(folder / "WikiQA-test.tsv"), "243 questions", "1 were found"):
        assert part in str(caught.value)
