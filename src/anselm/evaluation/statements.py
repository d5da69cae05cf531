"""A question as a statement with a gap, and what kind of thing would fill it: the third step of AddSent.

    Where did Super Bowl 50 take place?        Super Bowl 50 took place in {place}
    who sang proud mary                        {person} sang proud mary
    What river runs through Warsaw?            the river of {name} runs through Warsaw
    How many kids does she have?               she has {number} kids
    In what year was it founded?               it was founded in {year}
    What is the capital of France?             the capital of France is {place}
    Can I pay by card?                         I can pay by card

What is not understood ends with the gap. The grammar is that of a distractor: it need not be perfect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from anselm.annotations.tags import tag_words
from anselm.evaluation.asked_kinds import MEASURES, kind_of
from anselm.evaluation.verb_forms import BE, DO, OTHERS, past, third_person

AUXILIARIES = BE | DO | OTHERS
NOMINAL = ("NOUN", "PROPN", "PRON")
PREPOSITIONS = frozenset(
    ("in", "at", "on", "during", "for", "to", "from", "by", "with", "of", "under", "since", "after")
)
ENDS = PREPOSITIONS | {"called", "named"}


@dataclass(frozen=True)
class Statement:
    """`text` has a {} where something of the kind belongs; what asks for yes or no has none."""

    text: str
    kind: str


def make_statement(question: str) -> Statement:
    """Of any question, however it is asked."""
    words = question.strip().rstrip("?!. ").replace("{", "(").replace("}", ")").split()
    place = next((i for i, word in enumerate(words) if word.casefold() in _READERS), None)
    if place is None and words and words[0].casefold() in AUXILIARIES:  # yes or no: of something else, yes
        return Statement(_clause(words), "name")
    if place is None:
        return Statement(" ".join([*words, "is {}"]), "name")
    before, rest = words[:place], words[place + 1 :]
    if not rest:  # "... is known as what"
        return Statement(" ".join([*before, "{}"]), "name")
    found = _READERS[words[place].casefold()](rest)
    return Statement(*_placed(before, found))


def _placed(before: list[str], found: Statement) -> tuple[str, str]:
    """With what stood before the question word: a preposition goes before the gap, the rest to the beginning."""
    if before and before[-1].casefold() in PREPOSITIONS:
        *before, preposition = before
        gap = found.text.rfind("the ", 0, found.text.find("{}"))
        gap = gap if found.text[gap:].startswith("the ") and " of {}" in found.text[gap:] else found.text.find("{}")
        head = found.text[:gap].rstrip().removesuffix(" in")
        text = f"{head} {preposition.casefold()} {found.text[gap:]}".strip()
    else:
        text = found.text
    return " ".join([*before, text]), found.kind


def _who(rest: list[str]) -> Statement:
    if rest[0].casefold() in BE and len(rest) > 1 and not _is_predicate(rest[1:]):
        return Statement(f"{' '.join(rest[1:])} {rest[0].casefold()} {{}}", "person")
    if rest[0].casefold() in DO:
        return Statement(f"{_clause(rest)} {{}}", "person")
    return Statement(f"{{}} {' '.join(rest)}", "person")


def _when(rest: list[str]) -> Statement:
    return Statement(_with_gap(_clause(rest), "in"), "year")


def _where(rest: list[str]) -> Statement:
    return Statement(_with_gap(_clause(rest), "in"), "place")


def _with_gap(clause: str, preposition: str) -> str:
    """Behind a preposition; where one stands at the end already, behind that."""
    if clause.rsplit(" ", 1)[-1].casefold() in PREPOSITIONS:
        return f"{clause} {{}}"
    return f"{clause} {preposition} {{}}"


def _why(rest: list[str]) -> Statement:
    return Statement(f"{_clause(rest)} because of {{}}", "reason")


def _how(rest: list[str]) -> Statement:
    measure = MEASURES.get(rest[0].casefold())
    if measure is None:
        return Statement(_with_gap(_clause(rest), "by"), "name")
    if rest[0].casefold() not in ("many", "much"):
        return Statement(f"{_clause(rest[1:])} {{}}", measure)
    noun, others = _until_auxiliary(rest[1:])
    if noun and others and others[0].casefold() in DO | OTHERS:
        return Statement(f"{_clause(others)} {{}} {' '.join(noun)}", "number")
    if not noun:
        return Statement(f"{_clause(others)} {{}}", measure)
    return Statement(" ".join(["{}", *noun, *others]), "number")


def _what(rest: list[str]) -> Statement:
    if rest[0].casefold() == "if" and rest[1:]:
        return Statement(f"{' '.join(rest[1:])} because of {{}}", "reason")
    noun, others = _until_auxiliary(rest)
    kind = kind_of(noun)
    if not noun:
        kind = kind_of(_until(others[1:], PREPOSITIONS))
        if others[0].casefold() in AUXILIARIES and others[-1].casefold() in ENDS:  # what is it used for
            return Statement(f"{_clause(others)} {{}}", kind)
        if others[0].casefold() in BE and not _is_predicate(others[1:]):
            return Statement(f"{' '.join(others[1:])} {others[0].casefold()} {{}}", kind)
        if others[0].casefold() in DO:
            return Statement(f"{_clause(others)} {{}}", "name")
        return Statement(f"{{}} {' '.join(others)}", kind)
    if not others:  # "what county is": a verb that is no auxiliary, if any
        return Statement(f"the {_head(noun)} of {{}} {' '.join(noun[len(_head(noun).split()) :])}".strip(), kind)
    if kind == "year":
        return Statement(f"{_clause(others)} in {{}}", kind)
    if others[0].casefold() in AUXILIARIES and len(others) > 1 and not _is_predicate(others[1:], others[0]):
        return Statement(f"{_clause(others)} the {' '.join(noun)} of {{}}", kind)
    return Statement(f"the {' '.join(noun)} of {{}} {' '.join(others)}", kind)


def _clause(words: Sequence[str]) -> str:
    """AUX subject predicate -> subject AUX predicate, or with do: subject and its verb in the right form."""
    if not words or words[0].casefold() not in AUXILIARIES or len(words) == 1:
        return " ".join(words)
    auxiliary, rest = words[0].casefold(), list(words[1:])
    verb = _verb_place(rest, ("NOUN", "ADJ") if auxiliary in DO else ("ADJ", "ADV"))
    if auxiliary not in DO:
        return " ".join([*rest[:verb], auxiliary, *rest[verb:]])
    if verb < len(rest) and auxiliary != "do":
        rest[verb] = past(rest[verb]) if auxiliary == "did" else third_person(rest[verb])
    return " ".join(rest)


def _verb_place(words: Sequence[str], looks: tuple[str, ...]) -> int:
    """Where the predicate begins: at a verb, or at what only looks like something else behind a noun ("Tesla deny it",
    "fossils rare"), or at a preposition that stands last; behind everything where nothing does.
    """
    tags = tag_words(list(words))
    verbs = (
        place
        for place, tag in enumerate(tags)
        if place and tag == "VERB" and words[place - 1] != "to" and not words[place].endswith("ing")
    )
    others = (
        place
        for place, (before, tag) in enumerate(pairwise(tags), start=1)
        if before in (*NOMINAL, "ADV") and tag in looks and words[place].islower()
    )
    last = len(words) - (len(words) > 1 and words[-1].casefold() in PREPOSITIONS)
    return next(verbs, next(others, last))


def _is_predicate(words: Sequence[str], auxiliary: str = "is") -> bool:
    """Whether it goes on as "was elected ..." or "has higher ..." do, without a subject."""
    if not words or not words[0].islower():
        return False
    tag = tag_words(["it", words[0]])[1]
    return tag in ("VERB", "ADP") or (auxiliary in ("has", "have", "had") and tag not in ("DET", "PRON"))


def _until_auxiliary(words: list[str]) -> tuple[list[str], list[str]]:
    """The noun phrase that is asked for, and the rest: from the first auxiliary, or else the first verb, on."""
    tags = tag_words(words)
    first = next((i for i, word in enumerate(words) if word.casefold() in AUXILIARIES), None)
    verb = next((i for i, tag in enumerate(tags) if tag == "VERB" and not words[i].endswith("ing")), None)
    ends = [place for place in (first, verb) if place is not None]
    end = min(ends, default=len(words))
    return words[:end], words[end:]


def _until(words: list[str], stops: frozenset[str]) -> list[str]:
    return words[: next((i for i, word in enumerate(words) if word.casefold() in stops), len(words))]


def _head(noun: list[str]) -> str:
    return " ".join(_until(noun, PREPOSITIONS))


_READERS: dict[str, Callable[[list[str]], Statement]] = {
    "who": _who, "whom": _who, "whose": _what, "when": _when, "where": _where, "why": _why, "how": _how, "what": _what,
    "which": _what,
}  # fmt: skip
