"""anselm vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anselm.cli.completion import complete_corpus
from anselm.cli.options import DataDir, Json, switch
from anselm.cli.output import print_json, say
from anselm.errors import InputError
from anselm.outputs import check_apart

app = typer.Typer()

ENDINGS = (".txt", ".vec", ".bin")


@app.command(epilog="Example: anselm vectors --data forum.txt --data faq.jsonl --phrases --out forum.bin")
def vectors(
    data: Annotated[
        list[str],
        typer.Option(
            "--data",
            "-d",
            autocompletion=complete_corpus,
            help="Texts, any number: corpora, files of lists, .txt (a text a line), documents, folders.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file to write: word2vec text, or binary (.bin); packed with .gz.")],
    split: Annotated[
        str | None, typer.Option(help="Of the corpora; `train` by default, or all where there is none.")
    ] = None,
    width: Annotated[int, typer.Option(min=1, help="Numbers per word.")] = 200,
    window: Annotated[int, typer.Option(min=1, help="How many words on each side are looked at.")] = 5,
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="How often a word must occur.")] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="How often to go through the texts.")] = 10,
    phrases: Annotated[bool, switch("--phrases", help="Join words that often come together: new_york.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Threads; with more than one no two runs are the same.")] = 1,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Train word vectors on any texts (skip-gram): a recipe or a model's config takes them as `vectors = FILE`."""
    from anselm.cli.show import waiting
    from anselm.data.datasets import is_corpus_name
    from anselm.experiments.vector_training import Making, make_vectors, read_texts
    from anselm.text.word2vec import require_gensim
    from anselm.text.word_vectors import write_vectors

    require_gensim()
    check_out(out, data)
    if split and not any(is_corpus_name(source) for source in data):
        raise InputError(f"--split {split} is for corpora, and none of {', '.join(data)} is one")
    with waiting("reading"):
        parts = (read_texts(source, split if is_corpus_name(source) else None, data_dir) for source in data)
        texts = list(dict.fromkeys(text for part in parts for text in part))
    with waiting("training"):
        found = make_vectors(texts, Making(width, window, min_count, phrases, epochs), workers)
    write_vectors(found, out)
    joined = sum("_" in word for word in found.words)
    if as_json:
        record = {"file": str(out), "texts": len(texts), "words": len(found.words), "phrases": joined, "width": width}
        return print_json(record)
    return say(f"{out}: {len(found.words):,} words, {joined:,} of them phrases, width {width}, of {len(texts):,} texts")


def check_out(out: Path, sources: list[str]) -> None:
    """Before anything is read: that it could be written, and that nothing of the user's is lost."""
    if Path(out.name.removesuffix(".gz")).suffix not in ENDINGS:
        raise InputError(f"{out} must end in {', '.join(ENDINGS)}, or one of them and .gz")
    if not out.parent.is_dir() or out.is_dir():
        raise InputError(f"{out} cannot be written: a file name in a folder that exists is needed")
    check_apart(out, *sources)
