"""What the page opens with: questions, and texts to answer them from, which everybody may see."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import anselm

FOLDER = Path(anselm.__file__).parent / "examples"
REPLIES = """\
The sky over the desert is clear for most of the year.
Blue is the favourite colour of about a third of all people.
Air scatters the short waves of sunlight, which are blue, far more than the long ones, so blue reaches us from all sides!
At sunset light has a longer way through the air, and what is left of it is red.
Air scatters the short waves of sunlight, which are blue, far more than the long ones; so blue reaches us from all sides.
The sea looks blue because water swallows red light.
I have asked myself the same thing ever since I was a child."""  # noqa: E501, a candidate on each line


@dataclass(frozen=True)
class Example:
    """`kind` is how the page reads `text`: `lines` are candidates, anything else is a kind of document."""

    title: str
    question: str
    text: str
    kind: str = "lines"
    source: str = ""


def read_example(title: str, question: str, name: str, kind: str) -> Example:
    return Example(title, question, (FOLDER / name).read_text(encoding="utf-8"), kind, name)


def read_examples() -> dict[str, Example]:
    """By the name in the address; the first is what `/` shows."""
    return {
        "replies": Example("replies of a forum", "Why is the sky blue?", REPLIES),
        "faq": read_example("a FAQ", "what do i pay if i am late", "faq.csv", "csv"),
        "manual": read_example("a manual", "How often should I descale the kettle?", "kettle.md", "markdown"),
        "none": read_example("no answer", "Who painted the Mona Lisa?", "kettle.md", "markdown"),
    }
