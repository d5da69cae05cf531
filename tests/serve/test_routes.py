"""The routes as their clients use them, over real ranker processes; numbers are those of Ranker in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from anselm import Ranker
from anselm.serve.configuration import Settings
from anselm.serve.keys import Keys
from anselm.serve.service import Service

QUERY = "When does the shop open?"
DOCUMENTS = ["Parking is free.", "We open the shop at nine.", "", "The shop is red. It will open at nine. Come in."]


def rerank(client: TestClient, path: str = "/v1/rerank", **fields: Any) -> Any:
    answer = client.post(path, json={"query": QUERY, "documents": DOCUMENTS, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("model", ["bm25", "default"])
@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank", "/rerank"])
def test_the_same_as_from_python(client: TestClient, model: str, path: str) -> None:
    """The list is read in several slices; bm25, which needs the whole list, in one."""
    documents = [*DOCUMENTS, *(f"Sentence {number} about the shop, and when it may open." for number in range(20))]
    found = rerank(client, path, model=model, documents=documents, raw_scores=True)
    wanted = Ranker.load(model).rank(QUERY, documents)
    assert [row["index"] for row in found["results"]] == [one.index for one in wanted]
    for row, one in zip(found["results"], wanted, strict=True):
        assert row["relevance_score"] == row["probability"] == pytest.approx(one.probability, abs=1e-3)
        assert row["score"] == (None if not one.text else pytest.approx(one.score, abs=1e-3))
    assert found["answerability"] == pytest.approx(wanted.answerability, abs=1e-3)
    assert (found["answerable"], found["threshold"]) == (wanted.answerable, wanted.threshold)
    assert found["model"] == model
    assert found["usage"]["total_tokens"] > len(documents)


def test_nothing_is_dropped_unless_asked(client: TestClient) -> None:
    assert sorted(row["index"] for row in rerank(client)["results"]) == [0, 1, 2, 3]
    best = rerank(client)["results"][0]
    assert rerank(client, score_threshold=best["relevance_score"])["results"] == [best]
    assert [len(rerank(client, **{name: 2})["results"]) for name in ("top_n", "top_k")] == [2, 2]
    assert len(rerank(client, top_n=100)["results"]) == 4


def test_texts_as_tei_has_them(client: TestClient) -> None:
    body = {"query": QUERY, "texts": DOCUMENTS, "return_text": True, "top_n": 3, "truncate": True}
    found = client.post("/rerank", json=body).json()
    assert [row["index"] for row in found] == [row["index"] for row in rerank(client)["results"]][:3]
    assert [row["text"] for row in found] == [DOCUMENTS[row["index"]] for row in found]
    assert all(0 <= row["score"] <= 1 for row in found)


def test_ids_and_metadata_come_back(client: TestClient) -> None:
    documents = [{"text": "no", "id": 7, "metadata": {"page": [1]}}, {"text": "We open.", "id": 7, "more": "ü"}]
    found = rerank(client, documents=documents, return_documents=True, nobody_knows_this=1)["results"]
    assert [(row["index"], row["id"], row["document"]) for row in found] == [(1, 7, documents[1]), (0, 7, documents[0])]
    assert found[1]["metadata"] == {"page": [1]}
    assert "document" not in rerank(client, "/v2/rerank", return_documents=True)["results"][0]


@pytest.mark.parametrize("model", ["bm25", "default"])
def test_evidence_clusters_duplicates(client: TestClient, model: str) -> None:
    documents = [*DOCUMENTS, DOCUMENTS[1]]
    found = rerank(client, model=model, documents=documents, explain=True, group=True, fold_duplicates=True)["results"]
    wanted = Ranker.load(model).rank(QUERY, documents, explain=True, group=True, fold_duplicates=True)
    assert [row["cluster"] for row in found] == [one.cluster for one in wanted]
    assert [tuple(row["duplicates"]) for row in found] == [one.duplicates for one in wanted]
    assert wanted.best.explanation
    weights = [word.weight for word in wanted.best.explanation.answer]
    assert [word["weight"] for word in found[0]["evidence"]["answer"]] == pytest.approx(weights, abs=2e-3)


def test_spans_are_sentences_in_code_points(client: TestClient) -> None:
    documents = ["😀 Parking is free. The shop will open at nine.", "Nothing here."]
    spans = {"mode": "enabled", "threshold": 0.0, "max_spans": 1}
    found = rerank(client, "/v2/rerank", documents=documents, relevant_spans=spans, model="default")["results"]
    [span] = found[0]["relevant_spans"]
    assert documents[0][span["start"] : span["end"]] == "The shop will open at nine."
    assert 0 < span["score"] <= 1
    assert "relevant_spans" not in rerank(client, relevant_spans={"mode": "disabled"})["results"][0]


def test_the_example_of_spans_in_the_documentation(client: TestClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    asked, given = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL))
    found = client.post("/v2/rerank", json=asked).json()["results"]
    assert [(row["index"], len(row["relevant_spans"])) for row in found] == [
        (row["index"], len(row["relevant_spans"])) for row in given["results"]
    ]
    [[span], [wanted]] = (rows[0]["relevant_spans"] for rows in (found, given["results"]))
    assert (span["start"], span["end"]) == (wanted["start"], wanted["end"])
    assert span["score"] == pytest.approx(wanted["score"], abs=0.03)  # in int8, which differs between processors
    loose = asked["relevant_spans"] | {"threshold": 0.0}
    more = client.post("/v2/rerank", json=asked | {"relevant_spans": {**loose, "max_spans": 2}}).json()["results"]
    assert [len(row["relevant_spans"]) for row in more] == [2, 1]


def test_long_documents_are_windowed_and_cut_only_if_asked(client: TestClient) -> None:
    long = "We talk about other things. " * 100 + "The shop will open at nine."
    whole = rerank(client, documents=["No.", long], model="default")["results"]
    assert [(row["index"], row.get("windowed")) for row in whole] == [(1, True), (0, None)]
    cut = rerank(client, documents=["No.", long], model="default", max_tokens_per_doc=20)["results"]
    [row] = [row for row in cut if row["index"] == 1]
    assert row["truncated"]
    assert row["relevance_score"] < whole[0]["relevance_score"]


def test_a_question_that_is_too_long_is_said_to_be(client: TestClient) -> None:
    """On every route the same number of characters as from Python, and nothing of one that is read to its end."""
    long = "We came by train, and it was late, so that " * 12 + QUERY
    wanted = Ranker.load("default").rank(long, DOCUMENTS).question_cut
    assert wanted is not None
    assert 0 < wanted < len(long)
    routes = ("/v1/rerank", "/v2/rerank", "/rerank")
    found = [rerank(client, path, query=long, model="default")["question_cut"] for path in routes]
    asked = client.post("/ask", json={"question": long, "documents": DOCUMENTS[1:2], "model": "default"}).json()
    assert [*found, asked["question_cut"]] == [wanted] * 4
    assert "question_cut" not in rerank(client, model="default")
    assert "question_cut" not in rerank(client, query=long, model="bm25")


TWINT = "can i pay with twinnt here by card"
PAYING = ["We take Twint and cash.", "We take all cards, and the twin room can be paid by card at the desk."]


def test_what_is_explained_is_the_question_that_was_ranked(client: TestClient) -> None:
    """A pair by itself would have the misspelt word read by the words of its own candidate."""
    found = rerank(client, "/v2/rerank", query=TWINT, documents=PAYING, explain=True, model="default")
    wanted = Ranker.load("default").rank(TWINT, PAYING, explain=True)
    assert found["read_as"] == wanted.read_as == "can i pay with twint here by card"
    for row, one in zip(found["results"], wanted, strict=True):
        assert one.explanation
        assert [word["text"] for word in row["evidence"]["question"]] == [
            word.text for word in one.explanation.question
        ]


def test_a_question_may_be_read_as_it_was_typed(client: TestClient) -> None:
    typed = rerank(client, query=TWINT, documents=PAYING, model="default", as_typed=True, raw_scores=True)
    wanted = Ranker.load("default", respell=False).rank(TWINT, PAYING)
    assert "read_as" not in typed
    assert [row["score"] for row in typed["results"]] == pytest.approx([one.score for one in wanted], abs=1e-3)
    pairs = {"text_1": TWINT, "text_2": PAYING, "model": "default"}
    assert client.post("/score", json=pairs).json()["read_as"] == "can i pay with twint here by card"
    assert "read_as" not in client.post("/score", json={**pairs, "as_typed": True}).json()
    asked = {"question": TWINT, "documents": PAYING, "model": "default"}
    assert client.post("/ask", json=asked).json()["read_as"] == "can i pay with twint here by card"
    assert "read_as" not in client.post("/ask", json={**asked, "as_typed": True}).json()


def test_a_table_that_is_a_plain_text_is_read_as_a_table(client: TestClient) -> None:
    table = "question,answer\nWhen do you open?,At nine.\nIs parking free?,Yes.\n"
    for documents in ([table], [{"text": table}], table):
        found = client.post("/ask", json={"question": "when do you open", "documents": documents}).json()["results"]
        assert (found[0]["question"], found[0]["text"]) == ("When do you open?", "At nine.")
    (line,) = client.post("/ask", json={"question": "open", "documents": ["{ We open. }"]}).json()["results"]
    assert line["text"].startswith("{ We open.")


@pytest.mark.parametrize("model", ["bm25", "default"])
def test_score(client: TestClient, model: str) -> None:
    one = client.post(
        "/score", json={"model": model, "text_1": QUERY, "text_2": [*DOCUMENTS[:2], " ", DOCUMENTS[3]]}
    ).json()
    wanted = {row["index"]: row["relevance_score"] for row in rerank(client, model=model)["results"]}
    assert [row["score"] for row in one["data"]] == pytest.approx([wanted[place] for place in range(4)], abs=1e-3)
    pairs = client.post("/score", json={"model": model, "text_1": [QUERY, "cake?"], "text_2": DOCUMENTS[:2]}).json()
    alone = [
        Ranker.load(model).rank(*pair).best.probability for pair in ((QUERY, DOCUMENTS[:1]), ("cake?", DOCUMENTS[1:2]))
    ]
    assert [row["score"] for row in pairs["data"]] == pytest.approx(alone, abs=1e-3)
    assert client.post("/score", json={"text_1": ["a", "b"], "text_2": ["c"]}).status_code == 422


def test_ask(client: TestClient) -> None:
    documents = [
        "Parking is free. We open at nine.",
        {"source": "a.md", "kind": "markdown", "text": "# Hi\n\nA *cat*."},
    ]
    found = client.post("/ask", json={"model": "default", "question": QUERY, "documents": documents, "top": 9}).json()
    wanted = Ranker.load("default").ask(QUERY, documents[:1])
    assert found["results"][0]["text"] == wanted.best.text == "We open at nine."
    assert {row["source"] for row in found["results"]} == {"document 0", "a.md"}
    row = found["results"][0]
    assert documents[0][row["start"] : row["end"]] == row["text"]
    assert found["passages"] == found["read"] == 3


def test_a_name_tells_the_kind_of_a_document(client: TestClient) -> None:
    table = {"source": "faq.csv", "text": "question,answer\nWhen do you open?,At nine.\nWhere do I park?,Behind.\n"}
    found = client.post("/ask", json={"model": "bm25", "question": QUERY, "documents": [table]}).json()
    assert {row["text"] for row in found["results"]} == {"At nine.", "Behind."}
    plain = client.post(
        "/ask", json={"model": "bm25", "question": QUERY, "documents": [table | {"kind": "text"}]}
    ).json()
    assert plain["results"][0]["text"] != "At nine."


def test_the_advice_about_columns_can_be_followed(client: TestClient) -> None:
    table = {"source": "faq.csv", "text": "Topic,Note\nWhen do you open?,At nine.\nWhere do I park?,Behind.\n"}
    asked = {"model": "bm25", "question": QUERY, "documents": [table]}
    refused = client.post("/ask", json=asked)
    assert refused.status_code == 422
    advice = re.search(r"over HTTP, columns is (\{.*?\})", refused.json()["message"])
    assert advice
    columns = json.loads(advice[1].replace("NAME", "Note")) | {"question": "Topic"}
    found = client.post("/ask", json=asked | {"columns": columns}).json()
    assert [(row["question"], row["text"]) for row in found["results"]] == [
        ("When do you open?", "At nine."),
        ("Where do I park?", "Behind."),
    ]


def test_a_document_is_never_a_path(client: TestClient) -> None:
    answer = client.post("/ask", json={"question": "root?", "documents": ["/etc/passwd"]}).json()
    assert [row["text"] for row in answer["results"]] == ["/etc/passwd"]


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("/v2/rerank", {"query": "q", "documents": ["a"], "model": "gpt"}, 404, "there is bm25, default"),
        ("/v2/rerank", {"query": "q", "documents": []}, 422, "documents: list should have at least 1 item"),
        ("/v2/rerank", {"query": "q", "documents": [3]}, 422, "documents[0] must be a text"),
        ("/v2/rerank", {"query": "q", "documents": [{"text": 3}]}, 422, "documents[0].text"),
        ("/v2/rerank", {"query": " ", "documents": ["a"]}, 422, "question is empty"),
        ("/v2/rerank", {"query": "q", "documents": ["a"] * 51}, 422, "at most 50"),
        ("/v2/rerank", {"query": "q", "documents": ["a" * 100_000]}, 422, "100,000"),
        ("/v2/rerank", {"query": "q", "documents": ["a " * 2_100]}, 422, "more than 2,000 tokens"),
        ("/v2/rerank", {"query": "q", "documents": ["a"], "top_n": 0}, 422, "top_n"),
        ("/v2/rerank", {"query": "q", "documents": ["a"], "top_n": "5"}, 422, "top_n"),
        ("/v2/rerank", ["query"], 422, "must be an object"),
        *(
            ("/v2/rerank", {"query": "q", "documents": ["a"], "relevant_spans": given}, 422, sentence)
            for given, sentence in (
                (True, 'relevant_spans: must be like {"mode": "enabled", "threshold": 0.1, "max_spans": 3}'),
                ("enabled", 'relevant_spans: must be like {"mode": "enabled"'),
                ({"max_spans": 1}, 'the mode is "enabled" or "disabled", and the others may be left out'),
                ({"mode": "on"}, "relevant_spans.mode: input should be 'enabled' or 'disabled'"),
                ({"mode": "enabled", "threshold": 2}, "relevant_spans.threshold: input should be less than or equal"),
                ({"mode": "enabled", "max_spans": 0}, "relevant_spans.max_spans: input should be greater than or"),
            )
        ),
        ("/ask", {"question": "q", "documents": [" "]}, 422, "no sentences"),
        ("/ask", {"question": "q", "documents": []}, 422, "documents: list should have at least 1 item"),
        ("/ask", {"question": "q", "documents": [{"text": "a", "kind": "exe"}]}, 422, "documents[0].kind"),
        ("/ask", {"question": "q", "documents": ["a"], "columns": {"reply": "b"}}, 422, "columns"),
        ("/ask", {"question": "q", "documents": ["a"], "columns": {"answer": " "}}, 422, "column of the answer"),
    ],
)
def test_refusals(client: TestClient, path: str, body: Any, status: int, sentence: str) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status
    found = answer.json()
    assert sentence in found["message"]
    assert found["error"]["message"] == found["message"]


def test_tei_s_clients_get_their_own_errors(client: TestClient) -> None:
    answer = client.post("/rerank", json={"query": "q", "texts": "a"})
    assert answer.status_code == 422
    assert answer.json()["error"] == "texts: input should be a valid list"
    assert answer.json()["error_type"] == "Validation"


def test_bodies_that_are_too_large_or_no_json(client: TestClient) -> None:
    large = b'{"query": "' + b"a" * 600_000
    kind = {"content-type": "application/json"}
    assert client.post("/v1/rerank", content=large, headers=kind).status_code == 413
    streamed = client.post(
        "/v1/rerank", content=(large[at : at + 1_000] for at in range(0, len(large), 1_000)), headers=kind
    )
    assert streamed.status_code == 413
    assert client.post("/v1/rerank", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    assert client.post("/v1/rerank", content=b"{", headers=kind).status_code == 400
    wrong = client.get("/v1/rerank")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


def test_what_is_told(client: TestClient, service: Service) -> None:
    models = client.get("/v1/models").json()["data"]
    assert [one["id"] for one in models] == ["bm25", "default"]
    assert models[0]["limits"]["max_documents"] == client.get("/info").json()["limits"]["max_documents"] == 50
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").json() == {"ready": True}
    service.draining = True
    try:
        assert client.get("/ready").status_code == 503
        refused = client.post("/v1/rerank", json={"query": "q", "documents": ["a"]})
        assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    finally:
        service.draining = False


@pytest.mark.parametrize(
    "path", ["/", "/results", "/page/page.css", "/v1/models", "/info", "/health", "/ready", "/metrics", "/openapi.json"]
)
def test_what_can_be_got_can_be_asked_for_without_its_body(client: TestClient, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    refused = client.head("/v1/rerank")
    assert (refused.status_code, refused.headers["allow"], refused.content) == (405, "POST", b"")


def test_a_full_service_says_when_to_come_back(client: TestClient, service: Service) -> None:
    service.open = service.settings.limits.max_requests
    try:
        refused = client.post("/v1/rerank", json={"query": "q", "documents": ["a"]})
    finally:
        service.open = 0
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1


def test_metrics(client: TestClient) -> None:
    rerank(client)
    client.get("/no/such/route")
    text = client.get("/metrics").text
    for name in (
        'requests_total{code="200",model="bm25",route="/v1/rerank"}', "request_duration_seconds_bucket",
        "queue_wait_seconds_sum", "queue_depth 0", "batch_tokens_sum", 'pairs_total{model="bm25"}',
        "inference_seconds_count", 'rejected_total{reason="not_found"}', "windowed_documents_total",
        'answerable_total{verdict=',
    ):  # fmt: skip
        assert f"anselm_{name}" in text
    assert "no/such" not in text


def test_texts_are_not_logged(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    rerank(client, documents=["a secret text"])
    client.post("/v1/rerank?secret", json={"query": "a secret", "documents": "secret"})
    ours = [record for record in caplog.records if record.name.startswith("anselm")]
    assert ours
    assert not any("secret" in record.getMessage() for record in ours)


def test_openapi_names_every_route_with_an_example(client: TestClient) -> None:
    """Each example is a request that is answered."""
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v2/rerank", "/v1/rerank", "/rerank", "/score", "/ask", "/v1/models", "/info"} <= set(paths)
    for path, methods in paths.items():
        if "post" in methods:
            examples = methods["post"]["requestBody"]["content"]["application/json"]["examples"]
            for example in examples.values():
                assert client.post(path, json=example["value"]).status_code == 200


def test_keys() -> None:
    keys = Keys(["old", "new"])
    assert keys.admit(b"Bearer old")
    assert keys.admit(b"bearer new")
    assert not any(map(keys.admit, (b"", b"Bearer", b"Bearer ol", b"Basic old", b"old")))
    assert Keys([]).admit(b"")


def test_keys_stand_before_everything_that_holds_texts(service: Service) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from dataclasses import replace

    from anselm.serve.app import create_app

    was = service.settings
    service.settings = replace(was, keys=("secret",))
    try:
        app = create_app(service=service)
        with ThreadPoolExecutor(1) as app.state.threads:
            client = TestClient(app)
            body = {"query": "q", "documents": ["a"]}
            refused = client.post("/v1/rerank", json=body)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert client.post("/v1/rerank", json=body, headers={"Authorization": "Bearer secret"}).status_code == 200
            assert client.get("/health").status_code == client.get("/metrics").status_code == 200
            assert client.get("/v1/models").status_code == 401
    finally:
        service.settings = was
    assert "secret" not in repr(Settings(keys=("secret",)))


def test_too_many_documents_are_counted_before_each_is_looked_at(client: TestClient) -> None:
    """A thousand mistakes of as many documents would be told else, and of a million, too."""
    for path, body in (
        ("/v1/rerank", {"query": "q", "documents": [5] * 51}),
        ("/score", {"text_1": "q", "text_2": [5] * 51}),
    ):
        assert client.post(path, json=body).json()["message"] == "51 documents are too many; at most 50 are read"
