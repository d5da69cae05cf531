"""Rows of tokens, beside a naive loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anselm.encoding.limits import Reading
from anselm.encoding.lists import encode_lists
from anselm.encoding.tokenizer import PairTokenizer
from anselm.runtime.rows import by_width, lay_out
from tests.exported_checkpoints import LISTS


@pytest.fixture
def tokenizer(tiny_roberta: Path) -> PairTokenizer:
    return PairTokenizer.load(tiny_roberta / "tokenizer.json", pad=1)


@pytest.mark.parametrize("reading", [Reading(60, 10, False, 0), Reading(60, 10, True, 1)])
def test_rows_are_those_of_a_loop(reading: Reading, tokenizer: PairTokenizer) -> None:
    lists = encode_lists(LISTS, tokenizer, reading.title, reading.neighbours)
    rows = lay_out(lists, tokenizer, reading)
    found = rows.pad_rows(np.arange(len(lists.labels)), 64)
    limit = 60 - reading.overhead(tokenizer)
    number = 0
    for question in LISTS:
        texts = [candidate.text for candidate in question.candidates]
        for place, text in enumerate(texts):
            asked = tokenizer([question.text])[0][:10]
            said = tokenizer([text])[0][: limit - len(asked)]
            row = [*tokenizer.before, *asked, *tokenizer.between, *said, *tokenizer.after]
            if reading.title:
                heading = [question.meta.get("title", "")]
                around = " ".join([*heading, *texts[max(0, place - 1) : place], *texts[place + 1 : place + 2]]).strip()
                shown = tokenizer([around])[0][: limit - len(asked) - len(said)]
                row += [*shown, *tokenizer.after] if shown else []
            assert found["ids"][number].tolist() == row + [1] * (64 - len(row))
            assert found["mask"][number].sum() == len(row) == rows.widths[number]
            number += 1


def test_types_begin_with_the_candidate(tiny_encoder: Path) -> None:
    tokenizer = PairTokenizer.load(tiny_encoder / "tokenizer.json", pad=0)
    rows = lay_out(encode_lists([LISTS[1]], tokenizer), tokenizer, Reading(60, 10, False, 0))
    found = rows.pad_rows(np.array([1]), 12)  # [CLS] where is the hive ? [SEP] honey [SEP]
    assert found["types"].tolist() == [[0] * 7 + [1] * 2 + [0] * 3]


def test_each_pair_is_read_once(tokenizer: PairTokenizer) -> None:
    lists = encode_lists([*LISTS, *LISTS], tokenizer)
    rows = lay_out(lists, tokenizer, Reading(60, 10, False, 0))
    once, place = rows.distinct()
    assert len(once.starts) == len(rows.starts) / 2
    np.testing.assert_array_equal(once.starts[place], rows.starts)
    np.testing.assert_array_equal(once.lengths[place], rows.lengths)


def test_a_pair_is_padded_to_the_same_width_in_every_company() -> None:
    widths = np.random.default_rng(1).integers(3, 61, 500)
    alone = [next(by_width(widths[[i]], 60, 200))[1] for i in range(500)]
    seen = []
    for pairs, width in by_width(widths, 60, 200):
        assert len(pairs) * width <= 200
        assert all(alone[pair] == width >= widths[pair] for pair in pairs)
        seen += pairs.tolist()
    assert sorted(seen) == list(range(500))
    assert max(alone) == 60  # never more than the encoder has positions for


def test_a_budget_that_is_too_small_for_a_pair_still_reads_it() -> None:
    assert [(pairs.tolist(), width) for pairs, width in by_width(np.array([9, 3]), 60, 1)] == [([0], 16), ([1], 8)]
