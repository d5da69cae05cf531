"""The student's and the teacher's forward passes beside those of the libraries; rows, losses, neighbours, areas."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("scipy")

from tools.default_model.cutting import STOPWORDS, keywords, misspelt, questions_of  # noqa: E402
from tools.default_model.near import nearest  # noqa: E402
from tools.default_model.teaching import rows  # noqa: E402
from tools.default_model.teaching.judging import area  # noqa: E402
from tools.default_model.teaching.large import Large  # noqa: E402
from tools.default_model.teaching.losses import labelled_loss, taught_loss  # noqa: E402
from tools.default_model.teaching.small import Small  # noqa: E402

SMALL = {
    "hidden_size": 48,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 96,
    "vocab_size": 60,
}


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("To reset the device, hold the button.", "how do i reset the device"),
        ("You must return your books within a month.", "do i have to return my books within a month"),
        ("A hub is a device that connects lines.", "what is A hub"),
        ("The school was founded in 1858 by monks.", "when was The school founded by monks"),
    ],
)
def test_what_a_statement_answers(sentence: str, question: str) -> None:
    found = {one for seed in range(30) for one in questions_of(sentence, random.Random(seed), 5)}
    assert question in found


def test_what_people_type() -> None:
    question = "How do I return the borrowed books?"
    for seed in range(20):
        rng = random.Random(seed)
        assert not STOPWORDS & set(keywords(question, rng).lower().split())
        slips = [
            (a, b) for a, b in zip(question.rstrip("?").split(), misspelt(question, rng).split(), strict=True) if a != b
        ]
        assert all(abs(len(a) - len(b)) <= 1 for a, b in slips)
        assert len(slips) <= 2


def test_rows_are_the_texts_in_order() -> None:
    texts = [[], [11, 12, 13], [21, 22], [31, 32, 33, 34]]
    lengths = torch.tensor([len(one) for one in texts])
    table = rows.Texts(lengths.cumsum(0) - lengths, lengths)
    numbering = rows.Numbering(1, 2, 2, 0, torch.tensor([token for text in texts for token in text]))
    row = rows.pair_rows(table, numbering, torch.tensor([1, 1]), torch.tensor([0, 2]), torch.tensor([3, 3]))
    plain = [[1, 11, 12, 13, 2, 2, 31, 32, 33, 34, 2], [1, 11, 12, 13, 2, 2, 21, 22, 31, 32, 33, 34, 2]]
    for found, shown, asked, wanted in zip(row.ids, row.shown, row.asked, plain, strict=True):
        assert found[shown].tolist() == wanted
        assert found[shown & asked].tolist() == wanted[:6]


def test_long_rows_are_cut_behind() -> None:
    lengths = torch.tensor([0, 100, 300])
    table = rows.Texts(lengths.cumsum(0) - lengths, lengths)
    numbering = rows.Numbering(1001, 1002, 1, 1003, torch.arange(400))
    row = rows.pair_rows(table, numbering, torch.tensor([1]), torch.tensor([0]), torch.tensor([2]))
    said = rows.MOST - rows.MOST_ASKED - 3
    assert row.ids[0].tolist() == [1001, *range(64), 1002, *range(100, 100 + said), 1002]


def a_row(words: int, between: int) -> rows.Row:
    ids, shown = torch.randint(5, words, (3, 16)), torch.arange(16)[None] < torch.tensor([16, 12, 9])[:, None]
    return rows.Row(torch.where(shown, ids, 1), shown, torch.arange(16)[None].expand(3, 16) < 5 + between)


def test_the_student_is_the_shipped_reader_s_computation() -> None:
    from transformers import BertConfig, BertModel

    from anselm.layers.funnel import read_narrowing

    torch.manual_seed(3)
    encoder = BertModel(BertConfig(**SMALL), add_pooling_layer=False).eval()
    head = torch.nn.Linear(48, 1)
    second = torch.nn.Sequential(torch.nn.Linear(144, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
    weights = {f"encoder.{name}": one for name, one in encoder.state_dict().items()}
    weights |= {f"head.{name}": one for name, one in head.state_dict().items()}
    weights |= {f"similarity.{name}": one for name, one in second.state_dict().items()}
    row = a_row(60, 1)
    with torch.no_grad():
        student = Small(weights).eval()
        scores, _ = student(row, student.cast())
        pooled = read_narrowing(encoder, row.ids, row.shown, row.asked & row.shown, 4)
        assert torch.allclose(scores, head(pooled).squeeze(1), atol=1e-4)


def test_the_teacher_reads_as_the_library_does_and_its_adapter_as_merged_weights() -> None:
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(4)
    config = MPNetConfig(**{**SMALL, "num_hidden_layers": 12}, layer_norm_eps=1e-5)
    encoder = MPNetModel(config, add_pooling_layer=False).eval()
    row = a_row(60, 2)

    def by_library() -> torch.Tensor:
        states = encoder(row.ids, attention_mask=row.shown.long()).last_hidden_state
        return (states * row.shown[:, :, None]).sum(dim=1) / row.shown.sum(dim=1, keepdim=True)

    with torch.no_grad():
        teacher = Large({name: one.clone() for name, one in encoder.state_dict().items()}, rank=2).eval()
        assert torch.allclose(teacher.pooled(row, adapted=True), by_library(), atol=1e-5)
        for name, up in teacher.up.items():
            up.normal_(std=0.1)
            layer, part = name.rstrip("qkvoupdwn"), name.lstrip("0123456789")
            path = {"up": "intermediate.dense", "down": "output.dense"}.get(part, f"attention.attn.{part}")
            merged = encoder.get_submodule(f"encoder.layer.{layer}.{path}").weight
            merged += 2.0 * up @ teacher.down[name]
        assert torch.allclose(teacher.pooled(row, adapted=True), by_library(), atol=1e-4)


def test_the_loss_of_labelled_lists_one_by_one() -> None:
    scores, labels, owner = torch.randn(7), torch.tensor([1.0, 0, 1, 0, 0, 0, 1]), torch.tensor([0, 0, 0, 1, 1, 2, 2])
    values = scores.tolist()
    first = sum(math.exp(one) for one in values[:3])
    third = sum(math.exp(one) for one in values[5:])
    by_list = (math.log(first) - (values[0] + values[2]) / 2 + math.log(third) - values[6]) / 2
    second = 1 + math.exp(values[3]) + math.exp(values[4])
    by_level = math.log(1 + first) - (values[0] + values[2]) / 2 + math.log(second) + math.log(1 + third) - values[6]
    found = labelled_loss(scores, labels, owner, 3, 0.5)
    assert float(found) == pytest.approx(by_list + 0.5 * by_level / 3, rel=1e-5)


def test_who_scores_as_the_teacher_does_loses_nothing() -> None:
    scores, owner = torch.randn(6), torch.tensor([0, 0, 1, 1, 1, 1])
    share = torch.cat([scores[:2].softmax(0), scores[2:].softmax(0)])
    assert float(taught_loss(scores, scores, share, owner, torch.ones(2), 0.1)) == pytest.approx(0, abs=1e-6)
    assert float(taught_loss(scores + 1, scores, share, owner, torch.ones(2), 0.1)) == pytest.approx(0.1, abs=1e-5)


def test_neighbours_by_bm25() -> None:
    texts = ["red apples grow", "green apples and pears", "trains run late", "pears pears pears", "late apples"]
    found = nearest(["late apples", "pears"], [*texts, *["other words"] * 20], 3)
    assert found[0, 0] == 4
    assert set(found[1].tolist()) == {3, 1, -1}


def test_area_by_all_pairs() -> None:
    rng = np.random.default_rng(1)
    values, positive = rng.integers(0, 5, 30).astype(float), rng.random(30) < 0.4
    pairs = list(product(values[positive], values[~positive]))
    assert area(values, positive) == pytest.approx(sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs))


def test_a_list_counts_by_its_weight() -> None:
    scores, taught, owner = torch.rand(5), torch.rand(5), torch.tensor([0, 0, 1, 1, 1])
    share = torch.cat([taught[:2].softmax(0), taught[2:].softmax(0)])

    def alone(some: slice) -> tuple[float, float]:
        order = share[some] * (share[some].log() - scores[some].log_softmax(0))
        return float(order.sum()), float((scores[some] - taught[some]).square().sum())

    (one, near), (two, far) = alone(slice(0, 2)), alone(slice(2, 5))
    found = taught_loss(scores, taught, share, owner, torch.tensor([1.0, 3.0]), 0.1)
    assert float(found) == pytest.approx((one + 3 * two) / 4 + 0.1 * (near + 3 * far) / (2 + 9), rel=1e-4)
