"""Trees of a parser on a larger encoder, for one on a smaller to learn from: ... teacher_trees FOLDER OUT

Of newspaper sentences without trees (CoNLL 2000, beside the treebank sample) and of SQuAD's. Sentences that the sample
has are left out.
"""

# ruff: noqa: T201

from __future__ import annotations

import random
import sys
import zipfile
from pathlib import Path

from anselm.annotations.installed_parsers import sentences_of
from anselm.annotations.treebank import read_treebank
from anselm.data.datasets import find_data_dir, load_dataset
from tools.tree_rows.batch_parser import BatchParser

CHUNKED = "nltk_data/corpora/conll2000.zip"
WIKIPEDIA = 8_000  # sentences
WORDS = range(3, 61)


def newspaper() -> list[list[str]]:
    """A word on each line, with what is known of it behind; sentences are apart by an empty line."""
    with zipfile.ZipFile(find_data_dir(None) / CHUNKED) as archive:
        names = [name for name in archive.namelist() if name.endswith(("train.txt", "test.txt"))]
        content = "\n\n".join(archive.read(name).decode("utf-8") for name in sorted(names))
    return [[line.split()[0] for line in some.splitlines()] for some in content.split("\n\n") if some.strip()]


def wikipedia(count: int) -> list[list[str]]:
    texts = dict.fromkeys(one.text for question in load_dataset("squad", "train-subset") for one in question.candidates)
    sentences = [words for text in random.Random(7).sample(list(texts), count) for words in sentences_of(text)]
    return sentences[:count]


def main() -> None:
    folder, out = sys.argv[1:]
    known = {" ".join(tree.words()) for part in ("train", "dev", "test") for tree in read_treebank(part)}
    found = [words for words in (*newspaper(), *wikipedia(WIKIPEDIA)) if len(words) in WORDS]
    fresh = [words for words in found if " ".join(words) not in known]
    trees = BatchParser(Path(folder), 0).parse_words(fresh)
    Path(out).write_text("\n".join(trees) + "\n", encoding="utf-8")
    print(f"{len(trees):,} trees; {len(found) - len(fresh)} sentences are in the sample")


if __name__ == "__main__":
    main()
