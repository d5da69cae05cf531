"""The pages as HTML: ranked before any script runs, closed to everything from outside, no texts obeyed as markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from anselm import Ranker
from anselm.experiments.comparisons import RowComparison, compare_rows
from anselm.experiments.results import read_results
from anselm.ranking.answers import UNSURE
from anselm.serve.app import create_app
from anselm.serve.configuration import Settings
from anselm.serve.page import markup, recorded
from anselm.serve.page.addresses import FILES, PATHS
from anselm.serve.page.examples import Example, read_examples
from anselm.serve.page.first_view import FirstView
from anselm.serve.service import Service

ROOT = Path(__file__).parents[2]


class Elements(HTMLParser):
    """All start tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def known(html: str) -> Any:
    [found] = re.findall(r'<script type="application/json" id="known">(.*?)</script>', html, flags=re.DOTALL)
    return json.loads(found)


@pytest.mark.parametrize("name", list(read_examples()))
def test_an_example_is_ranked_as_from_python(client: TestClient, service: Service, name: str) -> None:
    example = read_examples()[name]
    html = client.get("/", params={"example": name}).text
    ranker = Ranker.load(next(iter(service.models)))
    reply = known(html)["reply"]
    if example.kind == "lines":
        lines = example.text.splitlines()
        wanted = ranker.rank(example.question, lines, fold_duplicates=True)
    else:
        path = ROOT / "src" / "anselm" / "examples" / example.source
        wanted = ranker.ask(example.question, path, 5, fold_duplicates=True)
    assert [one["index"] for one in reply["results"]] == [one.index for one in wanted]
    assert ("There is an answer." in html) == wanted.answerable
    assert ("No answer here." in html) == (wanted.answerable is False and not wanted.unsure)
    assert all(markup.escape(one.text)[:20] in re.sub("</?mark>", "", html) for one in wanted)
    assert "<mark>" in html


def test_an_example_is_read_once(client: TestClient, service: Service) -> None:
    def pairs() -> float:
        samples = [one for metric in service.counters.pairs.collect() for one in metric.samples]
        return sum(one.value for one in samples if one.name.endswith("_total"))

    client.get("/")
    before = pairs()
    assert before > 0
    assert "<mark>" in client.get("/").text
    assert pairs() == before


def test_nothing_comes_from_outside(client: TestClient) -> None:
    for path in ("/", "/results"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
        )
        assert "unsafe" not in policy
        for tag, attributes in Elements(answer.text).found:
            assert not {name for name in attributes if name.startswith("on") or name == "style"}
            assert tag != "style"
            for name in ("src", "href", "action"):
                assert re.match(r"[/#](?!/)|$", attributes.get(name) or "")
                if tag in ("script", "link", "img") and attributes.get(name):
                    assert attributes[name] in PATHS
    for path, file in FILES.items():
        assert client.get(path).content == file.read_bytes()
        assert not re.search(r"(https?:)?//(?!www.w3.org/2000/svg)\w+\.", file.read_text(encoding="utf-8"))


def test_labels_lead_to_their_fields(client: TestClient) -> None:
    found = Elements(client.get("/").text).found
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {"for", "aria-labelledby", "aria-describedby"}
    assert {attributes[name] for _, attributes in found for name in named & attributes.keys()} <= set(ids)


def test_an_unknown_example_is_not_found(client: TestClient) -> None:
    answer = client.get("/", params={"example": "<b>"})
    assert answer.status_code == 404
    assert "replies, faq, manual, none" in answer.json()["message"]


def test_the_page_needs_no_key_and_says_that_the_api_does() -> None:
    """And it opens when nothing can be ranked."""
    client = TestClient(create_app(service=Service(Settings(("bm25",), processes=1, keys=("secret",)))))
    answer = client.get("/")
    assert answer.status_code == 200
    assert "could not be ranked just now" in answer.text
    assert known(answer.text)["key"] is True
    assert "secret" not in answer.text
    assert client.get("/v1/models").status_code == 401
    assert {client.get(path).status_code for path in PATHS} == {200}


def test_texts_are_texts() -> None:
    """Also where a mark begins in the middle of what would be markup."""
    text = "🐙 <script>alert(1)</script> & more"
    words = [
        {"text": "<script>", "start": 2, "end": 10, "weight": 3.0},
        {"text": "more", "start": 32, "end": 36, "weight": 0.5},
    ]
    result = {
        "index": 0, "text": text, "probability": 0.505, "question": "<i>?", "source": "<u>.md", "line": 1, "start": 2,
        "end": 10, "heading": "<h1>", "duplicates": [3, 4], "evidence": {"question": [], "answer": words},
    }  # fmt: skip
    reply = {"model": "<m>", "answerable": False, "answerability": 0.2, "threshold": 0.5, "results": [result]}
    html = markup.results(FirstView(Example("", "<b>?", text, "text"), reply))
    assert {tag for tag, _ in Elements(html).found}.isdisjoint({"script", "i", "u", "h1", "m", "b"})
    assert "<p>🐙 <mark>&lt;script&gt;</mark>alert(1)&lt;/script&gt; &amp; more</p>" in html
    assert "2 near-duplicates folded" in html
    assert "<span>51%</span>" in html


def test_a_score_is_not_shown_as_a_probability() -> None:
    assert markup.likelihood({"probability": None, "relevance_score": 0.731}) == "<span>0.73</span>"
    assert markup.likelihood({"probability": None, "score": None}) == "<span>0.00</span>"
    assert markup.likelihood({"probability": 0.996}).startswith('<span>100%</span><progress max="1" value="0.9960"')


def test_known_values_cannot_end_their_element(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "</script><b>"
    result = {"index": 0, "text": text, "probability": 0.1, "source": text, "line": 1, "start": 0, "end": 3}
    reply = {"model": text, "answerable": None, "answerability": None, "threshold": None, "results": [result]}
    hostile = {"x": Example("x", text, text, "text", text)}
    monkeypatch.setattr("anselm.serve.page.addresses.read_examples", lambda: hostile)
    monkeypatch.setattr("anselm.serve.page.first_view.read", lambda service, ticket, one: FirstView(one, reply))
    page = TestClient(create_app(service=client.app.state.service))  # type: ignore[attr-defined]
    page.app.state.threads = client.app.state.threads  # type: ignore[attr-defined]
    html = page.get("/").text
    assert known(html)["reply"] == reply
    assert "b" not in {tag for tag, _ in Elements(html).found}


def test_the_recorded_results_are_all_there(client: TestClient) -> None:
    html = client.get("/results").text
    found = read_results(ROOT / "results")
    assert html.count('<th scope="row">') >= sum(1 + len(one.also) for one in found)
    for one in found:
        assert f'<th scope="row">{one.row}' in html
        assert all(f"{metric['mean']:.3f}" in html for metric in one.metrics.values())
        assert all(f"<td>{value:.3f}</td>" in html for value in one.published.values())
    table = [one for one in found if one.paper == "gated-group-self-attention" and one.table == "table-4"]
    compared = list(compare_rows(table).values())
    assert compared
    for one in compared:
        assert f"{one.other.row} {one.difference:+.3f}<small>" in html


def test_a_comparison_is_shown_with_its_corrected_chance() -> None:
    other = read_results(ROOT / "results")[0]
    shown = recorded.against(other, {other.path: RowComparison(other, -0.0125, 0.0004, 0.03, 0.06)})
    metric = other.metric.upper()
    assert shown == f"{other.row} -0.013<small>{metric}, p &lt; 0.001 / 0.030; Holm 0.060</small>"
    assert recorded.against(other, {}) == "–"


def test_an_installed_package_says_that_it_has_no_records(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recorded, "RESULTS", tmp_path / "results")
    recorded.results_page.cache_clear()
    assert "no part of the installed package" in client.get("/results").text
    recorded.results_page.cache_clear()


def test_the_page_and_python_agree_on_what_a_doubt_is() -> None:
    script = (ROOT / "src" / "anselm" / "serve" / "page" / "assets" / "views.js").read_text(encoding="utf-8")
    assert re.findall(r"const UNSURE = ([\d.]+);", script) == [str(UNSURE)]


@pytest.mark.parametrize(
    ("answerable", "answerability", "side", "sentence"),
    [
        (True, 0.9, "yes", "There is an answer."),
        (False, UNSURE, "doubt", "Perhaps an answer."),
        (False, UNSURE - 0.01, "no", "No answer here."),
        (None, None, "unknown", "This model cannot tell whether there is an answer."),
    ],
)
def test_a_doubt_does_not_look_like_a_refusal(
    answerable: bool | None, answerability: float | None, side: str, sentence: str
) -> None:
    reply = {"answerable": answerable, "answerability": answerability, "threshold": 0.5}
    assert f'<p class="verdict {side}">{sentence}</p>' in markup.verdict(reply)


def test_every_verdict_has_a_colour_of_its_own(client: TestClient) -> None:
    """In the light and in the dark."""
    style = client.get("/page/page.css").text
    for name in ("accent", "doubt", "problem"):
        assert len(re.findall(rf"--{name}: #", style)) == 2
    assert dict(re.findall(r"\.verdict\.(\w+) \{ color: var\(--(\w+)\); \}", style)) == {
        "yes": "accent",
        "no": "problem",
        "doubt": "doubt",
    }
