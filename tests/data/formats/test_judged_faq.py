"""Questions beside a FAQ, and which entry answers each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.data.datasets import load_judged_faq
from anselm.data.question import ENTRIES
from anselm.errors import InputError
from tests.packed_files import packed

FAQ = "id,question,answer\nlate,What if I am late?,You pay.\ncard,How do I get a card?,Ask us.\n,Is it free?,Yes.\n"


def write(folder: Path, asked: str, faq: str = FAQ, name: str = "asked.csv") -> tuple[Path, Path]:
    (folder / name).write_text(asked)
    (folder / "faq.csv").write_text(faq)
    return folder / name, folder / "faq.csv"


def test_an_entry_is_named_by_its_id_or_its_question(tmp_path: Path) -> None:
    asked = 'Question,right,who\nlate fee?,late,me\nwhat does it cost,"Is it  free?;late",\nwho are you,,me\n\n'
    found = load_judged_faq(*write(tmp_path, asked))
    assert [question.text for question in found] == ["late fee?", "what does it cost", "who are you"]
    assert [question.labels for question in found] == [(1.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)]
    assert {question.kind for question in found} == {ENTRIES}
    assert [one.id for one in found[0].candidates] == ["late", "card", "#3"]
    assert len(load_judged_faq(*write(tmp_path, asked), protocol="clean")) == 2


def test_a_name_means_the_id_or_all_entries_with_the_question(tmp_path: Path) -> None:
    entries = "a,Late?,You pay.\nb,Late?,Ten cents.\nOpen?,Closed?,At six.\n#5,Open?,At nine.\n,Free?,Yes.\n"
    faq = f"id,question,answer\n{entries}"
    found = load_judged_faq(*write(tmp_path, "question,right\nx,Late?\ny,Open?\nz,Free?\n", faq))
    assert [question.labels for question in found] == [(1, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 0, 1)]
    assert [one.id for one in found[0].candidates] == ["a", "b", "Open?", "#5", "#5#"]


def test_a_table_with_tabs(tmp_path: Path) -> None:
    found = load_judged_faq(*write(tmp_path, "right\tquestion\nlate\tlate fee?\n", name="asked.tsv"))
    assert found[0].labels == (1.0, 0.0, 0.0)


LOOSE = """id,question,answer
1,What does membership cost?,"Ten euros; five if you are under 18."
2,Is it free; and for whom?,"Yes, for all."
3,Open?,Nine to six.
4,open,At nine.
,How do I join?,Ask us.
"""


@pytest.mark.parametrize(
    ("written", "places"),
    [
        ("1", {0}),
        ("What does membership cost", {0}),
        ("  what does MEMBERSHIP   cost!! ", {0}),
        ("Ten euros; five if you are under 18.", {0}),
        ("is it free and for whom", {1}),
        ("Is it free; and for whom?", {1}),
        ("Open?", {2}),
        ("open", {3}),
        ("how do i join;3", {4, 2}),
        ("", set()),
        (" ; ", set()),
    ],
)
def test_an_entry_is_known_without_case_and_marks_and_by_its_answer(
    written: str, places: set[int], tmp_path: Path
) -> None:
    [found] = load_judged_faq(*write(tmp_path, f'question,right\nx,"{written}"\n', LOOSE))
    assert {place for place, label in enumerate(found.labels) if label} == places


@pytest.mark.parametrize("written", ["OPEN", "open!", "1;OPEN"])
def test_what_may_be_two_entries_is_neither(written: str, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"line 2: '(OPEN|open!)' may be 'Open\?' and 'open' in .*faq\.csv; write it as"
    ):
        load_judged_faq(*write(tmp_path, f"question,right\nx,{written}\n", LOOSE))


def test_near_alike_entries_under_one_question_are_all_right(tmp_path: Path) -> None:
    """As they are where it is written exactly."""
    faq = "id,question,answer\na,Late?,You pay.\nb,Late?,Ten cents.\n"
    [found] = load_judged_faq(*write(tmp_path, "question,right\nx,late\n", faq))
    assert found.labels == (1, 1)


def test_all_lines_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    bad = ["x,nobody", "y", " ,late", "z,who?", "a,b,c", "b,nothing", "c,no one"]
    asked, faq = write(tmp_path, "\n".join(["question,right", *bad[:3], "late,late", *bad[3:]]) + "\n")
    with pytest.raises(InputError) as told:
        load_judged_faq(asked, faq)
    none = f"{faq} has no entry with the id, the question or the answer"
    assert str(told.value) == (
        f"{asked}: 7 lines cannot be used: line 2: {none} 'nobody'; line 3: 1 cells where the header has 2; "
        f"line 4: the question is empty; line 6: {none} 'who?'; line 7: 3 cells where the header has 2; and 2 more"
    )


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Asked,Right answer", None),
        ("query,answer_id", None),
        ("User question,Label", None),
        ("what,which", {"asked": "what", "right": "which"}),
        ("question,entry,what", {"asked": "what"}),
    ],
)
def test_the_columns_of_a_log_are_known_or_named(header: str, columns: dict[str, str] | None, tmp_path: Path) -> None:
    row = "me,late,late fee?" if header.count(",") > 1 else "late fee?,late"
    [found] = load_judged_faq(*write(tmp_path, f"{header}\n{row}\n"), columns=columns)
    assert (found.text, found.labels) == ("late fee?", (1.0, 0.0, 0.0))


def test_columns_of_the_faq_and_of_the_log_may_share_a_name(tmp_path: Path) -> None:
    files = write(tmp_path, "T,right\nlate fee?,late\n", "id,T,answer\nlate,What if I am late?,You pay.\n")
    [found] = load_judged_faq(*files, columns={"question": "T", "asked": "T"})
    assert (found.text, found.candidates[0].question) == ("late fee?", "What if I am late?")


def test_a_column_of_the_log_that_is_named_as_one_of_the_faq_is_told(tmp_path: Path) -> None:
    files = write(tmp_path, "wording,right\nlate fee?,late\n")
    with pytest.raises(
        InputError, match=r"faq\.csv.*no column is named 'wording'.*asked\.csv are named by asked=wording"
    ):
        load_judged_faq(*files, columns={"question": "wording"})
    with pytest.raises(InputError, match=r"no column is named 'wrong'; there is 'wording', 'right' .*asked=NAME"):
        load_judged_faq(*files, columns={"asked": "wrong"})
    with pytest.raises(InputError, match="columns must be like"):
        load_judged_faq(*files, columns={"left": "wrong"})


def test_a_log_may_be_lines_of_json(tmp_path: Path) -> None:
    rows = '{"question": "late fee?", "right": ["late", "card"]}\n\n{"question": "bikes?"}\n'
    rows += '{"question": "x", "right": 7}\n'
    faq = FAQ.replace("card,How", "7,How")
    asked, place = write(tmp_path, rows.replace("card", "7"), faq, name="asked.jsonl")
    found = load_judged_faq(asked, place)
    assert [question.labels for question in found] == [(1, 1, 0), (0, 0, 0), (0, 1, 0)]
    asked.write_text(rows + "[1]\n{\n")
    with pytest.raises(
        InputError,
        match=r"asked\.jsonl: 3 lines cannot be used: line 1: .*'card'; line 5: a JSON object with a question",
    ):
        load_judged_faq(asked, place)


HANDBOOK = "# Handbook\n\n## Opening hours\n\nWe open at nine.\n\n## Fees\n\nTen cents a day.\n"


def test_a_document_is_no_faq(tmp_path: Path) -> None:
    """What `anselm ask` reads by its sentences; answers with ids are one, without any question."""
    asked, faq = write(tmp_path, "question,right\nwhen?,Opening hours\n")
    for name, text in (("a.md", HANDBOOK), ("a.txt", "We open at nine.\nTen cents a day.\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(
            InputError, match=rf"{name}: is a document or a list, in which no questions are asked; a FAQ"
        ):
            load_judged_faq(asked, tmp_path / name)
    (tmp_path / "a.md").write_text(HANDBOOK.replace("Opening hours", "When do you open?").replace("Fees", "Fees?"))
    asked.write_text("question,right\nwhen?,when do you open\n")
    assert load_judged_faq(asked, tmp_path / "a.md")[0].labels == (1, 0)
    faq.write_text("id,answer\nopen,At nine.\nfee,Ten cents.\n")
    asked.write_text("question,right\nwhen?,open\nwhat?,Ten cents.\n")
    assert [one.labels for one in load_judged_faq(asked, faq)] == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("asked", "faq", "problem"),
    [
        ("question,right\nx,nobody\n", FAQ, r"asked\.csv, line 2: .*faq\.csv has no entry .* 'nobody'"),
        (
            "question,id\nx,late\n",
            FAQ,
            r"line 1: no column of right entries; there is 'question', 'id' \(say --columns right=NAME\)",
        ),
        ("question,right,right\nx,late,late\n", FAQ, "two columns are named 'right'"),
        ("question,right\nlate fee\n", FAQ, "line 2: 1 cells where the header has 2"),
        ("question,right\nwell, then,late\n", FAQ, "line 2: 3 cells where the header has 2"),
        ("", FAQ, "no column of questions; there is none"),
        ("question,right\n ,late\n", FAQ, "line 2: the question is empty"),
        ("question,right\n", FAQ, "has no questions under the protocol 'raw'"),
        ("question,right\nx,a\n", "id,question,answer\na,Q?,A.\na,R?,B.\n", "the id 'a' was used on line 2"),
        ("question,right\nx,a\n", "One line.\nAnother.\n", "no column of answers"),
        ("question,right\nx,a\n", "answer\nOne.\nTwo.\n", "have neither questions nor ids to be named by"),
    ],
)
def test_what_cannot_be_is_said(asked: str, faq: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        load_judged_faq(*write(tmp_path, asked, faq))
    with pytest.raises(InputError, match="unknown protocol"):
        load_judged_faq(*write(tmp_path, "question,right\nx,late\n"), protocol="best")
    with pytest.raises(InputError, match="has no split 'dev'"):
        load_judged_faq(*write(tmp_path, "question,right\nx,late\n"), split="dev")


def test_a_page_that_tells_search_engines_its_questions_is_a_faq(tmp_path: Path) -> None:
    """Whatever its headings are."""
    answers = [{"@type": "Question", "name": name, "acceptedAnswer": {"text": name[::-1]}} for name in ("Who?", "Why?")]
    told = json.dumps({"@type": "FAQPage", "mainEntity": answers})
    page = f'<html><script type="application/ld+json">{told}</script><h1>Us</h1><p>Welcome.</p></html>'
    asked, _ = write(tmp_path, "question,right\nwho are you,who\n")
    (tmp_path / "a.html").write_text(page)
    assert load_judged_faq(asked, tmp_path / "a.html")[0].labels == (1, 0)


def test_a_word_document_is_no_faq(tmp_path: Path) -> None:
    text = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>'
        f"<w:p><w:r><w:t>{body}</w:t></w:r></w:p>"
        for title, body in (("Opening hours", "We open at nine."), ("Fees", "Ten cents a day."))
    )
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    document = f"<w:document {space}><w:body>{text}</w:body></w:document>"
    (tmp_path / "handbook.docx").write_bytes(packed({"word/document.xml": document}))
    asked, _ = write(tmp_path, "question,right\nwhen?,Opening hours\n")
    with pytest.raises(InputError, match=r"handbook\.docx: is a document or a list, in which no questions are asked"):
        load_judged_faq(asked, tmp_path / "handbook.docx")
