"""Trees of SQuAD's, SQuADShifts' and SelQA's questions by Stanford's parser: ... silver_trees JARS OUT

The parser is under the GPL and no part of Anselm; its output is used to teach ours what questions are like. The
questions of WikiQA and TrecQA are left for judging.
"""

# ruff: noqa: T201

from __future__ import annotations

import random
import sys
from pathlib import Path

from anselm.annotations.installed_parsers import Stanford
from anselm.annotations.trees import write_brackets
from anselm.data.datasets import load_dataset

COUNTS = {
    ("squad", "train-subset"): 1_800,
    ("squadshifts", "wiki"): 900,
    ("squadshifts", "amazon"): 600,
    ("selqa", "dev"): 400,
}
WORDS = range(2, 31)
AT_ONCE = 800  # texts


def main() -> None:
    parser, rng = Stanford(sys.argv[1]), random.Random(7)
    texts = [text for (name, split), count in COUNTS.items() for text in rng.sample(asked(name, split), count)]
    count = 0
    with Path(sys.argv[2]).open("w", encoding="utf-8") as file:
        for start in range(0, len(texts), AT_ONCE):
            for tree in (tree for trees in parser.parse(texts[start : start + AT_ONCE]) for tree in trees):
                if len(tree.words()) in WORDS:
                    file.write(write_brackets(tree) + "\n")
                    count += 1
    print(f"{count:,} trees")


def asked(name: str, split: str) -> list[str]:
    return list(dict.fromkeys(question.text.strip() for question in load_dataset(name, split)))


if __name__ == "__main__":
    main()
