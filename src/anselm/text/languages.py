"""Whether a text is in a script that a model reads: a model of English gives numbers for Hindi, too."""

from __future__ import annotations

import re

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿⱠ-Ɀꜣ-ꟿﬀ-ﬆＡ-Ｚａ-ｚ]")
LATIN_ALPHABET = ("English",)  # the languages of models, of those that are written with it


def foreign_texts(language: str | None, question: str, best: str) -> tuple[str, ...]:
    """A warning for each of the two texts that is mostly in another script than the model's language is written in."""
    if language not in LATIN_ALPHABET:
        return ()
    texts = {"the question": question, "the best candidate": best}
    return tuple(
        f"{what} is mostly in a script that this model, which reads {language}, does not know: no verdict is given"
        for what, text in texts.items()
        if is_foreign(text)
    )


def is_foreign(text: str) -> bool:
    """Most of its letters are not Latin; a text without letters is of no script."""
    letters = len(_LETTER.findall(text))
    return letters > 0 and len(_LATIN.findall(text)) < letters / 2
