"""The first view: an example, read by the service as any request is, once, and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from anselm.errors import AnselmError
from anselm.serve import bodies, readings, shapes
from anselm.serve.page.examples import Example
from anselm.serve.queue import Ticket
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service

TOP = 5  # sentences of a document, and results of which the words are marked; requests.js has the same

Json = dict[str, Any]


@dataclass(frozen=True)
class FirstView:
    """An example, and what the routes answer to it, with the evidence for its first results."""

    example: Example
    reply: Json | None = None  # none where the service had no time for it


class FirstViews:
    """One of each example; several visitors who come at once wait for the same reading."""

    def __init__(self) -> None:
        self._found: dict[str, FirstView] = {}
        self._lock = asyncio.Lock()

    async def get(self, request: Request, example: Example) -> FirstView:
        async with self._lock:
            if example.title not in self._found:
                try:
                    self._found[example.title] = await read_in_thread(request, example)
                except (Refusal, AnselmError):
                    return FirstView(example)
            return self._found[example.title]


async def read_in_thread(request: Request, example: Example) -> FirstView:
    service: Service = request.app.state.service
    if not service.ready:
        return FirstView(example)
    with service.admitted(len(example.question) + len(example.text)) as ticket:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(request.app.state.threads, read, service, ticket, example)


def read(service: Service, ticket: Ticket, example: Example) -> FirstView:
    """As page.js does it: the ranking, what the model has to show of it, and the words that carried the best of it."""
    lines = example.text.splitlines()
    options = {"fold_duplicates": True, **({"figures": True} if service.describe(None).figures else {})}
    if example.kind == "lines":
        reply = rerank(service, ticket, example.question, lines, **options)
    else:
        reply = ask(service, ticket, example, **options)
    found = [
        {"text": one.get("text") or lines[one["index"]], "question": one.get("question")} for one in reply["results"]
    ]
    explained = rerank(service, ticket, example.question, found, explain=True, top_n=TOP)
    for one in explained["results"]:
        reply["results"][one["index"]]["evidence"] = one.get("evidence")
    return FirstView(example, reply)


def rerank(service: Service, ticket: Ticket, question: str, documents: Sequence[Any], **options: int) -> Json:
    body = bodies.Rerank.model_validate({"query": question, "documents": documents, **options})
    return shapes.reranked(readings.rerank(service, ticket, body), body)


def ask(service: Service, ticket: Ticket, example: Example, **options: bool) -> Json:
    document = {"text": example.text, "source": example.source, "kind": example.kind}
    given = {"question": example.question, "documents": [document], "top": TOP, **options}
    return shapes.answered(readings.ask(service, ticket, bodies.Ask.model_validate(given)))
