"""Attentive clustering against loops written from the thesis's equations."""

# ruff: noqa: E402

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from anselm.checkpoints.checkpoint import Checkpoint
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError
from anselm.layers.composition import AttentivePooling
from anselm.layers.pair_attention import NUMBERS, pooled_cosines
from anselm.layers.similarity import cosine
from anselm.models.attentive_clustering import (
    AttentiveClustering,
    build,
    cluster,
    cluster_pairs,
    load,
    number_of_clusters,
    one_thread,
)

D = 4
WORDS = ["bees", "honey", "hive", "nectar", "garden", "wood", "where", "is", "the", "sweet"]
Vector = list[float]


def make_lists() -> list[Question]:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(17)]
    long = Question("long", "where is the honey", tuple(Candidate(str(i), text) for i, text in enumerate(texts)))
    one = Question("one", "the hive", (Candidate("0", "sweet wood"),))
    same = Question(
        "same", "is honey sweet", (Candidate("0", "honey"), Candidate("1", "honey"), Candidate("2", "wood"))
    )
    return [long, one, same]


LISTS = make_lists()


@pytest.fixture
def vectors(vector_file: Callable[[int], Path]) -> Path:
    return vector_file(D)


def make(vectors: Path, **settings: object) -> AttentiveClustering:
    torch.manual_seed(3)
    config = {"embedding": D, "width": D, "filters": 3, "windows": [1, 2, 3], "max_length": 8, **settings}
    return build("attentive-clustering", {"vectors": str(vectors), **config}, LISTS).eval()


def convolved(model: AttentiveClustering, text: str) -> list[Vector]:
    """Word by word: for each window its filters on the words around it, zeros beyond the ends."""
    words = [model.embedding.weight[n].tolist() for n in model.vocabulary([text])[0]][: model.config.max_length]
    states: list[Vector] = [[] for _ in words]
    for layer in model.convolutions:
        weight, bias = layer.weight.tolist(), layer.bias.tolist()
        window = len(weight[0][0])
        for i in range(len(words)):
            for f in range(len(weight)):
                around = [(k, i + k - (window - 1) // 2) for k in range(window)]
                inside = [(k, place) for k, place in around if 0 <= place < len(words)]
                states[i].append(
                    bias[f] + sum(weight[f][j][k] * words[place][j] for k, place in inside for j in range(D))
                )
    return states


def pooled_cosine(a: list[Vector], c: list[Vector], p: list[Vector]) -> float:
    """s(a, c): 3.3."""
    width = range(len(p))
    z = [[math.tanh(sum(x[i] * p[i][j] * y[j] for i in width for j in width)) for y in c] for x in a]

    def weigh(states: list[Vector], scores: Vector) -> Vector:
        shares = [math.exp(score) for score in scores]
        return [sum(s * state[i] for s, state in zip(shares, states, strict=True)) / sum(shares) for i in width]

    v_a, v_c = weigh(a, [max(row) for row in z]), weigh(c, [max(column) for column in zip(*z, strict=True)])
    dot = sum(x * y for x, y in zip(v_a, v_c, strict=True))
    return dot / math.hypot(*v_a) / math.hypot(*v_c)


HOW_MANY = {17: 3, 1: 1, 3: 1}  # answers -> clusters, by hand from 3.3: 17 // 10 + 2, 0 + 1, 0 + 1


def settled(points: np.ndarray) -> np.ndarray:
    """The code's clusters, once they are seen to be what k-means ends with: the right number of them, and each answer
    nearer to the mean of its own than to that of any other.
    """
    found = cluster(points)
    names = sorted(set(found.tolist()))
    assert len(names) == min(HOW_MANY[len(points)], len({tuple(row) for row in points.tolist()}))
    means = [points[found == name].mean(axis=0) for name in names]
    for point, own in zip(points, found.tolist(), strict=True):
        assert names[int(np.argmin([np.square(point - mean).sum() for mean in means]))] == own
    return found


@pytest.mark.parametrize(("answers", "groups"), [(10, 2), (15, 3), (24, 3), (43, 5), (500, 51)])
def test_groups_that_nobody_could_mistake_are_found(answers: int, groups: int) -> None:
    """As many as the thesis has for so many answers, worked out by hand; far apart, and in any order."""
    rng = np.random.default_rng(answers)
    group = rng.permutation(np.arange(answers) % groups)
    points = (100.0 * np.eye(groups)[group] + rng.standard_normal((answers, groups)) * 0.01).astype(np.float32)
    with one_thread():
        found = cluster(points)
    assert len(set(found.tolist())) == groups
    together = group[:, None] == group
    assert ((found[:, None] == found) == together).all()


def naive(model: AttentiveClustering, question: Question) -> Vector:
    """s: 3.3.1, with the clusters that k-means finds."""
    q, answers = convolved(model, question.text), [convolved(model, c.text) for c in question.candidates]
    p_1, p_2, alpha = model.p_1.tolist(), model.p_2.tolist(), model.config.alpha
    means = np.array([np.mean(answer, axis=0) for answer in answers], dtype=np.float32)
    clusters, s_qa = settled(means), [pooled_cosine(q, answer, p_1) for answer in answers]
    scores = []
    for i in range(len(answers)):
        near = [j for j in range(len(answers)) if clusters[j] == clusters[i]]
        s_ac = [pooled_cosine(answers[i], answers[j], p_2) for j in near]
        blend = sum(s_qa[j] * s for j, s in zip(near, s_ac, strict=True)) / sum(s_ac) if sum(s_ac) > 1e-6 else s_qa[i]
        scores.append(alpha * blend + (1 - alpha) * s_qa[i])
    return scores


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_scores_follow_the_equations(alpha: float, vectors: Path) -> None:
    model = make(vectors, alpha=alpha)
    for question, found in zip(LISTS, model.score(LISTS), strict=True):
        np.testing.assert_allclose(found, naive(model, question), atol=1e-5)


def test_without_alpha_it_is_attentive_pooling(vectors: Path) -> None:
    model = make(vectors, alpha=0.0)
    layer = AttentivePooling(len(model.p_1))
    with torch.no_grad():
        layer.U.weight.copy_(model.p_1)
    states = [torch.tensor([convolved(model, text)]) for text in (LISTS[0].text, LISTS[0].candidates[3].text)]
    masks = [torch.ones(state.shape[:2], dtype=torch.bool) for state in states]
    expected = cosine(*layer(states[0], masks[0], states[1], masks[1]))
    assert model.score(LISTS)[0][3] == pytest.approx(expected.item(), abs=1e-5)


def test_neither_order_nor_batch_matters(vectors: Path) -> None:
    model = make(vectors)
    together = model.score(LISTS)
    for question, expected in zip(LISTS, together, strict=True):
        np.testing.assert_allclose(model.score([question])[0], expected, atol=1e-5)
        turned = Question(question.id, question.text, question.candidates[::-1])
        np.testing.assert_allclose(model.score([turned])[0][::-1], expected, atol=1e-5)


def test_answers_that_are_alike_pull_each_other(vectors: Path) -> None:
    """The two that are the same text are one cluster of one kind: they get the same score."""
    scores = make(vectors).score([LISTS[2]])[0]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_neighbours_that_say_nothing_are_left_out(vectors: Path) -> None:
    """Cosines may sum to less than nothing; then s(q, a) counts alone. Here P_2 is turned against the states."""
    model = make(vectors, alpha=1.0)
    plain = make(vectors, alpha=0.0)

    def opposed(*arguments: torch.Tensor) -> torch.Tensor:
        found = pooled_cosines(*arguments)
        return -found.abs() if arguments[4] is model.p_2 else found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anselm.models.attentive_clustering.pooled_cosines", opposed)
        found = model.score(LISTS)
    for row, expected in zip(found, plain.score(LISTS), strict=True):
        np.testing.assert_allclose(row, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("answers", "k"), [(1, 1), (4, 1), (5, 2), (9, 2), (10, 2), (14, 2), (15, 3), (43, 5), (500, 51)]
)
def test_the_number_of_clusters_is_the_theses(answers: int, k: int) -> None:
    assert number_of_clusters(answers) == k


def test_clusters() -> None:
    near, far = np.zeros((3, 2), dtype=np.float32), np.full((4, 2), 9, dtype=np.float32)
    near[:, 0] = [0.0, 0.1, 0.2]
    far[:, 0] += [0.0, 0.1, 0.2, 0.3]
    found = cluster(np.concatenate([near, far]))  # seven: k is 2
    assert len(set(found[:3])) == len(set(found[3:])) == 1
    assert found[0] != found[3]
    assert cluster(np.zeros((8, 2), dtype=np.float32)).tolist() == [0] * 8  # more clusters than answers that differ
    assert cluster_pairs(np.array([0, 1, 0])).tolist() == [[0, 0, 1, 2, 2], [0, 2, 1, 0, 2]]


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    a, c, p = torch.randn(3, 5, 4), torch.randn(2, 7, 4), torch.randn(4, 4)
    masks = torch.arange(5) < torch.tensor([[5], [2], [1]]), torch.arange(7) < torch.tensor([[3], [7]])
    left, right = torch.tensor([0, 1, 2, 2, 0]), torch.tensor([0, 1, 1, 0, 1])
    whole = pooled_cosines(a, masks[0], c, masks[1], p, left, right)
    monkeypatch.setitem(NUMBERS, "cpu", 1)
    np.testing.assert_allclose(pooled_cosines(a, masks[0], c, masks[1], p, left, right), whole, atol=1e-6)


@pytest.mark.parametrize("numbers", [1, 1 << 20])  # a chunk for each pair, and one for all
def test_pairs_are_pooled_as_the_layer_pools_them(numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores and gradients, with padding: the layer takes the tanh of all of Z and pairs texts before it projects."""
    monkeypatch.setitem(NUMBERS, "cpu", numbers)
    torch.manual_seed(1)
    a, c = torch.randn(3, 5, 4, requires_grad=True), torch.randn(2, 7, 4, requires_grad=True)
    masks = torch.arange(5) < torch.tensor([[5], [2], [1]]), torch.arange(7) < torch.tensor([[3], [7]])
    left, right = torch.tensor([0, 1, 2, 2, 0]), torch.tensor([0, 1, 1, 0, 1])
    layer = AttentivePooling(4)
    found = pooled_cosines(a, masks[0], c, masks[1], layer.U.weight, left, right)
    expected = cosine(*layer(a[left], masks[0][left], c[right], masks[1][right]))
    np.testing.assert_allclose(found.detach(), expected.detach(), atol=1e-6)
    turn, inputs = torch.randn(5), (a, c, layer.U.weight)
    for ours, theirs in zip(*(torch.autograd.grad(x, inputs, turn) for x in (found, expected)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_clusters_do_not_depend_on_the_order_or_the_sign_of_nothing() -> None:
    points = np.random.default_rng(2).normal(size=(43, 6)).astype(np.float32)
    points[5:9] = points[4]
    points[7, 0] = points[4, 0] + 1e-6  # the last bit of a sum
    order = np.random.default_rng(3).permutation(43)
    whole, turned = cluster_pairs(cluster(points)), cluster_pairs(cluster(points[order]))
    assert set(zip(*whole.tolist(), strict=True)) == set(zip(*order[turned].tolist(), strict=True))
    assert cluster(np.array([[0.0], [-0.0]] * 4, dtype=np.float32)).tolist() == [0] * 8


def test_clusters_are_made_on_one_thread_and_the_others_come_back() -> None:
    from threadpoolctl import threadpool_info

    cluster(np.zeros((2, 2), dtype=np.float32))  # whatever has threads is loaded
    before = [pool["num_threads"] for pool in threadpool_info()]
    with one_thread():
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_lemmas_are_kept_with_the_model(vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {"beehives": "hive", "honeys": "honey"}
    monkeypatch.setattr("anselm.text.vocabulary.find_lemmatiser", lambda: None)
    for place in ("vocabulary.lemmas_of", "lemmas.lemmas"):
        monkeypatch.setattr(f"anselm.text.{place}", lambda words: [forms.get(word, word) for word in words])
    model = make(vectors, lemmas=True)
    model.save(tmp_path)
    loaded = load(Checkpoint.read(tmp_path))
    texts = [Question("q", "honeys", (Candidate("0", "the beehives"), Candidate("1", "the hive")))]
    for one in (model, loaded):
        first, second = one.score(texts)[0]
        assert first == second
    assert not make(vectors).vocabulary.lemmas


def test_gradients_reach_everything(vectors: Path) -> None:
    model = make(vectors).train()
    lists = model.featurize(LISTS)
    batch = model.collate(model.place(lists, torch.device("cpu")), lists.pick(np.arange(3)))
    model(batch).square().sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0] == []


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"alpha": 1.5}, "alpha is 1.5"), ({"windows": []}, "windows is"), ({"windows": [0]}, "windows is"),
     ({"filters": 0}, "filters is 0")],
)  # fmt: skip
def test_wrong_settings_are_refused(settings: dict[str, object], problem: str, vectors: Path) -> None:
    with pytest.raises(AnselmError, match=problem):
        make(vectors, **settings)
