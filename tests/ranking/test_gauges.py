"""How models count texts: by their own tokens, else by words; against the tokenizer and plain splitting."""

from __future__ import annotations

import math

import pytest

from anselm.abilities import gauge_of
from anselm.ranking.ranker import Ranker

TEXT = "We open at nine, unbelievably early; bring a thermos."


def test_a_model_with_tokens_counts_its_own() -> None:
    scorer = Ranker.load("default").scorer
    gauge, tokenizer = gauge_of(scorer), scorer.tokenizer.tokenizer  # type: ignore[attr-defined]
    tokens = tokenizer.encode(TEXT, add_special_tokens=False).tokens
    assert gauge.lengths([TEXT, "", "nine"]) == [len(tokens), 0, 1]
    assert len(tokens) > len(TEXT.split())
    assert gauge.window == 192
    assert gauge.room(10) == 192 - 3 - 10  # beside [CLS], [SEP], [SEP] and the question
    assert gauge.room(500) == 192 - 3 - 64  # of which so much is read


@pytest.mark.parametrize("limit", range(1, 16))
def test_a_cut_text_is_a_beginning_of_so_many_tokens(limit: int) -> None:
    gauge = gauge_of(Ranker.load("default").scorer)
    cut = gauge.cut(TEXT, limit)
    assert TEXT.startswith(cut)
    [length] = gauge.lengths([cut])
    assert length == min(limit, *gauge.lengths([TEXT]))


def test_a_model_without_tokens_counts_words_and_reads_all() -> None:
    gauge = gauge_of(Ranker.load("bm25").scorer)
    assert gauge.lengths(["a b  c\n", ""]) == [3, 0]
    assert (gauge.window, gauge.room(10)) == (None, math.inf)
    assert (gauge.cut("a bc  d", 2), gauge.cut("a bc ", 2), gauge.cut("a", 2)) == ("a bc", "a bc ", "a")
