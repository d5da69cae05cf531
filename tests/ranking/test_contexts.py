"""The graph view: what is drawn against hand-made graphs; a picture that is whole, self-contained and escapes texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from anselm.cli import app
from anselm.data.question import Candidate, Question
from anselm.errors import InputError
from anselm.ranking.context_pictures import NARROW, WIDE, Columns, draw_page, draw_svg, save_picture
from anselm.ranking.contexts import Context, find_context, shares, strongest_edges
from anselm.ranking.figures import graph_figure
from anselm.ranking.ranker import Ranker
from anselm.scorer import Perspective, Scores

SVG = "{http://www.w3.org/2000/svg}"


class InContext:
    """A candidate's score is its length, and as much again for each that it is linked to: its neighbours."""

    name, capacity, pairwise, language = "in-context", None, False, None

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        return [self._links(len(q.candidates)) @ [float(len(c.text)) for c in q.candidates] for q in questions]

    def relations(self, question: Question) -> list[Perspective]:
        edges = self._links(len(question.candidates))
        return [Perspective("near", "are neighbours", edges, {(0, 1): "Tom & <Jerry>"})]

    def _links(self, count: int) -> Any:
        places = np.arange(count)
        return (np.abs(places[:, None] - places) <= 1).astype(float)

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def context(count: int = 4) -> Context:
    texts = tuple("x" * (1 + n) for n in range(count))
    near = np.eye(count, k=1) + np.eye(count, k=-1) + np.eye(count)
    return Context("Who <won> & why?", "m", texts, (Perspective("near", "are neighbours", near),),
                   np.arange(count, dtype=float), -np.arange(count, dtype=float))  # fmt: skip


def test_scores_alone_and_among_the_others() -> None:
    ranking = Ranker(InContext()).rank("Who?", ["aaaa", "b", "ccccc"], context=True)
    found = ranking.context
    assert found is not None
    assert found.alone.tolist() == [4, 1, 5]
    assert found.together.tolist() == [5, 10, 6]
    assert found.best == 1 == ranking.best.index
    assert found.texts == ("aaaa", "b", "ccccc")
    assert Ranker(InContext()).rank("Who?", ["a"]).context is None


def test_documents_in_source_order() -> None:
    found = Ranker(InContext()).ask("Who?", "It is long here. So. It is longer there.", top=1, context=True).context
    assert found is not None
    assert found.texts == ("It is long here.", "So.", "It is longer there.")


def test_a_model_without_graphs() -> None:
    with pytest.raises(InputError, match="bm25 has no graphs over the candidates"):
        Ranker.load("bm25").rank("Who?", ["a"], context=True)
    with pytest.raises(InputError, match="no graphs"):
        Ranker.load("bm25").ask("Who?", "A b.", context=True)


def test_the_strongest_edges_against_a_naive_choice() -> None:
    random = np.random.default_rng(3)
    edges = random.random((9, 9)) ** 4
    found = strongest_edges(Perspective("a", "b", edges), most=2)
    both = np.maximum(edges, edges.T)
    np.fill_diagonal(both, 0)
    expected = set()
    for i in range(9):
        for j in np.argsort(-both[i])[:2]:
            if both[i, j] >= 0.05 * both.max():
                expected.add((min(i, int(j)), max(i, int(j))))
    assert {(edge.i, edge.j) for edge in found} == expected
    assert max(edge.weight for edge in found) == 1


def test_no_edges() -> None:
    assert strongest_edges(Perspective("a", "b", np.eye(3))) == []
    assert strongest_edges(Perspective("a", "b", np.ones((1, 1)))) == []


def test_of_equal_edges_the_nearer() -> None:
    found = strongest_edges(Perspective("a", "b", np.ones((6, 6))), most=1)
    assert {(edge.i, edge.j) for edge in found} == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)}


def test_shares_sum_to_one() -> None:
    np.testing.assert_allclose(shares(np.array([0.0, np.log(3.0)])), [0.25, 0.75])
    np.testing.assert_allclose(shares(np.array([1e4, 0.0, -np.inf])), [1, 0, 0])


def test_some_of_a_list() -> None:
    whole = find_context(
        InContext(), Question("q", "Who?", tuple(Candidate(text, text) for text in ("a", "bb", "c"))), "m"
    )
    part = whole.only([1, 2])
    assert part.texts == ("bb", "c")
    assert part.perspectives[0].edges.tolist() == [[1, 1], [1, 1]]
    assert part.perspectives[0].notes == {}
    assert whole.only([0, 1]).perspectives[0].notes == {(0, 1): "Tom & <Jerry>"}


@pytest.mark.parametrize("columns", [WIDE, NARROW])
@pytest.mark.parametrize("count", [1, 2, 5, 40, 60])
def test_a_picture_is_whole(count: int, columns: Columns) -> None:
    drawn = ElementTree.fromstring(draw_svg(context(count), columns))
    shown = min(count, 40)
    assert len(drawn.findall(f"{SVG}g[@class='row']")) == shown
    assert len(drawn.findall(f".//{SVG}circle")) == shown
    arcs = {path.get("data-ends") for path in drawn.findall(f".//{SVG}path")}
    assert arcs == {f"{i} {i + 1}" for i in range(shown - 1)}
    said = "".join(drawn.itertext())
    assert "Who <won> & why?" in said
    assert said.count("★") == 1
    assert ("the best 40 of 60" in said) == (count == 60)


def test_the_best_is_the_marked_one() -> None:
    drawn = ElementTree.fromstring(draw_svg(context()))
    marked = [row.get("data-row") for row in drawn.findall(f"{SVG}g[@class='row']") if "★" in "".join(row.itertext())]
    assert marked == ["0"]
    assert "4 ▲ 1 ★" in "".join(drawn.itertext())  # last alone, first among the others


def test_a_picture_stands_in_any_page() -> None:
    """Without styles and scripts, and whole whatever characters a text has."""
    drawn = ElementTree.fromstring(
        draw_svg(replace(context(2), question="Who\x00?", texts=("a\x0bb", "\ufffe")), NARROW)
    )
    assert "Who\ufffd?" in "".join(drawn.itertext())
    assert {part.tag.removeprefix(SVG) for part in drawn.iter()} == {
        "svg", "title", "rect", "text", "tspan", "line", "g", "circle", "path",
    }  # fmt: skip
    assert not any("style" in part.attrib for part in drawn.iter())


def test_the_words_of_a_figure_are_the_strongest_edges_of_the_best() -> None:
    found = graph_figure(context())
    assert found.sentences == ("Near (are neighbours): the best candidate is linked to “xx”.",)
    edges = found.values["graphs"][0]["edges"]
    assert edges == [{"from": i, "to": i + 1, "weight": 1.0} for i in range(3)]
    assert found.values["alone"] == [0, 1, 2, 3]
    json.dumps(found.values)


def test_figures_are_asked_of_a_model() -> None:
    assert Ranker.load("bm25").rank("Who?", ["a"], figures=True).figures == ()
    assert Ranker.load("bm25").rank("Who?", ["a"]).figures is None
    (found,) = Ranker(InContext()).ask("Who?", "It is long here. So.", figures=True).figures or ()
    assert found.name == "graphs"
    assert found.values["texts"] == ["It is long here.", "So."]


def test_a_page_loads_nothing() -> None:
    drawn = draw_page(context())
    assert "<!-- " not in drawn
    assert not re.search(r"(?:src|href)=|url\(|@import|fetch\(", drawn)
    assert re.findall(r'https?://[^"]+', drawn) == ["http://www.w3.org/2000/svg"]
    assert 'data-switch="near"' in drawn
    assert "Who <won>" not in drawn


def test_a_name_that_is_no_picture(tmp_path: Path) -> None:
    for name, problem in (("a.png", "must end in one of .svg, .html"), ("no/a.svg", "folder of the picture")):
        with pytest.raises(InputError, match=problem):
            save_picture(context(), tmp_path / name)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.ranking.ranker.load_scorer", lambda *_: InContext())
    monkeypatch.setattr("anselm.ranking.ranker.load_calibration", lambda *_: None)
    drawn = tmp_path / "graph.svg"
    result = CliRunner().invoke(
        app, ["ask", "How do I descale it?", "src/anselm/examples/kettle.md", "--graph", str(drawn)]
    )
    assert result.exit_code == 0, result.output
    assert ElementTree.parse(drawn).getroot().tag == f"{SVG}svg"
    page = tmp_path / "graph.html"
    given = ["rank", "When?", "-c", "src/anselm/examples/faq.csv", "--graph", str(page), "--json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    assert page.read_text().startswith("<!doctype html>")


def test_the_command_without_graphs(tmp_path: Path) -> None:
    given = ["ask", "Who?", "src/anselm/examples/kettle.md", "-m", "bm25", "--graph", str(tmp_path / "a.svg")]
    result = CliRunner().invoke(app, given)
    assert "bm25 has no graphs" in str(result.exception)
    assert not (tmp_path / "a.svg").exists()
