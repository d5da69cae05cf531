"""Questions cut out of statements by rule: what somebody might ask whom a sentence would answer. No parse, no model.

    To reset the device, hold the button.           how do i reset the device
    You can pay with a card.                        can i pay with a card, how can i pay
    If the light blinks, charge the battery.        what if the light blinks
    A hub is a device that ...                      what is a hub
    The school was founded in 1858 by monks.        when was the school founded by monks

Some come out crooked. They are for a student that learns from what a teacher says of them, and people's questions are
crooked, too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

MOST_WORDS = 16  # of a question
SMALL = """
    a an the is are was were be been being am do does did has have had can could will would should shall may might must
    to of in on at by for with from as into about than that this these those it its he she they them his her their i
    you your my we our us me and or but if not no so there here what who whom whose which when where why how
"""
STOPWORDS = frozenset(SMALL.split())
OTHER_SIDE = {"you": "i", "your": "my", "yours": "mine", "yourself": "myself", "you're": "i'm", "you've": "i've"}
AUXILIARY = r"(is|are|was|were|has|had|have|can|could|will|would|should|may|must|did|does)"
NAME = re.compile(r"\b[A-Z][\w'’-]+(?: (?:of |the |de |and )?[A-Z][\w'’-]+)*")
YEAR = re.compile(r"\b(?:in|on|since|by|during|from|until) (?:[A-Z][a-z]+ )?(?:\d{1,2}, )?(?:1[0-9]|20)\d\d\b")
NUMBER = re.compile(
    r"\b(?!(?:1\d|20)\d\d\b)(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\b (?=[a-z])"
)
PLACE = re.compile(r"\b(?:in|at|near|from) (?:the )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")

Rule = tuple[re.Pattern[str], tuple[str, ...]]
WISH = r"(?:want|wish|need|would like)"
VERB = r"([a-z][^,.;:()]{6,80})"  # and what belongs to it
NOUN = r"((?:the |an? )?[\w'’-]+(?: [\w'’-]+){0,5})"
RULES: tuple[Rule, ...] = (
    (re.compile(r"(?:^|, )to (?!be\b)([a-z][^,.;:()]{6,80}), ", re.I), ("how do i {}", "how to {}")),
    (re.compile(rf"\b(?:in order|if you {WISH}|allows? you|lets you|possible) (?:to )?{VERB}", re.I),
     ("how do i {}", "how can i {}", "is it possible to {}")),
    (re.compile(r"\byou (?:can|may|could)(?: also)? ([a-z][^,.;:()]{6,80})", re.I), ("can i {}", "how can i {}")),
    (re.compile(r"\byou (?:must|should|need to|have to|will have to) ([a-z][^,.;:()]{6,80})", re.I),
     ("do i have to {}", "should i {}")),
    (re.compile(r"\b(?:if|when) ([^,.;:()]{8,80}), ", re.I), ("what if {}", "what happens when {}", "{}")),
    (re.compile(rf"^{NOUN} (?:is|are) (?:an?|the|one of|any) ", re.I), ("what is {}",)),
    (re.compile(rf"^{NOUN} (?:was|were) (?:an?|the|one of) "), ("what was {}", "who was {}")),
    (re.compile(r"^([^,;:()]{12,90}?),? (?:because|since|due to) ", re.I), ("why {}",)),
    (re.compile(r"\b(?:used|useful) (?:to|for) ([a-z][^,.;:()]{6,80})", re.I), ("what is used for {}",)),
)  # fmt: skip
INVERTED = re.compile(rf"^((?:[\w'’-]+ ){{1,7}}){AUXILIARY} (.*)$")
SUBJECT = re.compile(rf"^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){{0,3}} (?=(?:{AUXILIARY}|[a-z]+ed|[a-z]+s) )")
CUT: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (YEAR, ("when", "in what year")), (PLACE, ("where",)), (NUMBER, ("how many",)),
    (NAME, ("what", "who", "which one")),
)  # fmt: skip


def questions_of(sentence: str, rng: random.Random, most: int = 2) -> list[str]:
    """At most so many, all different; none of a sentence that no rule knows."""
    found = list(dict.fromkeys(one for one in (*_by_rule(sentence, rng), *_by_cutting(sentence, rng)) if _is_one(one)))
    rng.shuffle(found)
    return found[:most]


def _by_rule(sentence: str, rng: random.Random) -> Iterator[str]:
    for pattern, forms in RULES:
        if found := pattern.search(sentence):
            yield rng.choice(forms).format(_other_side(_shorten(found[1])))


def _by_cutting(sentence: str, rng: random.Random) -> Iterator[str]:
    """What stands at a year, a place, a number or a name is asked for."""
    body = sentence.rstrip(" .!?")
    for pattern, words in CUT:
        spans = [found for found in pattern.finditer(body) if found.start()]  # what begins a sentence is seldom a name
        if not spans:
            continue
        span, word = rng.choice(spans), rng.choice(words)
        rest = " ".join((body[: span.start()] + " " + body[span.end() :]).split())
        if pattern is NUMBER:  # the word counted stays: "how many rooms are in the house with"
            yield f"{word} {body[span.end() :]}"
        elif pattern is NAME:  # in its place: "the dome was built by who"
            yield _other_side(" ".join((body[: span.start()] + " " + word + " " + body[span.end() :]).split()))
        elif inverted := INVERTED.match(rest):
            yield f"{word} {inverted[2]} {inverted[1].strip()} {inverted[3]}"
        else:
            yield f"{word} {rest}"
    if found := SUBJECT.match(sentence):
        yield f"{rng.choice(('who', 'what'))} {body[found.end() :]}"


def _is_one(question: str) -> bool:
    words = question.split()
    return 3 <= len(words) <= MOST_WORDS and any(word.lower() not in STOPWORDS for word in words[1:])


def _shorten(text: str) -> str:
    return " ".join(text.split()[: MOST_WORDS - 4])


def _other_side(text: str) -> str:
    """You, who are told, become I, who ask."""
    return " ".join(OTHER_SIDE.get(word.lower(), word) for word in text.split())


def keywords(question: str, rng: random.Random) -> str:
    """As typed into a search box: some of its words, the small ones left out."""
    words = [word for word in re.findall(r"[\w'’-]+", question) if word.lower() not in STOPWORDS]
    kept = sorted(rng.sample(range(len(words)), min(len(words), rng.randint(2, 5))))
    return " ".join(words[place] for place in kept)


def misspelt(question: str, rng: random.Random) -> str:
    """One or two of its longer words with a letter left out, doubled, or changed with its neighbour."""
    words = question.rstrip("?").split()
    long = [place for place, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    for place in rng.sample(long, min(len(long), rng.choice((1, 1, 2)))):
        words[place] = _slip(words[place], rng)
    return " ".join(words)


def _slip(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def bare(question: str, rng: random.Random) -> str:
    """Without its mark, and now and then with what people put before it."""
    asked = question.rstrip(" ?")
    return rng.choice(("", "", "", "hi, ", "can you tell me ", "i want to know ", "please ")) + asked


VARIANTS: tuple[Callable[[str, random.Random], str], ...] = (keywords, misspelt, bare)


def varied(question: str, rng: random.Random) -> str:
    return rng.choice(VARIANTS)(question, rng)
