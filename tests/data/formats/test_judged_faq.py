"""Questions beside a FAQ, and which entry answers each."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.data.datasets import load_judged_faq
from anselm.data.question import ENTRIES
from anselm.errors import InputError

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


@pytest.mark.parametrize(
    ("asked", "faq", "problem"),
    [
        ("question,right\nx,nobody\n", FAQ, r"asked\.csv, line 2: .*faq\.csv has no entry .* 'nobody'"),
        (
            "question,id\nx,late\n",
            FAQ,
            "line 1: the columns question and right .*there is question, id",
        ),
        ("question,right,right\nx,late,late\n", FAQ, "once each"),
        ("question,right\nlate fee\n", FAQ, "line 2: 1 cells where the header has 2"),
        ("question,right\nwell, then,late\n", FAQ, "line 2: 3 cells where the header has 2"),
        ("", FAQ, "there is nothing"),
        ("question,right\n ,late\n", FAQ, "line 2: the question is empty"),
        ("question,right\n", FAQ, "has no questions under the protocol 'raw'"),
        ("question,right\nx,a\n", "id,question,answer\na,Q?,A.\na,R?,B.\n", "the id 'a' was used on line 2"),
        ("question,right\nx,a\n", "One line.\nAnother.\n", "a FAQ with questions is needed|answer"),
    ],
)
def test_what_cannot_be_is_said(asked: str, faq: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        load_judged_faq(*write(tmp_path, asked, faq))
    with pytest.raises(InputError, match="unknown protocol"):
        load_judged_faq(*write(tmp_path, "question,right\nx,late\n"), protocol="best")
    with pytest.raises(InputError, match="has no split 'dev'"):
        load_judged_faq(*write(tmp_path, "question,right\nx,late\n"), split="dev")
