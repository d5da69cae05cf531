"""anselm parse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.options import Json, switch
from anselm.cli.output import patience, print_json
from anselm.errors import InputError

if TYPE_CHECKING:
    from anselm.annotations.trees import Tree

app = typer.Typer()


@app.command(epilog='Example: anselm parse "How are glacier caves formed?" --draw')
def parse(
    texts: Annotated[
        list[str],
        typer.Argument(metavar="TEXT...", help="Sentences; or -, for lines of standard input."),
    ],
    parser: Annotated[
        str,
        typer.Option(
            help="own[:FOLDER], benepar[:MODEL], stanza[:LANG], stanford[:FOLDER], file:PATH, flat, right-branching."
        ),
    ] = "own",
    draw: Annotated[bool, switch("--draw", help="Draw the trees in the terminal.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Also draw them into this file, as SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Print the constituents of sentences in Penn brackets; the parser is trained by `anselm train parser`."""
    if draw and as_json:
        raise InputError("--draw is for people and --json for machines; give one of them")
    texts = [line for text in texts for line in (read_lines() if text == "-" else [text])]
    if empty := next((place for place, text in enumerate(texts, 1) if not text.strip()), None):
        raise InputError(f"there is nothing to parse in text {empty}: it is empty")
    from anselm.annotations.syntax import find_parser, join_sentences
    from anselm.annotations.trees import write_brackets
    from anselm.text.sentences import sentence_spans

    sentences = [text[start:end] for text in texts for start, end in sentence_spans(text)]
    with patience("parsing"):
        trees = [join_sentences(found) for found in find_parser(parser).parse(sentences)]
    if svg:
        write_svg(svg, trees)
    if as_json:
        rows = zip(sentences, trees, strict=True)
        return print_json([{"text": sentence, "tree": write_brackets(tree)} for sentence, tree in rows])
    if draw:
        from anselm.cli.show.tree_drawings import draw_tree

        return typer.echo("\n\n".join(map(draw_tree, trees)))
    return typer.echo("\n".join(map(write_brackets, trees)))


def read_lines() -> list[str]:
    from anselm.files import STDIN, open_stdin
    from anselm.text.encodings import decode

    return [line for line in decode(open_stdin().read(), STDIN).splitlines() if line.strip()]


def write_svg(path: Path, trees: list[Tree]) -> None:
    from anselm.annotations.tree_pictures import tree_svg
    from anselm.files import write_atomically

    with write_atomically(path) as file:
        file.write(tree_svg(trees))
