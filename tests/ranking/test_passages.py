"""Asking documents and FAQs: what is read, in which place it stands, and how much of it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from anselm.data.question import DOCUMENTS, Question
from anselm.errors import FormatError, InputError
from anselm.ranking.answers import Passage
from anselm.ranking.passages import RUN, find_spots, in_paragraphs
from anselm.ranking.ranker import Ranker
from anselm.scorer import Scores
from anselm.text.documents import document_from_text, read_document

TABLE = (
    "id,question,answer,topic\r\n"
    'r1,What if I bring a book back late?,"Each day costs 20 cents,\nup to ten euros.",loans\r\n'
    "r2,When do you open?,At nine in the morning.,hours\r\n"
    ",Is there parking?,Behind the house.,\r\n"
)
PAGE = "# Questions\n\n## When do you open?\n\nAt *nine* in the morning.\n\n## Is there parking?\n\nBehind the house.\n"
MANUAL = "# Manual\n\nWelcome. The kettle boils at 100 degrees. Keep it clean.\n"
LATE = "What if I bring a book back too late?"


class BySharedWords:
    """How many words of the question stand in what is read of a candidate; it remembers what that was."""

    name, capacity, pairwise, language = "words", None, True, None

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity, self.read = capacity, list[str]()

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        found = []
        for question in questions:
            asked = set(question.text.lower().strip("?").split())
            texts = [candidate.content for candidate in question.candidates]
            self.read += texts
            found.append(np.array([float(len(asked & set(text.lower().replace("?", "").split()))) for text in texts]))
        return found

    def save(self, folder: Path) -> None: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "faq.csv").write_bytes(TABLE.encode())
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "manual.md").write_text(MANUAL)
    (tmp_path / "prices.csv").write_text("item,price\ncup,3\n")  # a table, but no FAQ
    return tmp_path


def check_place(result: Passage) -> str:
    """The characters that it says it came from, on the line that it says."""
    text = read_document(Path(result.source)).text
    assert result.line == text[: result.start].count("\n") + 1
    return text[result.start : result.end]


def test_a_table_is_asked_by_its_questions_and_answers(folder: Path) -> None:
    scorer = BySharedWords()
    found = Ranker(scorer).ask(LATE, folder / "faq.csv")
    best = found.best
    rows = list(csv.DictReader(StringIO(TABLE, newline="")))
    assert scorer.read == [f"{row['question']} {row['answer']}" for row in rows]
    assert (best.id, best.question, best.text) == ("r1", rows[0]["question"], rows[0]["answer"])
    assert best.meta == {"topic": "loans"}
    assert check_place(best) == best.text == "Each day costs 20 cents,\nup to ten euros."
    assert (best.before, best.after, best.heading) == ("", "", None)
    assert {result.index: result.id for result in found} == {0: "r1", 1: "r2", 2: None}
    assert all(check_place(result) == result.text for result in found)
    assert (found.passages, found.read) == (3, 3)


def test_a_page_of_questions_is_asked_by_entries(folder: Path) -> None:
    best = Ranker(BySharedWords()).ask("When do you open?", folder / "page.md").best
    assert (best.question, best.text, best.id) == ("When do you open?", "At nine in the morning.", None)
    assert check_place(best) == "At *nine* in the morning."
    assert best.meta == {"section": "Questions"}


def test_a_page_without_questions_is_asked_by_sentences(folder: Path) -> None:
    best = Ranker(BySharedWords()).ask("When does the kettle boil?", folder / "manual.md").best
    assert (best.text, best.before, best.after) == ("The kettle boils at 100 degrees.", "Welcome.", "Keep it clean.")
    assert (best.question, best.heading, best.meta) == (None, "Manual", {})
    assert check_place(best) == best.text


def test_a_folder_of_both(folder: Path) -> None:
    found = Ranker(BySharedWords()).ask("When do you open?", folder, top=99)
    assert {(Path(result.source).name, result.question is not None) for result in found} == {
        ("faq.csv", True), ("page.md", True), ("manual.md", False),
    }  # fmt: skip
    assert (found.passages, found.read, len(found)) == (8, 8, 8)
    assert sorted(result.index for result in found) == list(range(8))
    for result in found:
        assert check_place(result).replace("*", "") == result.text
    record = found.to_dict()
    assert (record["passages"], record["read"]) == (8, 8)
    assert record["results"][0]["question"] == "When do you open?"


def test_columns_of_another_name_are_told(tmp_path: Path) -> None:
    path = tmp_path / "faq.csv"
    path.write_text("Nr,Thema,Bescheid\n7,When do you open?,At nine.\n")
    with pytest.raises(InputError, match="Bescheid"):
        Ranker(BySharedWords()).ask("When?", path)
    columns = {"id": "Nr", "question": "Thema", "answer": "Bescheid"}
    best = Ranker(BySharedWords()).ask("When?", path, columns=columns).best
    assert (best.id, best.question, best.text) == ("7", "When do you open?", "At nine.")


def test_what_cannot_be_read_is_told_or_an_error(folder: Path) -> None:
    (folder / "broken.md").write_bytes(b"caf\xe9 \xff\xfe")
    (folder / "bad.csv").write_text("question,answer\nWho?,Ann\nWhy?\n")
    told: list[FormatError] = []
    found = Ranker(BySharedWords()).ask("Who?", folder, top=99, skip=told.append)
    assert {Path(result.source).name for result in found} == {"faq.csv", "page.md", "manual.md", "bad.csv"}
    assert sorted(str(error).partition(": ")[0] for error in told) == [
        f"{folder / 'bad.csv'}, line 3",
        f"{folder / 'broken.md'}, line 1",
    ]
    with pytest.raises(FormatError, match=r"bad\.csv, line 3: "):
        Ranker(BySharedWords()).ask("Who?", folder)


def test_texts_without_a_sentence_are_told_to_who_asks_and_are_no_error(folder: Path) -> None:
    told: list[FormatError] = []
    texts = ["", "Ann.", " \n", "***", "Bob."]
    assert [spot.candidate.document for spot in find_spots(texts, skip=told.append)] == [1, 4]
    assert [str(error) for error in told] == [
        "document 0: there is no text in it",
        "document 2: there is no text in it",
        "document 3: there are no sentences in it",
    ]
    assert [spot.candidate.document for spot in find_spots(texts)] == [1, 4]
    (folder / "bad.csv").write_text("question,answer\nWhy?\n")
    told.clear()
    find_spots([folder / "bad.csv", "Ann."], skip=told.append)  # whose row is told, and not the table as well
    assert [str(error).partition(": ")[0] for error in told] == [f"{folder / 'bad.csv'}, line 2"]


@pytest.mark.parametrize(
    ("capacity", "read", "count"), [(None, None, 8), (3, None, 3), (3, 5, 5), (None, 2, 2), (3, 99, 8)]
)
def test_how_many_are_read(capacity: int | None, read: int | None, count: int, folder: Path) -> None:
    scorer = BySharedWords(capacity)
    found = Ranker(scorer).ask("When do you open?", folder, top=99, read=read)
    assert (found.passages, found.read, len(scorer.read), len(found)) == (8, count, count, count)
    assert found.best.text == "At nine in the morning."  # those that share words with the question are read first


def test_to_read_none_is_refused() -> None:
    with pytest.raises(InputError, match="read must be at least 1, not 0"):
        Ranker(BySharedWords()).ask("Who?", "Ann.", read=0)


def test_spots_are_numbered_over_all_documents(folder: Path) -> None:
    spots = find_spots([folder / "page.md", "One. Two.", read_document(folder / "manual.md")])
    assert [spot.candidate.id for spot in spots] == [str(number) for number in range(len(spots))]
    assert [spot.document.source for spot in spots] == [str(folder / "page.md")] * 2 + ["document 1"] * 2 + [
        str(folder / "manual.md")
    ] * 3
    assert [spot.candidate.content for spot in spots][1:3] == ["Is there parking? Behind the house.", "One."]


def test_an_entry_s_fields_come_back_by_its_place(folder: Path) -> None:
    """After a first pass, whose list has other places."""
    found = Ranker(BySharedWords(capacity=1)).ask("Is there parking?", folder / "faq.csv")
    [best] = found.results
    assert (best.index, best.question, best.text) == (2, "Is there parking?", "Behind the house.")


def test_a_name_of_a_file_is_no_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    name = next(path.name for path in folder.iterdir() if path.is_file())
    with pytest.raises(InputError, match="is a text here, and the name of a file: give Path"):
        find_spots(name)
    assert [spot.candidate.text for spot in find_spots("Nothing.")] == ["Nothing."]


def words(count: int, name: str) -> str:
    return " ".join([name] * (count - 1)) + " end."


def test_a_sentence_stands_in_a_run_of_some_under_one_heading() -> None:
    """Runs of at most RUN words; what is longer, or has a heading for itself, is one by itself."""
    lengths = [20, 20, 20, 5, RUN + 1, 3]
    text = "".join(words(count, f"W{place}") + " " for place, count in enumerate(lengths))
    page = f"# First\n\n{text}\n\n# Second\n\nAlone here.\n"
    found = [spot.candidate for spot in find_spots(document_from_text(page, "a.md", "markdown"))]
    said = [one.text for one in found]
    assert [one.paragraph for one in found] == [
        f"{said[0]} {said[1]}", f"{said[0]} {said[1]}", f"{said[2]} {said[3]}", f"{said[2]} {said[3]}", *said[4:],
    ]  # fmt: skip
    assert {one.kind for one in found} == {DOCUMENTS}
    assert found[0].compared == f"First: {said[0]} {said[1]}"
    assert found[0].content == f"First: {said[0]}"


def test_entries_have_no_paragraph(folder: Path) -> None:
    spots = find_spots([folder / "faq.csv", folder / "manual.md"])
    assert [bool(spot.candidate.paragraph) for spot in spots] == [False] * 3 + [True] * 3
    assert [one.paragraph for one in in_paragraphs([spot.candidate for spot in spots])] == [
        spot.candidate.paragraph for spot in spots
    ]
