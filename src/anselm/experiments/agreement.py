"""Whether recorded results are still what today's recipes say: what `anselm reproduce --check` lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anselm.experiments.fingerprints import row_fingerprint
from anselm.experiments.provenance import spell_recipe
from anselm.experiments.results import Result
from anselm.experiments.schema import Part, Recipe, Stage
from anselm.train.hyperparameters import Training

AGREES, EARLIER, OUTDATED, DIFFERS, NO_RECIPE = "agrees", "earlier", "outdated", "differs", "no recipe"
STATES = {
    AGREES: "agree with their recipe and can be run again from themselves",
    EARLIER: "agree as far as they say, but do not say all that they were made of",
    OUTDATED: "differ from their recipe, and say so",
    DIFFERS: "differ from their recipe",
    NO_RECIPE: "have no recipe",
}
NEWER = ("rmsprop-tf",)  # optimizers that came with the records' field for them: without the field it was another


@dataclass(frozen=True)
class Agreement:
    """Of one result, and why it does not agree, where it does not."""

    path: Path
    state: str
    why: str = ""


def check_results(results: Sequence[Result], recipes: Mapping[str, Recipe]) -> list[Agreement]:
    return [check_result(result, recipe_of(result, recipes)) for result in results]


def recipe_of(result: Result, recipes: Mapping[str, Recipe]) -> Recipe | None:
    """By its name; or, of figures that are recorded in another table than their row's, the one that is tested there."""
    table = f"{result.paper}/{result.table}"
    others = (one for one in recipes.values() if one.row == result.row and table in one.tables)
    return recipes.get(result.names[0]) or next((one for one in others if find_place(result, one)), None)


def summarise(found: Sequence[Agreement]) -> str:
    """What each state means, with how many results are in it."""
    counts = Counter(one.state for one in found)
    return ", ".join(f"{counts[state]} {what}" for state, what in STATES.items() if counts[state])


def check_result(result: Result, recipe: Recipe | None) -> Agreement:
    if recipe is None:
        return Agreement(result.path, NO_RECIPE, "it was not trained by a recipe that is here")
    if (found := find_place(result, recipe)) is None:
        return Agreement(result.path, DIFFERS, "the recipe is not tested there")
    if why := next(differences(result, recipe, *found), ""):
        return Agreement(result.path, OUTDATED if result.outdated else DIFFERS, why)
    if result.outdated:
        return Agreement(result.path, DIFFERS, "it says that it differs from its recipe, and does not")
    if "seeds" not in result.made:
        return Agreement(result.path, EARLIER, "it does not say all that it was made of")
    return Agreement(result.path, AGREES)


def find_place(result: Result, recipe: Recipe) -> tuple[str, Part] | None:
    """The corpus of a recipe that a result is of, and its test set."""
    for corpus, stage in recipe.corpora.items():
        for part in stage.tests:
            here = Path(part.data).name == result.corpus
            if here and part.split in (None, result.split) and part.protocol in (None, result.protocol):
                return corpus, part
    return None


def differences(result: Result, recipe: Recipe, corpus: str, part: Part) -> Iterator[str]:
    """optimizer: rmsprop recorded, rmsprop-tf in the recipe"""
    stage = recipe.corpora[corpus]
    said = {
        "model": (result.model, recipe.model),
        "metric": (result.metric, recipe.metric),
        "published": (result.published, dict(part.published)),
        "dev": (result.dev.get("data"), stage.dev.data),
        "optimizer": _optimizers(result, stage),
    }
    yield from (f"{name}: {old} recorded, {new} in the recipe" for name, (old, new) in said.items() if old != new)
    if result.chosen not in stage.settings:
        yield f"{result.chosen} is no setting that the recipe searches"
    if extra := [seed for seed in result.seeds if seed not in recipe.seeds]:
        yield f"the recipe does not have the seeds {extra}"
    if result.made and row_fingerprint(recipe, corpus, result.chosen) != result.made["fingerprint"]:
        yield next(changes(result.made["recipe"], spell_recipe(recipe, corpus, part)), "the recipe was another one")


def _optimizers(result: Result, stage: Stage) -> tuple[str, str]:
    now = stage.training.get("optimizer", Training.optimizer)
    return result.optimizer or (now if now not in NEWER else "another"), now


def changes(there: Any, here: Any, name: str = "recipe") -> Iterator[str]:
    """corpus.wikiqa.training.epochs: 30 recorded, 40 in the recipe"""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*there, *(key for key in here if key not in there)]:
            yield from changes(there.get(key), here.get(key), key if name == "recipe" else f"{name}.{key}")
    elif there != here:
        yield f"{name}: {there} recorded, {here} in the recipe"
