"""Candidates as people have them: tables, JSON, pages and lines; ids that were given and no others; bad rows named."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anselm.data.formats.faqs import read_entries
from anselm.data.question import Candidate
from anselm.errors import FormatError, InputError

WHERE, WHEN = Candidate("", "Here.", question="Where?"), Candidate("", "Now.", question="When?")


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, name: str, content: str | bytes, **options: Any) -> list[Candidate]:
    return read_entries(write(folder, name, content), **options)


def test_plain_lines_are_candidates_and_empty_ones_between_keep_their_place(tmp_path: Path) -> None:
    found = read(tmp_path, "a.txt", 'Ann\r\n\n"Bob"\n \n\n')
    assert found == [Candidate("", "Ann"), Candidate("", ""), Candidate("", '"Bob"')]


def test_candidates_that_ask_are_candidates_and_paragraphs_below_questions_are_entries(tmp_path: Path) -> None:
    replies = [
        "Did you restart it?",
        "The cable is loose.",
        "Which one is it?",
        "Update it.",
        "Is it old?",
        "Reset it.",
    ]
    for gap in ("\n", "\n\n"):
        (tmp_path / "replies.txt").write_text(gap.join(replies))
        assert [one.text for one in read_entries(tmp_path / "replies.txt") if one.text] == replies
    (tmp_path / "faq.txt").write_text("Is it old?\nYes.\nTen years.\n\nIs it far?\nNo.\n\nIs it big?\nNo.\n")
    entries = [(one.question, one.text) for one in read_entries(tmp_path / "faq.txt")]
    assert entries == [("Is it old?", "Yes.\nTen years."), ("Is it far?", "No."), ("Is it big?", "No.")]


@pytest.mark.parametrize(
    "lines",
    [
        ["# of seats: 40", "We open at nine.", "# of rooms: 5", "Parking is free."],
        ["No, the reply.", "Yes, we are open.", "Come in."],
        ["Key, answers", "Parking is free.", "We open at nine.", "Dogs are welcome."],
        ["{name}, your card is ready.", "Parking is free."],
        ['["draft"] We open at nine.', "Parking is free."],
        ["<p>Parking is free.</p>", "<p>We open at nine.</p>"],
        ["Q1: 12 units sold", "Q2: 15 units sold", "Vitamin A: an orange a day", "Parking is free"],
    ],
)
def test_lines_that_look_like_something_else_are_candidates(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "candidates.txt").write_text("\n".join(lines))
    assert [one.text for one in read_entries(tmp_path / "candidates.txt")] == lines


def test_json_ld_is_read_where_a_page_has_nothing_else(tmp_path: Path) -> None:
    faq = '{"@type": "FAQPage", "mainEntity": [{"name": "Is it open?", "acceptedAnswer": {"text": "Yes, daily."}}]}'
    (tmp_path / "a.html").write_text(f'<p>FAQ</p><script type="application/ld+json">{faq}</script>')
    assert [(one.question, one.text) for one in read_entries(tmp_path / "a.html")] == [("Is it open?", "Yes, daily.")]


def test_no_id_is_made_up(tmp_path: Path) -> None:
    lines = ('{"text": "Ann"}', '{"id": "b", "text": "Bob", "label": 1}', '{"id": "", "text": "Cy"}', '"Di"')
    found = read(tmp_path, "candidates", "\n".join((*lines, '{"id": 7, "text": "", "meta": {"x": 1}, "y": [2]}')))
    bob, ed = Candidate("b", "Bob", 1.0), Candidate("7", "", meta={"x": 1, "y": [2]})
    assert found == [Candidate("", "Ann"), bob, Candidate("", "Cy"), Candidate("", "Di"), ed]


TABLES = {
    "commas": ("a.csv", "question,answer\nWhere?,Here.\nWhen?,Now.\n"),
    "in any case and order": ("a.csv", "Answer,QUESTION \r\nHere.,Where?\r\n,\r\nNow.,When?\r\n"),
    "as European Excel writes it": ("a.csv", "\ufeffFrage;Antwort\r\nWhere?;Here.\r\n;\r\nWhen?;Now.\r\n"),
    "with a first line that tells the separator": ("a.csv", "sep=|\r\nq|a\r\nWhere?|Here.\r\nWhen?|Now."),
    "tabs": ("a.tsv", "prompt\tresponse\nWhere?\tHere.\nWhen?\tNow.\n"),
    "tabs in a file that is called otherwise": ("a.csv", "title\tcontent\nWhere?\tHere.\nWhen?\tNow.\n"),
    "a table without a suffix": ("faq", "question;answer\nWhere?;Here.\nWhen?;Now.\n"),
    "a table called a text": ("faq.txt", "question,answer\nWhere?,Here.\nWhen?,Now.\n"),
    "quoted": ("a.csv", '"question", "answer"\n"Where?", "Here."\n"When?",Now.\n'),
    "packed": ("a.csv.gz", gzip.compress(b"question,answer\nWhere?,Here.\nWhen?,Now.\n")),
    "UTF-16": ("a.csv", "question,answer\nWhere?,Here.\nWhen?,Now.\n".encode("utf-16")),
    "UTF-16 without a mark": ("a.csv", "question,answer\nWhere?,Here.\nWhen?,Now.\n".encode("utf-16-le")),
    "UTF-16 the other way round": ("a.csv", "question,answer\nWhere?,Here.\nWhen?,Now.\n".encode("utf-16-be")),
    "an array": ("a.json", '[{"q": "Where?", "a": "Here."},\n {"q": "When?", "a": "Now."}]'),
    "an array in an object": (
        "a.json",
        '{"v": 1, "faq": [{"q": "Where?", "a": "Here."}, {"q": "When?", "a": "Now."}]}',
    ),
    "questions and answers": ("a.json", '{"Where?": "Here.", "When?": "Now."}'),
    "an object on each line": ("a.jsonl", '{"q": "Where?", "a": "Here."}\r\n\r\n{"q": "When?", "a": "Now."}\r\n'),
    "the same, called JSON": ("a.json", '{"q": "Where?", "a": "Here."}\n{"q": "When?", "a": "Now."}\n'),
    "JSON without a suffix": ("faq", '[\n{"q": "Where?", "a": "Here."},\n {"q": "When?", "a": "Now."}]'),
    "headings": ("a.md", "# Where?\n\nHere.\n\n# When?\n\nNow.\n"),
    "headings in a file without a suffix": ("a", "# Where?\n\nHere.\n\n# When?\n\nNow.\n"),
    "bold questions": ("a.md", "**Where?**\n\nHere.\n\n1. **When**?\n   Now.\n"),
    "marks": ("a.md", "**Q:** Where?\n\n**A:** Here.\n\n**Q: When?** **A:** Now.\n"),
    "marks in a text": ("a.txt", "Q: Where?\nA: Here.\n\nQ2. When?\nA. Now.\n"),
    "details": (
        "a.html",
        "<details><summary>Where?</summary><p>Here.</details><details><summary>When?</summary>Now.</details>",
    ),
    "a list of definitions": ("faq", "<!doctype html>\n<dl><dt>Where?<dd>Here.<dt>When?</dt><dd>Now.</dd></dl><p>Bye"),
    "marks in HTML": ("a.html", "<p><b>Q:</b> Where?</p>\n<p><b>A:</b> Here.</p>\n<p>Q: When?</p>\n<p>A: Now.</p>"),
}


@pytest.mark.parametrize(("name", "content"), TABLES.values(), ids=TABLES)
def test_a_faq_is_read_as_it_is(name: str, content: str | bytes, tmp_path: Path) -> None:
    assert read(tmp_path, name, content) == [WHERE, WHEN]


def test_standard_input_is_told_by_its_content(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"question;answer\r\nWhere?;Here.\r\nWhen?;Now.\r\n", b'{"Where?": "Here.",\n"When?": "Now."}'):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_entries(Path("-")) == [WHERE, WHEN]


def test_other_columns_come_back_as_they_were(tmp_path: Path) -> None:
    found = read(tmp_path, "a.csv", 'Nr,question,answer,note,note,\n 7 ,"a ""b""?"," c,\nd ", x,y,z\n8,e?,f\n')
    first, second = found
    assert first == Candidate("7", " c,\nd ", None, {"note": " x", "note (5)": "y", "(6)": "z"}, 'a "b"?')
    assert second == Candidate("8", "f", None, {"note": "", "note (5)": "", "(6)": ""}, "e?")
    [third] = read(tmp_path, "a.json", '[{"key": 3, "text": "x", "tags": ["a"], "n": null}]')
    assert third == Candidate("3", "x", None, {"tags": ["a"], "n": None})


def test_the_id_of_a_customer_is_no_id_of_an_entry(tmp_path: Path) -> None:
    for name in ("Customer ID", "User_ID", "Agent No"):
        found = read(tmp_path, "a.csv", f"{name},Question,Final answer\n7,Where?,Here.\n7,When?,Now.\n")
        assert [(one.id, one.text, one.meta) for one in found] == [
            ("", "Here.", {name: "7"}),
            ("", "Now.", {name: "7"}),
        ]
    [found] = read(tmp_path, "a.csv", "Customer ID,Entry ID,Answer\n7,8,Here.\n")
    assert found.id == "8"


def test_many_columns_are_named_in_linear_time(tmp_path: Path) -> None:
    """Where each name is looked up in a list, these take half a minute."""
    names = [f"c{number}" for number in range(40_000)]
    content = f"answer,first,{','.join(names)},c7,c7\nSo.,x{',y' * 40_000},a,b\n"
    began = process_time()
    [found] = read(tmp_path, "a.csv", content)
    assert process_time() - began < 4
    assert (len(found.meta), found.meta["c7 (40003)"], found.meta["c7 (40004)"]) == (40_003, "a", "b")


def test_no_field_is_lost_where_a_name_looks_like_one_that_is_made(tmp_path: Path) -> None:
    [found] = read(tmp_path, "a.csv", "answer,note,note (4),note\nSo.,a,b,c\n")
    assert found.meta == {"note": "a", "note (4)": "b", "note (4) (4)": "c"}


def test_words_in_a_column_of_labels_are_a_field_of_a_faq(tmp_path: Path) -> None:
    content = "question,answer,label,meta\nWhere?,Here.,urgent,old\nWhen?,Now.,1,\nWho?,Me.,,\n"
    found = read(tmp_path, "a.csv", content)
    assert [(one.label, one.meta) for one in found] == [
        (None, {"label": "urgent", "meta": "old"}),
        (1.0, {}),
        (None, {}),
    ]
    for field, problem in (("label", "the label of the candidate must be a number"), ("meta", '"meta" must be an obj')):
        with pytest.raises(FormatError, match=f"^.*a.csv, line 2: {problem}"):
            read(tmp_path, "a.csv", f"answer,{field}\nHere.,urgent\n")


def test_quotation_marks_in_tsv_are_text_unless_they_hold_a_field(tmp_path: Path) -> None:
    rows = 'a\tq\n"Ann\tWho?\nBob"\tWhy?\n"Cy" said\tWhen?\n"two\n""lines"""\tWhere?\n'
    assert [entry.text for entry in read(tmp_path, "a.tsv", rows)] == ['"Ann', 'Bob"', '"Cy" said', 'two\n"lines"']


def test_one_column_is_a_list_of_candidates(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", 'Text\nHere, there\n"Now, ""then"""\n') == [
        Candidate("", "Here, there"),
        Candidate("", 'Now, "then"'),
    ]


def test_the_question_wins_over_the_title(tmp_path: Path) -> None:
    [found] = read(tmp_path, "a.csv", "title,text,answer,question\nt,x,a,q\n")
    assert found == Candidate("", "a", None, {"title": "t", "text": "x"}, "q")


def test_columns_may_be_named(tmp_path: Path) -> None:
    content = "Anliegen,Auskunft,text\nWhere?,Here.,x\n"
    [found] = read(tmp_path, "a.csv", content, columns={"question": "anliegen", "answer": "Auskunft"})
    assert found == Candidate("", "Here.", None, {"text": "x"}, "Where?")
    assert read(tmp_path, "a.csv", "Where?,Here.\nWhen?,Now.\n", columns={"question": "1", "answer": "2"}) == [
        WHERE,
        WHEN,
    ]


@given(
    rows=st.lists(st.tuples(*[st.text(st.sampled_from('a",;\n\t |é'))] * 2), min_size=1),
    separator=st.sampled_from(",;|"),
)
def test_what_the_csv_module_writes_is_read_back(
    rows: list[tuple[str, str]], separator: str, tmp_path_factory: Any
) -> None:
    rows = [(question, f"x{answer}") for question, answer in rows]
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([("question", "answer"), *rows])
    found = read(tmp_path_factory.mktemp("rows"), "a.csv", file.getvalue())
    assert [(entry.question, entry.text) for entry in found] == [(one.strip(), two) for one, two in rows]


BAD = {
    "an empty file": ("a.csv", "", "there are no candidates"),
    "a header alone": ("a.csv", "question,answer\n", "there are no candidates"),
    "no header": ("a.csv", "Where?,Here.\nWhen?,Now.\n", "must name the columns.*there is 'Where\\?', 'Here\\.'"),
    "one column without a header": ("a.csv", "Here.\nNow.\n", "no column of answers; there is 'Here.'"),
    "no answers": ("a.json", '[{"q": "x", "z": "y"}]', "no column of answers; there is 'q', 'z' .say --col"),
    "lists": ("a.jsonl", '{"question": "x", "candidates": ["y"]}', "lists with candidates are for --input"),
    "two columns of answers": ("a.csv", "answer,Answer\nx,y\n", "two columns are named 'answer'"),
    "too many columns": ("a.csv", "q,a\nx,y\nx,y,z\n", "a.csv, line 3: 3 columns where the header has 2"),
    "an open quotation": ("a.csv", 'q,a\nx,"y\nz,w\n', "line 2: a quotation mark is not closed"),
    "text after a quotation": ("a.csv", 'q,a\nx,"y" z\n', "line 2: a quotation mark is not closed, or text follows"),
    "no answer": ("a.csv", "q,a\nx,y\nx, \n", "line 3: there is no answer in the column 'a'"),
    "neither": ("a.csv", "id,q,a\n1,,\n", "line 2: there is no answer"),
    "an id twice": ("a.csv", 'id,a\n1,"x\ny"\n1,z\n', "line 4: the id '1' was used on line 2 already"),
    "an id that is none": ("a.json", '[{"id": 1.5, "a": "x"}]', "an id must be a string or a whole number, not 1.5"),
    "an answer that is no text": ("a.json", '[{"a": 7}]', "line 1: the answer must be a text, not 7"),
    "a broken line": ("a.jsonl", '{"a": "x"}\n{"a"\n', "line 2: not valid JSON: Expecting ':'"),
    "half a character": ("a.jsonl", r'{"a": "x \ud800"}', "line 1: not valid JSON: .*half a character"),
    "broken JSON": ("a.json", '[{"a": "x"},\n{"a" "y"}]', "a.json, line 2: not whole JSON: Expecting ':'"),
    "a number": ("a.json", "7", "an array of objects, an object with one in it, or"),
    "two arrays": ("a.json", '{"x": [{"a": "b"}], "y": [{"a": "b"}]}', "there is an array in each of \\['x', 'y'\\]"),
    "other JSON": ("a.json", '{"x": {"y": 1}}', "questions and answers is needed; there is x"),
    "a page without headings": ("a.md", "Some text.\n", '"Q:" and "A:", are needed'),
    "a question without an answer": ("a.md", "Q: Who?\nA: Me.\n\nQ: What?\n", "line 4: there is no answer to 'What"),
    "Windows-1252": ("a.csv", "q,a\nx,caf\xe9\n".encode("cp1252"), "line 2: not valid UTF-8 .byte 6.* be 'é'; save"),
    "binary": ("a.csv", b"PK\3\4\0\0\0", "is binary, not a text"),
    "half a UTF-16 character": ("a.csv", "q,a\n".encode("utf-16") + b"x", "not valid UTF-16-LE"),
    "a label that is none": ("a.csv", "a,label\nx,good\n", "line 2: the label of the candidate must be a number"),
    "meta that is none": ("a.jsonl", '{"a": "x", "meta": 3}', 'line 1: "meta" must be an object'),
    "a column that is not there": ("a.csv", "q,a\nx,y\n", "no column is named 'Z'; there is 'q', 'a'"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "problem"), BAD.values(), ids=BAD)
def test_bad_files_and_rows_are_named(name: str, content: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, name, content, columns={"answer": "Z"} if "'Z'" in problem else None)


def test_what_cannot_be_read_is_passed_over_and_told(tmp_path: Path) -> None:
    told: list[FormatError] = []
    rows = 'id,q,a\n1,x,y\n2,x,"y\n\n,,\n,no answer,\n3,kept,\n1,again,z\n4,x,y,too many\n5,last,"one"\n'
    found = read(tmp_path, "a.csv", rows, skip=told.append)
    assert [candidate.id for candidate in found] == ["1", "3", "5"]
    assert [str(error).partition(", ")[2].partition(":")[0] for error in told] == [
        "line 3",
        "line 9",
        "line 6",
        "line 8",
    ]
    told.clear()
    assert len(read(tmp_path, "a.jsonl", '{"a": "x"}\nbroken\n[1]\n{"a": "y"}\n', skip=told.append)) == 2
    assert len(told) == 2


def test_where_nothing_remains_the_reason_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2: there is no answer"):
        read(tmp_path, "a.csv", "q,a\nx,\n", skip=lambda error: None)


def test_columns_are_for_tables_and_files_for_reading(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no columns to name"):
        read(tmp_path, "a.txt", "x\n", columns={"answer": "a"})
    with pytest.raises(InputError, match=r"^https://a\.b/c\.csv is an address.*download it first"):
        read_entries(Path("https://a.b/c.csv"))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records=st.lists(st.dictionaries(st.sampled_from("xyz"), st.integers() | st.text()), min_size=1))
def test_json_and_jsonl_hold_the_same(records: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("json")
    records = [record | {"answer": f"a{number}"} for number, record in enumerate(records)]
    as_array = read(folder, "a.json", json.dumps({"n": 1, "faq": records}, indent=1))
    as_lines = read(folder, "a.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    assert as_array == as_lines
    assert [entry.meta | {"answer": entry.text} for entry in as_array] == records
