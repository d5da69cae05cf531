"""Tools for agents, over the Model Context Protocol: `rank` candidate answers, and `ask` documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, NotRequired, ParamSpec, TypedDict, TypeVar

from anselm import __version__
from anselm.errors import AnselmError, InputError, MissingExtraError
from anselm.integrations.selection import Selection, verdict
from anselm.ranking.passages import GivenDocument
from anselm.ranking.ranker import Ranker

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field
except ModuleNotFoundError as error:
    raise MissingExtraError("the server for agents", "mcp") from error

INSTRUCTIONS = """Finds the answer to a question among candidates (`rank`) or in documents (`ask`), and says whether \
there is one. Where `answerable` is false, say that no answer was found instead of using the best of what there is."""

P = ParamSpec("P")
T = TypeVar("T")


class Found(TypedDict):
    """What came out, best first. `answerable` is null where the model cannot tell."""

    answerable: bool | None
    answerability: float | None
    results: list[dict[str, Any]]
    read_as: NotRequired[str]  # the question, where a word of it was misspelt
    question_cut: NotRequired[int]  # how many of its characters were read, where it is too long
    warnings: NotRequired[list[str]]


Question = Annotated[str, Field(description="The question, as a person would ask it.")]
Top = Annotated[int, Field(description="How many results to return.", ge=1)]
Least = Annotated[float | None, Field(description="Leave results less probable than this out.", ge=0, le=1)]
Candidates = Annotated[
    list[str | dict[str, Any]],
    Field(description="Texts, or objects with a `text` and perhaps an `id` and other fields, which come back."),
]
Texts = Annotated[
    list[str] | None,
    Field(description="Texts to search, instead of the documents of this server; neither names nor bytes of files."),
]


def create_server(ranker: Ranker, documents: Sequence[GivenDocument] = ()) -> MCPServer:
    """`documents` are what `ask` searches unless it is given texts. No tool opens a file that an agent names."""
    server = MCPServer("anselm", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")

    @server.tool()
    @told
    def rank(question: Question, candidates: Candidates, top: Top = 5, score_threshold: Least = None) -> Found:
        """Order candidate answers to a question, best first, each with the probability that it is right."""
        if not candidates:
            raise InputError("there are no candidates; at least one is needed")
        ranking = Selection(top, score_threshold).of(ranker, question, candidates)
        return found(ranking, [as_given(one) | verdict(ranking, one) for one in ranking])

    @server.tool(description=describe(documents))
    @told
    def ask(question: Question, texts: Texts = None, top: Top = 5, score_threshold: Least = None) -> Found:
        if not (searched := documents if texts is None else texts):
            raise InputError("there is nothing to search: this server was started without documents; give `texts`")
        answers = ranker.ask(question, searched, top)
        return found(answers, [one.to_dict() for one in answers if one.relevance >= (score_threshold or 0)])

    return server


def describe(documents: Sequence[GivenDocument]) -> str:
    known = f"the {len(documents):,} document{'s' * (len(documents) > 1)} of this server" if documents else ""
    where = f"{known}, or of texts that are given" if known else "texts that are given"
    return f"Find the sentences, or the entries of a FAQ, of {where}, that answer a question, with their places."


def told(tool: Callable[P, T]) -> Callable[P, T]:
    """What is wrong with the input, the agent may read; of anything else it is told nothing."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return tool(*args, **kwargs)
        except AnselmError as error:
            raise ToolError(str(error)) from error

    return call


def found(ranking: Any, results: list[dict[str, Any]]) -> Found:
    known: Found = {"answerable": ranking.answerable, "answerability": ranking.answerability, "results": results}
    if ranking.read_as is not None:
        known["read_as"] = ranking.read_as
    if ranking.question_cut is not None:
        known["question_cut"] = ranking.question_cut
    return known | {"warnings": list(ranking.warnings)} if ranking.warnings else known


def as_given(result: Any) -> dict[str, Any]:
    given = {"text": result.item} if isinstance(result.item, str) else dict(result.item)
    return {**given, "index": result.index}
