"""`anselm mcp` with a real client over standard input and output, where `mcp` is installed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED

LONG = "We came by train, and it was late, so that " * 12 + QUESTION
FAQ = Path(__file__).parents[2] / "src" / "anselm" / "examples" / "faq.csv"


def talk(work: Callable[[Client], Coroutine[Any, Any, Any]], *arguments: str) -> Any:
    """With a server that is a process of its own."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "anselm", "mcp", *arguments], env=environment())

    async def run() -> Any:
        async with Client(command) as client:
            return await work(client)

    return asyncio.run(run())


def environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def test_both_tools_say_whether_there_is_an_answer(ranker: Ranker) -> None:
    candidates: list[Any] = [TEXTS[0], {"id": "hours", "text": TEXTS[1], "page": 3}]
    calls = [
        ("rank", {"question": QUESTION, "candidates": candidates, "top": 1}),
        ("rank", {"question": UNANSWERED, "candidates": candidates}),
        ("rank", {"question": QUESTION, "candidates": candidates, "score_threshold": 0.5}),
        ("ask", {"question": "what do i pay if i am late", "top": 2}),
        ("ask", {"question": UNANSWERED}),
        ("ask", {"question": QUESTION, "texts": [" ".join(TEXTS)], "top": 1}),
        ("rank", {"question": LONG, "candidates": candidates}),
    ]

    async def work(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        return tools, [(await client.call_tool(name, arguments)).structured_content for name, arguments in calls]

    tools, (ranked, refused, likely, asked, unknown, given, cut) = talk(work, str(FAQ))
    assert {tool.name for tool in tools} == {"ask", "rank"}
    assert all("answerable" in tool.output_schema["required"] for tool in tools)
    assert cut["question_cut"] == ranker.rank(LONG, candidates).question_cut
    assert "question_cut" not in ranked
    wanted = ranker.rank(QUESTION, candidates)
    [best] = ranked["results"]
    assert (best["index"], best["id"], best["page"], best["text"]) == (1, "hours", 3, TEXTS[1])
    assert best["probability"] == pytest.approx(wanted.best.probability, abs=1e-6)
    assert (ranked["answerable"], ranked["answerability"]) == (True, pytest.approx(wanted.answerability, abs=1e-6))
    assert (refused["answerable"], len(refused["results"])) == (False, 2)
    assert [one["id"] for one in likely["results"]] == ["hours"]
    assert (asked["answerable"], len(asked["results"])) == (True, 2)
    assert "20 cents" in asked["results"][0]["text"]
    assert (asked["results"][0]["source"], asked["results"][0]["line"]) == (str(FAQ), 7)
    assert unknown["answerable"] is False
    assert given["results"][0]["text"] == TEXTS[1]


def test_bad_input_is_a_sentence_and_the_server_goes_on() -> None:
    calls = [
        ("ask", {"question": QUESTION}),
        ("rank", {"question": " ", "candidates": ["a"]}),
        ("rank", {"question": QUESTION, "candidates": []}),
        ("rank", {"question": QUESTION, "candidates": [{"title": "no text"}]}),
        ("rank", {"question": QUESTION, "candidates": ["a"], "top": 0}),
    ]

    async def work(client: Client) -> list[Any]:
        answers = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [*answers, await client.call_tool("rank", {"question": QUESTION, "candidates": list(TEXTS)})]

    *refused, fine = talk(work, "--model", "bm25")
    assert [answer.is_error for answer in refused] == [True] * len(calls)
    sentences = [answer.content[0].text for answer in refused]
    assert "this server was started without documents; give `texts`" in sentences[0]
    assert "question" in sentences[1]
    assert "there are no candidates" in sentences[2]
    assert "must have a string" in sentences[3]
    assert "greater than or equal to 1" in sentences[4]
    assert not any("Traceback" in sentence for sentence in sentences)
    assert fine.structured_content["results"][0]["text"] == TEXTS[1]
