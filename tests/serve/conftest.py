"""A service in this process with ranker processes of its own, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("prometheus_client")

from fastapi.testclient import TestClient

from anselm.serve.app import create_app
from anselm.serve.configuration import Limits, Settings
from anselm.serve.service import Service

LIMITS = Limits(max_documents=50, max_chars=100_000, max_tokens_per_doc=2_000, max_bytes=500_000)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """Two models; slices are small, so that lists are cut."""
    found = Service(Settings(("bm25", "default"), processes=1, limits=LIMITS, batch_chars=400))
    found.start()
    yield found
    found.stop(5)


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    """Without a lifespan of its own: the service goes on."""
    from concurrent.futures import ThreadPoolExecutor

    app = create_app(service=service)
    with ThreadPoolExecutor(8) as app.state.threads:
        yield TestClient(app, raise_server_exceptions=False)
