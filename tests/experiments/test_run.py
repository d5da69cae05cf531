"""Recipes that search settings, keep a journal, run side by side and share tables, on a tiny convolution."""

from __future__ import annotations

import json
from collections.abc import Callable, Sized
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from anselm.checkpoints.catalogue import build_model, load_model  # noqa: E402
from anselm.checkpoints.checkpoint import is_checkpoint  # noqa: E402
from anselm.cli import main  # noqa: E402
from anselm.data.datasets import Dataset  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.errors import InputError, MissingDataError, UnknownNameError  # noqa: E402
from anselm.experiments import jobs  # noqa: E402
from anselm.experiments.job_pool import run_jobs  # noqa: E402
from anselm.experiments.jobs import Context, Job  # noqa: E402
from anselm.experiments.parts import load_part, shorten  # noqa: E402
from anselm.experiments.recipe_files import find_recipe, read_recipe  # noqa: E402
from anselm.experiments.result_tables import tables  # noqa: E402
from anselm.experiments.results import Result, read_results  # noqa: E402
from anselm.experiments.run import reproduce  # noqa: E402
from anselm.experiments.schema import Part, Recipe, Stage  # noqa: E402
from anselm.experiments.training_runs import recipe_job, recipe_run  # noqa: E402
from anselm.metrics.significance import compare  # noqa: E402
from anselm.ranking.ranker import Ranker  # noqa: E402
from anselm.train.hyperparameters import Progress, Training  # noqa: E402

THINGS = ("bees", "honey", "hive", "nectar", "garden", "wood")
PLACES = ("sweet", "is", "make", "how", "what", "where")  # what is said of each: to be learned
RATES = (1e-9, 2e-2)


def write_lists(path: Path, count: int) -> None:
    """Which answer is right has to be learned: it has no word of the question but "the"."""
    rows = [
        {
            "id": f"q{i}",
            "question": f"the {THINGS[i % 6]}" + " the" * (i // 6),
            "candidates": [{"text": f"the {place}", "label": int(place == PLACES[i % 6])} for place in PLACES],
        }
        for i in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


RECIPE = """
paper = "mine"
table = "table-1"
row = "cnn"
model = "qa-cnn"
seeds = [3, 1]
config = {{ vectors = "{vectors}", embedding = 24, width = 24, filters = 12, dropout = 0.0 }}
against = "averaged"
also = ["table-2"]
metric = "p@1"
note = "small"

[corpus.own]
train = [{{ data = "{folder}/train.jsonl" }}]
dev = {{ data = "{folder}/dev.jsonl", lists = 6 }}
training = {{ epochs = 6, batch_lists = 2, schedule = "constant" }}
search = {{ learning_rate = [{rates}] }}
[[corpus.own.test]]
data = "{folder}/test.jsonl"
protocol = "clean"
published = {{ "p@1" = 0.5 }}
"""


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def write(vector_file: Callable[[int], Path], tmp_path: Path) -> Callable[..., Path]:
    """Recipes in a folder of papers, on lists beside it."""
    for name, count in {"train": 12, "dev": 12, "test": 8}.items():
        write_lists(tmp_path / f"{name}.jsonl", count)

    def one(name: str = "mine/table-1/cnn", rates: tuple[float, ...] = RATES, **changes: str) -> Path:
        content = RECIPE.format(vectors=vector_file(24), folder=tmp_path, rates=", ".join(map(str, rates)))
        for old, new in changes.values():
            assert old in content
            content = content.replace(old, new)
        path = tmp_path / "rows" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    return one


def write_tables(rows: Path, papers: Path) -> None:
    """Files of one recipe each, as a paper's tables have them."""
    for path in sorted(rows.glob("*/*/*.toml")):
        table = papers / path.parent.relative_to(rows).with_suffix(".toml")
        table.parent.mkdir(parents=True, exist_ok=True)
        lines = [line for line in path.read_text().splitlines() if not line.startswith(("paper =", "table =", "row ="))]
        text = "\n".join(lines).replace("[corpus.", f"[row.{path.stem}.corpus.")
        with table.open("a") as file:
            file.write(f"[row.{path.stem}]\n{text}\n")


BASELINE = {
    "row": ('row = "cnn"\nmodel = "qa-cnn"', 'row = "averaged"\nmodel = "averaged"'),
    "search": (f"search = {{ learning_rate = [{RATES[0]}, {RATES[1]}] }}", ""),
    "against": ('against = "averaged"\nalso = ["table-2"]', ""),
}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that were really run."""
    keys: list[str] = []
    run_job = jobs.run_job

    def counted(job: Job, *rest: object) -> list[jobs.Run]:
        keys.append(f"{job.corpora[0]} {job.seed} {dict(job.changes)}")
        return run_job(job, *rest)

    monkeypatch.setattr(jobs, "run_job", counted)
    return keys


def without_time(result: Result) -> Result:
    return replace(result, seconds=0.0)


@pytest.mark.parametrize("rates", [RATES, RATES[::-1]])
def test_the_setting_that_is_best_on_dev_is_used_for_all_seeds(
    rates: tuple[float, ...], write: Callable[..., Path], ran: list[str]
) -> None:
    said: list[str] = []
    (found,) = reproduce([read_recipe(write(rates=rates))], say=said.append)
    assert ran == [*(f"own 3 {{'learning_rate': {rate}}}" for rate in rates), f"own 1 {{'learning_rate': {RATES[1]}}}"]
    assert found.chosen == {"learning_rate": RATES[1]}
    assert found.seeds == [3, 1]
    assert found.dev["map"]["values"][0] == 1.0
    assert f"mine/table-1/cnn, own: {{'learning_rate': {RATES[1]}}} is best on dev" in said
    devs = {
        rate: float(line.split("dev MAP ")[1][:6])
        for rate in rates
        for line in said
        if f"seed 3, learning_rate {rate}:" in line
    }
    assert devs[RATES[0]] < devs[RATES[1]] == 1.0


def test_trials_may_be_shorter_than_what_is_recorded(
    write: Callable[..., Path], ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the first seed is run again, at full length, with what they found, and they are not tested themselves."""
    tested: list[int] = []
    test = jobs.test
    monkeypatch.setattr(jobs, "test", lambda *given: tested.append(len(ran)) or test(*given))
    short = ("[[corpus.own.test]]", "trial = { epochs = 2 }\n[[corpus.own.test]]")
    (found,) = reproduce([read_recipe(write(trial=short))])
    tries = [f"own 3 {{'learning_rate': {rate}, 'epochs': 2}}" for rate in RATES]
    assert ran == [*tries, *(f"own {seed} {{'learning_rate': {RATES[1]}}}" for seed in (3, 1))]
    assert tested == [3, 4]
    assert found.chosen == {"learning_rate": RATES[1]}
    assert len(found.dev["best_steps"]) == 2
    assert all(step % 6 == 0 and 0 < step <= 36 for step in found.dev["best_steps"])  # six batches to an epoch


def test_a_result_says_what_was_measured(write: Callable[..., Path], tmp_path: Path) -> None:
    (found,) = reproduce([read_recipe(write(rates=RATES[1:]))], seeds=[2])
    assert (found.corpus, found.split, found.protocol) == ("test.jsonl", "all", "clean")
    assert (found.metric, found.also, found.against, found.note) == ("p@1", ["table-2"], "averaged", "small")
    assert found.seeds == [2]
    assert found.published == {"p@1": 0.5}
    assert len(found.values) == 8
    assert sum(found.values) / 8 == pytest.approx(found.metrics["p@1"]["mean"], abs=1e-3)
    words, filters = 13 + 2, 24 * 24 + 24 + 3 * 24 * 12 + 12
    assert found.parameters == 24 * words + filters


def test_the_only_value_of_a_search_is_used(write: Callable[..., Path], ran: list[str]) -> None:
    (found,) = reproduce([read_recipe(write(rates=RATES[1:]))], seeds=[3])
    assert ran == [f"own 3 {{'learning_rate': {RATES[1]}}}"]
    assert found.chosen == {"learning_rate": RATES[1]}
    assert found.dev["map"]["mean"] == 1.0


def test_a_journal_keeps_what_is_done(write: Callable[..., Path], ran: list[str], tmp_path: Path) -> None:
    recipe, journal = read_recipe(write()), tmp_path / "runs" / "journal.jsonl"
    (first,) = reproduce([recipe], journal=journal)
    assert len(ran) == 3
    (again,) = reproduce([recipe], journal=journal)
    assert len(ran) == 3  # nothing was run again
    assert again == first
    journal.write_text(journal.read_text()[:-40])  # a kill while the last line was written
    (mended,) = reproduce([recipe], journal=journal)
    assert ran[3:] == [ran[2]]  # that one alone
    assert without_time(mended) == without_time(first)
    list(reproduce([recipe], seeds=[3, 1], journal=journal))
    assert len(ran) == 4  # what was written after the cut is read
    list(reproduce([recipe], seeds=[3, 1, 2], journal=journal))
    assert ran[4:] == [f"own 2 {{'learning_rate': {RATES[1]}}}"]  # a seed more


def test_a_journal_that_cannot_be_written_is_said_before_anything_is_run(
    write: Callable[..., Path], ran: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        list(reproduce([read_recipe(write())], journal=tmp_path / "file" / "journal.jsonl"))
    assert ran == []


def test_two_workers_give_what_one_gives(write: Callable[..., Path]) -> None:
    recipe = read_recipe(write())
    (alone,) = reproduce([recipe])
    (together,) = reproduce([recipe], workers=2)
    assert without_time(together) == without_time(alone)


def test_a_misspelt_setting_of_the_model_is_found_before_anything_is_trained(
    write: Callable[..., Path], ran: list[str]
) -> None:
    path = write()
    text = path.read_text()
    assert "search = {" in text
    path.write_text(text.replace("search = {", 'search = { "config.composition" = ["max", "atention"],'))
    with pytest.raises(UnknownNameError, match="Did you mean 'attention'"):
        list(reproduce([read_recipe(path)], seeds=[1]))
    assert not ran


def test_rows_of_several_recipes(write: Callable[..., Path]) -> None:
    recipes = [read_recipe(write("mine/table-1/averaged", **BASELINE)), read_recipe(write(rates=RATES[1:]))]
    baseline, found = reproduce(recipes, seeds=[1])
    assert (baseline.row, baseline.model, found.row, found.model) == ("averaged", "averaged", "cnn", "qa-cnn")
    assert baseline.seeds == found.seeds == [1]
    p = compare(found.values, baseline.values)
    between = "({:+.3f} to {:+.3f})".format(*p.interval)
    chance = f"p {p.p_randomisation:.3f}, Holm {p.p_randomisation:.3f}"  # the only comparison; one seed, no star
    cell = f"| averaged: {p.difference:+.3f} {between}, {chance} |"
    assert cell in tables([baseline, found])
    assert "## mine, table-2" in tables([baseline, found])


def test_corpora_can_be_chosen_and_have_settings_of_their_own(write: Callable[..., Path], ran: list[str]) -> None:
    path = write(rates=RATES[1:])
    corpus = path.read_text().split("[corpus.own]")[1].replace("corpus.own", "corpus.narrow")
    narrow = corpus.replace("\nsearch", "\nconfig = { filters = 5 }\nsearch", 1)
    path.write_text(path.read_text() + "[corpus.narrow]" + narrow)
    recipe = read_recipe(path)
    (found,) = reproduce([recipe], corpora=["narrow"], seeds=[1])
    assert len(ran) == 1
    (wide,) = reproduce([recipe], corpora=["own"], seeds=[1])
    assert wide.parameters - found.parameters == (12 - 5) * (3 * 24 + 1)
    with pytest.raises(UnknownNameError, match="unknown corpus of mine/table-1/cnn 'other'; there is narrow, own"):
        list(reproduce([recipe], corpora=["other"]))


def test_a_training_is_told_its_seed_and_its_part_of_the_data(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[object, ...]] = []

    def noted(model: object, lists: Sized, dev: Sized, training: Training, folder: Path) -> Progress:
        told.append((training.seed, training.learning_rate, training.batch_lists, len(lists), len(dev)))
        return Progress(steps=1, best=0.5)

    monkeypatch.setattr(jobs, "train_model", noted)
    (found,) = reproduce([read_recipe(write())])
    first, second = RATES
    assert told == [(3, first, 2, 12, 6), (3, second, 2, 12, 6), (1, first, 2, 12, 6)]  # of equals, the first
    assert found.dev["map"]["values"] == [0.5, 0.5]


def test_jobs_are_told_apart_by_what_they_change() -> None:
    """Also by how the recipe is run: a journal must not answer for a recipe that was edited."""
    stage = Stage((Part("x"),), Part("y"), {"epochs": 3})
    recipe = Recipe("p", "t", "r", "qa-cnn", (1,), {}, {"a": stage, "b": stage})
    longer = {"a": replace(stage, training={"epochs": 4}), "b": stage}
    keys = {
        Job(recipe, ("a",), 1).key,
        Job(recipe, ("a",), 2).key,
        Job(recipe, ("b",), 1).key,
        Job(recipe, ("a",), 1, {"learning_rate": 1e-3}).key,
        Job(replace(recipe, row="s"), ("a",), 1).key,
        Job(replace(recipe, config={"filters": 7}), ("a",), 1).key,
        Job(replace(recipe, corpora=longer), ("a",), 1).key,
    }
    assert len(keys) == 7
    assert Job(replace(recipe, corpora=longer, note="other"), ("b",), 1).key in keys
    assert run_jobs([], Context()) == {}


def test_what_a_paper_reports_is_no_part_of_a_job() -> None:
    recipe = find_recipe("attentive-clustering/table-6/attentive-clustering")
    stage = recipe.corpora["eli5"]
    tests = tuple(replace(part, published={"map": 1.0}) for part in stage.tests)
    mended = replace(recipe, note="", corpora={"eli5": replace(stage, tests=tests)})
    assert Job(mended, ("eli5",), 1).key == Job(recipe, ("eli5",), 1).key
    others = {"eli5": replace(stage, tests=stage.tests[:1])}  # its figures are not in the journal
    assert Job(replace(recipe, corpora=others), ("eli5",), 1).key != Job(recipe, ("eli5",), 1).key


def labelled(*labels: float | None) -> Question:
    return Question("q", "x", tuple(Candidate(str(i), f"a{i}", label) for i, label in enumerate(labels)))


class Said:
    """A model that is known to say this."""

    def __init__(self, *rows: list[float]) -> None:
        self.rows = [np.array(row) for row in rows]

    def score(self, questions: Sized) -> list[np.ndarray]:
        return self.rows


def test_the_official_protocol_has_the_official_figures() -> None:
    """By hand: of four candidates two are relevant, two are called so, one of them rightly."""
    lists = (labelled(1, 0), replace(labelled(1, 0), id="r"))
    said = Said([0.5, 0.1], [-2.0, -1.0])
    found = jobs.test(said, Dataset("d", "test", "official", lists), "mrr", decides=True)
    assert found.metrics == pytest.approx(
        {"map": 0.75, "mrr": 0.75, "p@1": 0.5, "avgrec": 0.95, "precision": 0.5, "recall": 0.5, "f1": 0.5}
        | {"accuracy": 0.5}
    )
    assert found.values == [1.0, 0.5]
    ranked = jobs.test(said, Dataset("d", "test", "official", lists), "map", decides=False)
    assert set(ranked.metrics) == {"map", "mrr", "p@1", "avgrec"}
    assert set(jobs.test(said, Dataset("d", "test", "clean", lists), "map", decides=True).metrics) == set(jobs.METRICS)


@pytest.mark.parametrize(("loss", "decides"), [("pointwise", True), ("pairwise", False), (None, False)])
def test_a_score_is_a_log_odds_under_the_pointwise_loss(
    loss: str | None, decides: bool, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    real = jobs.test

    def noted(*given: object) -> jobs.Tested:
        asked.append(given[-1])
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "test", noted)
    named = f'loss = "{loss}", epochs = 1' if loss else "epochs = 1"
    (found,) = reproduce([read_recipe(write(rates=RATES[1:], loss=("epochs = 6", named)))], seeds=[1])
    assert asked == [decides]
    assert list(found.metrics) == list(jobs.METRICS)


def test_a_journal_of_an_earlier_version_goes_on(write: Callable[..., Path], ran: list[str], tmp_path: Path) -> None:
    """It has fewer figures; what only some seeds have is no figure of all of them."""
    recipe, journal = read_recipe(write(rates=RATES[1:])), tmp_path / "journal.jsonl"
    list(reproduce([recipe], seeds=[3], journal=journal))
    (line,) = journal.read_text().splitlines()
    key, runs = json.loads(line)
    del runs[0]["tests"][0]["metrics"]["p@1"], runs[0]["best_step"]
    journal.write_text(json.dumps([key, runs]) + "\n")
    (found,) = reproduce([recipe], seeds=[3, 1], journal=journal)
    assert len(ran) == 2
    assert list(found.metrics) == ["map", "mrr"]
    assert "best_steps" not in found.dev
    assert len(found.metrics["map"]["values"]) == 2


@pytest.mark.parametrize(
    ("most", "kept"), [(None, "012345"), (9, "012345"), (4, "0135"), (3, "035"), (2, "35"), (1, "35"), (0, "35")]
)
def test_a_list_is_shortened_to_the_relevant_ones_and_the_first_of_the_others(most: int | None, kept: str) -> None:
    shown = shorten(labelled(0, 0, None, 1, 0, 2), most)
    assert "".join(candidate.id for candidate in shown.candidates) == kept


def test_a_part_may_be_the_first_lists_only(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    write_lists(path, 9)
    part = Part(str(path), lists=4, candidates=2)
    shown = load_part(part)
    assert [question.id for question in shown] == ["q0", "q1", "q2", "q3"]
    assert [len(question.candidates) for question in shown] == [2] * 4
    assert [question.labels for question in shown] == [(1, 0), (0, 1), (0, 1), (0, 1)]
    whole = load_part(replace(part, lists=None, candidates=None))
    assert (len(whole), whole.pairs) == (9, 54)


def test_which_models_can_be_built(
    write: Callable[..., Path], tmp_path: Path, vector_file: Callable[[int], Path]
) -> None:
    for name in ("bm25", "default"):
        with pytest.raises(InputError, match=f"'{name}' cannot be trained"):
            build_model(name, {}, [labelled(0, 1)])
    folder = tmp_path / "model"
    folder.mkdir()
    assert not is_checkpoint(folder)
    for content, ours in {
        "{": False,
        "[]": False,
        "3": False,
        '{"model_type": "bert"}': False,
        '{"model": "a"}': True,
    }.items():
        (folder / "config.json").write_text(content)
        assert is_checkpoint(folder) == ours


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def anselm(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command line, in this process: exit code, what it said, and what it said beside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("anselm.experiments.recipe_files.RECIPES", tmp_path / "papers")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        rmtree(tmp_path / "papers", ignore_errors=True)
        write_tables(tmp_path / "rows", tmp_path / "papers")
        monkeypatch.setattr("sys.argv", ["anselm", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


def test_train_and_rank_with_a_recipe(write: Callable[..., Path], anselm: Run, tmp_path: Path) -> None:
    path = write(rate=("epochs = 6", f"learning_rate = {RATES[1]}, epochs = 6"))
    code, out, err = anselm("train", path, "--out", "model")
    assert code == 0, err
    assert "MAP 1.0000" in out
    assert {file.name for file in (tmp_path / "model").iterdir()} == {
        "README.md", "calibration.json", "checksums.json", "config.json", "model.safetensors", "vocabulary.txt",
    }  # fmt: skip
    (tmp_path / "answers.txt").write_text("".join(f"the {place}\n" for place in PLACES))
    code, out, err = anselm("rank", "the hive", "--candidates", "answers.txt", "--model", "model", "--json")
    assert code == 0, err
    assert json.loads(out)["results"][0]["text"] == "the make"
    assert Ranker.load(tmp_path / "model").rank("the wood", ["the how", "the where"]).results[0].index == 1
    assert anselm("train", path, "--out", "model")[0] == 2  # it exists


@pytest.mark.parametrize("precision", ["no", "bf16"])
def test_train_makes_the_run_that_reproduce_makes(
    precision: str, write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "usual_precision", lambda: precision)
    recipe = read_recipe(write(rates=RATES[1:]))
    (found,) = reproduce([recipe], seeds=[3])
    run = recipe_run(recipe_job(recipe, None, 3, {}, print), Context())
    assert run.training.precision == precision
    run.write(tmp_path / "model")
    (part,) = recipe.corpora["own"].tests
    tested = jobs.test(load_model(tmp_path / "model"), load_part(part), "p@1", decides=False)
    assert {name: round(value, 6) for name, value in tested.metrics.items()} == {
        name: metric["mean"] for name, metric in found.metrics.items()
    }
    assert found.values == pytest.approx(tested.values, abs=1e-3)


def test_train_on_vectors_of_ones_own_texts(write: Callable[..., Path], anselm: Run, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    write()
    lists = ("--data", "train.jsonl", "--base", "qa-lstm")
    code, out, err = anselm("train", *lists, "--dry-run", "--json")
    assert code == 0, err
    planned = json.loads(out)
    lstm = 2 * 4 * 141 * (300 + 141 + 2)
    assert (planned["lists"], planned["pairs"], planned["parameters"]) == (11, 66, 300 * (13 + 2) + lstm)
    code, out, err = anselm("train", *lists, "--epochs", "1", "--out", "model")
    assert code == 0, err
    assert json.loads((tmp_path / "model" / "config.json").read_text())["model"] == "qa-lstm"
    (tmp_path / "answers.txt").write_text("the make\nthe hive\n")
    code, out, err = anselm("rank", "the hive", "--candidates", "answers.txt", "--model", "model", "--json")
    assert code == 0, err
    assert json.loads(out)["results"][0]["text"] == "the hive"  # by cosine, hardly trained as it is
    more = ("train", "--data", "train.jsonl", "--base", "model", "--epochs", "1", "--out", "more")
    assert anselm(*more)[0] == 0  # a checkpoint can be trained further


def test_a_name_alone_cannot_rank(anselm: Run, tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("the make\n")
    code, _, err = anselm("rank", "the hive", "--candidates", "answers.txt", "--model", "qa-lstm")
    assert code == 2
    assert err.startswith("anselm: 'qa-lstm' has to be trained first: anselm train --base qa-lstm")


def test_reproduce_a_table(write: Callable[..., Path], anselm: Run, ran: list[str], tmp_path: Path) -> None:
    write(rates=RATES[1:])
    write("mine/table-1/averaged", **BASELINE)
    command = ("reproduce", "mine/table-1", "--seed", "1", "--journal", "journal.jsonl")
    code, out, err = anselm(*command)
    assert code == 0, err
    assert ran == ["own 1 {}", f"own 1 {{'learning_rate': {RATES[1]}}}"]
    assert "| averaged | test.jsonl, all (clean) |" in out
    assert "mine/table-1/cnn, own, seed 1, learning_rate" in err
    assert {result.row for result in read_results(tmp_path / "results")} == {"averaged", "cnn"}
    assert anselm(*command)[1] == out
    assert len(ran) == 2
    shown = anselm("reproduce", "--show")[1]
    assert "## mine, table-1" in shown
    assert "## mine, table-2" in shown
    second = anselm("reproduce", "mine/table-2", "--show")[1]
    assert "## mine, table-1" not in second
    assert "| cnn |" in second
    rows = json.loads(anselm("reproduce", "mine/table-1/averaged", "--show", "--json")[1])
    assert [row["row"] for row in rows] == ["averaged"]
    code, _, err = anselm("reproduce", "mine/table-3", "--show")
    assert code == 2
    assert err == "anselm: no results of mine/table-3 are recorded in results; `anselm reproduce RECIPE` records some\n"


def test_data_that_is_not_here(write: Callable[..., Path], anselm: Run, ran: list[str], tmp_path: Path) -> None:
    path = write(rates=RATES[1:])
    corpus = path.read_text().split("[corpus.own]")[1].replace("corpus.own", "corpus.gone")
    path.write_text(path.read_text() + "[corpus.gone]" + corpus.replace("train.jsonl", "gone.jsonl"))
    gone = tmp_path / "gone.jsonl"
    code, _, err = anselm("reproduce", "mine/table-1/cnn", "--seed", "1")
    assert code == 0
    assert f"anselm: note: mine/table-1/cnn on gone left out, since {gone} is not here\n" in err
    assert len(ran) == 1
    code, _, err = anselm("reproduce", "mine/table-1", "--corpus", "gone")
    assert code == 2
    assert err.startswith(f"anselm: mine/table-1/cnn on gone needs {gone}, which is not here; `anselm data list`")
    (tmp_path / "dev.jsonl").unlink()
    code, _, err = anselm("reproduce", "mine")
    assert code == 2
    assert err.endswith("anselm: no corpus of mine is here; `anselm data list` says where to get them\n")
    assert len(ran) == 1
    listed = json.loads(anselm("reproduce", "--list", "--json")[1])
    assert [(row["recipe"], row["here"]) for row in listed] == [
        ("mine/table-1/cnn", f"without {tmp_path / 'dev.jsonl'}, {gone}")
    ]
    assert json.loads(anselm("reproduce", "mine", "--list", "--json")[1]) == listed
    _, out, err = anselm("reproduce", "--list")
    assert [line.split() for line in out.splitlines()[2:]] == [["mine/table-1", str(len(listed))]]
    assert "PAPER/TABLE --list names the rows" in err
    code, _, err = anselm("reproduce", "mine", "--list", "--check")
    assert (code, err) == (2, "anselm: --list and --check are asked for at once; name one of them\n")


def test_what_is_asked_of_the_command_is_passed_on(
    write: Callable[..., Path], anselm: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def noted(recipes: list[Recipe], *rest: object, say: object) -> list[Result]:
        asked.append(([(recipe.row, [*recipe.corpora]) for recipe in recipes], *rest))
        return []

    monkeypatch.setattr("anselm.experiments.run.reproduce", noted)
    write()
    options = ("--workers", "2", "--seed", "7", "--seed", "8", "--journal", "j", "--corpus", "own")
    assert anselm("reproduce", "mine", *options)[0] == 0
    assert asked == [([("cnn", ["own"])], (), [7, 8], 2, Path("j"), None)]
    code, _, err = anselm("reproduce", "mine", "--workers", "0")
    assert code == 2
    assert "Invalid value for '--workers'" in err


def test_the_folder_of_the_corpora_can_be_given(anselm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.experiments.recipe_files.RECIPES", Path(jobs.__file__).with_name("papers"))
    recipe = "gated-group-self-attention/table-2/ggsa-max"
    empty, full = tmp_path / "empty", tmp_path / "full"
    (full / "wikiqa").mkdir(parents=True)
    empty.mkdir()
    for split in ("train", "dev", "test"):
        (full / "wikiqa" / f"WikiQA-{split}.tsv").touch()

    def lacks_wikiqa(*options: str) -> bool:
        monkeypatch.setenv("ANSELM_DATA", str(empty))
        rows = json.loads(anselm("reproduce", "--list", "--json", *options)[1])
        (here,) = (row["here"] for row in rows if row["recipe"] == recipe)
        return "wikiqa" in here

    assert lacks_wikiqa()
    assert not lacks_wikiqa("--data-dir", str(full))
    code, _, err = anselm("train", recipe, "--dry-run", "--data-dir", str(empty))
    assert code == 2
    assert str(empty) in err


def test_named_vectors_are_those_of_the_folder_that_is_given(
    write: Callable[..., Path], vector_file: Callable[[int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANSELM_DATA", raising=False)
    recipe = read_recipe(write(vectors=(str(vector_file(24)), "glove")))
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "glove.6B.100d.txt").write_text(vector_file(24).read_text())
    stage = recipe.corpora["own"]
    model = jobs.new_model(recipe, 1, stage, Context(tmp_path))
    assert model.config.vectors == "glove"  # and no path of this machine
    with pytest.raises(MissingDataError, match="where are the corpora"):
        jobs.new_model(recipe, 1, stage, Context())
