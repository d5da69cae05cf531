"""The application as a value: routes, lifespan, guard and error handlers over a service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

import anselm
from anselm.errors import AnselmError
from anselm.serve.configuration import Settings
from anselm.serve.guards import Guard, respond
from anselm.serve.page.addresses import PATHS, page_router
from anselm.serve.refusals import Refusal, as_refusal
from anselm.serve.routes import router
from anselm.serve.service import Service

OPEN = PATHS | frozenset({"/health", "/ready", "/metrics", "/openapi.json"})  # without a key; they hold no texts


async def refuse(request: Request, error: Exception) -> Response:
    """Every error that has a sentence, in the shape of the route."""
    refusal = as_refusal(error)

    class Refused(Response):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await respond(send, refusal, scope)

    return Refused()


def create_app(settings: Settings | None = None, service: Service | None = None) -> FastAPI:
    """The application over a service, which is started with it unless it runs already."""
    service = service or Service(settings or Settings())
    limits = service.settings.limits

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if not service.started:
            await asyncio.to_thread(service.start)
        with ThreadPoolExecutor(limits.max_requests, "request") as app.state.threads:
            yield
            await asyncio.to_thread(service.stop, service.settings.grace)

    routes = PATHS | frozenset(route.path for route in router.routes if isinstance(route, APIRoute))
    guard = Middleware(Guard, service=service, open_paths=OPEN, routes=routes)
    app = FastAPI(
        title="Anselm", version=anselm.__version__, summary="Ranks the candidate answers to a question.",
        docs_url=None, redoc_url=None, lifespan=lifespan, middleware=[guard],
        exception_handlers={
            Refusal: refuse, RequestValidationError: refuse, HTTPException: refuse, AnselmError: refuse,
        },
    )  # fmt: skip
    app.state.service = service
    app.include_router(router)
    app.include_router(page_router())
    return app
