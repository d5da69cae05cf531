"""The picture: what is drawn is what was measured, and what cannot be drawn is said."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from anselm.data.datasets import Dataset
from anselm.data.question import Candidate, Question
from anselm.errors import InputError, MissingExtraError
from anselm.evaluation.plots import check_plot, check_source, draw, save_plot
from anselm.evaluation.report import Report
from anselm.evaluation.systems import Model
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.metrics.trust import Trust, measure_trust
from anselm.models.lexical import Lexical

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def trust() -> Trust:
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=10) for _ in range(60)]
    labels = [(rng.random(10) < 1 / (1 + np.exp(2 - row))).astype(float) for row in scores]
    questions = [
        Question("q", "Who?", tuple(Candidate(str(i), "text", label) for i, label in enumerate(row))) for row in labels
    ]
    return measure_trust(questions, scores, Calibration(Beliefs(Logistic(-1.0, {"score": 1.5})), 0.4))


def report(trust: Trust | None) -> Report:
    return Report("m_$1$", "d", "dev", "raw", "source", 60, 600, {"map": 0.5}, trust=trust)


def test_the_lines_are_what_each_threshold_gives(trust: Trust) -> None:
    """A step reaches from one threshold to the next higher one, at the height of the latter."""
    axes = next(axes for axes in draw(report(trust), trust).axes if axes.get_ylabel() == "over questions")
    drawn = {line.get_label(): line for line in axes.lines}
    for name in ("precision", "recall", "F1"):
        x, y = drawn[name].get_data()
        assert drawn[name].get_drawstyle() in ("steps", "steps-pre")
        assert (x[0], x[-1]) == (0.0, trust.tradeoff.threshold[0])
        for threshold in np.linspace(0, x[-1], 57):
            height = y[np.searchsorted(x, threshold)]  # steps-pre: a point's height holds from the one before
            assert height == getattr(trust.tradeoff.at(threshold), name.lower())


def test_the_diagram_shows_every_bin(trust: Trust) -> None:
    figure = draw(report(trust), trust)
    diagram, counts = figure.axes[0], next(axes for axes in figure.axes if axes.patches)
    table = trust.reliability
    full = np.flatnonzero(table.counts)
    dots = np.concatenate([collection.get_offsets() for collection in diagram.collections[-2:]])
    expected = np.column_stack([table.confidence, table.accuracy])[full]
    np.testing.assert_allclose(sorted(map(tuple, dots)), sorted(map(tuple, expected)))
    hollow = diagram.collections[-1].get_offsets()
    assert len(hollow) == np.sum((table.counts > 0) & (table.counts < 10)) > 0
    assert diagram.get_title(loc="right") == f"ECE {trust.ece:.4f}"
    assert [text.get_text() for text in counts.texts] == [str(table.counts[place]) for place in full]
    assert len(counts.patches) == 15


def test_a_picture_in_either_format_and_the_same_each_time(trust: Trust, tmp_path: Path) -> None:
    save_plot(report(trust), tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    for name in ("a.svg", "b.svg"):
        save_plot(report(trust), tmp_path / name)
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_what_cannot_be_drawn_is_said(trust: Trust, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"a\.pdf must end in one of \.png, \.svg"):
        check_plot(tmp_path / "a.pdf")
    with pytest.raises(InputError, match=r"the folder of the picture .* does not exist"):
        check_plot(tmp_path / "nowhere" / "a.png")
    with pytest.raises(InputError, match=r"m_.* gave no probabilities"):
        save_plot(report(None), tmp_path / "a.png")
    calibrated = Model("m", Lexical("bm25"), Calibration(Beliefs(Logistic(0.0)), 0.5))
    with pytest.raises(InputError, match="m is not calibrated, so there are no probabilities to draw"):
        check_source(replace(calibrated, calibration=None), Dataset("d", "dev", "raw", ()))
    with pytest.raises(InputError, match="'worst-copy' has no probabilities to draw"):
        check_source(calibrated, Dataset("d", "dev", "worst-copy", (), "copy_of"))
    check_source(calibrated, Dataset("d", "dev", "raw", ()))
    monkeypatch.setattr("anselm.evaluation.plots.find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError, match=r"a picture needs an extra .* 'anselm\[plot\]', in a checkout '\.\[plot"
    ):
        check_plot(tmp_path / "a.png")
    assert importlib.util.find_spec("matplotlib")
    assert not list(tmp_path.iterdir())


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = "import sys, anselm.evaluation.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
