"""A scorer whose model is elsewhere can do what that one can, and says the same of a list as without a queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from fastapi.testclient import TestClient

from anselm import Question, Ranker
from anselm.scorer import Perspective, Scores
from anselm.serve.app import create_app
from anselm.serve.configuration import Settings
from anselm.serve.ranker_process import LoadedModel, read_batch
from anselm.serve.service import Service


class Turns:
    """The longer the better; of a list, the longest two are read by the larger of two models."""

    name, capacity, pairwise, language = "turns", None, False, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [scores for scores, _ in self.score_in_turn(questions)]

    def score_in_turn(self, questions: Sequence[Question]) -> list[tuple[Scores, np.ndarray]]:
        rows = [np.array([float(len(one.text)) for one in question.candidates]) for question in questions]
        return [(row, row >= np.sort(row)[-2:][0]) for row in rows]

    def relations(self, question: Question) -> list[Perspective]:
        count = len(question.candidates)
        return [Perspective("near", "are neighbours", np.eye(count, k=1), {(0, 1): "Tom & <Jerry>"})]

    def save(self, folder: Path) -> None:
        raise NotImplementedError


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A service whose one ranker process is a thread of this one."""
    service, model = Service(Settings(("turns",), processes=1)), LoadedModel("turns", Ranker(Turns()))
    service.models = {"turns": model.describe()}

    def read() -> None:
        while batch := service.queue.take(10_000):
            calls = [(one.model, one.method, one.payload) for one in batch]
            for one, outcome in zip(batch, read_batch({"turns": model}, calls), strict=True):
                one.answer(outcome.value)

    reader = Thread(target=read)
    reader.start()
    app = create_app(service=service)
    with ThreadPoolExecutor(2) as app.state.threads:
        yield TestClient(app)
    service.queue.close()
    reader.join()


DOCUMENTS = ["a long one", "b", "the longest of all"]


def test_what_the_larger_model_read_is_said(client: TestClient) -> None:
    found = client.post("/v1/rerank", json={"query": "Who?", "documents": DOCUMENTS}).json()
    assert [(row["index"], row["read"]) for row in found["results"]] == [(2, True), (0, True), (1, False)]
    asked = client.post("/ask", json={"question": "Who?", "documents": ["It is so. No. It is not so."]}).json()
    assert [(row["text"], row["read"]) for row in asked["results"]] == [
        ("It is not so.", True), ("It is so.", True), ("No.", False),
    ]  # fmt: skip


def test_figures_on_request(client: TestClient) -> None:
    body = {"query": "Who?", "documents": DOCUMENTS}
    assert "figures" not in client.post("/v1/rerank", json=body).json()
    (found,) = client.post("/v1/rerank", json={**body, "figures": True}).json()["figures"]
    (wanted,) = Ranker(Turns(), name="turns").rank("Who?", DOCUMENTS, figures=True).figures or ()
    assert found["svg"] == wanted.svg
    assert found["values"]["texts"] == DOCUMENTS
    assert found["values"]["together"] == [10, 1, 18]
    edges = [(edge["from"], edge["to"], edge.get("note")) for edge in found["values"]["graphs"][0]["edges"]]
    assert edges == [(0, 1, "Tom & <Jerry>"), (1, 2, None)]
    assert found["sentences"] == ["Near (are neighbours): the best candidate is linked to “b”."]
    asked = {"question": "Who?", "documents": ["It is so. No. It is not so."], "top": 1, "figures": True}
    (drawn,) = client.post("/ask", json=asked).json()["figures"]
    assert drawn["values"]["texts"] == ["It is so.", "No.", "It is not so."]
    assert client.get("/v1/models").json()["data"][0]["figures"] is True
