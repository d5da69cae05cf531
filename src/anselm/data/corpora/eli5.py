"""ELI5: questions of the forum "Explain like I'm five" with voted answers, built from Reddit's dumps.

Source: the dumps of submissions and comments (https://academictorrents.com, "Reddit comments/submissions", one file per
subreddit), unpacked from .zst and cut to the time wanted. Reddit's terms apply. The corpus is that of a thesis
(Chatterjee, 2018) which does not publish its data, the years or the ids: its counts are pinned for `eli5`, and
`build_lists` makes lists from any dump.

Format: JSON lines, gzipped or not. A submission has id, title, selftext and created_utc; a comment has id, link_id,
parent_id ("t3_" and the submission's id for a top-level comment), body, score and created_utc. The text of a question
is its title alone, since the thesis gives 85 to 94 characters on average; selftext is in `meta`.

Filters (thesis, section 4.1), in `Filters`: top-level comments only, not deleted or removed, within 48 hours of the
question; at least four answers for a test question. "The answers with less than 4 words along with no noun and less
than 2 verbs were also filtered out" can mean that all three must hold or any one. The default is `all`, the literal
reading, which drops next to nothing but "This." and "Thank you!"; `any` also drops whole sentences with a single verb.

Labels: an answer with a score above `good_score` is right. The thesis says only "good score"; 1 is the score that
every comment starts with, so a right answer has at least one more vote for it than against it.

Comments wait in a temporary database on disk, so that memory grows only with the ids of the questions kept; both files
are read once. Dumps overlap at their edges: of a repeated comment the last copy counts, of a submission the first.

Counts of the thesis (Table 5, questions / answers): train 1,595 / 13,104, dev 398 / 3,226, test-1 713 / 9,040, test-2
735 / 9,030.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from anselm.data.corpus import RAW, Corpus, Counts, Split
from anselm.data.question import Candidate, Question
from anselm.data.shelf import shelve
from anselm.errors import FormatError, MissingDataError, MissingExtraError
from anselm.files import parse_json, read_lines

Tagger = Callable[[list[str]], list[str]]  # words to their Penn Treebank tags

GONE = ("", "[deleted]", "[removed]")
MIN_NOUNS, MIN_VERBS = 1, 2  # of an answer


@dataclass(frozen=True)
class Filters:
    """What is kept; the defaults are the thesis's choices for training data."""

    subreddit: str = "explainlikeimfive"
    hours: float = 48
    min_words: int = 4
    drop_when: Literal["all", "any"] = "all"  # of: too few words, too few nouns, too few verbs
    min_answers: int = 1
    good_score: int = 1


TRAIN, TEST = Filters(), Filters(min_answers=4)
SUBMISSION = {"id": str, "title": str, "created_utc": (int, float, str)}
COMMENT = {"id": str, "link_id": str, "parent_id": str, "body": str, "score": int, "created_utc": (int, float, str)}


def build_lists(
    submissions: Path, comments: Path, filters: Filters = TRAIN, tag: Tagger | None = None
) -> Iterator[Question]:
    """Stream the questions of a dump with the answers that pass the filters, oldest first; NLTK tags by default."""
    tag = tag or nltk_tagger()
    seen: set[str] = set()
    with shelve(_answers(comments, filters.subreddit)) as shelf:
        for post in _records(submissions, filters.subreddit, SUBMISSION):
            latest = {answer["id"]: answer for answer in shelf.get(post["id"])}
            kept = [answer for answer in latest.values() if _is_kept(answer, post, filters, tag)]
            if len(kept) >= filters.min_answers and post["id"] not in seen:
                seen.add(post["id"])
                yield _question(post, kept, filters.good_score)


def _answers(path: Path, subreddit: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Top-level comments that still have a text, by the id of their submission."""
    for comment in _records(path, subreddit, COMMENT):
        if comment["parent_id"] == comment["link_id"] and comment["body"].strip() not in GONE:
            fields = {name: comment[name] for name in ("id", "body", "score", "created_utc")}
            yield comment["link_id"].removeprefix("t3_"), fields


def _records(path: Path, subreddit: str, fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects of a dump that belong to the subreddit, with their fields checked and times as numbers."""
    for line, text in read_lines(path):
        try:
            record = parse_json(text)
        except ValueError as error:
            raise FormatError(path, f"not valid JSON: {error}", line) from None
        if not isinstance(record, dict):
            raise FormatError(path, "a JSON object is needed", line)
        if str(record.get("subreddit", subreddit)).lower() == subreddit.lower():
            yield _checked(record, fields, path, line)


def _checked(record: dict[str, Any], fields: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    for name, kind in fields.items():
        if not isinstance(record.get(name), kind):
            raise FormatError(path, f"{name!r} is {record.get(name)!r}; a record has {', '.join(fields)}", line)
    try:
        return {**record, "created_utc": float(record["created_utc"])}  # older dumps have it as a string
    except (ValueError, OverflowError):  # the latter for a whole number of hundreds of digits
        raise FormatError(path, f"'created_utc' is {record['created_utc']!r:.60}, not a number", line) from None


def _is_kept(answer: Mapping[str, Any], post: Mapping[str, Any], filters: Filters, tag: Tagger) -> bool:
    seconds = answer["created_utc"] - post["created_utc"]
    return seconds <= filters.hours * 3600 and not is_thin(answer["body"], filters, tag)


def is_thin(text: str, filters: Filters, tag: Tagger) -> bool:
    """Whether an answer has too few words, nouns and verbs; tags are asked for only where they decide."""
    words = re.findall(r"\w+(?:['’]\w+)*", html.unescape(text))
    few_words = len(words) < filters.min_words
    if few_words == (filters.drop_when == "any"):
        return few_words
    tags = tag(words)
    few_nouns = sum(name.startswith("NN") for name in tags) < MIN_NOUNS
    few_verbs = sum(name.startswith("VB") for name in tags) < MIN_VERBS
    return few_nouns and few_verbs if filters.drop_when == "all" else few_nouns or few_verbs


def _question(post: Mapping[str, Any], answers: Sequence[Mapping[str, Any]], good_score: int) -> Question:
    candidates = (
        Candidate(
            answer["id"],
            html.unescape(answer["body"]).strip(),  # dumps have &gt; and &amp;
            float(answer["score"] > good_score),
            {"score": answer["score"], "seconds": answer["created_utc"] - post["created_utc"]},
        )
        for answer in sorted(answers, key=lambda answer: (answer["created_utc"], answer["id"]))
    )
    meta = {"selftext": post.get("selftext"), "created_utc": post["created_utc"]}
    return Question(post["id"], html.unescape(post["title"]).strip(), tuple(candidates), meta)


def nltk_tagger(*folders: Path) -> Tagger:
    """NLTK's tagger; its model is looked for where NLTK does (NLTK_DATA) and in the folders."""
    try:
        from nltk import data
        from nltk.tag import PerceptronTagger
    except ImportError:
        raise MissingExtraError("tagging parts of speech", "nltk") from None
    data.path.extend(str(folder) for folder in folders if str(folder) not in data.path)
    try:
        tagger = PerceptronTagger()
    except LookupError:
        raise MissingDataError(
            "NLTK's model averaged_perceptron_tagger_eng was not found. Get it with "
            "`python -m nltk.downloader averaged_perceptron_tagger_eng`, or set NLTK_DATA to the folder that has it."
        ) from None
    return lambda words: [name for _, name in tagger.tag(words)]


def _split(name: str, filters: Filters, counts: Counts) -> Split:
    files = (f"{name}.submissions.jsonl.gz", f"{name}.comments.jsonl.gz")

    def read(folder: Path) -> Iterator[Question]:
        tag = nltk_tagger(folder.parent / "nltk_data")
        return build_lists(folder / files[0], folder / files[1], filters, tag)

    return Split(files, read, {"raw": counts})


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="eli5",
        summary="Reddit questions to be explained simply, with voted answers",
        folder="eli5",
        source="https://academictorrents.com (Reddit dumps of r/explainlikeimfive, as SPLIT.submissions.jsonl.gz and "
        "SPLIT.comments.jsonl.gz)",
        terms="Reddit's user agreement",
        citation="Chatterjee, Answer Selection with Attentive Clustering, MSc thesis, Oregon State University, 2018",
        splits={  # a test first: the first split is the default
            "test-1": _split("test-1", TEST, Counts(713, 9_040)),
            "test-2": _split("test-2", TEST, Counts(735, 9_030)),
            "dev": _split("dev", TRAIN, Counts(398, 3_226)),
            "train": _split("train", TRAIN, Counts(1_595, 13_104)),
        },
        protocols={"raw": RAW},
    ),
)
