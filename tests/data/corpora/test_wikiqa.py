"""WikiQA's TSV, references and runs: hand-made files with the corpus's traps, then the real files where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.corpora.wikiqa import CORPORA, read_tsv
from anselm.data.formats.trec import read_qrels
from anselm.data.question import Candidate, Question
from anselm.errors import CountError, FormatError

WIKIQA = CORPORA[0]
HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"
ROWS = (
    "Q1\thow tall is a fir\tD1\tFir\tD1-0\tFirs are trees.\t0",
    'Q1\thow tall is a fir\tD1\tFir\tD1-1\tA "noble fir grows to 70 m .\t1',  # an unpaired quotation mark
    "Q2\twho was first\tD2\tRace\tD2-0\tNobody knows.\t0",
    "Q3\twho was first\tD3\tRun\tD3-0\tAnna was first.\t1",  # Q2's text again
    "Q3\twho was first\tD3\tRun\tD3-1\tAnna won.\t1",
)


def write_tsv(folder: Path, *rows: str, header: str = HEADER, name: str = "some.tsv") -> Path:
    path = folder / name
    path.write_bytes("".join(f"{row}\r\n" for row in (header, *rows)).encode())
    return path


def test_lists_keep_text_title_and_labels(tmp_path: Path) -> None:
    first, *_ = read_tsv(write_tsv(tmp_path, *ROWS))
    assert first == Question(
        "Q1",
        "how tall is a fir",
        (
            Candidate("D1-0", "Firs are trees.", 0.0, heading=""),
            Candidate("D1-1", 'A "noble fir grows to 70 m .', 1.0, heading=""),
        ),
        {"title": "Fir", "document": "D1"},
    )


def test_equal_texts_with_different_ids_are_two_questions(tmp_path: Path) -> None:
    assert [question.id for question in read_tsv(write_tsv(tmp_path, *ROWS))] == ["Q1", "Q2", "Q3"]


@pytest.mark.parametrize(("protocol", "kept"), [("clean", "Q1 Q3"), ("filtered", "Q1"), ("raw", "Q1 Q2 Q3")])
def test_protocols(tmp_path: Path, protocol: str, kept: str) -> None:
    questions = filter(WIKIQA.protocols[protocol].keep, read_tsv(write_tsv(tmp_path, *ROWS)))
    assert " ".join(question.id for question in questions) == kept


def test_clean_is_the_default() -> None:
    assert WIKIQA.default_protocol == "clean"


def test_a_shortened_split_does_not_pass_its_counts(tmp_path: Path) -> None:
    (tmp_path / "wikiqa").mkdir()
    write_tsv(tmp_path / "wikiqa", *ROWS, name="WikiQA-test.tsv")
    with pytest.raises(CountError, match=r"wikiqa test \(clean\) must have 243 questions, but 2 were found"):
        list(WIKIQA.read("test", "clean", tmp_path))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("Q4\twhy\tD4\tTitle\tD4-0\tcut he", r"line 7: 6 columns where 7 are needed \(QuestionID, Question, Doc"),
        ("Q4\twhy\tD4\tTitle\tD4-0\ta\tb\t1", r"line 7: 8 columns where 7 are needed"),
        ("Q4\twhy\tD4\tTitle\tD4-0\tBecause.\t2", r"line 7: the label of D4-0 must be 0 or 1, not '2'"),
        ("Q4\twhy\tD4\tTitle\tD4-0\tBecause.\t", r"line 7: the label of D4-0 must be 0 or 1, not ''"),
        ("Q1\thow tall is a fir\tD1\tFir\tD1-2\tTall.\t0", r"line 7: question Q1 comes back"),
        ("", r"line 7: 1 columns"),
    ],
)
def test_bad_rows_name_file_line_and_need(tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"some\.tsv, {problem}"):
        list(read_tsv(write_tsv(tmp_path, *ROWS, row)))


@pytest.mark.parametrize("header", ["", "question\tanswer\tlabel", HEADER.replace("\t", ",")])
def test_a_wrong_header_names_the_columns(tmp_path: Path, header: str) -> None:
    with pytest.raises(FormatError, match=r"line 1: the header must be QuestionID, Question, DocumentID, .* Label"):
        list(read_tsv(write_tsv(tmp_path, *ROWS, header=header)))


def test_an_empty_file_is_not_an_empty_corpus(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(FormatError, match="the header must be"):
        list(read_tsv(tmp_path / "empty.tsv"))


@pytest.mark.parametrize("protocol", WIKIQA.protocols)
@pytest.mark.parametrize("split", WIKIQA.splits)
def test_real_counts(real_data: Path, split: str, protocol: str) -> None:
    questions = list(WIKIQA.read(split, protocol, real_data))
    assert len({question.id for question in questions}) == len(questions)
    for question in questions:
        assert len({candidate.id for candidate in question.candidates}) == len(question.candidates)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_real_references_agree_with_the_protocols(real_data: Path, split: str) -> None:
    raw = list(WIKIQA.read(split, "raw", real_data))
    numbered = {question.id: str(number) for number, question in enumerate(raw, start=1)}
    for protocol, file in (("raw", f"WikiQA-{split}.ref"), ("filtered", f"WikiQA-{split}-filtered.ref")):
        reference = {question.id: question.labels for question in read_qrels(real_data / "wikiqa" / file)}
        questions = WIKIQA.read(split, protocol, real_data)
        assert {numbered[question.id]: question.labels for question in questions} == reference
