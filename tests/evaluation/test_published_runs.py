"""Published runs get their published numbers: the WikiQA paper's runs and the SemEval scorer's own score files."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from anselm.metrics.measures import evaluate_lists, summarise
from anselm.metrics.semeval_scorer import SemEvalScores, semeval_scores
from anselm.metrics.triggering import tradeoff

Lists = list[tuple[list[float], list[float]]]


def wikiqa(folder: Path, run: str, split: str, reference: str = "") -> Lists:
    """The lists of a published run: labels from the reference, scores from the run, in both one pair per line."""
    scores = {
        tuple(fields[:3]): float(fields[4])
        for fields in map(str.split, (folder / f"emnlp-table/WikiQA.{run}.{split}.rank").read_text().splitlines())
    }
    lists: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for fields in map(str.split, (folder / f"WikiQA-{split}{reference}.ref").read_text().splitlines()):
        lists[fields[0]][0].append(float(fields[3]))
        lists[fields[0]][1].append(scores[tuple(fields[:3])])
    return list(lists.values())


@pytest.fixture(scope="module")
def wikiqa_folder(real_data: Path) -> Path:
    return real_data / "wikiqa"


def test_wikiqa_cnn_on_the_papers_reference(wikiqa_folder):
    lists = wikiqa(wikiqa_folder, "CNN", "test", "-filtered")
    found = summarise(evaluate_lists(lists, ["map", "mrr"]))
    assert len(lists) == 237
    assert (round(found["map"], 4), round(found["mrr"], 4)) == (0.6190, 0.6281)


def test_wikiqa_cnn_on_every_question_with_an_answer(wikiqa_folder):
    lists = [(labels, scores) for labels, scores in wikiqa(wikiqa_folder, "CNN", "test") if any(labels)]
    found = summarise(evaluate_lists(lists, ["map", "mrr"]))
    assert len(lists) == 243
    assert (round(found["map"], 4), round(found["mrr"], 4)) == (0.6284, 0.6373)


def percent(found) -> list[float]:
    return [round(100 * value, 2) for value in (found.precision, found.recall, found.f1)]


def test_wikiqa_triggering_is_the_papers_at_the_papers_threshold(wikiqa_folder):
    dev, test = (wikiqa(wikiqa_folder, "CNN-Cnt", split) for split in ("dev", "test"))
    assert (len(dev), len(test)) == (296, 633)
    # The corpus's evaluation script uses 0.11: the best threshold of two decimals on dev.
    grid = max(np.arange(1, 100) / 100, key=lambda threshold: tradeoff(dev).at(threshold).f1)
    assert grid == 0.11
    assert percent(tradeoff(test).at(grid)) == [26.09, 37.04, 30.61]


def test_wikiqa_triggering_with_the_best_threshold_of_all(wikiqa_folder):
    dev, test = (wikiqa(wikiqa_folder, "CNN-Cnt", split) for split in ("dev", "test"))
    best = tradeoff(dev).best()
    assert (best.threshold, percent(best)) == (0.10621, [36.42, 46.83, 40.97])
    assert percent(tradeoff(test).at(best.threshold)) == [25.91, 38.27, 30.90]


def semeval(gold: Path, predicted: Path, always: str = "") -> tuple[SemEvalScores, SemEvalScores]:
    """Both columns of the scorer: the order of the thread (scores of the gold file), and the system.

    `always` replaces every decision of the system, as in the organisers' all-true and all-false baselines.
    """
    lists = defaultdict(list)
    rows = zip(gold.read_text().splitlines(), predicted.read_text().splitlines(), strict=True)
    for true, said in ((first.split("\t"), second.split("\t")) for first, second in rows):
        assert true[:2] == said[:2]
        lists[true[0]].append((true[4] == "true", float(true[3]), float(said[3]), (always or said[4]) == "true"))
    columns = [tuple(zip(*rows, strict=True)) for rows in lists.values()]
    thread = semeval_scores([(labels, order, said) for labels, order, _, said in columns])
    return thread, semeval_scores([(labels, scores, said) for labels, _, scores, said in columns])


def scorer_lines(ir: SemEvalScores, system: SemEvalScores) -> list[str]:
    """What the scorer prints, in its formats."""
    lines = [
        f"Acc = {system.accuracy:5.4f}",
        f"P   = {system.precision:5.4f}",
        f"R   = {system.recall:5.4f}",
        f"F1  = {system.f1:5.4f}",
        f"MAP   : {ir.map:5.4f} {system.map:5.4f}",
        f"AvgRec: {ir.average_recall:5.4f} {system.average_recall:5.4f}",
        f"MRR   : {ir.mrr:6.2f} {system.mrr:6.2f}",
    ]
    for i in range(10):
        lines.append(
            f"REC-1@{i + 1:02d}: {ir.rec1[i]:6.2f} {system.rec1[i]:6.2f}  "
            f"ACC@{i + 1:02d}: {ir.acc[i]:6.2f} {system.acc[i]:6.2f}  "
            f"AC1@{i + 1:02d}: {ir.ac1[i]:6.2f} {system.ac1[i]:6.2f}  "
            f"AC2@{i + 1:02d}: {ir.ac2[i]:4.0f} {system.ac2[i]:4.0f}"
        )
    return lines


@pytest.fixture(scope="module")
def gold_folder(real_data: Path) -> Path:
    return real_data / "semeval_cqa/2016/gold"


@pytest.mark.parametrize(("baseline", "always"), [("random", ""), ("true", "true"), ("false", "false")])
def test_semeval_score_file_is_reproduced_to_the_last_digit(gold_folder, baseline, always):
    ir, system = semeval(
        gold_folder / "SemEval2016-Task3-CQA-QL-test-subtaskA.xml.subtaskA.relevancy",
        gold_folder / "subtask_A_baseline_random.txt",  # the other two have its scores
        always,
    )
    published = (gold_folder / f"subtask_A_baseline_{baseline}.txt.score").read_text().splitlines()
    numbers = [line.rstrip() for line in published if re.match(r"(Acc|P|R|F1) +=|(MAP|AvgRec|MRR) *:|REC-1@", line)]
    assert scorer_lines(ir, system) == numbers
    assert ir.ac2[-1] == 1329


def test_semeval_dev_random_baseline(gold_folder):
    """Its score file was not published; the numbers are those of a plain loop written apart from this package."""
    name = "SemEval2016-Task3-CQA-QL-dev-subtaskA.xml.subtaskA"
    gold, predicted = gold_folder / f"{name}.relevancy", gold_folder / f"{name}.random-baseline.pred"
    ir, system = semeval(gold, predicted)
    assert (ir.ac2[-1], len(gold.read_text().splitlines())) == (818, 2440)
    assert [round(value, 4) for value in (ir.map, ir.average_recall, ir.mrr)] == [0.5384, 0.7278, 63.1309]
    assert [round(value, 4) for value in (system.map, system.average_recall, system.mrr)] == [0.4556, 0.6542, 53.5031]
    decisions = (system.precision, system.recall, system.f1, system.accuracy)
    assert [round(value, 4) for value in decisions] == [0.3444, 0.7641, 0.4747, 0.4332]


def test_semeval_official_ceiling(gold_folder):
    """No order of the 2016 test set gets more, because 12 of its 327 questions have no relevant candidate."""
    gold = gold_folder / "SemEval2016-Task3-CQA-QL-test-subtaskA.xml.subtaskA.relevancy"
    lists = defaultdict(list)
    for fields in map(str.split, gold.read_text().splitlines()):
        lists[fields[0]].append(fields[4] == "true")
    best = semeval_scores([(labels, labels, labels) for labels in lists.values()])
    assert round(best.map, 4) == round(315 / 327, 4) == 0.9633
