"""A record that is run again from itself, bit by bit, and the check of records against recipes; a tiny convolution."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from anselm.cli import main  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.experiments.agreement import (  # noqa: E402
    AGREES,
    DIFFERS,
    EARLIER,
    NO_RECIPE,
    OUTDATED,
    check_result,
    check_results,
    recipe_of,
)
from anselm.experiments.recipe_files import all_recipes  # noqa: E402
from anselm.experiments.reruns import rerun  # noqa: E402
from anselm.experiments.results import (  # noqa: E402
    Result,
    merge,
    read_result,
    read_results,
    record_result,
    write_result,
)
from anselm.experiments.run import reproduce  # noqa: E402
from anselm.experiments.schema import Part, Recipe, make_recipe  # noqa: E402

RESULTS = Path(__file__).parents[2] / "results"
THINGS = ("bees", "honey", "hive", "nectar")
ANSWERS = ("sweet", "garden", "make", "how")

pytestmark = pytest.mark.usefixtures("one_thread")


def write_lists(path: Path, count: int) -> str:
    rows = [
        {
            "id": f"q{i}",
            "question": f"the {THINGS[i % 4]}" + " the" * (i // 4),
            "candidates": [{"text": f"the {one}", "label": int(one == ANSWERS[i % 4])} for one in ANSWERS],
        }
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def recipe(vector_file: Callable[[int], Path], tmp_path: Path) -> Recipe:
    """With a chosen setting of each kind, dropout and drawn negatives: all that is random in a training."""
    train, dev, test = (write_lists(tmp_path / f"{name}.jsonl", 8) for name in ("train", "dev", "test"))
    corpus = {
        "train": [{"data": train}],
        "dev": {"data": dev, "lists": 6},
        "training": {"epochs": 2, "batch_lists": 2, "loss": "pairwise", "sampling": {"kind": "list", "negatives": 1}},
        "search": {"learning_rate": [2e-2], "config.filters": [6]},
        "test": [{"data": test, "published": {"map": 0.5}}],
    }
    config = {"vectors": str(vector_file(24)), "embedding": 24, "width": 24, "dropout": 0.2}
    record = {"paper": "mine", "table": "table-1", "row": "cnn", "model": "qa-cnn", "seeds": [2, 1], "config": config}
    return make_recipe({**record, "corpus": {"own": corpus}})


@pytest.fixture
def path(recipe: Recipe, tmp_path: Path) -> Path:
    (found,) = reproduce([recipe])
    return write_result(found, tmp_path / "results")


def test_a_record_is_run_again_bit_by_bit(path: Path) -> None:
    recorded = read_result(path)
    again = list(rerun(path))
    assert [one.seed for one in again] == [2, 1]
    assert all(one.same_start and one.same_end for one in again)
    for place, one in enumerate(again):
        assert one.now == {name: metric["values"][place] for name, metric in recorded.metrics.items()}
    starts = {made["start"] for made in recorded.made["seeds"]}
    ends = {made["end"] for made in recorded.made["seeds"]}
    assert len(starts | ends) == 4  # two seeds, each before and after: none is like another


def test_what_it_was_made_of_stands_in_the_record(path: Path) -> None:
    found = read_result(path).made
    assert found["config"]["filters"] == 6
    assert found["training"]["epochs"] == 2
    assert found["training"]["margin"] == 0.1  # by default; the recipe does not say
    assert found["data"].keys() == {"train", "dev"}
    for made in found["seeds"]:
        assert {"anselm", "torch", "numpy", "python"} <= made["versions"].keys()
        assert made.keys() == {"seed", "device", "matmul", "start", "end", "commit", "versions"}


def test_other_weights_are_told(path: Path) -> None:
    """A record that says something else, as another machine would have given."""
    found = read_result(path)
    seeds = [{**made, "end": "0" * 16} for made in found.made["seeds"]]
    write_result(replace(found, made={**found.made, "seeds": seeds}), path.parents[2])
    (again,) = rerun(path, [1])
    assert (again.same_start, again.same_end) == (True, False)


@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_other_data_is_refused_before_anything_is_trained(name: str, path: Path, tmp_path: Path) -> None:
    from anselm.experiments.parts import load_part, parts_sha256

    write_lists(tmp_path / f"{name}.jsonl", 5)
    load_part.cache_clear()
    parts_sha256.cache_clear()
    with pytest.raises(InputError, match=f"the {name} lists here are not those of"):
        list(rerun(path))


def test_a_record_of_before_says_that_it_cannot_be_run_again(path: Path) -> None:
    write_result(replace(read_result(path), made={}), path.parents[2])
    with pytest.raises(InputError, match="does not say of what it was made"):
        list(rerun(path))


def test_a_seed_that_is_not_in_the_record(path: Path) -> None:
    with pytest.raises(InputError, match=r"has the seeds \[2, 1\], not 7"):
        list(rerun(path, [7]))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*arguments: str | Path) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["anselm", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


def test_the_command_runs_a_record_again(path: Path, command: Callable[..., tuple[int, str]]) -> None:
    code, out = command("reproduce", path, "--seed", "1", "--json")
    (found,) = json.loads(out)
    assert code == 0
    assert found["same_end"]
    assert found["now"] == found["recorded"]
    assert "same" in command("reproduce", path, "--seed", "1")[1]


def test_the_command_checks_records(path: Path, command: Callable[..., tuple[int, str]]) -> None:
    code, out = command("reproduce", "--check", "--results", path.parents[2])
    assert (code, out.splitlines()[-1]) == (0, "1 have no recipe")
    assert command("reproduce", "--check", "--results", path.parents[2], "--json")[1].count('"no recipe"') == 1


def test_seeds_of_different_recipes_are_never_merged(recipe: Recipe, path: Path, tmp_path: Path) -> None:
    """Not even where what is chosen, the model and the test lists are the same."""
    one = read_result(path)
    stage = recipe.corpora["own"]
    longer = replace(recipe, corpora={"own": replace(stage, training={**stage.training, "epochs": 3})}, seeds=(4,))
    (other,) = reproduce([longer])
    other = replace(other, chosen=one.chosen)
    with pytest.raises(InputError, match="not seeds of one result"):
        merge([one, other])
    said: list[str] = []
    record_result(other, path.parents[2], said.append)
    assert read_result(path) == one
    assert "stays as it is" in said[0]
    (more,) = reproduce([replace(recipe, seeds=(4,))])
    assert merge([one, more]).seeds == [2, 1, 4]
    assert [made["seed"] for made in merge([one, more]).made["seeds"]] == [2, 1, 4]


def of_longer_training(recipe: Recipe) -> Recipe:
    stage = recipe.corpora["own"]
    return replace(recipe, corpora={"own": replace(stage, training={**stage.training, "epochs": 3})})


CASES: dict[str, tuple[Callable[[Result], Result], Callable[[Recipe], Recipe | None], str, str]] = {
    "the same": (lambda one: one, lambda one: one, AGREES, ""),
    "of before": (lambda one: replace(one, made={}), lambda one: one, EARLIER, "all that it was made of"),
    "no recipe": (lambda one: one, lambda one: None, NO_RECIPE, ""),
    "epochs": (lambda one: one, of_longer_training, DIFFERS, "corpus.own.training.epochs: 2 recorded, 3"),
    "model": (lambda one: one, lambda one: replace(one, model="qa-lstm"), DIFFERS, "model: qa-cnn recorded, qa-lstm"),
    "seeds": (lambda one: one, lambda one: replace(one, seeds=(2,)), DIFFERS, "does not have the seeds [1]"),
    "chosen": (lambda one: replace(one, chosen={"learning_rate": 9.0}), lambda one: one, DIFFERS, "9.0} is no setting"),
    "dev": (lambda one: replace(one, dev={"data": "x"}), lambda one: one, DIFFERS, "dev: x recorded"),
    "published": (lambda one: replace(one, published={}), lambda one: one, DIFFERS, "published: {} recorded"),
    "marked": (lambda one: replace(one, outdated="before"), of_longer_training, OUTDATED, "epochs: 2 recorded, 3"),
    "marked for nothing": (lambda one: replace(one, outdated="before"), lambda one: one, DIFFERS, "and does not"),
    "test": (lambda one: replace(one, corpus="x"), lambda one: one, DIFFERS, "not tested there"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_record_is_held_against_its_recipe(case: str, recipe: Recipe, path: Path) -> None:
    of_result, of_recipe, state, why = CASES[case]
    found = check_result(of_result(read_result(path)), of_recipe(recipe))
    assert found.state == state
    assert why in found.why


def test_figures_recorded_in_another_table_are_of_the_recipe_that_is_tested_there(recipe: Recipe, path: Path) -> None:
    ((name, stage),) = recipe.corpora.items()
    elsewhere = replace(recipe, corpora={name: replace(stage, tests=(replace(stage.tests[0], table="table-0"),))})
    moved = replace(read_result(path), table="table-0")
    absent = replace(elsewhere, table="table-9", corpora={name: replace(stage, tests=(Part("x", table="table-0"),))})
    assert recipe_of(moved, {"other": absent, "own": elsewhere}) is elsewhere
    assert recipe_of(moved, {"other": absent, "own": recipe}) is None


def test_no_recorded_result_differs_from_its_recipe() -> None:
    """A row whose recipe was changed is run again, removed, or says so."""
    found = check_results(read_results(RESULTS), all_recipes())
    assert [(str(one.path), one.why) for one in found if one.state in (DIFFERS, NO_RECIPE)] == []
