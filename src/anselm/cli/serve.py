"""anselm serve."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anselm.cli.completion import complete_model
from anselm.cli.options import Device, switch
from anselm.cli.output import whisper
from anselm.errors import MissingExtraError

if TYPE_CHECKING:
    from anselm.serve.service import Service

app = typer.Typer()


@app.command(epilog="Example: anselm serve --model default --port 8000")
def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            autocompletion=complete_model,
            help="Names from `anselm models`, or checkpoint folders; `default` and `bm25` if none. May be repeated.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 is open to the network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8000,
    processes: Annotated[
        int | None, typer.Option(help="Ranker processes; one for each core, up to four, if not given.")
    ] = None,
    device: Device = None,
    max_documents: Annotated[int, typer.Option(help="Of one request.")] = 1_000,
    max_chars: Annotated[int, typer.Option(help="Of one request.")] = 2_000_000,
    max_requests: Annotated[int, typer.Option(help="Accepted at once; beyond, clients are told to wait (429).")] = 128,
    timeout: Annotated[float, typer.Option(help="Seconds that a request may take.")] = 60.0,
    grace: Annotated[float, typer.Option(help="Seconds that a stop waits for what was accepted.")] = 30.0,
    keys: Annotated[
        Path | None,
        typer.Option("--api-keys", help="A file with one API key, or two while they change; else ANSELM_API_KEYS."),
    ] = None,
    verbose: Annotated[bool, switch("--verbose", help="Log each request, without its texts.")] = False,
) -> None:
    """Serve models over HTTP, as clients of Cohere, Jina, vLLM and TEI know it."""
    if missing := [name for name in ("fastapi", "uvicorn", "prometheus_client") if find_spec(name) is None]:
        raise MissingExtraError(f"the service (it lacks {', '.join(missing)})", "serve")
    from anselm.fetch.fetched_models import ensure
    from anselm.fetch.progress_line import ProgressLine
    from anselm.ranking.torch_devices import find_device
    from anselm.serve.configuration import SHIPPED, Limits, Settings
    from anselm.serve.keys import read_keys
    from anselm.serve.server import log_to_stderr
    from anselm.serve.server import serve as run

    limits = Limits(max_documents=max_documents, max_chars=max_chars, max_requests=max_requests)
    settings = Settings(
        tuple(model or SHIPPED),
        processes,
        device=device and find_device(device),
        limits=limits,
        timeout=timeout,
        grace=grace,
        keys=read_keys(keys),
    )
    for name in settings.models:  # here, and not in each ranker process
        ensure(name, ProgressLine())
    log_to_stderr(verbose)
    run(settings, host, port, announce)


def announce(address: str, service: Service) -> None:
    count, threads = len(service.keepers), service.threads
    processes = f"{count} ranker process{'es' * (count > 1)} with {threads} thread{'s' * (threads > 1)} each"
    whisper(f"anselm: {', '.join(service.models)} at {address}, {processes}; Ctrl-C stops it")
