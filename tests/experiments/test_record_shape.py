"""Records that somebody changed by hand: refused in one sentence, never tripped over later."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from anselm.errors import FormatError, InputError
from anselm.experiments.agreement import check_results, summarise
from anselm.experiments.recipe_files import all_recipes
from anselm.experiments.record_shape import find_problem
from anselm.experiments.result_tables import tables
from anselm.experiments.results import Result, read_result, summary

NUMBERS = summary([0.5, 0.75])
RUN = {"device": "CPU", "matmul": "highest", "start": "a", "end": "b", "commit": "c", "versions": {"torch": "2"}}
PART = {"data": "wikiqa", "split": "test"}
RECIPE = {
    "paper": "p", "table": "table-1", "row": "r", "model": "br-as", "seeds": [1, 2],
    "corpus": {"wikiqa": {"train": [PART], "dev": PART, "test": [PART], "training": {"epochs": 2}}},
}  # fmt: skip
RECORD: dict[str, Any] = asdict(
    Result(
        paper="p", table="table-1", row="r", corpus="wikiqa", protocol="clean", split="test", model="br-as",
        seeds=[1, 2], metrics={"map": NUMBERS}, published={"map": 0.8}, parameters=5, device="CPU", seconds=1.5,
        data_sha256="abc", commit="", dev={"data": "wikiqa", "map": NUMBERS, "mrr": NUMBERS, "best_steps": [3, 4]},
        chosen={"learning_rate": 1e-5}, also=["table-2"], against="s", values=[0.5, 1.0], encoder={"name": "e"},
        optimizer="adamw",
        made={
            "recipe": RECIPE, "fingerprint": "f", "config": {"width": 3}, "training": {"epochs": 2},
            "data": {"train": "d"}, "seeds": [{"seed": 1, **RUN}, {"seed": 2, **RUN}],
        },
    )
)  # fmt: skip
GONE = object()
WRONG = (
    GONE, None, True, "x", "", "a/b", "\0", 0, -1, 1.5, 10**400, float("nan"),
    [], {}, [None], ["x"], [1], [[]], {"x": 1},
)  # fmt: skip


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*place, key))


def changed(place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return None if value is GONE else value
    record = copy.deepcopy(RECORD)
    inner: Any = record
    for key in place[:-1]:
        inner = inner[key]
    if value is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return record


def test_a_whole_record_is_read(tmp_path: Path) -> None:
    (path := tmp_path / "r--wikiqa.json").write_text(json.dumps(RECORD))
    assert asdict(read_result(path)) == RECORD


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ((), [1], "the whole is [1], but must be a table of fields"),
        (("seeds",), 3, "seeds is 3, but must be a list of whole numbers, at least one"),
        (("seeds", 0), True, "seeds[0] is True, but must be a whole number"),
        (("seeds",), [1, 1], "seeds is [1, 1], but each must stand there once"),
        (("row",), GONE, "row is missing, which must be a name"),
        (("metrics", "map"), [], "metrics.map is [], but must be a table of mean, sd and values"),
        (("metrics", "map", "mean"), "0.5", "metrics.map.mean is '0.5', but must be a number"),
        (("metrics", "map", "values"), [0.5], "metrics.map.values has 1 values, but there are 2 seeds"),
        (("dev", "best_steps"), [3], "dev.best_steps has 1 values, but there are 2 seeds"),
        (("made", "seeds", 1, "start"), GONE, "made.seeds[1].start is missing, which must be a string"),
        (("made", "seeds", 1, "seed"), 3, "made.seeds is of the seeds [1, 3], but must be of [1, 2]"),
        (("made", "config"), GONE, "made.config is missing, which must be a table of settings"),
    ],
)
def test_the_sentence_names_the_field_and_what_is_allowed(place: tuple[Any, ...], value: Any, sentence: str) -> None:
    assert find_problem(changed(place, value)) == sentence


def test_a_field_that_there_is_not() -> None:
    assert str(find_problem({**RECORD, "sedes": []})).startswith("'sedes' is none of its fields, which are paper, ")


def test_every_field_may_be_damaged(tmp_path: Path) -> None:
    """Either the file is refused, with its name, in one line, or all that reads records can work with it."""
    path, recipes, refused = tmp_path / "r--wikiqa.json", all_recipes(), list[str]()
    for place in places(RECORD):
        for value in WRONG:
            path.write_text(json.dumps(changed(place, value)))
            try:
                result = read_result(path)
            except FormatError as error:
                refused.append(str(error))
                continue
            assert tables([result])
            assert summarise(check_results([result], recipes))
    assert len(refused) > 700
    assert all(sentence.startswith(f"{path}: ") and "\n" not in sentence for sentence in refused)


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (("corpus",), [], "corpus must be a table of settings, not []"),
        (("model",), GONE, "'model' is missing"),
        (("corpus", "wikiqa", "test"), [], "it must have one corpus, with one test set"),
        (("corpus", "wikiqa", "dev", "data"), 5, "data must be a string, not 5"),
    ],
)
def test_the_recipe_of_a_record(tmp_path: Path, place: tuple[Any, ...], value: Any, sentence: str) -> None:
    pytest.importorskip("torch")
    from anselm.experiments.reruns import rerun

    (path := tmp_path / "r--wikiqa.json").write_text(json.dumps(changed(("made", "recipe", *place), value)))
    with pytest.raises(InputError) as error:
        list(rerun(path))
    assert str(error.value).startswith(f"{path}, made.recipe: ")
    assert sentence in str(error.value)
