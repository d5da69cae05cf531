"""The pages' own routes: `/`, `/results`, and the files that they load. None of them needs an API key."""

from __future__ import annotations

import json
from html import escape

from fastapi import APIRouter, Request, Response

from anselm.serve.page import markup, recorded, shell
from anselm.serve.page.examples import read_examples
from anselm.serve.page.first_view import FirstView, FirstViews
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service

FILES = {f"/page/{path.name}": path for path in sorted(shell.ASSETS.iterdir())}
PATHS = frozenset({"/", "/results", *FILES, *recorded.FIGURES})
KINDS = {
    "lines": "candidates, one per line",
    "paragraphs": "candidates, blank lines between",
    "csv": "a FAQ as CSV",
    "tsv": "a FAQ as TSV",
    "json": "a FAQ as JSON",
    "jsonl": "a FAQ as JSON lines",
    "markdown": "a document in Markdown",
    "html": "a document in HTML",
    "text": "a document in plain text",
}


def page_router() -> APIRouter:
    """With a memory of its own for the examples, which are read once by each application."""
    router = APIRouter(include_in_schema=False)
    views, examples = FirstViews(), read_examples()

    @router.get("/")
    async def rank(request: Request, example: str = next(iter(examples))) -> Response:
        if example not in examples:
            raise Refusal(404, f"there is no example of this name; there is {', '.join(examples)}")
        view = await views.get(request, examples[example])
        links = "".join(
            f'<li><a href="/?example={name}"{current(name == example)}>{escape(one.title)}</a></li>'
            for name, one in examples.items()
        )
        return shell.page("Anselm", rank_page(request.app.state.service, view, links), "/")

    @router.get("/results")
    async def results() -> Response:
        return shell.page("Recorded results · Anselm", recorded.results_page(), "/results")

    for path, file in {**FILES, **recorded.FIGURES}.items():
        router.add_api_route(path, lambda file=file: shell.asset(file))
    return router


def current(here: bool) -> str:
    return ' aria-current="true"' if here else ""


def rank_page(service: Service, view: FirstView, links: str) -> str:
    example = view.example
    names = list(service.models)
    known = {
        "reply": view.reply,
        "key": bool(service.settings.keys),
        "models": names,
        "figures": [one.name for one in service.models.values() if one.figures],
        "max_chars": service.settings.limits.max_chars,
        "max_bytes": service.settings.limits.max_bytes,
    }
    return shell.fill(
        "rank.html",
        examples=links,
        question=escape(example.question),
        text=escape(example.text),
        source=escape(example.source),
        kinds=options(KINDS, example.kind),
        models=options({name: name for name in names}, names[0] if names else ""),
        others=options({"": "none", **{name: name for name in names}}, ""),
        threshold=str(round(100 * ((view.reply or {}).get("threshold") or 0.5))),
        asked=markup.asked(view),
        results=markup.results(view),
        known=json.dumps(known).replace("<", "\\u003c"),
    )


def options(choices: dict[str, str], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(label)}</option>'
        for value, label in choices.items()
    )
