"""The trees of all texts that the tree rows and the probes read: python -m tools.tree_rows.keep_trees FOLDER OUT [I N]

Into $ANSELM_CACHE, in brackets, and into OUT as rows read them, with the pieces of both encoders: brackets are slow to
read, and every seed of a row would. With I and N only every N-th text, from the I-th on: N processes share the work.
"""

# ruff: noqa: T201

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from anselm.annotations.annotation_cache import SHARED
from anselm.annotations.syntax import join_sentences
from anselm.annotations.trees import read_brackets
from anselm.evaluation.probe_runs import load_lists
from anselm.experiments.parts import load_part
from anselm.experiments.recipe_files import find_recipes
from anselm.experiments.schema import Part, Recipe
from anselm.models.frames.constituents import read_tree
from anselm.models.frames.pretrained import MINILM, load_pretrained
from tools.tree_rows.batch_parser import BatchParser

PAPER = "tree-aggregation-transformer"
CORPORA = ("wikiqa", "trecqa", "semeval-2016", "semeval-2015")
BASES = (MINILM, "sentence-transformers/all-mpnet-base-v2")
AT_ONCE = 4_000  # texts


def tree_rows() -> list[Recipe]:
    return [recipe for recipe in find_recipes(PAPER) if recipe.config.get("parser") == "own"]


def tree_parts(corpus: str) -> list[Part]:
    """Of the rows that name our parser; what comes before, in a transfer, has no trees."""
    stages = [row.corpora[corpus] for row in tree_rows() if corpus in row.corpora]
    return list(dict.fromkeys(part for stage in stages for part in stage.parts))


def texts_of(corpus: str) -> list[str]:
    lists = [*(load_part(part) for part in tree_parts(corpus)), *load_lists(corpus, None)]
    both = (text for some in lists for one in some for text in (one.text, *(two.text for two in one.candidates)))
    return list(dict.fromkeys(both))


def shards(out: Path, corpus: str, base: str, which: str = "*") -> Iterator[Path]:
    name = f"{corpus}.{Path(base).name}.{which}.pickle"
    yield from out.glob(name) if which == "*" else [out / name]


def main() -> None:
    folder, out, *which = sys.argv[1:]
    first, every = map(int, which) if which else (0, 1)
    parser, began = BatchParser(Path(folder), 0), time.monotonic()
    tokenizers = {base: load_pretrained(base)[1] for base in BASES}
    Path(out).mkdir(parents=True, exist_ok=True)
    for corpus in CORPORA:
        texts = texts_of(corpus)[first::every]
        found = [one for start in range(0, len(texts), AT_ONCE) for one in annotate(parser, texts[start:][:AT_ONCE])]
        trees = [join_sentences(map(read_brackets, one)) for one in found]
        for base, tokenizer in tokenizers.items():
            about = (parser.name, parser.version, tokenizer.digest)
            read = zip(trees, texts, tokenizer.offsets(texts), strict=True)
            made = {(*about, one[1]): read_tree(*one) for one in read}
            (path,) = shards(Path(out), corpus, base, str(first))
            path.write_bytes(pickle.dumps(made, protocol=5))
        print(f"{corpus}: {len(texts):,} texts, {time.monotonic() - began:.0f} s in all", flush=True)


def annotate(parser: BatchParser, texts: list[str]) -> list[tuple[str, ...]]:
    return SHARED.annotate(parser, texts)


if __name__ == "__main__":
    main()
