"""Trees that were read before are not parsed again, and are those of their own parser and tokenizer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.models.frames import constituents  # noqa: E402
from anselm.models.frames.constituents import ReadTrees  # noqa: E402

TEXTS = ["Glacier caves are cold.", "Ice", "Glacier caves are cold."]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    seen: list[list[str]] = []
    parse = constituents.parse_texts

    def counted(texts: list[str], parser: str) -> object:
        seen.append(list(texts))
        return parse(texts, parser)

    monkeypatch.setattr(constituents, "parse_texts", counted)
    return seen


def test_a_text_is_parsed_once(tiny_encoder: Path, parsed: list[list[str]]) -> None:
    tokenizer, memory = PairTokenizer.load(tiny_encoder / "tokenizer.json", 0), ReadTrees()
    first = memory.read(TEXTS, tokenizer, "right-branching")
    again = memory.read([*TEXTS, "New"], tokenizer, "right-branching")
    assert parsed == [["Glacier caves are cold.", "Ice"], ["New"]]
    assert [one is other for one, other in zip(first, again, strict=False)] == [True] * 3
    assert first[0] is first[2]


def test_another_parser_or_tokenizer_has_trees_of_its_own(
    tiny_encoder: Path, tiny_roberta: Path, parsed: list[list[str]]
) -> None:
    memory = ReadTrees()
    tokenizers = [PairTokenizer.load(folder / "tokenizer.json", 0) for folder in (tiny_encoder, tiny_roberta)]
    found = [memory.read(TEXTS, one, parser)[0] for one in tokenizers for parser in ("right-branching", "flat")]
    assert [len(one.outline.spans) for one in found] == [4, 1, 4, 1]
    alone = ReadTrees().read(TEXTS[:1], tokenizers[1], "flat")[0]
    np.testing.assert_array_equal(found[3].pieces, alone.pieces)
    assert len(parsed) == 5


def test_the_oldest_are_forgotten(tiny_encoder: Path, parsed: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constituents, "MOST", 2)
    tokenizer, memory = PairTokenizer.load(tiny_encoder / "tokenizer.json", 0), ReadTrees()
    for text in ("a cave", "b cave", "a cave", "c cave", "b cave"):
        memory.read([text], tokenizer, "flat")
    assert [some for some in parsed if some] == [["a cave"], ["b cave"], ["c cave"], ["b cave"]]
