"""anselm train and calibrate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anselm.checkpoints.checksums import renew_checksums
from tests.cli.commands import anselm, as_json

EXAMPLES = Path(__file__).parents[2] / "src" / "anselm" / "examples"


def test_train_fits_statistics_and_calibration(lists: Path, tmp_path: Path) -> None:
    done = as_json("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "mine")
    assert done["lists"] == 5
    assert done["fitted_on"] == f"{lists} all (raw)"
    assert {"config.json", "statistics.json", "calibration.json"} <= {p.name for p in (tmp_path / "mine").iterdir()}
    assert as_json("evaluate", tmp_path / "mine", "--data", lists)["metrics"]["map"] == 1.0
    assert (
        as_json("rank", "oak?", "-c", "-", "--model", tmp_path / "mine", stdin=b"elm\noak\n")["results"][0]["index"]
        == 1
    )


def test_calibrate_writes_into_the_checkpoint(judged: Path, tmp_path: Path) -> None:
    as_json("train", "--base", "bm25", "--data", judged, "--out", tmp_path / "mine")
    with renew_checksums(tmp_path / "mine", "calibration.json"):
        (tmp_path / "mine" / "calibration.json").write_text('{"slope": 50, "intercept": 0, "threshold": 0.9}')
    files = {path.name for path in (tmp_path / "mine").iterdir()}
    done = as_json("calibrate", tmp_path / "mine", "--data", judged, "--threshold", "recall=0.5")
    record = json.loads((tmp_path / "mine" / "calibration.json").read_text())
    assert record == {
        **{kind: weights for kind, weights in done["weights"].items() if weights},
        "threshold": done["threshold"], "fitted_on": done["fitted_on"],
    }  # fmt: skip
    assert record["fitted_on"] == f"{judged} all (raw)"
    assert {path.name for path in (tmp_path / "mine").iterdir()} == files
    assert (done["questions"], done["pairs"], done["chosen_by"]) == (10, 20, "recall=0.5")
    assert done["before"]["threshold"] == 0.9
    assert done["after"]["ece"] < done["before"]["ece"]
    assert done["after"]["log_loss"] < done["before"]["log_loss"]
    assert done["after"]["recall"] >= 0.5
    chosen = next(row for row in done["tradeoff"] if row["threshold"] == done["threshold"])
    beside = {name: done["after"][name] for name in ("ece", "log_loss", "misjudged")}
    assert done["after"] == beside | chosen
    counted = done["after"]["misjudged"]
    assert (counted["answerable"], counted["unanswerable"]) == (6, 4)
    assert (6 - counted["refused"]) + counted["answered_anyway"] == chosen["share_answered"] * 10
    again = as_json("evaluate", tmp_path / "mine", "--data", judged)
    assert (again["ece"], again["triggering"]["f1"]) == (done["after"]["ece"], done["after"]["f1"])
    assert again["misjudged"] == counted


def test_calibrate_a_copy_of_a_shipped_model(judged: Path, tmp_path: Path) -> None:
    shipped = anselm("calibrate", "bm25", "--data", judged, "--out", tmp_path / "copy").stdout.decode()
    assert f"{tmp_path / 'copy'}, fitted on" in " ".join(shipped.split())
    lines = [line.split() for line in shipped.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("before", "after")] == ["before", "after"] * 2
    assert shipped.count("refused, though answerable   answered, though not") == 1
    assert shipped.count(" of 6 (") == shipped.count(" of 4 (") == 2
    assert sum("chosen" in line for line in lines) == 1
    assert (
        as_json("evaluate", tmp_path / "copy", "--data", judged)["ece"]
        != as_json("evaluate", "bm25", "--data", judged)["ece"]
    )
    fixed = as_json("calibrate", tmp_path / "copy", "--data", judged, "--threshold", "0.25")
    assert as_json("rank", "oak", "-c", "-", "-m", tmp_path / "copy", stdin=b"oak\n")["threshold"] == 0.25
    assert fixed["threshold"] == 0.25
    (tmp_path / "copy" / "secret.txt").symlink_to(judged)
    done = anselm("calibrate", tmp_path / "copy", "--data", judged, "--out", tmp_path / "second")
    assert done.returncode == 2
    assert b"secret.txt is a link that leads out of the checkpoint" in done.stderr
    assert not (tmp_path / "second").exists()


def test_train_reads_what_people_ask_of_a_faq(tmp_path: Path) -> None:
    """With all entries as candidates, as evaluate and calibrate read it."""
    given = ("--data", EXAMPLES / "asked.csv", "--faq", EXAMPLES / "faq.csv")
    done = as_json("train", "--base", "bm25", *given, "--out", tmp_path / "mine")
    assert (done["lists"], done["pairs"]) == (8, 96)
    assert as_json("evaluate", tmp_path / "mine", *given)["questions"] == 8
    assert "asked.csv is a single file and has no split 'dev'" in refusal(
        "train", *given, "--split", "dev", "--out", tmp_path / "other"
    )
    assert "--faq is not for training a recipe" in refusal("train", "a.toml", *given[2:])


def test_train_takes_bm25_where_no_base_is_named(lists: Path, tmp_path: Path) -> None:
    as_json("train", "-d", lists, "--out", tmp_path / "mine")
    assert json.loads((tmp_path / "mine" / "config.json").read_text())["model"] == "bm25"


def test_the_default_cannot_be_trained_further(lists: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = anselm("train", "-d", lists, "--base", "general", "--out", tmp_path / "mine")
    assert done.returncode == 2
    assert b"cannot be trained" in done.stderr


def refusal(*arguments: str | Path) -> str:
    done = anselm(*arguments)
    assert done.returncode == 2
    return done.stderr.decode()


def test_train_refuses_what_would_do_nothing(lists: Path, tmp_path: Path) -> None:
    fitted = ("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "out")
    for given in (("--epochs", "7"), ("--learning-rate", "9"), ("--dev", str(lists)), ("--corpus", "wikiqa")):
        assert f"{given[0]} is not for training" in refusal(*fitted, *given)
    for given in (("--dry-run",), ("--protocol", "raw"), ("--columns", "a=question")):
        assert f"{given[0]} is not for training a parser" in refusal("train", "parser", *given)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--epochs", "0.05"), "epochs is 0.05; for a parser it must be a whole number, 1 or more"),
        (("--epochs", "0"), "epochs is 0; for a parser it must be a whole number, 1 or more"),
        (("--epochs", "2.5"), "epochs is 2.5; for a parser it must be a whole number, 1 or more"),
        (("--epochs", "nan"), "epochs is nan; for a parser it must be a whole number, 1 or more"),
        (("--learning-rate", "0"), "learning_rate is 0; it must be above 0"),
    ],
)
def test_a_parser_is_not_trained_for_a_part_of_an_epoch(given: tuple[str, str], told: str, tmp_path: Path) -> None:
    assert told in refusal("train", "parser", *given, "--out", tmp_path / "parser")
    assert not (tmp_path / "parser").exists()


def test_a_dry_run_needs_no_name(lists: Path) -> None:
    assert b"bm25 would be fitted on 5 lists" in anselm("train", "--base", "bm25", "--data", lists, "--dry-run").stdout
