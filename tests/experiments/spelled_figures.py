"""Figures of the recorded results as the pages spell them, for the tests of their sentences."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from anselm.experiments.result_tables import spell_chance
from anselm.experiments.results import Result, read_results
from anselm.metrics.significance import randomisation_test, welch_test

ROOT = Path(__file__).parents[2]


@cache
def records() -> dict[str, Result]:
    """paper/table/row--corpus"""
    return {one.path.with_suffix("").as_posix(): one for one in read_results(ROOT / "results")}


def rows(paper: str, corpus: str, *tables: str) -> list[Result]:
    return [one for one in records().values() if (one.paper, one.corpus) == (paper, corpus) and one.table in tables]


@cache
def text(page: str) -> str:
    return " ".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split())


def earlier(paper: str = "") -> str:
    """54 of the 61"""
    found = [one for one in records().values() if paper in ("", one.paper)]
    return f"{sum('seeds' not in one.made for one in found)} of{' the' if paper else ''} {len(found)}"


class Paper:
    """Figures of a paper's rows as its page spells them; a row by its place, table/row--corpus."""

    def __init__(self, name: str, metric: str) -> None:
        self.name, self.metric = name, metric

    def row(self, place: str) -> Result:
        return records()[f"{self.name}/{place}"]

    def mean(self, place: str, metric: str = "") -> float:
        return float(self.row(place).metrics[metric or self.metric]["mean"])

    def at(self, *places: str, metric: str = "", between: str = " / ") -> str:
        return between.join(f"{self.mean(place, metric):.3f}" for place in places)

    def spread(self, place: str, metric: str = "") -> str:
        return f"{self.at(place, metric=metric)} ± {self.row(place).metrics[metric or self.metric]['sd']:.3f}"

    def dev(self, *places: str) -> str:
        return " / ".join(f"{self.row(place).dev['map']['mean']:.3f}" for place in places)

    def gap(self, one: str, other: str, sign: str = "") -> str:
        return format(self.mean(one) - self.mean(other), f"{sign}.3f")

    def over_questions(self, one: str, other: str) -> str:
        return spell_chance(randomisation_test(self.row(one).values, self.row(other).values))

    def over_seeds(self, one: str, other: str) -> str:
        values = [self.row(place).metrics[self.metric]["values"] for place in (one, other)]
        return spell_chance(welch_test(*values))

    def chances(self, one: str, other: str) -> str:
        return f"{self.over_questions(one, other)} / {self.over_seeds(one, other)}"


def bm25(corpus: str, protocol: str) -> float:
    """Its MAP, in docs/results.md."""
    return float(re.findall(rf"^\| {corpus}, \w+ \({protocol}\) \|[^|]+\| ([\d.]+) /", lexical(), re.MULTILINE)[0])


@cache
def lexical() -> str:
    return (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
