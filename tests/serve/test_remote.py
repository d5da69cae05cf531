"""A scorer whose model is elsewhere can do what that one can, and says the same of a list as without a queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from anselm import Question, Ranker
from anselm.abilities import WordGauge
from anselm.runtime.cascade import Cascade
from anselm.runtime.cascade import Settings as Rule
from anselm.scorer import Gauge, Perspective, Scores
from anselm.serve.app import create_app
from anselm.serve.configuration import Settings
from anselm.serve.ranker_process import LoadedModel, read_batch
from anselm.serve.service import Service


class Near:
    """The longer the better, and neighbours see each other."""

    name, capacity, pairwise, language = "near", None, False, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [np.array([float(len(one.text)) for one in question.candidates]) for question in questions]

    def relations(self, question: Question) -> list[Perspective]:
        count = len(question.candidates)
        return [Perspective("near", "are neighbours", np.eye(count, k=1), {(0, 1): "Tom & <Jerry>"})]

    def save(self, folder: Path) -> None:
        raise NotImplementedError


class Counted(Near):
    """One of two in turn, and what it read."""

    pairwise = True

    def __init__(self, sign: int, gauge: Gauge) -> None:
        self.batches, self.sign, self.gauge = list[list[str]](), sign, lambda: gauge

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.batches += [[one.text for one in question.candidates] for question in questions]
        return [self.sign * row for row in super().score(questions)]


class ShortGauge(WordGauge):
    asked = 4  # type: ignore[assignment]

    def room(self, asked: int) -> float:
        return 3


def cascade() -> Cascade:
    """The second reads two of a list, and thinks the opposite."""
    stages: Any = Counted(1, WordGauge()), Counted(-1, ShortGauge())
    return Cascade(*stages, Rule(2, (0.0, 1.0), (0.0, 1.0)))


@contextmanager
def serving(scorer: Any) -> Iterator[TestClient]:
    """A service whose one ranker process is a thread of this one; a slice is a pair or two."""
    service, model = Service(Settings(("m",), processes=1, batch_chars=400)), LoadedModel("m", Ranker(scorer))
    service.models = {"m": model.describe()}
    models = {one.name: one for one in (model, *model.stages())}

    def read() -> None:
        while batch := service.queue.take(400):
            calls = [(one.model, one.method, one.payload) for one in batch]
            for one, outcome in zip(batch, read_batch(models, calls), strict=True):
                one.answer(outcome.value)

    reader = Thread(target=read)
    reader.start()
    app = create_app(service=service)
    with ThreadPoolExecutor(2) as app.state.threads:
        yield TestClient(app)
    service.queue.close()
    reader.join()


DOCUMENTS = ["a long one", "b", "the very longest of all", "no", "that"]


def test_two_models_in_turn_read_in_slices_and_say_what_the_larger_one_read() -> None:
    scorer, wanted = cascade(), Ranker(cascade()).rank("Who?", DOCUMENTS)
    with serving(scorer) as client:
        found = client.post("/v1/rerank", json={"query": "Who?", "documents": DOCUMENTS, "raw_scores": True}).json()
        asked = client.post("/ask", json={"question": "Who?", "documents": ["It is so. No. It is not so."]}).json()
    rows = [(row["index"], row["score"], row["read"]) for row in found["results"]]
    assert rows == [(one.index, one.score, one.read) for one in wanted]
    assert [index for index, _, read in rows if read] == [0, 2]
    assert [row["index"] for row in found["results"] if row.get("windowed")] == [2]
    first: Any = scorer.first
    assert len(first.batches) > 2  # five candidates, in slices
    assert [(row["text"], row["read"]) for row in asked["results"]] == [
        ("It is so.", True), ("It is not so.", True), ("No.", False),
    ]  # fmt: skip


def test_what_the_larger_of_two_models_cuts_off_a_question_is_told() -> None:
    with serving(cascade()) as client:
        bodies = [{"query": query, "documents": DOCUMENTS} for query in ("Who is it that we see?", "Who is it there?")]
        cuts = [client.post("/v1/rerank", json=body).json().get("question_cut") for body in bodies]
    assert cuts == [len("Who is it that"), None]


def test_figures_on_request() -> None:
    with serving(Near()) as client:
        check_figures(client)


def check_figures(client: TestClient) -> None:
    body = {"query": "Who?", "documents": DOCUMENTS}
    assert "figures" not in client.post("/v1/rerank", json=body).json()
    (found,) = client.post("/v1/rerank", json={**body, "figures": True}).json()["figures"]
    (wanted,) = Ranker(Near(), name="m").rank("Who?", DOCUMENTS, figures=True).figures or ()
    assert found["svg"] == wanted.svg
    assert found["values"]["texts"] == DOCUMENTS
    assert found["values"]["together"] == [10, 1, 23, 2, 4]
    edges = [(edge["from"], edge["to"], edge.get("note")) for edge in found["values"]["graphs"][0]["edges"]]
    assert edges == [(0, 1, "Tom & <Jerry>"), (1, 2, None), (2, 3, None), (3, 4, None)]
    assert found["sentences"] == ["Near (are neighbours): the best candidate is linked to “b”, “no”."]
    asked = {"question": "Who?", "documents": ["It is so. No. It is not so."], "top": 1, "figures": True}
    (drawn,) = client.post("/ask", json=asked).json()["figures"]
    assert drawn["values"]["texts"] == ["It is so.", "No.", "It is not so."]
    assert client.get("/v1/models").json()["data"][0]["figures"] is True
