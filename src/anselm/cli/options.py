"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anselm.cli.completion import complete_corpus, complete_model
from anselm.metrics import DEFAULT_METRICS


def switch(*names: str, **settings: Any) -> Any:
    """An option that takes no value, so that help names no type of one."""
    return typer.Option(*names, metavar="", **settings)


Json = Annotated[bool, switch("--json", help="Print JSON, for machines.")]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        autocompletion=complete_model,
        help="A name from `anselm models`, or a checkpoint folder.",
    ),
]
Device = Annotated[
    str | None,
    typer.Option(help="What torch computes on: cuda, cuda:N, mps, cpu, or auto; without it the runtime, on the CPU."),
]
Strict = Annotated[bool, switch("--strict", help="Stop at the first record that cannot be read, and skip none.")]
Threshold = Annotated[
    float | None, typer.Option(help="How certain it must be that there is an answer, from 0 to 1; 0.5 by default.")
]
Workers = Annotated[int | None, typer.Option(help="How many processes, each with a ranker of its own.")]
Split = Annotated[str | None, typer.Option(help="Which split; `test` where there is one.")]
Protocol = Annotated[str | None, typer.Option(help="Which questions count; `clean` where the corpus has it.")]
DataDir = Annotated[Path | None, typer.Option(help="The folder of the corpora; ANSELM_DATA by default.")]
Metrics = Annotated[
    str,
    typer.Option(help="Metrics, with commas between: map, mrr, map@K, mrr@K, p@K, ndcg@K, recall@K, success@K."),
]
JudgedOnly = Annotated[
    bool, switch("--judged-only", help="Leave candidates that nobody judged out, instead of as not relevant.")
]
TieRule = Annotated[str, typer.Option(help="The order of equal scores: pessimistic, source or trec.")]
System = Annotated[
    str,
    typer.Argument(
        autocompletion=complete_model,
        help="A model name, a checkpoint folder, a TREC run, or predictions in SemEval's format.",
    ),
]
DataSource = Annotated[
    str,
    typer.Option(
        "--data",
        "-d",
        autocompletion=complete_corpus,
        help="A corpus name, or a JSONL, CSV, TSV, qrels or BEIR path.",
    ),
]

AsTyped = Annotated[bool, switch("--as-typed", help="Read questions as they are, also where a word is misspelt.")]
Faq = Annotated[
    Path | None,
    typer.Option(
        "--faq",
        help="A FAQ whose entries answer the questions of --data: a table of question and right (id or question).",
    ),
]
Columns = Annotated[
    str | None, typer.Option(help="What a table's columns are called: question=Q,answer=A,id=Nr, or some of them.")
]
LogColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="What a table's columns are called: question=Q,answer=A,id=Nr of a FAQ, asked=Q,right=Entry of the "
        "questions beside it, or some of them.",
    ),
]

METRICS = ",".join(DEFAULT_METRICS)


def named_columns(columns: str | None, *of_log: str) -> dict[str, str] | None:
    """What `--columns` says, of a FAQ or of some columns of a log as well."""
    from anselm.text.faq_columns import parse_columns

    return dict(parse_columns(columns, of_log)) if columns else None


def judged_columns(columns: str | None, faq: Path | None) -> dict[str, str] | None:
    """With those of the log where there is a FAQ beside it."""
    from anselm.text.column_names import SAID_OF_LOGS

    return named_columns(columns, *(SAID_OF_LOGS if faq is not None else ()))
