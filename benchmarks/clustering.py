"""Attentive clustering against attentive pooling, and against itself written as a loop over pairs.

    python -m benchmarks.clustering

One question of 90 words with 150 answers of 450 words, about the thesis's longest lists and its usual answers; and the
same with 10 answers of 50 words, a forum's. Forward only: on one CPU thread, processor time; and on a GPU where there
is one. Multiply-adds are counted from the shapes: convolution, projection by P, the matrix Z, and two weighted sums.

The loop computes each s(q, c) and s(a, c) by itself, as the equations are written: both texts are convolved for it, and
one of them projected. Its own arithmetic is counted beside: "loop's arithmetic" is what would be gained if batched code
did only fewer multiply-adds, each as fast.
"""

# ruff: noqa: T201

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

ROUNDS = 3
COLUMNS = (
    "list", "pooling, ms", "clustering, ms", "time ratio", "multiply-adds ratio",
    "loop, ms", "loop / batched", "loop's arithmetic / batched",
)  # fmt: skip
CASES = {"150 answers of 450 words": (150, 450, 90), "10 answers of 50 words": (10, 50, 20)}


def main() -> None:
    try:
        import sklearn  # noqa: F401
        import torch
    except ImportError as error:
        print(f"\n## Attentive clustering: left out, {error}")
        return
    torch.set_num_threads(1)
    for device in ("cpu", *(["cuda"] if torch.cuda.is_available() else [])):
        where = torch.cuda.get_device_name() if device == "cuda" else "one CPU thread"
        print(f"\n## Attentive clustering ({where}, float32, forward, median of {ROUNDS})\n")
        print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
        for name, (answers, words, asked) in CASES.items():
            print(f"| {name} | {' | '.join(row(answers, words, asked, device))} |", flush=True)


def row(answers: int, words: int, asked: int, device: str) -> list[str]:
    import numpy as np
    import torch

    lists = [make_list(answers, words, asked)]
    pooling, clustering = (make_model(lists, words, alpha).to(device) for alpha in (0.0, 0.4))
    with torch.no_grad():
        clusters = clusters_of(clustering, lists)
        times = [seconds(lambda model=model: model.score(lists)) for model in (pooling, clustering)]
        found: list[list[float]] = []
        looped = seconds(lambda: found.append(loop(clustering, lists[0], clusters)), rounds=1)
        np.testing.assert_allclose(clustering.score(lists)[0], found[0], atol=1e-4)  # both compute the same
    batched = multiply_adds(clusters, words, asked, 0.4)
    numbers = (
        1000 * times[0], 1000 * times[1], times[1] / times[0], batched / multiply_adds(clusters, words, asked, 0.0),
        1000 * looped, looped / times[1], loop_multiply_adds(clusters, words, asked) / batched,
    )  # fmt: skip
    return [f"{number:,.1f}" for number in numbers]


def make_list(answers: int, words: int, asked: int) -> Any:
    import numpy as np

    from anselm.data.question import Candidate, Question

    rng = np.random.default_rng(0)
    vocabulary = [f"w{i}" for i in range(2_000)]
    texts = [" ".join(rng.choice(vocabulary, words)) for _ in range(answers)]
    question = " ".join(rng.choice(vocabulary, asked))
    return Question("q", question, tuple(Candidate(str(i), text) for i, text in enumerate(texts)))


def make_model(lists: Any, words: int, alpha: float) -> Any:
    import numpy as np
    import torch

    from anselm.models.attentive_clustering import AttentiveClustering, Config
    from anselm.models.frames.word_model import distinct_texts
    from anselm.text.vocabulary import Vocabulary

    torch.manual_seed(1)
    config = Config(max_length=words, alpha=alpha)
    model = AttentiveClustering("attentive-clustering", config, Vocabulary.build(distinct_texts(lists)))
    with torch.no_grad():
        model.embedding.weight.copy_(
            torch.from_numpy(np.random.default_rng(1).normal(0, 0.4, model.embedding.weight.shape))
        )
    return model.eval()


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    work() if rounds > 1 else None
    found = []
    for _ in range(rounds):
        began = now()
        work()
        found.append(now() - began)
    return median(found)


def now() -> float:
    """Processor time, which other programs do not lengthen; the clock's where a GPU works."""
    import torch

    if not torch.cuda.is_available():
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def states_of(model: Any, texts: list[str]) -> list[Any]:
    """The convolved words of each text. (1, words, width)"""
    import torch

    device, most = model.embedding.weight.device, model.config.max_length
    rows = [torch.tensor([numbers[:most]], device=device) for numbers in model.vocabulary(texts)]
    return [model._convolve(ids, torch.ones_like(ids, dtype=torch.bool)) for ids in rows]


def clusters_of(model: Any, lists: Any) -> Any:
    import numpy as np

    from anselm.models.attentive_clustering import cluster

    states = states_of(model, [candidate.text for candidate in lists[0].candidates])
    return cluster(np.concatenate([state.mean(dim=1).cpu().numpy() for state in states]))


def loop(model: Any, question: Any, clusters: Any) -> list[float]:
    """As the equations are written: one pair at a time, each of its two texts read for it."""
    import torch

    from anselm.layers.pair_attention import pooled_cosines

    only = torch.zeros(1, dtype=torch.long, device=model.p_1.device)

    def similarity(first: str, second: str, p: Any) -> float:
        a, c = states_of(model, [first, second])
        masks = [torch.ones(state.shape[:2], dtype=torch.bool, device=a.device) for state in (a, c)]
        return float(pooled_cosines(a, masks[0], c, masks[1], p, only, only))

    texts = [candidate.text for candidate in question.candidates]
    scores = []
    for i, text in enumerate(texts):
        near = [j for j in range(len(texts)) if clusters[j] == clusters[i]]
        s_qc = [similarity(question.text, texts[j], model.p_1) for j in near]
        s_ac = [similarity(text, texts[j], model.p_2) for j in near]
        blend = sum(q * a for q, a in zip(s_qc, s_ac, strict=True)) / sum(s_ac)
        scores.append(model.config.alpha * blend + (1 - model.config.alpha) * s_qc[near.index(i)])
    return scores


def multiply_adds(clusters: Any, words: int, asked: int, alpha: float) -> float:
    """Of one list, from the shapes of the default configuration."""
    import numpy as np

    from anselm.models.attentive_clustering import Config

    config = Config()
    width, answers = len(config.windows) * config.filters, len(clusters)
    convolution = config.width * config.filters * sum(config.windows) * (answers * words + asked)
    total = convolution + asked * width**2 + pairs_of(answers, width, asked, words)
    if alpha:
        neighbours = int((np.bincount(clusters) ** 2).sum())
        total += answers * words * width**2 + pairs_of(neighbours, width, words, words)
    return float(total)


def loop_multiply_adds(clusters: Any, words: int, asked: int) -> float:
    """The same of the loop, which convolves and projects for every pair."""
    import numpy as np

    from anselm.models.attentive_clustering import Config

    config = Config()
    width, neighbours = len(config.windows) * config.filters, int((np.bincount(clusters) ** 2).sum())
    convolution = config.width * config.filters * sum(config.windows)
    question = convolution * (asked + words) + asked * width**2 + pairs_of(1, width, asked, words)
    answer = convolution * 2 * words + words * width**2 + pairs_of(1, width, words, words)
    return float(neighbours * (question + answer))


def pairs_of(count: int, width: int, left: int, right: int) -> int:
    """Z and the two weighted sums."""
    return count * width * (left * right + left + right)


if __name__ == "__main__":
    main()
