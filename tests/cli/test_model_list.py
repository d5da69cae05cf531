"""anselm models: what ranks at once stands first, and what a name that is unknown is answered with."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.checkpoints.catalogue import SHIPPED, all_models, import_model
from tests.cli.commands import QUESTION, anselm, as_json

AT_ONCE = ["default", "accurate", "fast", "bm25", "tfidf", "jaccard", "overlap"]


def test_what_ranks_at_once_comes_first() -> None:
    found = as_json("models")
    assert [row["name"] for row in found][: len(AT_ONCE)] == AT_ONCE
    assert {row["name"] for row in found} == all_models().keys()
    assert {path.name for path in SHIPPED.iterdir()} == set(AT_ONCE)
    assert all(row["kind"] and row["summary"] for row in found)
    assert all(row["ready"] for row in found[: len(AT_ONCE)] if row["name"] != "accurate")


def test_the_list_for_people_fits_a_screen() -> None:
    """Each that ranks at once with what it is, each that is trained by its name alone."""
    lines = anselm("models").stdout.decode().splitlines()
    assert len(lines) < 40
    first, second = (i for i, line in enumerate(lines) if line.startswith("These "))
    assert lines[second].startswith("These are trained on your lists first, with anselm train --base NAME")
    shown = " ".join(lines[second:])
    for name, entry in all_models().items():
        assert (
            name in (line.split()[0] for line in lines[first:second] if line.strip() and line[0] != " ")
        ) == entry.shipped, name
        assert (name in shown.replace(",", "").split()) == (entry.use == "to be trained"), name


def test_all_says_what_each_is_and_the_terms() -> None:
    shown = " ".join(anselm("models", "--all").stdout.decode().split())
    assert "gated group self-attention, max pooling, cosine" in shown
    assert "default: the weights are under Apache-2.0" in shown


def test_only_what_can_be_trained_is_said_to_be() -> None:
    pytest.importorskip("torch")
    for row in as_json("models"):
        if row["use"] == "to be trained":
            assert hasattr(import_model(row["name"]), "build"), row["name"]
    assert all_models()["general"].use == "comes as default and accurate"


@pytest.mark.parametrize(("typed", "meant"), [("defualt", "default"), ("BM25", "bm25"), ("gsa", "ggsa")])
def test_an_unknown_name_is_answered_with_what_ranks_at_once(typed: str, meant: str, faq: Path) -> None:
    done = anselm("rank", QUESTION, "-c", faq, "--model", typed)
    assert done.returncode == 2
    told = done.stderr.decode()
    assert f"unknown model {typed!r}; there is {', '.join(AT_ONCE)}, and 36 to be trained (anselm models)." in told
    assert told.endswith(f"Did you mean {meant!r}?\n")
