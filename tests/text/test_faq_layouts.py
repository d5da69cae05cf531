"""The same FAQ in the markup that people write it in."""

from __future__ import annotations

import json

import pytest

from anselm.text.documents import document_from_text, entries_of, sentences
from anselm.text.html import html_pieces
from anselm.text.questions import blocks_of, lines_of, question_blocks

FAQ = {
    "Can I bring my dog?": "Dogs are welcome on a lead. They may not enter the kitchen.",
    "What does a night cost?": "A bed costs 31 euros. Children pay half.",
    "When must I check out?": "By ten in the morning.",
    "Is there parking?": "Behind the house.",
}
LINKED = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "WebPage"},
        {
            "@type": ["FAQPage"],
            "mainEntity": [
                {
                    "@type": "Question",
                    "name": question,
                    "acceptedAnswer": {"@type": "Answer", "text": f"<p>{answer}</p>"},
                }
                for question, answer in FAQ.items()
            ],
        },
    ],
}
INTRO = "The hostel stands at the lake. It has forty beds."
LAYOUTS = {
    "markdown table": (
        "markdown",
        f"# Hostel\n\n{INTRO}\n\n| Question | Answer | Since |\n|:--|---|--:|\n"
        + "".join(f"| {question} | {answer} | 2020 |\n" for question, answer in FAQ.items()),
    ),
    "markdown list": ("markdown", "".join(f"- **{question}** {answer}\n" for question, answer in FAQ.items())),
    "markdown run in": ("markdown", "".join(f"**{question}** {answer}\n\n" for question, answer in FAQ.items())),
    "markdown lines": ("markdown", "".join(f"{question}\n\n{answer}\n\n" for question, answer in FAQ.items())),
    "html table": (
        "html",
        f"<h1>Hostel</h1><p>{INTRO}</p><table><thead><tr><th>Question<th>Answer</tr></thead>"
        + "".join(f"<tr><td>{question}</td><td><p>{answer}</p></td></tr>" for question, answer in FAQ.items())
        + "</table>",
    ),
    "html divisions": (
        "html",
        "".join(f"<div class=q>{question}</div><div class=a>{answer}</div>" for question, answer in FAQ.items()),
    ),
    "html bold": ("html", "".join(f"<p><b>{question}</b></p><p>{answer}</p>" for question, answer in FAQ.items())),
    "linked": (
        "html",
        f'<title>x</title><p>{INTRO}</p><script type="application/ld+json">{json.dumps(LINKED)}</script>',
    ),
    "linked json": ("json", json.dumps(LINKED, indent=1)),
    "lines": ("text", "".join(f"{question}\n{answer}\n\n" for question, answer in FAQ.items())),
    "spaced lines": ("text", "".join(f"{question}\r\n\r\n{answer}\r\n\r\n" for question, answer in FAQ.items())),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_are_found_in_every_layout(layout: str) -> None:
    kind, text = LAYOUTS[layout]
    entries = [one for one in entries_of(document_from_text(text, "faq", kind)) if one.question in FAQ]
    assert {one.question: " ".join(one.answer.split()) for one in entries} == FAQ
    for one in entries:
        assert FAQ[one.question] in " ".join(text[one.start : one.end].split())
        assert one.question in "\n".join(text.split("\n")[one.line - 1 :])


def test_other_columns_and_the_text_around_a_table_are_kept() -> None:
    kind, text = LAYOUTS["markdown table"]
    first, second, *_ = entries_of(document_from_text(text, "faq", kind))
    assert (first.question, first.answer, first.line) == ("Hostel", INTRO, 1)
    assert second.meta == {"section": "Hostel", "Since": "2020"}
    assert second.line == 7


def test_bars_in_code_and_escaped_ones_do_not_part_cells_and_a_fence_holds_no_table() -> None:
    table = "Question | Answer\n--- | ---\nHow do I pipe? | Write `a | b` or a \\| b.\nWhy?! | So.\n"
    entries = entries_of(document_from_text(table, "faq", "markdown"))
    assert [(one.question, one.answer) for one in entries] == [
        ("How do I pipe?", "Write a | b or a | b."),
        ("Why?!", "So."),
    ]
    assert entries_of(document_from_text(f"```\n{table}```\n", "faq", "markdown")) == []


def test_a_table_in_a_table_and_one_without_such_columns_are_text() -> None:
    inner = "<table><tr><th>Question<th>Answer<tr><td>In?<td>No.</table>"
    page = f"<table><tr><td>{inner}</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    assert entries_of(document_from_text(page, "page", "html")) == []
    assert (
        entries_of(document_from_text("| Day | Hours |\n|---|---|\n| Monday | 9 |\n| Sunday | - |", "p", "markdown"))
        == []
    )


def test_a_table_of_titles_and_one_in_two_languages_are_text() -> None:
    rows = "".join(f"| Option {one} | It sets {one}. |\n" for one in "abc")
    titles = document_from_text(f"| Title | Description |\n|---|---|\n{rows}", "p", "markdown")
    assert entries_of(titles) == []
    assert [one.text for one in sentences(titles)][1:] == [f"Option {one}, It sets {one}." for one in "abc"]
    rows = "| How old? | Wie alt? | Ten. |\n| How far? | Wie weit? | Near. |\n"
    both = document_from_text(f"| Question EN | Question DE | Answer |\n|-|-|-|\n{rows}", "p", "markdown")
    assert entries_of(both) == []


def test_a_small_table_of_questions_in_a_long_page_leaves_it_a_page() -> None:
    table = "| Question | Answer |\n|---|---|\n| How old? | Ten. |\n| How far? | Near. |\n"
    prose = "".join(f"Paragraph {number} says something, and says it at length.\n\n" for number in range(9))
    assert len(entries_of(document_from_text(table, "p", "markdown"))) == 2
    page = document_from_text(prose + table, "p", "markdown")
    assert entries_of(page) == []
    assert "How old?, Ten." in [one.text for one in sentences(page)]


def test_a_page_of_prose_with_questions_in_it_stays_prose() -> None:
    prose = "".join(f"<p>Block {number} says something. And more of it.</p>" for number in range(9))
    page = prose + "<p>Why does this matter?</p><p>Since.</p><p>Who knew of it?</p><p>Few.</p>"
    document = document_from_text(page, "page", "html")
    assert entries_of(document) == []
    assert "Why does this matter?" in [one.text for one in sentences(document)]


def test_questions_end_where_the_heading_ends_that_they_stand_below() -> None:
    inside = "".join(f"<p>Is it {one}?</p><p>Yes, {one}.</p>" for one in ("old", "new", "blue"))
    page = f"<details><summary>More</summary>{inside}</details><p>Write to us.</p>"
    found = [(one.question, one.answer) for one in entries_of(document_from_text(page, "page", "html"))]
    assert found[1:3] == [("Is it new?", "Yes, new."), ("Is it blue?", "Yes, blue.")]
    assert found[3:] in ([("", "Write to us.")], [])


def test_questions_need_text_behind_them() -> None:
    source = "".join(f"<li>Is it {one} or not?</li>" for one in "abcd")
    blocks = list(blocks_of(source, list(html_pieces(source))))
    assert question_blocks(blocks) == []
    assert [one.text for one in question_blocks([*blocks[2:], blocks[0]._replace(text="Yes.")] * 3)] == [
        "Is it d or not?"
    ] * 3
    several = "Really?? Is that so?\n\nYes.\n\n"
    assert question_blocks(list(lines_of(several * 3))) == []  # where none is one question


def test_a_question_in_a_paragraph_is_one_with_what_follows_it() -> None:
    text = "Is it open on Sundays? No. Call us.\n\nLost? Stolen? We help.\n\nAny questions?\n\nThe end."
    found = sentences(document_from_text(text, "page"))
    assert [one.text for one in found] == [
        "Is it open on Sundays? No.", "Call us.", "Lost? Stolen? We help.", "Any questions?", "The end.",
    ]  # fmt: skip
    assert all(text[one.start : one.end] == one.text for one in found)


LD = '<script type="application/ld+json">%s</script>'


def linked(*pairs: tuple[str, object]) -> str:
    entities = [{"name": question, "acceptedAnswer": answer} for question, answer in pairs]
    return json.dumps({"@type": "FAQPage", "mainEntity": entities})


def test_what_a_page_says_to_readers_is_not_given_up_for_what_it_tells_search_engines() -> None:
    article = "<h2>Costs</h2><p>A night costs 31 euros. Children pay half. Dogs are free of charge in every room.</p>"
    page = document_from_text(article + LD % linked(("Is it cheap?", {"text": "No."})), "page", "html")
    assert entries_of(page) == []
    assert len(sentences(page)) == 3
    commented = document_from_text(
        "<!--" + LD % linked(*[(q, {"text": a}) for q, a in FAQ.items()]) + "-->", "p", "html"
    )
    assert entries_of(commented) == []


def test_places_in_json_ld_whatever_is_escaped_and_however_often_it_is_said() -> None:
    source = linked(("Is it caf\u00e9?", {"text": "It's so."}), ("Is it far?", "Yes."), ("Is it near?", ["Yes."]))
    source = source.replace("'", "\\u0027").replace("\\u00e9", "\\u00E9").replace("}, {", "},\n{")
    found = entries_of(document_from_text(source, "faq", "json"))
    assert [(one.question, one.answer, one.line) for one in found] == [
        ("Is it caf\u00e9?", "It's so.", 1), ("Is it far?", "Yes.", 2), ("Is it near?", "Yes.", 3),
    ]  # fmt: skip
    assert [source[one.start : one.end] for one in found] == ["It\\u0027s so.", "Yes.", "Yes."]
    assert found[1].start < found[2].start


def test_json_that_is_no_faq_page_says_nothing_of_one() -> None:
    for content in (
        '{"@type": "FAQPage", "mainEntity": 3}',
        '{"@type": ["FAQPage"',
        '[{"@type": 5, "text": "FAQPage"}]',
    ):
        page = f'<p>Text.</p><script type="application/ld+json">{content}</script>'
        assert entries_of(document_from_text(page, "page", "html")) == []


@pytest.mark.parametrize(
    ("header", "question", "answer"),
    [
        ("Question (EN);Final answer;Answer count", "Why?", "So."),
        ("question,accepted answer,answer", "Why?", "3"),  # what is named exactly goes first
        ("Topic\tResolution\tid", "Why?", "So."),
    ],
)
def test_columns_are_known_with_usual_words_beside_them(header: str, question: str, answer: str) -> None:
    separator = next(mark for mark in ";,\t" if mark in header)
    text = f"{header}\n" + separator.join(["Why?", "So.", "3"]) + "\n"
    [entry] = entries_of(document_from_text(text, "faq", "csv"))
    assert (entry.question, entry.answer) == (question, answer)


def test_a_title_above_a_table_is_passed_over_where_columns_are_named_below_it() -> None:
    text = "Our FAQ,,\nQuestion,Answer,Since\nWhy?,So.,2020\n"
    [entry] = entries_of(document_from_text(text, "faq", "csv"))
    assert (entry.question, entry.answer, entry.line, entry.meta) == ("Why?", "So.", 3, {"Since": "2020"})
    text = "Our FAQ,\nAsked,Told\nWhy?,So.\n"
    [entry] = entries_of(document_from_text(text, "faq", "csv"), {"question": "Asked", "answer": "Told"})
    assert (entry.question, entry.answer) == ("Why?", "So.")


def test_a_row_below_a_header_of_one_name_is_not_taken_for_the_header() -> None:
    text = "Reply,,\nSo.,,\nOr so.,,\n"
    entries = entries_of(document_from_text(text, "faq", "csv"))
    assert [one.answer for one in entries] == ["So.", "Or so."]
    entries = entries_of(document_from_text(text.replace("Reply", "Said"), "faq", "csv"), {"answer": "Said"})
    assert [one.answer for one in entries] == ["So.", "Or so."]


MORE = {**FAQ, "My key is gone. What now?": "Ring the bell at night.", "Lost property": "Ask at the desk."}
TITLED_LAYOUTS = {
    "marks in text": ("text", "".join(f"Q: {question}\nA: {answer}\n\n" for question, answer in MORE.items())),
    "classes": (
        "html",
        "".join(f'<div class="q">{question}</div>\n<div class="a">{answer}</div>' for question, answer in MORE.items()),
    ),
    "bold paragraphs": (
        "html",
        "".join(f"<p><b>{question}</b></p><p><b>Yes</b>: {answer}</p>" for question, answer in MORE.items()),
    ),
    "bold lines": ("markdown", "".join(f"**{question}**\n\n{answer}\n\n" for question, answer in MORE.items())),
}


@pytest.mark.parametrize("layout", TITLED_LAYOUTS)
def test_long_questions_and_titles_are_found_among_questions(layout: str) -> None:
    kind, text = TITLED_LAYOUTS[layout]
    entries = entries_of(document_from_text(text, "faq", kind))
    assert {one.question: one.answer.removeprefix("Yes: ") for one in entries} == MORE


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("start", ["", "{}. ", "- "])
def test_lines_that_ask_are_questions_also_with_numbers_and_without_blank_lines(gap: str, start: str) -> None:
    several = dict(list(MORE.items())[:-1]) if gap == "\n\n" else FAQ
    lines = [
        start.format(number) + f"{question}\n{answer}" for number, (question, answer) in enumerate(several.items(), 1)
    ]
    entries = entries_of(document_from_text(gap.join(lines), "faq"))
    assert {one.question: one.answer for one in entries} == several


def test_a_question_at_the_end_of_a_wrapped_line_is_no_heading() -> None:
    wrapped = "We asked what it would cost, and who\nwould pay for it in the end?\nNobody knew. " * 6
    assert entries_of(document_from_text(wrapped, "notes")) == []


@pytest.mark.parametrize("head", ["", "<tr><td></td><td></td></tr>"])
def test_a_table_of_two_columns_needs_no_names(head: str) -> None:
    rows = "".join(f"<tr><td>{question}</td><td>{answer}</td></tr>" for question, answer in MORE.items())
    entries = entries_of(document_from_text(f"<table>{head}{rows}</table>", "faq", "html"))
    assert {one.question: one.answer for one in entries} == MORE
    asked_back = rows.replace("Ask at the desk.", "Did you ask at the desk?")
    assert entries_of(document_from_text(f"<table>{head}{asked_back}</table>", "faq", "html")) == []


def test_a_manual_that_says_how_it_works_at_length_is_no_faq() -> None:
    def page(words: int, mark: str = "") -> str:
        answer = "It turns. " * (words // 2)
        return "".join(f"## How the {name} works{mark}\n\n{answer}\n\n" for name in ("pump", "valve", "drum"))

    assert len(entries_of(document_from_text(page(40), "page", "markdown"))) == 3
    assert entries_of(document_from_text(page(400), "page", "markdown")) == []
    assert len(entries_of(document_from_text(page(400, "?"), "page", "markdown"))) == 3


def test_headings_in_cells_are_said_once_and_tables_in_cells_cut_nothing() -> None:
    rows = "<tr><td><h3>Can I park?</h3></td><td>First <table><tr><td>x</td></tr></table> then.</td></tr>"
    page = f"<table><tr><th>Question<th>Answer</tr>{rows}<tr><td><b>Is it far?</b></td><td>No.</td></tr>"
    for end in ("</table>", ""):  # a browser closes it, too
        found = [
            (one.question, " ".join(one.answer.split()))
            for one in entries_of(document_from_text(page + end, "p", "html"))
        ]
        assert found == [("Can I park?", "First x then."), ("Is it far?", "No.")]
    table = "Question | Answer\n--- | ---\n**Can I park?** | Yes.\n**Is it far?** | No.\n"
    assert len(entries_of(document_from_text(table, "p", "markdown"))) == 2


def test_a_cell_over_several_rows_stands_in_each() -> None:
    rows = (
        "<tr><td rowspan=2>Pets</td><td>Are dogs allowed?</td><td>Yes.</td></tr><tr><td>Are cats?</td><td>No.</td></tr>"
    )
    page = f"<table><tr><th>Topics<th>Question<th>Answer</tr>{rows}</table>"
    found = entries_of(document_from_text(page, "p", "html"))
    assert [(one.question, one.answer, one.meta) for one in found] == [
        ("Are dogs allowed?", "Yes.", {"Topics": "Pets"}), ("Are cats?", "No.", {"Topics": "Pets"}),
    ]  # fmt: skip


def test_text_above_marks_is_kept_and_a_few_marks_in_a_long_text_are_text() -> None:
    marks = "Q: Can I park?\nA: Yes.\n\nQ: Are dogs allowed?\nA: No.\n"
    above = "The hostel stands at the lake and has forty beds in all.\n\n"
    assert entries_of(document_from_text(above + marks, "p"))[0].answer == above.strip()
    long = above * 20 + marks
    assert entries_of(document_from_text(long, "p")) == []
    assert len(sentences(document_from_text(long, "p"))) > 20


def test_titles_that_only_begin_like_questions_ask_nothing() -> None:
    titles = ["Do not disturb", "Will Smith", "May", "Can opener", "Is-a relations"]
    page = "".join(f"## {title}\n\nA short text.\n\n" for title in titles)
    assert entries_of(document_from_text(page, "p", "markdown")) == []
    asked = "".join(f"## {title}\n\nA short text.\n\n" for title in ["Can I pay", "Is there a lift", "How to leave"])
    assert len(entries_of(document_from_text(asked, "p", "markdown"))) == 3


def test_a_question_that_nobody_has_answered_does_not_refuse_its_page() -> None:
    page = document_from_text("## Is it old?\n\nYes.\n\n## Is it far?\n\nNo.\n\n## Is it near?\n", "p", "markdown")
    assert [one.question for one in entries_of(page)] == ["Is it old?", "Is it far?"]
    table = "Question | Answer\n--- | ---\nIs it old? | Yes.\nIs it far? |\nIs it new? | No.\n"
    assert len(entries_of(document_from_text(table, "p", "markdown"))) == 2
