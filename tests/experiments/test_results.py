"""Recorded results: written, read, merged and rendered."""

from __future__ import annotations

import json
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from anselm.data.overlap import find_overlap
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError, InputError
from anselm.experiments.published import published_systems
from anselm.experiments.recipe_files import all_recipes
from anselm.experiments.result_tables import tables
from anselm.experiments.results import (
    RECORDED,
    Result,
    merge,
    read_results,
    record_result,
    recorded_folder,
    recorded_path,
    spell_record,
    summary,
    write_result,
)
from anselm.metrics.significance import compare, welch_test

VALUES = {1: 0.5, 2: 0.75, 3: 0.7}


def result(*seeds: int, **changes: object) -> Result:
    numbers = summary([VALUES[seed] for seed in seeds])
    made = Result(
        paper="p", table="table-1", row="r", corpus="wikiqa", protocol="clean", split="test", model="cross-encoder",
        seeds=list(seeds), metrics={"map": numbers}, published={"map": 0.8}, parameters=22_600_000, device="CPU",
        seconds=1.5, data_sha256="abc", commit="", dev={"data": "wikiqa", "map": numbers},
    )  # fmt: skip
    return replace(made, **changes)


def test_mean_and_deviation() -> None:
    found = summary(list(VALUES.values()))
    assert found["mean"] == pytest.approx(statistics.fmean(VALUES.values()))
    assert found["sd"] == pytest.approx(statistics.stdev(VALUES.values()), abs=1e-6)
    assert summary([0.5])["sd"] == 0.0


def test_written_and_read(tmp_path: Path) -> None:
    path = write_result(result(1, 2), tmp_path)
    assert path == tmp_path / "p" / "table-1" / "r--wikiqa.json"
    assert read_results(tmp_path) == [result(1, 2)]
    official = write_result(result(1, protocol="official"), tmp_path)
    assert official.name == "r--wikiqa-official.json"  # two protocols never share a file
    path.write_text('{"paper": "p"}')
    with pytest.raises(FormatError, match="not a recorded result"):
        read_results(tmp_path)


def test_ours_are_shown_where_nothing_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert recorded_folder(None) == RECORDED
    assert recorded_folder(tmp_path / "other") == tmp_path / "other"
    ours = read_results(RECORDED)[0].path
    assert recorded_path(ours) == RECORDED / ours
    own = write_result(result(1), Path("results"))
    assert recorded_folder(None) == Path("results")
    assert recorded_path(own) == own
    assert recorded_path(Path("none.json")) == Path("none.json")  # whoever reads it says that it is missing


def test_seeds_run_apart_are_one_result() -> None:
    together = merge([result(1), result(2, 3)])
    assert together.seeds == [1, 2, 3]
    assert together.metrics == result(1, 2, 3).metrics
    assert together.dev == result(1, 2, 3).dev
    assert together.seconds == 3.0
    with pytest.raises(InputError, match="not seeds of one result"):
        merge([result(1), result(2, data_sha256="other")])


def test_the_table_has_ours_beside_theirs() -> None:
    shown = tables([result(1, 2, 3)])
    assert "## p, table-1" in shown
    assert "| r | wikiqa, test (clean) | 0.650 ± 0.132 | 3 | MAP 0.800 | 22.6M |" in shown


def test_overlap_is_by_words() -> None:
    def asked(text: str) -> Question:
        return Question("q", text, (Candidate("a", "x"),))

    found = find_overlap([asked("Who is Ann?"), asked("Why?")], "test", [asked("who is  ann")])
    assert str(found) == "1 training questions are also in test, such as 'Who is Ann?'"
    assert find_overlap([asked("Why?")], "test", [asked("Why not?")]) is None


AGAINST = {"other": [0.0] * 12, "r": [1.0, 0.5] * 6}


def compared(**changes: object) -> list[Result]:
    """Two rows of table-1; the second stands in table-2 as well."""
    other = result(1, row="other", values=AGAINST["other"], metric="p@1")
    mine = {"values": AGAINST["r"], "metric": "p@1", "against": "other", "also": ["table-2"], **changes}
    return [other, result(2, **mine)]


def cells(shown: str, row: str, table: str = "table-1") -> list[str]:
    """Of a row in a table of Markdown."""
    part = shown.split(f"## p, {table}\n")[1].split("\n## ")[0]
    (line,) = (line for line in part.splitlines() if line.startswith(f"| {row} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_is_tested_against_another() -> None:
    shown = tables(compared())
    found = compare(AGAINST["r"], AGAINST["other"])
    assert found.p_randomisation < 0.05
    assert cells(shown, "row")[-1] == "P@1 against (p over questions / seeds, Holm)"
    low, high = found.interval
    assert low < 0.75 < high
    assert found.p_randomisation < 0.001
    assert (
        cells(shown, "r")[-1] == f"other: +0.750 ({low:+.3f} to {high:+.3f}), p < 0.001, Holm < 0.001"
    )  # one seed, no star
    assert cells(shown, "other")[-1] == "-"
    few = [replace(one, values=one.values[:3]) for one in compared()]
    p = compare(AGAINST["r"][:3], AGAINST["other"][:3]).p_randomisation
    assert p > 0.05
    assert cells(tables(few), "r")[-1].startswith("other: +0.833 (")
    assert cells(tables(few), "r")[-1].endswith(f", p {p:.3f}, Holm {p:.3f}")  # no star


@pytest.mark.parametrize(("others", "star"), [((0.1, 0.12, 0.11), " *"), ((0.1, 0.9, 0.4), "")])
def test_a_difference_is_tested_over_seeds_too(others: tuple[float, ...], star: str) -> None:
    mine = (0.8, 0.82, 0.79)
    rows = [
        replace(row, metrics={"p@1": summary(values)}) for row, values in zip(compared(), (others, mine), strict=True)
    ]
    p = welch_test(mine, others)
    assert (p < 0.05) == bool(star)
    spelt = "< 0.001" if p < 0.001 else f"{p:.3f}"
    assert cells(tables(rows), "r")[-1].endswith(f"), p < 0.001 / {spelt}, Holm {spelt}{star}")


def test_the_chances_of_a_table_are_corrected_together() -> None:
    """Each row's larger p, over questions or seeds, among those of all corpora; a star only after the correction."""
    seeds = {"other": (0.50, 0.52, 0.51), "a": (0.60, 0.62, 0.61), "b": (0.53, 0.54, 0.56), "c": (0.50, 0.53, 0.52)}
    values = {"other": [0.4] * 40, "a": [0.6] * 40, "b": [0.5] * 40, "c": [0.4, 0.42] * 20}
    rows = [
        result(1, row=row, corpus=corpus, metric="p@1", against="" if row == "other" else "other",
               values=values[row], metrics={"p@1": summary(seeds[row])})
        for corpus in ("wikiqa", "squad") for row in seeds
    ]  # fmt: skip
    chances = {row: max(welch_test(seeds[row], seeds["other"]), 1 / 10_001) for row in "abc"}
    ordered = sorted(chances, key=lambda row: chances[row])
    assert ordered == ["a", "b", "c"]
    expected, least = {}, 0.0
    for place, row in enumerate(ordered):  # each stands there twice: places 2 k and 2 k + 1 of six
        least = max(least, (6 - 2 * place) * chances[row], (5 - 2 * place) * chances[row])
        expected[row] = min(1.0, least)
    assert chances["b"] < 0.05 < expected["b"]
    for row in "abc":
        shown = [line for line in tables(rows).splitlines() if line.startswith(f"| {row} |")]
        assert len(shown) == 2
        for line in shown:
            assert f"Holm {expected[row]:.3f}" in line
            assert line.endswith("* |") == (expected[row] < 0.05)


def test_a_row_whose_recipe_is_another_one_today_has_a_sign() -> None:
    shown = tables([result(1), result(1, row="old", outdated="ten epochs")])
    assert "| old † | wikiqa" in shown
    assert "| r | wikiqa" in shown
    assert "\n\n† the recipe of today is another one. wikiqa: ten epochs.\n" in shown
    assert "†" not in tables([result(1)])


def test_rows_are_sorted_by_their_numbers() -> None:
    shown = tables([result(1, row=row) for row in ("b", "heads-12", "heads-4", "alpha-1.0", "heads", "alpha-0.5")])
    rows = [line.split("|")[1].strip() for line in shown.splitlines() if line.startswith("| ")][1:]
    assert rows == ["alpha-0.5", "alpha-1.0", "b", "heads", "heads-4", "heads-12"]


def test_a_row_of_several_tables_is_in_each() -> None:
    shown = tables(compared())
    assert shown.index("## p, table-1") < shown.index("## p, table-2")
    assert cells(shown, "r", "table-2")[:-1] == cells(shown, "r")[:-1]
    assert cells(shown, "r", "table-2")[-1] == "-"  # what it is compared with is not there
    assert "| other |" not in shown.split("## p, table-2")[1]
    assert compared()[1].names == ["p/table-1/r", "p/table-2/r"]


@pytest.mark.parametrize("change", [{"split": "dev"}, {"protocol": "raw"}, {"corpus": "squad"}, {"metric": "map"}])
def test_only_the_same_questions_and_measure_are_compared(change: dict[str, str]) -> None:
    assert cells(tables(compared(**change)), "r")[-1] == "-"


@pytest.mark.parametrize("change", [{"optimizer": "rmsprop-tf"}, {"dev": {"data": "elsewhere"}}])
def test_rows_that_were_trained_otherwise_are_not_compared(change: dict[str, object]) -> None:
    assert cells(tables(compared(**change)), "r")[-1] == "other: trained otherwise"


def test_a_row_whose_own_optimizer_is_another_is_compared() -> None:
    """As a paper's rows have it; earlier records do not even name it."""
    assert cells(tables(compared(optimizer="adadelta")), "r")[-1] == cells(tables(compared()), "r")[-1]


def test_without_comparisons_there_is_no_column_for_them() -> None:
    assert "against" not in tables([result(1)])


def test_values_of_seeds_run_apart_are_averaged_over_all_of_them() -> None:
    together = merge([result(1, values=[1.0, 0.0, 0.5]), result(2, 3, values=[0.4, 0.6, 0.5])])
    assert together.values == pytest.approx([0.6, 0.4, 0.5], abs=1e-3)
    assert merge([result(1, values=[1.0]), result(2)]).values == []  # recorded before there were any


def test_one_table_can_be_asked_for() -> None:
    assert "table-1" not in tables(compared(), "p/table-2")
    assert "table-2" not in tables(compared(), "p/table-1/other")
    assert tables(compared(), "p") == tables(compared())


def test_fewer_seeds_never_replace_more(tmp_path: Path) -> None:
    said: list[str] = []

    def keep(one: Result, folder: Path) -> Path:
        return record_result(one, folder, said.append)

    path = keep(result(1, 2), tmp_path)
    keep(result(2), tmp_path)
    assert read_results(tmp_path) == [result(1, 2)]
    assert "stays as it is" in said[-1]
    keep(result(3), tmp_path)  # other seeds of the same join them
    (joined,) = read_results(tmp_path)
    assert joined.seeds == [1, 2, 3]
    assert joined.metrics == result(1, 2, 3).metrics
    assert keep(result(1, 2, 3, seconds=9.0), tmp_path) == path
    assert read_results(tmp_path)[0].seconds == 9.0


OFFICIAL = {
    "map": 0.7, "mrr": 0.8, "p@1": 0.6, "avgrec": 0.75, "precision": 0.5, "recall": 0.25, "f1": 0.3, "accuracy": 0.9
}  # fmt: skip


def official(**changes: object) -> Result:
    """As recorded under SemEval's official protocol."""
    metrics = {name: summary([value]) for name, value in OFFICIAL.items()}
    return result(1, **{"protocol": "official", "corpus": "semeval-2016", "metrics": metrics, **changes})


def test_the_official_figures_have_columns_where_some_row_has_them() -> None:
    older = official(row="older", metrics={"map": summary([0.7])})
    ranked = official(row="ranked", metrics={name: summary([0.75]) for name in ("map", "mrr", "p@1", "avgrec")})
    shown = tables([official(published={"avgrec": 0.883, "precision": 0.798, "f1": 0.489}), ranked, older])
    assert cells(shown, "row")[2:6] == ["ours: MAP / MRR / P@1", "ours: AvgRec", "ours: P / R / F1 / Acc", "seeds"]
    assert cells(shown, "r")[3:7] == [
        "0.750",
        "0.500 / 0.250 / 0.300 / 0.900",
        "1",
        "AvgRec 0.883, P 0.798, F1 0.489",
    ]
    assert cells(shown, "ranked")[3:5] == ["0.750", "-"]
    assert cells(shown, "older")[3:5] == ["-", "-"]
    assert "AvgRec" not in tables([older]).split("seeds")[0]


def test_seeds_with_fewer_figures_join_in_those_that_all_have() -> None:
    assert set(merge([official(), official(seeds=[2], metrics={"map": summary([0.9])})]).metrics) == {"map"}
    assert set(merge([official(metrics={"map": summary([0.9])}), official(seeds=[2])]).metrics) == {"map"}


PUBLISHED = """
[[system]]
row = "Winner"
tables = ["table-1"]
corpus = "semeval-2016"
split = "test"
protocol = "official"
source = "the task"
metrics = { map = 0.7919, mrr = 0.8642, avgrec = 0.8882, precision = 0.7696 }
"""


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("anselm.experiments.recipe_files.RECIPES", tmp_path)
    path = tmp_path / "p" / "published.toml"
    path.parent.mkdir()
    path.write_text(PUBLISHED)
    return path


def test_published_systems_have_rows_of_their_own(papers: Path) -> None:
    rows = [official(against="other"), official(row="other", also=["table-2"])]
    shown = tables(rows)
    assert cells(shown, "Winner") == [
        "Winner", "semeval-2016, test (official)", "0.792 / 0.864 / -", "0.888", "0.770 / - / - / -", "published", "-",
        "-", "-",
    ]  # fmt: skip
    assert "Winner" not in shown.split("## p, table-2")[1]
    elsewhere = [{"protocol": "clean"}, {"split": "dev"}, {"corpus": "semeval-2017"}]  # never beside other questions
    assert all("Winner" not in tables([replace(official(), **change)]) for change in elsewhere)
    assert "Winner" not in tables([official(paper="q")])
    assert all_recipes() == {}  # it is no recipe


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (PUBLISHED.replace("tables", "table"), "'tables' is missing"),
        (PUBLISHED.replace("source", "from"), "not a readable list of published systems"),
        ("[[system", "not a readable list of published systems"),
        ("", "'system' is missing"),
    ],
)
def test_a_bad_list_of_published_systems_is_named(content: str, problem: str, papers: Path) -> None:
    papers.write_text(content)
    with pytest.raises(FormatError, match=rf"published\.toml: .*{problem}"):
        tables([official()])


def test_the_published_systems_of_semeval_are_those_of_the_task(real_data: Path) -> None:
    """Table 3's against the task's own file, whose MRR is in percent."""
    lines = (real_data / "semeval_cqa/2016/gold/results_subtask_A.tab").read_text(encoding="utf-8").splitlines()
    theirs = {line.split("-")[0].lower(): line.split()[1:] for line in lines if "-primary" in line}
    names = ("map", "avgrec", "mrr", "precision", "recall", "f1", "accuracy")
    systems = published_systems("swissalps-attention-cnn", "table-3")
    assert [system.row for system in systems] == ["KeLP (1st)", "ConvKN (2nd)", "SemanticZ (3rd)"]
    for system in systems:
        figures = dict(zip(names, map(float, theirs[system.row.split()[0].lower()]), strict=True))
        assert system.metrics == pytest.approx(figures | {"mrr": figures["mrr"] / 100})


def test_a_list_of_numbers_is_one_line() -> None:
    record = {
        "note": "[1, 2]",
        "values": [0.5, -1e-07, 3],
        "seeds": [],
        "names": ["a", "b"],
        "inner": {"values": [1.0]},
    }
    text = spell_record(record)
    assert json.loads(text) == record
    assert '  "values": [0.5, -1e-07, 3],\n' in text
    assert text.count("\n") == 11


def test_a_record_from_before_a_setting_was_renamed(tmp_path: Path) -> None:
    write_result(result(1, chosen={"rate": 0.1, "config.least": 2}), tmp_path)
    assert read_results(tmp_path)[0].chosen == {"learning_rate": 0.1, "config.min_count": 2}
