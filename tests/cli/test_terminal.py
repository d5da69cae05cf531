"""What people see: tables, bars, answers in their context."""

from __future__ import annotations

import re
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from anselm.cli import show as terminal
from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.evaluation.report import Report, evaluate
from anselm.ranking.answers import Answers, Passage, Ranking, Result, Span


def screen(width: int = 80, terminal: bool = False) -> Console:
    return Console(file=StringIO(), width=width, force_terminal=terminal or None, color_system=None)


def seen(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


STATISTICS = {
    "split": "train-part2-all", "protocol": "official", "questions": 17_900, "pairs": 1_790_000, "relevant": 6_651,
    "without_answer": 12_345, "words_per_question": 49.5, "words_per_answer": 102.3,
}  # fmt: skip


@pytest.mark.parametrize("width", [120, 80, 40])
def test_a_table_breaks_no_word(width: int) -> None:
    console = screen(width)
    terminal.show_table(console, [STATISTICS] * 2)
    found = {part.rstrip(":") for part in seen(console).split()}
    assert {"train-part2-all", "official", "17,900", "1,790,000", "6,651", "12,345", "49.5", "102.3"} <= found
    assert {"questions", "pairs", "relevant", "without", "answer", "words", "question"} <= found
    assert max(map(len, seen(console).splitlines())) <= width


def test_control_characters_are_not_shown() -> None:
    wild = "red \x1b[31m\x07 and \u202eback"
    best = Passage(0, f"The {wild} one.", 1.0, 0.9, None, f"file{wild}", 0, 1, 1, f"Before {wild}.", f"After {wild}.")
    for width, terminal_too in ((80, True), (300, True), (80, False)):
        console = screen(width, terminal_too)
        terminal.show_answers(console, Answers(f"Who {wild}?", "m", True, 0.5, (best,), 0.9))
        assert not set("\x1b\x07\u202e") & set(seen(console))
        assert "The red [31m and back one." in " ".join(seen(console).split()) or width == 80


@pytest.mark.parametrize(
    ("before", "here", "after", "expected"),
    [
        ("Guarantee", "It lasts.", "Keep it.", ["Guarantee", "It lasts. Keep it."]),
        ("It lasts.", "Cleaning", "Wipe it.", ["It lasts.", "Cleaning", "Wipe it."]),
        ('He said: "No."', "She left!", "", ['He said: "No." She left!']),
        ("", "It lasts.", "Cleaning", ["It lasts.", "Cleaning"]),
    ],
)
def test_a_heading_stands_on_its_own_line(before: str, here: str, after: str, expected: list[str]) -> None:
    console = screen(terminal=True)
    best = Passage(0, here, 1.0, 0.9, None, "a.md", 0, 1, 1, before, after)
    terminal.show_answers(console, Answers("Who?", "m", True, 0.5, (best,), 0.9))
    assert [line.strip("│ ") for line in seen(console).splitlines() if line.startswith("│")] == expected


def test_people_see_bars_and_pipes_get_lines() -> None:
    ranking = Ranking(
        "Who?", "m", True, 0.5, (Result(1, "Ann  is\there.", 1.0, 0.75), Result(0, "Bob.", 0.5, 0.04)), 0.9
    )
    console = screen(terminal=True)
    terminal.show_ranking(console, ranking)
    assert "An answer was found, with 90% certainty that there is one." in seen(console)
    assert "1   █████████     75%   Ann is here.  [1]" in seen(console)
    console = screen()
    terminal.show_ranking(console, ranking)
    assert seen(console).splitlines()[2:] == ["1\t75%\t[1]\tAnn is here.", "2\t4%\t[0]\tBob."]


FILL = "The street was paved long ago. "


@pytest.mark.parametrize("before", [0, 3, 40])
@pytest.mark.parametrize("after", [0, 3, 40])
def test_a_terminal_shows_a_long_text_around_its_best_sentence(before: int, after: int) -> None:
    said = "The shop opens at nine."
    text = FILL * before + said + " " + FILL * after
    start = text.index(said)
    result = Result(0, text, 1.0, 0.9, spans=(Span(start, start + len(said), 0.8),))
    console = screen(2000, terminal=True)
    terminal.show_ranking(console, Ranking("When?", "m", True, 0.5, (result,), 0.9))
    (line,) = [line for line in seen(console).splitlines() if "90%   " in line]
    shown = line.split("90%   ")[1].split("  [0]")[0]
    assert f"*{said}*" in shown
    assert len(shown) <= 280 + len("… …**") + 1
    assert shown.startswith("… ") == (before == 40)
    assert shown.endswith(" …") == (after == 40)
    whole = shown.replace("*", "").removeprefix("… ").removesuffix(" …")
    assert whole in text, "words stay whole"
    assert all(word in text.split() for word in whole.split())


def test_a_sentence_that_hardly_answers_is_not_marked_and_a_pipe_gets_all_of_a_text() -> None:
    text = FILL * 40
    result = Result(0, text, 1.0, 0.9, spans=(Span(0, len(FILL) - 1, 0.05),))
    console, pipe = screen(2000, terminal=True), screen()
    for one in (console, pipe):
        terminal.show_ranking(one, Ranking("When?", "m", True, 0.5, (result,), 0.9))
        assert "*" not in seen(one)
    assert text.strip() not in seen(console)
    assert text.strip() in seen(pipe)


def test_a_line_is_one_line_however_long_it_is() -> None:
    console = screen(40)
    results = (Result(0, "word " * 100, 1.0, 0.9, question="Why\nso?"),)
    terminal.show_ranking(console, Ranking("Who?", "m", True, 0.5, results, 0.9))
    assert seen(console).splitlines()[2:] == [f"1\t90%\t[0]\tWhy so? {'word ' * 99}word"]


@pytest.mark.parametrize("people", [True, False])
def test_where_there_is_no_answer_only_the_nearest_are_shown(people: bool) -> None:
    results = tuple(Result(i, f"text {i}", 1.0, 0.1) for i in range(5))
    for answerable, shown in ((False, 3), (True, 5), (None, 5)):
        console = screen(200, people)
        sure = None if answerable is None else 0.1
        terminal.show_ranking(console, Ranking("Who?", "m", answerable, 0.5, results, sure))
        assert seen(console).count("text ") == shown
        assert ("No answer found: the certainty that there is one is 10%." in seen(console)) is (answerable is False)


@pytest.mark.parametrize(
    ("sure", "said"), [(0.29, "No answer found"), (0.3, "Perhaps an answer"), (0.5, "There seems to be an answer")]
)
def test_a_refusal_that_may_well_be_wrong_is_a_doubt(sure: float, said: str) -> None:
    ranking = Ranking("Who?", "m", sure >= 0.5, 0.5, (Result(0, "Ann.", 1.0, 0.1),), sure)
    console = screen(200)
    terminal.show_ranking(console, ranking)
    assert seen(console).splitlines()[1].startswith(said)
    assert ranking.unsure is (said == "Perhaps an answer")


@pytest.mark.parametrize(
    ("alone", "said"),
    [
        (0.35, "There seems to be an answer, with 67% certainty; the first is right with 35%."),
        (0.5, "An answer was found, with 67% certainty that there is one."),
        (None, "An answer was found, with 67% certainty that there is one."),
    ],
)
def test_an_answer_that_is_there_and_candidates_that_are_each_unlikely_are_told_apart(
    alone: float | None, said: str
) -> None:
    console = screen(200)
    terminal.show_ranking(console, Ranking("Who?", "m", True, 0.5, (Result(0, "Ann.", 1.0, alone),), 0.67))
    assert seen(console).splitlines()[1] == said


@pytest.mark.parametrize(("second", "stands"), [(0.05, True), (0.15, True), (0.2, False), (0.3, False)])
def test_none_stands_out_where_the_second_is_near(second: float, stands: bool) -> None:
    console = screen(200)
    results = (Result(0, "Ann.", 1.0, 0.3), Result(1, "Bob.", 0.5, second))
    terminal.show_ranking(console, Ranking("Who?", "m", True, 0.5, results, 0.67))
    said = seen(console).splitlines()[1]
    assert said.endswith("; the first is right with 30%.") is stands
    assert said.endswith(f", but none stands out: the first has 30%, the second {second:.0%}.") is not stands


def test_without_probabilities_scores_are_shown() -> None:
    results = (Result(0, "Ann.", 1.239, None), Result(1, "Bob.", -0.5, None))
    console = screen()
    terminal.show_ranking(console, Ranking("Who?", "m", None, None, results))
    assert seen(console).splitlines() == ["Who?", "1\t1.24\t[0]\tAnn.", "2\t-0.50\t[1]\tBob."]
    console = screen(terminal=True)
    terminal.show_ranking(console, Ranking("Who?", "m", None, None, results))
    assert "score" in seen(console)
    assert "%" not in seen(console)


def test_an_ascii_terminal_gets_bars_of_ascii() -> None:
    assert terminal.rankings.bar(0.5, plain=True) == "######      "
    assert terminal.rankings.bar(0.5) == "██████      "


def test_of_copies_the_metrics_of_each_original_are_shown() -> None:
    values, ids = {"map": np.array([0.5, 1.0])}, ["a", "b"]
    report = Report("m", "d", "test", "worst-copy", "source", 2, 60, {"map": 0.75}, 6, ids=ids, values=values)
    console = screen()
    terminal.show_questions(console, report)
    assert [line.split() for line in seen(console).splitlines()[-2:]] == [["a", "0.5000"], ["b", "1.0000"]]


def test_questions_that_were_evaluated_are_cut_to_the_screen() -> None:
    """With a bracket and a control character in them, which neither are markup nor steer."""
    texts = ["The [red] one, " + "and so on " * 20, "Blue"]
    candidates = tuple(Candidate(f"[{place}]", text, float(not place)) for place, text in enumerate(texts))
    question = Question("7", "Who \x1b is it, " + "and who else " * 20, candidates)
    report = evaluate("overlap", Dataset("d", "all", "raw", (question,)), metrics=["map"])
    console = screen(70, terminal=True)
    terminal.show_questions(console, report)
    *_, row = seen(console).splitlines()
    assert len(row) <= 70
    assert re.fullmatch(r"7    Who is it, and wh.*…   right      (answered|refused) +\d+%   \[\[0\]\] The \[.*…", row)


def test_reports_say_what_they_count() -> None:
    numbers = {"map": 0.5}
    console = screen(200)
    terminal.show_report(console, Report("m", "d", "test", "worst-copy", "source", 2, 60, numbers, copies=6))
    terminal.show_report(console, Report("m", "d", "test", "official", "source", 2, 60, numbers, semeval={"map": 0.5}))
    assert "2 questions (each the worst of its copies, 6 in all), 60 pairs" in seen(console)
    assert "By the rules of SemEval's 2016 scorer" in seen(console)
    assert "own scorer" not in seen(console)
