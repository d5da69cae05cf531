"""The routes: each takes a body of its family, has it read, and answers in the same shape."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse

from anselm.serve import bodies, readings, replies, samples, shapes
from anselm.serve.guards import MODEL, TEI
from anselm.serve.queue import Ticket
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service
from anselm.serve.strict_json import parse, render

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": replies.ProblemBody, "description": "Not JSON"},
    401: {"model": replies.ProblemBody, "description": "No valid API key"},
    404: {"model": replies.ProblemBody, "description": "No such model"},
    413: {"model": replies.ProblemBody, "description": "The body is too large"},
    415: {"model": replies.ProblemBody, "description": "Not sent as JSON"},
    422: {"model": replies.ProblemBody, "description": "Not a request that can be read"},
    429: {"model": replies.ProblemBody, "description": "Too much is waiting; Retry-After says when to come back"},
    503: {"model": replies.ProblemBody, "description": "Stopping"},
    504: {"model": replies.ProblemBody, "description": "The deadline passed"},
}
Found = TypeVar("Found")


class StrictRequest(Request):
    async def json(self) -> Any:
        """As the standard has it; `/rerank` is told by its fields in which shape to refuse."""
        value = parse(await self.body())
        if not isinstance(value, dict):
            raise Refusal(422, "the body must be an object, as in {...}")
        if self.scope["path"] == "/rerank" and bodies.shape_of(value) == "texts":
            self.scope[TEI] = True
        for name in bodies.LISTS:  # before each of them is looked at
            if isinstance(given := value.get(name), list):
                service_of(self).check_count(len(given))
        return value


class StrictRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
            if request.method == "POST" and kind != "application/json":
                raise Refusal(415, "the body must be JSON, sent with `Content-Type: application/json`")
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly


router = APIRouter(route_class=StrictRoute)


class Json(JSONResponse):
    def render(self, content: Any) -> bytes:
        return render(content)


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def perform(request: Request, body: Any, work: Callable[[Service, Ticket, Any], Found]) -> Found:
    """Do the work of a request in a thread, unless there is too much of it, or nobody waits for it any more."""
    service = service_of(request)
    request.scope[MODEL] = service.describe(body.model).name
    with service.admitted(readings.chars_of(service, body)) as ticket:
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(request.app.state.threads, work, service, ticket, body)
        leaving = asyncio.ensure_future(left(request))
        await asyncio.wait((done, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            service.queue.drop(ticket, Refusal(499, "the client has gone", "gone"))
        leaving.cancel()
        return await done


async def left(request: Request) -> None:
    """Returns when the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def post(path: str, model: Any, sample: Any, answer: Any, summary: str) -> Callable[[Any], Any]:
    """A route that takes and gives JSON, with an example of both."""
    content = {"application/json": {"example": answer}}
    described = {200: {"model": model, "content": content, "description": "Ranked"}, **PROBLEMS}
    body = {"requestBody": {"content": {"application/json": {"examples": sample}}}}
    return router.post(path, responses=described, openapi_extra=body, summary=summary, response_class=Json)


@post("/v2/rerank", replies.RerankBody, samples.V2, samples.RERANKED, "Rerank, as Cohere's v2")
async def rerank_v2(request: Request, body: bodies.RerankV2) -> Response:
    return await answer_rerank(request, body)


@post("/v1/rerank", replies.RerankBody, samples.V1, samples.RERANKED, "Rerank, as Cohere's v1, Jina's and vLLM's")
async def rerank_v1(request: Request, body: bodies.Rerank) -> Response:
    return await answer_rerank(request, body)


@post(
    "/rerank", replies.RerankBody | list[replies.TextResult], samples.EITHER, samples.RERANKED,
    "Rerank `documents` as vLLM's, or `texts` as TEI's",
)  # fmt: skip
async def rerank_either(request: Request, body: bodies.EitherRerank) -> Response:
    return await answer_rerank(request, body)


async def answer_rerank(request: Request, body: bodies.RerankV2 | bodies.RerankTexts) -> Response:
    found = await perform(request, body, readings.rerank)
    service_of(request).counters.verdict(found.ranking.answerable)
    if isinstance(body, bodies.RerankTexts):
        return Json(shapes.text_results(found, body))
    return Json(shapes.reranked(found, body))


@post("/score", replies.ScoreBody, samples.SCORE, samples.SCORED, "Score pairs, as vLLM")
async def score(request: Request, body: bodies.Score) -> Response:
    found = await perform(request, body, readings.score_pairs)
    return Json(shapes.scored(found, request.scope[MODEL], bool(body.raw_scores)))


@post("/ask", replies.AskBody, samples.ASK, samples.ASKED, "Find the sentences of documents that answer a question")
async def ask(request: Request, body: bodies.Ask) -> Response:
    found = await perform(request, body, readings.ask)
    service_of(request).counters.verdict(found.answers.answerable)
    return Json(shapes.answered(found, bool(body.return_documents)))


@router.get("/v1/models", response_model=replies.ModelsBody, summary="The models, and what a request may hold")
async def models(request: Request) -> Response:
    return Json(shapes.models(service_of(request)))


@router.get("/info", response_model=replies.InfoBody, summary="What is served, and its limits")
async def info(request: Request) -> Response:
    return Json(shapes.info(service_of(request)))


@router.get("/health", response_model=replies.HealthBody, summary="Alive, and how its ranker processes are")
async def health(request: Request) -> Response:
    return Json(shapes.health(service_of(request)))


@router.get(
    "/ready", response_model=replies.ReadyBody, responses={503: {"model": replies.ReadyBody, "description": "Not yet"}},
    summary="Whether requests are accepted",
)  # fmt: skip
async def ready(request: Request) -> Response:
    fine = service_of(request).ready
    return Json({"ready": fine}, status_code=200 if fine else 503)


@router.get("/metrics", summary="For Prometheus", response_class=Response)
async def metrics(request: Request) -> Response:
    registry = service_of(request).counters.registry
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
