"""Batches of pairs: against transformers' own, cut where they are too long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from anselm.models.frames.pair_batches import Batch  # noqa: E402
from anselm.train.sampling import Sampling, sample  # noqa: E402
from tests.models.readers import LISTS, ask, collate, make, pairs  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_batch_is_what_transformers_makes_of_the_pairs(folder: Path) -> None:
    batch = collate(make(folder), LISTS)
    asked, said = zip(*pairs(LISTS), strict=True)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    expected = theirs(list(asked), list(said), padding=True, return_token_type_ids=True, return_tensors="pt")
    assert torch.equal(batch.ids, expected["input_ids"])
    assert torch.equal(batch.mask, expected["attention_mask"].bool())
    assert torch.equal(batch.types, expected["token_type_ids"])
    assert batch.labels.tolist() == [1, 0, 0, 0, 1, 0, 1, 0]
    assert batch.layout.sizes.tolist() == [4, 1, 3]


def test_a_long_candidate_is_cut_as_transformers_cuts_it(folder: Path) -> None:
    lists = [ask("a b c?", "wood " * 90, "the hive", "x" * 70)]
    batch = collate(make(folder, max_length=40, max_question=20), lists)
    asked, said = zip(*pairs(lists), strict=True)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    expected = theirs(
        list(asked), list(said), truncation="only_second", max_length=40, padding=True, return_tensors="pt"
    )
    assert batch.ids.shape == (3, 40)
    assert torch.equal(batch.ids, expected["input_ids"])
    assert torch.equal(batch.mask, expected["attention_mask"].bool())


def rows(batch: Batch) -> list[list[int]]:
    return [row[mask].tolist() for row, mask in zip(batch.ids, batch.mask, strict=True)]


def test_a_long_question_is_cut_before_the_candidate(folder: Path) -> None:
    model = make(folder, max_length=40, max_question=8)
    question, candidate = model.tokenizer(["w" * 30, "the hive is in the garden"])
    parts = model.tokenizer
    expected = [*parts.before, *question[:8], *parts.between, *candidate, *parts.after]
    assert rows(collate(model, [ask("w" * 30, "the hive is in the garden")])) == [expected]


@pytest.mark.parametrize("limit", [192, 40])
def test_a_context_follows_the_candidate_and_is_cut_first(folder: Path, limit: int) -> None:
    model = make(folder, title=True, neighbours=1, max_length=limit, max_question=24)
    parts = model.tokenizer
    batch = collate(model, LISTS)
    for row, kinds, mask, (asked, said), around in zip(
        batch.ids, batch.types, batch.mask, pairs(LISTS), contexts(), strict=True
    ):
        question, candidate, context = parts([asked, said, around])
        room = limit - len(parts.before) - len(parts.between) - 2 * len(parts.after)
        question = question[:24]
        candidate = candidate[: room - len(question)]
        context = context[: room - len(question) - len(candidate)]
        first = [*parts.before, *question, *parts.between]
        second = [*candidate, *parts.after, *context, *(parts.after if context else ())]
        assert row[mask].tolist() == first + second
        assert kinds[mask].tolist() == [parts.types[0]] * len(first) + [parts.types[1]] * len(second)
        assert int(mask.sum()) <= limit


def contexts() -> list[str]:
    first = [candidate.text for candidate in LISTS[0].candidates]
    return [
        f"Bees {first[1]}", f"Bees {first[0]} {first[2]}", f"Bees {first[1]} {first[3]}", f"Bees {first[2]}",
        "Garden", "Bees wood", "Bees the the", "Bees wood",
    ]  # fmt: skip


def test_a_batch_is_no_wider_than_its_longest_pair(tiny_encoder: Path) -> None:
    model = make(tiny_encoder, max_length=40, max_question=20)
    lists = model.featurize([*LISTS, ask("who", "a " * 70)])
    placed = model.place(lists, torch.device("cpu"))
    for numbers in ([0], [1], [2], [3], [2, 0]):
        batch = model.collate(placed, lists.pick(np.array(numbers)))
        assert batch.mask.any(dim=0).all()
        assert batch.ids.shape[1] == model.widths(lists)[numbers].max() <= 40


def test_sampled_lists_need_no_new_tokens(tiny_encoder: Path) -> None:
    """The loop places all texts once, and samples for every epoch."""
    model = make(tiny_encoder, neighbours=1)
    lists = model.featurize(LISTS)
    placed = model.place(lists, torch.device("cpu"))
    sampled = sample(lists, Sampling("pool", 4), np.random.default_rng(0))
    batch = model.collate(placed, sampled.pick(np.arange(3)))
    own = rows(collate(model, LISTS))
    taken = [row for row, label in zip(rows(batch), batch.labels, strict=True) if label > 0]
    assert taken == [own[0], own[4], own[6]]
    assert batch.mask.any(dim=0)[:-1].all()  # the last column is for what would close a context
