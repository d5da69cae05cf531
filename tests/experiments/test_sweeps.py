"""Rows that differ in one setting, drawn as curves."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.errors import InputError
from anselm.experiments.recipe_files import find_recipes
from anselm.experiments.results import Result, summary, write_result
from anselm.experiments.sweeps import SWEEPS, draw, points, save_sensitivity

pytest.importorskip("matplotlib")
ALPHA, GROUPS = SWEEPS["attentive-clustering"], SWEEPS["gated-group-self-attention"]


def result(paper: str, row: str, mean: float, corpus: str = "trecqa", split: str = "test") -> Result:
    numbers = summary([mean - 0.01, mean + 0.01])
    return Result(
        paper=paper, table="table-8", row=row, corpus=corpus, protocol="clean", split=split, model="m", seeds=[1, 2],
        metrics={"map": numbers, "p@1": numbers}, parameters=1, device="CPU", seconds=1.0, data_sha256="", commit="",
        published={},
    )  # fmt: skip


def alphas(corpus: str = "trecqa", split: str = "test") -> list[Result]:
    rows = {"alpha-1.0": 0.5, "alpha-0.2": 0.52, "attentive-clustering": 0.54, "attentive-pooling": 0.51}
    return [result("attentive-clustering", row, mean, corpus, split) for row, mean in rows.items()]


def test_the_rows_of_the_tables_are_points_too() -> None:
    found = points([*alphas(), result("attentive-clustering", "qa-cnn", 0.4)], ALPHA, "alpha")
    assert [(value, one.row) for value, one in found] == [
        (0.0, "attentive-pooling"), (0.2, "alpha-0.2"), (0.4, "attentive-clustering"), (1.0, "alpha-1.0"),
    ]  # fmt: skip


def test_a_curve_for_each_test_set() -> None:
    results = [*alphas(), *alphas("eli5", "test-1"), *alphas("eli5", "test-2")]
    figure = draw(results, ALPHA)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["eli5, test-1 (clean)", "eli5, test-2 (clean)", "trecqa, test (clean)"]
    ours = figure.axes[2].lines[0]
    assert list(ours.get_xdata()) == [0.0, 0.2, 0.4, 1.0]
    assert list(ours.get_ydata()) == pytest.approx([0.51, 0.52, 0.54, 0.5])


def test_groups_and_heads_stand_side_by_side_and_share_a_point() -> None:
    rows = {"group-20": 0.5, "heads-2": 0.45, "group-10": 0.55, "ggsa-max": 0.4}
    figure = draw([result("gated-group-self-attention", row, mean) for row, mean in rows.items()], GROUPS)
    group, heads = figure.axes
    assert list(group.lines[0].get_xdata()) == [10, 20]
    assert list(heads.lines[0].get_xdata()) == [2, 6]
    assert [axes.lines[0].get_ydata()[place] for axes, place in ((group, 0), (heads, 1))] == [0.55, 0.55]


def test_every_swept_recipe_is_a_point() -> None:
    for paper, sweep in SWEEPS.items():
        rows = [recipe.row for recipe in find_recipes(f"{paper}/{sweep.table}")]
        for row in rows:
            stands = [sweep.value(row, setting) is not None for setting in sweep.settings]
            assert any(stands), f"{paper}: {row}"
        assert set(sweep.usual) <= set(rows)


def test_the_picture_is_written_by_the_command(anselm_show: Path) -> None:
    assert anselm_show.read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def anselm_show(tmp_path: Path) -> Path:
    from typer.testing import CliRunner

    from anselm.cli import app

    for one in alphas():
        write_result(one, tmp_path / "results")
    arguments = ["--show", "--results", str(tmp_path / "results"), "--plot", str(tmp_path / "alpha.png")]
    done = CliRunner().invoke(app, ["reproduce", "attentive-clustering/table-8", *arguments])
    assert done.exit_code == 0, done.output
    return tmp_path / "alpha.png"


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    alone = [result("attentive-clustering", "attentive-pooling", 0.5)]
    with pytest.raises(InputError, match=r"no rows to draw among these.* attentive-clustering/table-8 have some"):
        save_sensitivity(alone, tmp_path / "f.png")
    both = [*alphas(), result("gated-group-self-attention", "heads-2", 0.5)]
    with pytest.raises(InputError, match="one of attentive-clustering, gated-group-self-attention"):
        save_sensitivity(both, tmp_path / "f.png")
