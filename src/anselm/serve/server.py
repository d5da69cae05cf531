"""Running the application: a socket, signals, and an end that keeps its promises."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable
from threading import Thread
from types import FrameType

import uvicorn

from anselm.errors import InputError
from anselm.machine import return_freed_memory
from anselm.serve.app import create_app
from anselm.serve.configuration import Settings
from anselm.serve.connections import Connection
from anselm.serve.service import Service

BACKLOG = 2_048
IDLE = 75  # seconds that an idle connection is kept; longer than most proxies keep theirs


class Server(uvicorn.Server):
    """At the first signal it becomes unready and finishes what it accepted; at the second it ends at once."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.service.draining:
            self.should_exit = self.force_exit = True
            return
        self.service.draining = True
        Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        """Probes still find the service, which says that it is not ready, until what was accepted is done."""
        self.service.wait_until_idle(self.service.settings.grace)
        self.should_exit = True


def open_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
        raise InputError(f"{host}, port {port}, cannot be listened on: {getattr(error, 'strerror', error)}") from None
    found.set_inheritable(True)
    return found


def serve(settings: Settings, host: str, port: int, announce: Callable[[str, Service], None]) -> None:
    """Until a signal ends it. The models are loaded before anybody is told where it listens."""
    return_freed_memory()
    listening = open_socket(host, port)
    service = Service(settings)
    try:
        service.start()
        config = uvicorn.Config(
            create_app(service=service), http=Connection, ws="none", log_config=None, access_log=False, lifespan="on",
            backlog=BACKLOG, timeout_keep_alive=IDLE, timeout_graceful_shutdown=5, server_header=False,
        )  # fmt: skip
        address = listening.getsockname()
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        listening.listen(BACKLOG)  # from here on clients may come, even if they wait for a moment
        announce(f"http://{shown}:{address[1]}", service)
        Server(config, service).run(sockets=[listening])
    finally:
        service.stop(0)
        listening.close()


def log_to_stderr(verbose: bool) -> None:
    """Method, route, status and time of requests, if they are wanted; never what they say."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # each line of nonsense from strangers would be a warning
    logger = logging.getLogger("anselm.serve")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if verbose else logging.WARNING)
