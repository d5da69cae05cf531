"""What a slip of the finger costs, and what is left of it when questions are respelled:

    python -m tools.default_model.slips [MODEL] [--every 3]

The longest word of each question of the collections gets one letter less, one twice, another one, or two in turn.
MAP, right first, refused though answerable, answered though not: as the questions are, with the slip, and with the slip
as it is read; then the same of those questions that are respelled as they are.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

import numpy as np

from anselm.data.question import Question
from anselm.metrics.measures import average_precision
from anselm.ranking.ranker import Ranker
from anselm.ranking.respelling import as_read
from tools.default_model.verdict_lists import Part, all_parts, collected

FAMILIES = ("faq entries", "faq answers", "documents")
LONG = re.compile(r"[A-Za-z]{5,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="default")
    parser.add_argument("--every", type=int, default=3, help="only one question of so many gets a slip")
    given = parser.parse_args()
    ranker, rng = Ranker.load(given.model, respell=False), random.Random(5)
    print("| lists | questions | MAP | right first | refused, though answerable | answered, though not |")
    print("|---|---|---|---|---|---|")
    for family in FAMILIES:
        asked = [one for part in collected() if part.family == family for one in part.questions[:: given.every]]
        slipped = [replace(one, text=slip(one.text, rng, number)) for number, one in enumerate(asked)]
        read = [as_read(ranker.scorer, one) for one in slipped]
        same = sum(one.text.lower() == two.text.lower() for one, two in zip(asked, read, strict=True))
        for name, lists in ((family, asked), ("with a slip", slipped), (f"read: {same} as they were", read)):
            print(row(name, ranker, lists), flush=True)
    for part in all_parts():
        if pairs := respelled(ranker, part):
            for name, lists in zip((f"{part.family} {part.source}", "read"), zip(*pairs, strict=True), strict=True):
                print(row(name, ranker, lists), flush=True)


def respelled(ranker: Ranker, part: Part) -> list[tuple[Question, Question]]:
    both = ((one, as_read(ranker.scorer, one)) for one in part.questions if one.candidates)
    return [(one, read) for one, read in both if one.text != read.text]


def row(name: str, ranker: Ranker, lists: Sequence[Question]) -> str:
    precision, first, refused, answered = list[float](), list[bool](), list[bool](), list[bool]()
    for one, ranking in zip(lists, ranker.rank_lists(lists), strict=True):
        right = np.array([one.candidates[result.index].relevant for result in ranking])
        if right.any():
            precision.append(average_precision(right.astype(float)))
            first.append(bool(right[0]))
            refused.append(not ranking.answerable)
        else:
            answered.append(bool(ranking.answerable))
    shares = [f"{np.mean(some):.3f}" if some else "-" for some in (precision, first, refused, answered)]
    return f"| {name} | {len(precision)} + {len(answered)} | " + " | ".join(shares) + " |"


def slip(text: str, rng: random.Random, kind: int) -> str:
    """In the longest word; its first and last letter stay."""
    words = list(LONG.finditer(text))
    if not words:
        return text
    word = max(words, key=lambda match: len(match[0]))
    place = rng.randrange(word.start() + 1, word.end() - 1)
    before, letter, behind = text[:place], text[place], text[place + 1 :]
    made = ("", letter * 2, rng.choice(ascii_lowercase), behind[0] + letter)[kind % 4]
    return before + made + (behind[1:] if kind % 4 == 3 else behind)


if __name__ == "__main__":
    main()
