"""Groups of similar answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anselm.models.lexical import Lexical
from anselm.ranking.groups import group_answers, join_by_words, join_groups, word_weights
from anselm.ranking.ranker import Ranker

ANSWERS = [
    "You can park behind the shop.",
    "The shop opens at nine in the morning.",
    "Parking behind the shop is free.",
    "We open at nine o'clock in the morning.",
    "Dogs must stay outside.",
]


def naive(vectors: np.ndarray, alike: float) -> list[int]:
    """The definition: the first group whose first member it is like, or a new one."""
    groups: list[list[int]] = []
    for i, vector in enumerate(vectors):
        home = next((group for group in groups if vectors[group[0]] @ vector >= alike), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return [next(n for n, group in enumerate(groups) if i in group) for i in range(len(vectors))]


def test_groups_follow_the_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        vectors = rng.normal(size=(30, 3))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        assert join_groups(vectors, 0.7) == naive(vectors, 0.7)
    assert join_groups(np.empty((0, 3)), 0.7) == []


def test_words_are_weighed_by_rarity() -> None:
    """By hand: two texts, one shared word. idf of a word in both: ln 2; in one: ln 3."""
    first, second = word_weights(["red apples", "apple trees"])
    shared, own = np.log(2), np.log(3)
    assert sum(first[w] * second[w] for w in first.keys() & second) == pytest.approx(shared**2 / (shared**2 + own**2))
    assert sum(weight**2 for weight in first.values()) == pytest.approx(1)
    assert join_by_words(["the", "", "the"], 0.3) == [0, 1, 2]  # without words nothing is alike


def test_words_are_compared_as_vectors_would_be() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"word{i}" for i in range(12)], 5)) for _ in range(40)]
    rows = word_weights(texts)
    stems = sorted({word for row in rows for word in row})
    table = np.array([[row.get(word, 0.0) for word in stems] for row in rows])
    assert join_by_words(texts, 0.5) == naive(table, 0.5)


def test_a_model_without_an_encoder_compares_words() -> None:
    groups = group_answers(Lexical("bm25"), ANSWERS)
    assert groups[0] == groups[2] == 0
    assert groups[1] == groups[3] == 1
    assert groups[4] == 2


def test_a_models_own_vectors_are_used() -> None:
    class Encoding:
        def text_vectors(self, texts: list[str]) -> np.ndarray:
            return np.array([[1.0, 0.0] if "shop" in text else [0.0, 1.0] for text in texts])

    assert group_answers(Encoding(), ANSWERS) == [0, 0, 0, 1, 1]  # type: ignore[arg-type]


@pytest.mark.parametrize("model", ["bm25", "default"])
def test_groups_come_in_the_order_of_their_best(model: str) -> None:
    plain = Ranker.load(model).rank("When do you open?", ANSWERS)
    found = Ranker.load(model).rank("When do you open?", ANSWERS, group=True)
    clusters = [result.cluster for result in found.results]
    assert clusters == sorted(clusters)
    assert {result.index for result in found.results} == set(range(5))
    place = {result.index: i for i, result in enumerate(plain.results)}
    firsts = [found.results[clusters.index(cluster)].index for cluster in sorted(set(clusters))]
    assert [place[i] for i in firsts] == sorted(place[i] for i in firsts)
    for cluster in set(clusters):
        own = [place[result.index] for result in found.results if result.cluster == cluster]
        assert own == sorted(own)
    assert found.results[0].index == plain.results[0].index
    assert plain.results[0].cluster is None
    assert "cluster" not in plain.to_dict()["results"][0]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "anselm", *map(str, arguments)], capture_output=True, text=True)


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "faq.txt").write_text("\n".join(ANSWERS))
    given = ("rank", "When do you open?", "-c", tmp_path / "faq.txt", "--model", "bm25", "--group")
    results = json.loads(run(*given, "--json").stdout)["results"]
    assert [row["cluster"] for row in results] == sorted(row["cluster"] for row in results)
    assert len({row["cluster"] for row in results}) == 3
    assert len(json.loads(run(*given, "--top", "2", "--json").stdout)["results"]) == 2
    lists = tmp_path / "lists.jsonl"
    done = run("rank", "--input", lists, "--output", tmp_path / "out.jsonl", "--group")
    assert done.returncode == 2
    assert "not for ranking in bulk" in done.stderr
