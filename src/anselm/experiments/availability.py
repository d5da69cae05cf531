"""Which data of a recipe is here, and which of its corpora can be run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from anselm.data.datasets import find_corpus, find_data_dir, is_corpus_name
from anselm.errors import MissingDataError, UnknownNameError
from anselm.experiments.schema import Part, Recipe


def missing_data(recipe: Recipe, data_dir: Path | None = None, corpora: Sequence[str] = ()) -> list[str]:
    """What a recipe, or some corpora of it, needs and is not here."""
    stages = [*(recipe.corpora[name] for name in corpora or recipe.corpora), *filter(None, [recipe.transfer])]
    return missing_parts([part for stage in stages for part in stage.parts], data_dir)


def missing_parts(parts: Sequence[Part], data_dir: Path | None = None) -> list[str]:
    """The corpora and files of some parts that are not here."""
    try:
        folder = find_data_dir(data_dir)
    except MissingDataError:
        folder = None
    return list(dict.fromkeys(_spell(part, folder) for part in parts if _is_absent(part, folder)))


def _spell(part: Part, folder: Path | None) -> str:
    """Of a corpus that is here in part, the split that is not."""
    if folder is None or not is_corpus_name(part.data):
        return part.data
    corpus = find_corpus(part.data)
    in_part = any(not corpus.missing(split, folder) for split in corpus.splits)
    return f"{part.data} ({part.split or corpus.default_split})" if in_part else part.data


def _is_absent(part: Part, folder: Path | None) -> bool:
    if not is_corpus_name(part.data):
        return not Path(part.data).exists()
    corpus = find_corpus(part.data)
    return folder is None or bool(corpus.missing(part.split or corpus.default_split, folder))


def choose_corpora(
    recipes: Sequence[Recipe], corpora: Sequence[str], data_dir: Path | None, say: Callable[[str], None]
) -> list[Recipe]:
    """Each with those of its corpora that are wanted and here. Of several recipes, not each has to have each corpus."""
    known = {name for recipe in recipes for name in recipe.corpora}
    if unknown := next((name for name in corpora if name not in known), None):
        raise UnknownNameError(f"corpus of {recipes[0].name}", unknown, known)
    chosen: list[Recipe] = []
    absent: dict[tuple[str, str], list[str]] = {}  # corpus and what it lacks -> rows
    for recipe in recipes:
        wanted = [name for name in recipe.corpora if name in corpora or not corpora]
        lacks = {name: ", ".join(missing_data(recipe, data_dir, [name])) for name in wanted}
        for name in filter(lacks.get, wanted):
            absent.setdefault((name, lacks[name]), []).append(recipe.name)
        if wanted:
            chosen.append(replace(recipe, corpora={name: recipe.corpora[name] for name in wanted if not lacks[name]}))
    for (name, what), rows in absent.items():
        if name in corpora:
            raise MissingDataError(
                f"{rows[0]} on {name} needs {what}, which is not here; `anselm data list` says where to get it"
            )
        which = rows[0] if len(rows) == 1 else f"{len(rows)} recipes"
        say(f"note: {which} on {name} left out, since {what} is not here")
    return chosen
