"""What kind of thing a question asks for, by the word that says it: how old, which city, what is the price."""

from __future__ import annotations

from collections.abc import Sequence

MEASURES = {
    "long": "duration", "old": "age", "tall": "size", "high": "size", "far": "size", "big": "size", "large": "size",
    "deep": "size", "wide": "size", "heavy": "number", "fast": "number", "often": "frequency", "late": "duration",
    "much": "money", "many": "number",
}  # fmt: skip
# What a noun that is asked for is a kind of.
HEADS = {
    **dict.fromkeys(("year", "decade", "century"), "year"),
    **dict.fromkeys(("date", "day", "month"), "date"),
    **dict.fromkeys(
        ("city", "country", "state", "county", "continent", "capital", "town", "place", "location", "venue", "region",
         "river", "island", "countries", "cities", "states"), "place"),
    **dict.fromkeys(
        ("president", "actor", "actress", "author", "singer", "king", "queen", "founder", "inventor", "leader",
         "player", "director", "writer", "wife", "husband", "mother", "father", "person", "scientist",
         "governor"), "person"),
    **dict.fromkeys(("population", "number", "score", "amount", "temperature", "speed"), "number"),
    **dict.fromkeys(("percentage", "percent", "share"), "percent"),
    **dict.fromkeys(("price", "cost", "salary", "budget", "income"), "money"),
    **dict.fromkeys(("company", "organization", "group", "team", "university", "school", "party"), "organisation"),
}  # fmt: skip


def kind_of(noun: Sequence[str]) -> str:
    """By the last word of a noun phrase that is known; else a name."""
    return next((HEADS[word.casefold()] for word in reversed(noun) if word.casefold() in HEADS), "name")
