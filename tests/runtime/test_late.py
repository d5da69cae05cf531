"""The late-interaction ranker against the formulas of models/late_interaction.py, piece by piece in plain loops."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import ARRAYS, CONFIG, ENCODER, TOKENIZER, Checkpoint, write_config
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.ranking.ranker import Ranker
from anselm.ranking.scorers import load_scorer
from anselm.runtime import late
from anselm.runtime.late_weights import read_arrays, write_arrays

WIDTH, HEADS, HIDDEN, PROBES, PRODUCT = 8, 2, 5, 3, 4
LONG = "Bees make honey from nectar, which they carry to the hive. " * 30
LISTS = [
    Question("1", "How do bees make honey?", (
        Candidate("0", "From nectar."), Candidate("1", LONG), Candidate("2", "honey"),
        Candidate("3", "In the garden.", question="Where is the hive?"), Candidate("4", ""),
    )),
    Question("2", "Where?", (Candidate("0", "In the garden, under a tree."), Candidate("1", "From nectar."))),
    Question("3", "Nobody answers", ()),
]  # fmt: skip


def linear(rng: np.random.Generator, name: str, out: int, wide: int) -> dict[str, np.ndarray]:
    return {f"{name}.weight": rng.normal(0, 0.4, (out, wide)), f"{name}.bias": rng.normal(0, 0.2, out)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights, with the tokenizer of the default ranker."""
    found, rng = tmp_path_factory.mktemp("late"), np.random.default_rng(4)
    shape = json.loads((SHIPPED / DEFAULT / ENCODER).read_text())
    arrays = {
        "table": rng.normal(0, 1, (shape["vocab_size"], WIDTH)),
        "rarity": rng.normal(0, 0.5, shape["vocab_size"]),
    }
    arrays["place"] = rng.normal(0, 0.3, (66, WIDTH))
    total = HIDDEN + 2 + PROBES + PRODUCT + 3
    shapes = {"matter": (1, WIDTH), "signs": (HIDDEN, 4), "context": (HIDDEN, WIDTH),
              "probes": (PROBES * WIDTH, WIDTH), "product": (PRODUCT, WIDTH), "wide": (6, total),
              "head": (1, 6)}  # fmt: skip
    for number in range(2):
        at = f"layers.{number}."
        shapes |= {f"{at}qkv": (3 * WIDTH, WIDTH), f"{at}out": (WIDTH, WIDTH), f"{at}up": (12, WIDTH)}
        shapes[f"{at}down"] = (WIDTH, 12)
        for norm in ("first", "second"):
            arrays |= {f"{at}{norm}.weight": rng.normal(1, 0.1, WIDTH), f"{at}{norm}.bias": rng.normal(0, 0.1, WIDTH)}
    for name, (out, wide) in shapes.items():
        arrays |= linear(rng, name, out, wide)
    write_arrays(found / ARRAYS, arrays)
    write_config(found, "late-interaction", {"max_length": 40, "max_question": 8, "heads": HEADS}, runtime="late")
    for name in (ENCODER, TOKENIZER):
        shutil.copy(SHIPPED / DEFAULT / name, found)
    return found


def naive(folder: Path, question: list[int], candidate: list[int]) -> float:
    """One pair, from its pieces."""
    a = {name: array.astype(float) for name, array in read_arrays(Checkpoint.read(folder)).items()}
    table = a["table"] * a["scale"][:, None]

    def apply(name: str, x: np.ndarray) -> np.ndarray:
        return a[f"{name}.weight"] @ x + a[f"{name}.bias"]

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / math.sqrt(x.var() + 1e-5) * a[f"{name}.weight"] + a[f"{name}.bias"]

    def unit(x: np.ndarray) -> np.ndarray:
        return x / math.sqrt(x @ x)

    states = [table[piece] + a["place"][place] for place, piece in enumerate([*question, 102])]
    for layer in ("layers.0.", "layers.1."):
        split = [np.split(apply(f"{layer}qkv", x), 3) for x in states]
        size, after = WIDTH // HEADS, []
        for x, (query, _, _) in zip(states, split, strict=True):
            seen = []
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                looks = [math.exp(query[part] @ key[part] / math.sqrt(size)) for _, key, _ in split[: len(question)]]
                values = [value[part] for _, _, value in split[: len(question)]]
                seen.append(sum(look * value for look, value in zip(looks, values, strict=True)) / sum(looks))
            x = norm(f"{layer}first", x + apply(f"{layer}out", np.concatenate(seen)))
            after.append(norm(f"{layer}second", x + apply(f"{layer}down", np.maximum(apply(f"{layer}up", x), 0))))
        states = after
    words = states[:-1]
    weight = np.array(
        [math.exp(a["rarity"][piece] + apply("matter", x)[0]) for piece, x in zip(question, words, strict=True)]
    )
    weight /= weight.sum()
    texts = [table[piece] for piece in candidate]
    sims = np.array([[unit(q) @ unit(c) for c in texts] for q in states])
    met = np.zeros(HIDDEN)
    for i, piece in enumerate(question):
        pairs = [(sims[i, j] + (sims[i + 1, j + 1] if j + 1 < len(texts) else -1)) / 2 for j in range(len(texts))]
        soft = math.log(sum(math.exp(8 * one) for one in sims[i])) / 8
        signs = np.array([sims[i].max(), soft, float(piece in candidate), max(pairs)])
        met += weight[i] * np.maximum(apply("signs", signs) + apply("context", words[i]), 0)
    here = [sum(weight[i] * max(sims[i, j], 0) ** 2 for i in range(len(question))) for j in range(len(texts))]
    dense = [max(sum(here[max(j - n // 2, 0) : j + n // 2 + 1]) / n for j in range(len(texts))) for n in (5, 15)]
    whole = sum(w * x for w, x in zip(weight, words, strict=True))
    probed = [max(unit(probe) @ unit(c) for c in texts) for probe in apply("probes", whole).reshape(PROBES, WIDTH)]
    heavy = sum(math.exp(a["rarity"][piece]) * x for piece, x in zip(candidate, texts, strict=True))
    both = unit(whole) * unit(heavy)
    sizes = [math.log(1 + len(texts)), math.log(1 + len(question))]
    found = np.concatenate([met, dense, probed, apply("product", 8 * both), [both.sum()], sizes])
    return float(apply("head", np.maximum(apply("wide", found), 0))[0])


def test_scores_are_the_formula(folder: Path) -> None:
    scorer = late.load(Checkpoint.read(folder))
    scores = scorer.score(LISTS)
    assert [len(row) for row in scores] == [5, 2, 0]
    for question, row in zip(LISTS, scores, strict=True):
        asked = scorer.tokenizer([question.text])[0][:8]
        for candidate, score in zip(question.candidates, row, strict=True):
            pieces = scorer.tokenizer([candidate.content])[0]
            if pieces and len(pieces) + len(asked) + 3 <= 40:
                assert score == pytest.approx(naive(folder, asked, pieces), abs=1e-4)


def test_a_long_candidate_counts_by_its_best_window(folder: Path) -> None:
    scorer = late.load(Checkpoint.read(folder))
    question = LISTS[0]
    asked, pieces = (scorer.tokenizer([text])[0] for text in (question.text, LONG))
    room = 40 - 3 - len(asked)
    step = room - min(32, room // 2)
    starts = range(0, 1 + -(-(len(pieces) - room) // step) * step, step)
    best = max(naive(folder, asked, pieces[start : start + room]) for start in starts)
    assert scorer.score([question])[0][1] == pytest.approx(best, abs=1e-4)


def test_neither_the_batch_nor_blocks_change_a_score(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = late.load(Checkpoint.read(folder))
    together = np.concatenate(scorer.score(LISTS))
    alone = [scorer.score([Question("", one.text, (c,))])[0] for one in LISTS for c in one.candidates]
    np.testing.assert_allclose(np.concatenate(alone), together, atol=1e-6)
    monkeypatch.setattr(late, "BLOCK", 7)
    np.testing.assert_allclose(np.concatenate(scorer.score(LISTS)), together, atol=1e-6)


def test_a_copy_scores_the_same_and_explains(folder: Path, tmp_path: Path) -> None:
    scorer = load_scorer(folder)
    scorer.save(tmp_path)
    np.testing.assert_array_equal(
        np.concatenate(load_scorer(tmp_path).score(LISTS)), np.concatenate(scorer.score(LISTS))
    )
    ranking = Ranker.load(folder).rank("How do bees make honey?", ["From nectar.", "In the garden."], explain=True)
    assert [word.text for word in ranking.results[0].explanation.question] == ["How", "do", "bees", "make", "honey"]


@pytest.mark.parametrize("damage", ["gone", "cut", "renamed", "setting"])
def test_damage_is_refused(folder: Path, tmp_path: Path, damage: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    arrays = copy / ARRAYS
    if damage == "gone":
        arrays.unlink()
    elif damage == "cut":
        arrays.write_bytes(arrays.read_bytes()[:2000])
    elif damage == "renamed":
        known = dict(np.load(arrays))
        np.savez(arrays, **{("heads" if name == "head.bias" else name): array for name, array in known.items()})
    else:
        write_config(copy, "late-interaction", {"heads": 0}, runtime="late")
    with pytest.raises(FormatError, match=CONFIG if damage == "setting" else ARRAYS):
        late.load(Checkpoint.read(copy))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_length": 1}, "max_length 1 leaves no room for a candidate beside the question"),
        ({"max_length": 3}, "max_length 3 leaves no room"),
        ({"max_length": 11}, "max_length 11 leaves no room"),  # 8 of a question, [CLS] and two [SEP]
        ({"max_length": 10**6, "max_question": 10**5}, "'max_question' is 100000, and there are places for "),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(
    folder: Path, tmp_path: Path, settings: dict[str, int], said: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    known = {"max_length": 40, "max_question": 8, "heads": HEADS}
    write_config(copy, "late-interaction", known | settings, runtime="late")
    with pytest.raises(FormatError, match=said) as refused:
        late.load(Checkpoint.read(copy))
    assert CONFIG in str(refused.value)
    write_config(copy, "late-interaction", known | {"max_length": 12}, runtime="late")
    assert np.isfinite(np.concatenate(late.load(Checkpoint.read(copy)).score(LISTS))).all()
