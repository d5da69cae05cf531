"""How a model that reads pairs counts texts: in the tokens of its tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anselm.encoding.limits import Reading
from anselm.encoding.tokenizer import PairTokenizer


@dataclass(frozen=True)
class TokenGauge:
    """What `anselm.scorer.Gauge` says."""

    tokenizer: PairTokenizer
    reading: Reading

    @property
    def window(self) -> int:
        return self.reading.max_length

    @property
    def asked(self) -> int:
        return self.reading.max_question

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self.tokenizer(list(texts))]

    def room(self, asked: int) -> int:
        return self.window - self.reading.overhead(self.tokenizer) - min(asked, self.reading.max_question)

    def cut(self, text: str, limit: int) -> str:
        ends = [end for _, end in self.tokenizer.tokenizer.encode(text, add_special_tokens=False).offsets]
        return text[: ends[limit - 1]] if len(ends) > limit else text
