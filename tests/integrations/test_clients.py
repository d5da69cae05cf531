"""Clients that people have, against a running service of ours: Cohere's SDK and litellm, where they are installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("prometheus_client")

from anselm.ranking.answers import Ranking, Result
from anselm.ranking.ranker import Ranker
from tests.integrations.conftest import QUESTION, TEXTS, UNANSWERED

KEY = "a-key-of-ours"
DOCUMENTS = list(TEXTS[:3])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A service in processes of its own, which wants a key."""
    command = [sys.executable, "-m", "anselm", "serve", "--port", "0", "--processes", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"ANSELM_API_KEYS": KEY}) as run:
        assert run.stderr is not None
        line = next(line for line in run.stderr if "http://" in line)
        [found] = re.findall(r"http://[\d.]+:\d+", line)
        yield found
        run.terminate()


@pytest.fixture(scope="module")
def direct(ranker: Ranker) -> Ranking[Result]:
    return ranker.rank(QUESTION, DOCUMENTS)


def scores(results: Any) -> dict[int, float]:
    """By place, from objects or from dictionaries."""
    found = [one if isinstance(one, dict) else dict(one) for one in results]
    return {one["index"]: one["relevance_score"] for one in found}


def same(found: dict[int, float], direct: Ranking[Result], count: int = 3) -> bool:
    wanted = {one.index: pytest.approx(one.probability, abs=1e-5) for one in direct.results[:count]}
    return found == wanted and list(found) == list(wanted)


@pytest.fixture
def cohere() -> Any:
    return pytest.importorskip("cohere")


@pytest.fixture
def connection(address: str, cohere: Any) -> Iterator[dict[str, Any]]:
    """What Cohere's clients need to find us, closed at the end, which they do not do themselves."""
    import httpx

    with httpx.Client() as http:
        yield {"base_url": address, "httpx_client": http}


def test_cohere_v2(cohere: Any, connection: dict[str, Any], direct: Ranking[Result]) -> None:
    client = cohere.ClientV2(KEY, **connection)
    answer = client.rerank(model="default", query=QUESTION, documents=DOCUMENTS)
    assert same(scores(answer.results), direct)
    assert answer.answerable is True  # fields of ours come through
    assert answer.results[0].probability == pytest.approx(direct.best.probability, abs=1e-5)
    top = client.rerank(model="default", query=QUESTION, documents=DOCUMENTS, top_n=1, max_tokens_per_doc=100)
    assert same(scores(top.results), direct, 1)
    extra = {"additional_body_parameters": {"score_threshold": 0.5, "raw_scores": True}}
    likely = client.rerank(model="default", query=UNANSWERED, documents=DOCUMENTS, request_options=extra)
    assert (likely.results, likely.answerable) == ([], False)


def test_cohere_v1(cohere: Any, connection: dict[str, Any], direct: Ranking[Result]) -> None:
    client = cohere.Client(KEY, **connection)
    answer = client.rerank(model="default", query=QUESTION, documents=DOCUMENTS, return_documents=True)
    assert same(scores(answer.results), direct)
    assert [one.document.text for one in answer.results] == [one.text for one in direct]
    objects = client.rerank(model="default", query=QUESTION, documents=[{"text": text} for text in DOCUMENTS], top_n=2)
    assert same(scores(objects.results), direct, 2)


def test_cohere_is_told_what_is_wrong(cohere: Any, connection: dict[str, Any]) -> None:
    client = cohere.ClientV2(KEY, **connection)
    with pytest.raises(cohere.NotFoundError, match="no-such-model"):
        client.rerank(model="no-such-model", query=QUESTION, documents=DOCUMENTS)
    with pytest.raises(cohere.UnprocessableEntityError):
        client.rerank(model="default", query="", documents=DOCUMENTS)
    with pytest.raises(cohere.UnauthorizedError):
        cohere.ClientV2("another", **connection).rerank(model="default", query=QUESTION, documents=DOCUMENTS)


@pytest.mark.filterwarnings("default")  # litellm's own
@pytest.mark.parametrize("route", ["hosted_vllm", "huggingface", "cohere", "jina_ai"])
def test_litellm(address: str, direct: Ranking[Result], route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the network for prices
    litellm = pytest.importorskip("litellm")
    known = {"model": f"{route}/default", "query": QUESTION, "api_base": address, "api_key": KEY}
    answer = litellm.rerank(documents=DOCUMENTS, **known)
    assert same(scores(answer.results), direct)
    shown = litellm.rerank(documents=DOCUMENTS, return_documents=True, **known).results
    if route != "cohere":  # it speaks v2, which has no documents in its results
        assert [one["document"]["text"] for one in shown] == [one.text for one in direct]
    assert same(scores(litellm.rerank(documents=DOCUMENTS, top_n=1, **known).results), direct, 1)


def post(url: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)


def test_the_shapes_of_vllm_and_tei(address: str, direct: Ranking[Result]) -> None:
    """As their documentation has the requests."""
    vllm = post(f"{address}/v1/rerank", {"model": "default", "query": QUESTION, "documents": DOCUMENTS})
    assert same(scores(vllm["results"]), direct)
    assert vllm["usage"]["total_tokens"] > 0
    tei = post(f"{address}/rerank", {"query": QUESTION, "texts": DOCUMENTS, "raw_scores": False, "return_text": True})
    assert same({one["index"]: one["score"] for one in tei}, direct)
    assert [one["text"] for one in tei] == [one.text for one in direct]
    pairs = post(f"{address}/score", {"model": "default", "text_1": QUESTION, "text_2": DOCUMENTS})
    by_place = sorted(direct, key=lambda one: one.index)
    wanted = [pytest.approx(one.probability, abs=1e-5) for one in by_place]
    assert [one["score"] for one in pairs["data"]] == wanted
