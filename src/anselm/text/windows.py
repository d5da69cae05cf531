"""Overlapping windows over a text that is longer than a model's maximum, so that nothing of it is cut off."""

from __future__ import annotations

import re

from anselm.text.tokens import UNSPACED


def windows(text: str, max_words: int, overlap: int = 0, max_chars: int = 50) -> list[tuple[int, int]]:
    """Half-open character spans, in order, each of at most `max_words` words, `overlap` of them shared with the next.

    Together they cover every non-space character; a text that fits is one span. A word is what stands between spaces;
    one of more than `max_chars` characters is cut and counts as several, and so does text in a script without spaces,
    where each character counts.
    """
    if max_words < 1 or not 0 <= overlap < max_words or max_chars < 1:
        raise ValueError(f"windows of {max_words} words, {overlap} shared, words of {max_chars} characters: impossible")
    spans = [word.span() for word in re.finditer(rf"[{UNSPACED}]|[^\s{UNSPACED}]{{1,{max_chars}}}", text)]
    # A window starts only where the one before did not already reach the end.
    starts = range(0, max(len(spans) - overlap, min(len(spans), 1)), max_words - overlap)
    return [(spans[first][0], spans[min(first + max_words, len(spans)) - 1][1]) for first in starts]
