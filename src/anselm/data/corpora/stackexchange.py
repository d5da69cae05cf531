"""Stack Exchange: questions of a community site with voted answers, from the Posts.xml of a data dump.

Source: https://archive.org/details/stackexchange, any site. CC BY-SA. The corpus `stackexchange` has three small sites
as splits; `read_posts` reads any Posts.xml.

Format: XML with one `row` per post: PostTypeId 1 is a question, 2 an answer to the question ParentId; wikis and other
types are skipped. Bodies are HTML, turned into plain text as documents are (`anselm.text.html`): paragraphs and list
items with an empty line between them, links by their words; but images leave their description, and blocks of code
keep their lines. The text of a question is its title and body. Files may begin with a byte order mark.

Labels. The accepted answer is right: the asker has tried it. Where none was accepted the answer with the most votes is,
if its score is above zero; answers that share the first place are all right. Votes come from others than the asker and
grow with age, so they are not graded here; score, the accepted mark, date and tags are in `meta` for other choices.

A question needs two answers to be ranked, so others are left out. `clean` keeps lists with both right and wrong
answers; `raw` keeps all, also those in which no answer has a vote.

An answer may stand far from its question. The answers wait in a temporary database on disk, and the file is read
twice, so memory does not grow with the dump, apart from the ids of the questions.

Lists / answers / right (raw): cardano 379 / 933 / 391, coffee 82 / 197 / 86, genai 58 / 159 / 62; measured on dumps of
2021 (cardano), 2015 (coffee) and 2023 (genai). A later dump of the same site has other counts: use `read_posts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from anselm.data.corpus import MIXED, RAW, Corpus, Counts, Split
from anselm.data.elements import attribute, claim, stream_elements
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.data.shelf import shelve
from anselm.errors import FormatError
from anselm.text.html import html_pieces
from anselm.text.pieces import Cleaned

_FILE = "{}.Posts.xml"
QUESTION, ANSWER = "1", "2"
CODE = re.compile(r"<pre\b[^>]*>(.*?)</pre>", re.DOTALL | re.IGNORECASE)
IMAGE = re.compile(r'<img\b[^>]*\balt="([^"]*)"[^>]*>', re.IGNORECASE)


def read_posts(path: Path, min_answers: int = 2) -> Iterator[Question]:
    """Stream the questions with at least `min_answers` answers."""
    seen: set[str] = set()
    with shelve(_answers(path)) as shelf:
        for line, row in _rows(path, QUESTION):
            id = attribute(row, "Id", path, line)
            claim(id, seen, path, line)
            answers = shelf.get(id)
            if len(answers) >= min_answers:
                yield _question(row, answers, path, line)


def _rows(path: Path, kind: str) -> Iterator[tuple[int, Element]]:
    for line, row in stream_elements(path, "row"):
        if attribute(row, "PostTypeId", path, line) == kind:
            yield line, row


def _answers(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is kept of every answer, by the id of its question."""
    for line, row in _rows(path, ANSWER):
        id, body = attribute(row, "Id", path, line), attribute(row, "Body", path, line)
        meta = {"score": _score(row, path, line), "date": row.get("CreationDate"), "user": row.get("OwnerUserId")}
        yield attribute(row, "ParentId", path, line), {"id": id, "body": body, "meta": meta}


def _score(row: Element, path: Path, line: int) -> int:
    score = attribute(row, "Score", path, line)
    try:
        return int(score)
    except ValueError:
        raise FormatError(path, f"the score is {score!r}, not a whole number", line) from None


def _question(row: Element, answers: Sequence[dict[str, Any]], path: Path, line: int) -> Question:
    id, title, body = (attribute(row, name, path, line) for name in ("Id", "Title", "Body"))
    scores = {answer["id"]: answer["meta"]["score"] for answer in answers}
    if len(scores) < len(answers):
        raise FormatError(path, f"two answers to question {id} have the same id", line)
    accepted = row.get("AcceptedAnswerId")
    right = find_right(scores, accepted)
    candidates = tuple(_candidate(answer, right, accepted) for answer in answers)
    tags = re.findall(r"[^<>|]+", row.get("Tags", ""))  # <a><b> in older dumps, |a|b| in newer ones
    meta = {"title": title, "tags": tags, "score": _score(row, path, line), "date": row.get("CreationDate")}
    return Question(id, f"{title}\n{to_plain_text(body)}".strip(), candidates, meta)


def _candidate(answer: dict[str, Any], right: set[str], accepted: str | None) -> Candidate:
    meta = {**answer["meta"], "accepted": answer["id"] == accepted}
    return Candidate(answer["id"], to_plain_text(answer["body"]), float(answer["id"] in right), meta)


def find_right(scores: Mapping[str, int], accepted: str | None) -> set[str]:
    """The accepted answer; without one, those with the highest score if it is above zero."""
    if accepted is not None and accepted in scores:  # an accepted answer may have been deleted
        return {accepted}
    best = max(scores.values(), default=0)
    return {answer for answer, score in scores.items() if score == best > 0}


def to_plain_text(body: str) -> str:
    """The words of an HTML body: see the top of this file."""
    parts = CODE.split(IMAGE.sub(r" \1 ", body))  # text and code in turn
    texts = (_code(part) if place % 2 else Cleaned(html_pieces(part)).text for place, part in enumerate(parts))
    return "\n\n".join(text for text in texts if text)


def _code(part: str) -> str:
    """Lines as they are: in code they mean something, while a document's sentences go on over them."""
    return unescape(re.sub(r"<[^<>]*>", "", part)).strip("\n").rstrip()


def _split(site: str, clean: Counts, raw: Counts) -> Split:
    file = _FILE.format(site)
    return Split((file,), lambda folder: read_posts(folder / file), {"clean": clean, "raw": raw})


def _count_discussed(*paths: Path) -> Numbers:
    return {"questions": sum(1 for path in paths for _ in read_posts(path, min_answers=5))}


_SITES = tuple(map(_FILE.format, ("cardano", "coffee", "genai")))

CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="stackexchange",
        summary="questions of small Stack Exchange sites with voted answers",
        folder="stackexchange",
        source="https://archive.org/details/stackexchange (Posts.xml of a site, as SITE.Posts.xml)",
        terms="CC BY-SA",
        citation="Stack Exchange, Inc. Stack Exchange Data Dump",
        splits={
            "cardano": _split("cardano", Counts(345, 862, 357), Counts(379, 933, 391)),
            "coffee": _split("coffee", Counts(78, 189, 78), Counts(82, 197, 86)),
            "genai": _split("genai", Counts(50, 142, 51), Counts(58, 159, 62)),
        },
        protocols={"clean": MIXED, "raw": RAW},
        resources=(Resource("five answers", _SITES, _count_discussed, {"questions": 26}),),
    ),
)
