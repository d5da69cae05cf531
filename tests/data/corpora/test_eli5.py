"""ELI5: the builder keeps what the thesis kept."""

from __future__ import annotations

import builtins
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from anselm.data.corpora.eli5 import CORPORA, TEST, TRAIN, Filters, build_lists, is_thin, nltk_tagger
from anselm.data.question import Question
from anselm.errors import FormatError, MissingDataError, MissingExtraError

[ELI5] = CORPORA
HOUR = 3600
TAGS = {"light": "NN", "bends": "VBZ", "is": "VBZ", "scattered": "VBN", "sky": "NN", "dogs": "NNS"}


def tag(words: list[str]) -> list[str]:
    return [TAGS.get(word.lower(), "XX") for word in words]


def post(id: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, "title": "ELI5: why?", "selftext": "", "created_utc": 0, **fields}


def reply(id: str, to: str = "s1", **fields: Any) -> dict[str, Any]:
    values = {"body": "The light is scattered by air", "score": 5, "created_utc": 60}
    return {"id": id, "link_id": f"t3_{to}", "parent_id": f"t3_{to}", **values, **fields}


def save(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def build(folder: Path, posts: list[Any], replies: list[Any], filters: Filters = TRAIN) -> list[Question]:
    paths = save(folder / "posts.jsonl", posts), save(folder / "replies.jsonl", replies)
    return list(build_lists(*paths, filters, tag))


def test_a_question_with_its_answers_oldest_first(tmp_path: Path) -> None:
    replies = [
        reply("c1", created_utc=90, body="Dogs &gt; cats &amp; so on", score=1),
        reply("c2", "s2", created_utc=10),
        reply("c3", created_utc="60", score=2),  # old dumps have times as strings
    ]
    one, two = build(tmp_path, [post("s1", selftext="More."), post("s2", title="A &amp; B?")], replies)
    assert (one.id, one.text, one.meta) == ("s1", "ELI5: why?", {"selftext": "More.", "created_utc": 0})
    assert [(c.id, c.text, c.label) for c in one.candidates] == [
        ("c3", "The light is scattered by air", 1.0),
        ("c1", "Dogs > cats & so on", 0.0),
    ]
    assert one.candidates[1].meta == {"score": 1, "seconds": 90}
    assert (two.text, [c.id for c in two.candidates]) == ("A & B?", ["c2"])


def test_what_is_left_out(tmp_path: Path) -> None:
    replies = [
        reply("kept", created_utc=48 * HOUR),
        reply("late", created_utc=48 * HOUR + 1),
        reply("nested", parent_id="t1_kept"),
        reply("thin", body="Thank you!"),
        reply("elsewhere", subreddit="askscience"),
        reply("orphan", "s9"),
    ]
    [question] = build(tmp_path, [post("s1", subreddit="ExplainLikeImFive"), post("s2")], replies)
    assert [c.id for c in question.candidates] == ["kept"]


@pytest.mark.parametrize("body", ["[deleted]", " [removed] ", "\n"])
def test_deleted_comments_are_left_out_however_short_an_answer_may_be(tmp_path: Path, body: str) -> None:
    assert build(tmp_path, [post("s1")], [reply("c1", body=body)], Filters(min_words=0)) == []
    assert len(build(tmp_path, [post("s1")], [reply("c1", body="Yes")], Filters(min_words=0))) == 1


def test_parameters(tmp_path: Path) -> None:
    replies = [reply(f"c{n}", created_utc=n * HOUR, score=n) for n in range(4)]
    assert len(build(tmp_path, [post("s1")], replies, TEST)) == 1
    assert build(tmp_path, [post("s1")], replies[1:], TEST) == []
    [question] = build(tmp_path, [post("s1")], replies, Filters(hours=2, good_score=0))
    assert [(c.id, c.label) for c in question.candidates] == [("c0", 0.0), ("c1", 1.0), ("c2", 1.0)]


def test_repeated_records_of_overlapping_dumps(tmp_path: Path) -> None:
    replies = [reply("c1", score=1), reply("c2"), reply("c1", score=7)]
    [question] = build(tmp_path, [post("s1"), post("s1", title="Again")], replies)
    assert question.text == "ELI5: why?"
    assert [(c.id, c.meta["score"]) for c in question.candidates] == [("c1", 7), ("c2", 5)]


@pytest.mark.parametrize(
    ("text", "under_all", "under_any"),
    [
        ("The light is scattered", False, False),
        ("Light bends", False, True),  # few words, but a noun
        ("It's because of it", False, True),  # four words, no noun, no verb
        ("Light bends in the sky", False, True),  # a single verb
        ("Is it scattered", False, True),  # few words, no noun, but two verbs
        ("Thank you", True, True),
        ("... !", True, True),
    ],
)
def test_both_readings_of_the_filter(text: str, under_all: bool, under_any: bool) -> None:
    assert is_thin(text, Filters(drop_when="all"), tag) == under_all
    assert is_thin(text, Filters(drop_when="any"), tag) == under_any


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("{", "line 2: not valid JSON"),
        ("[]", "line 2: a JSON object is needed"),
        (json.dumps(reply("c2", score=None)), "line 2: 'score' is None; a record has id, link_id"),
        (json.dumps(reply("c2", created_utc="soon")), "line 2: 'created_utc' is 'soon', not a number"),
        (json.dumps(reply("c2", created_utc=10**400)), "line 2: 'created_utc' is 1000.*, not a number"),
        ("1" + "0" * 5000, "line 2: not valid JSON: a number has more than 4,300 digits"),
        ("[" * 100_000, "line 2: not valid JSON: nested more than 100 levels deep"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, bad: str, problem: str) -> None:
    posts, replies = save(tmp_path / "posts.jsonl", [post("s1")]), save(tmp_path / "replies.jsonl", [reply("c1")])
    replies.write_text(replies.read_text() + bad + "\n")
    with pytest.raises(FormatError, match=rf"replies\.jsonl, {problem}"):
        list(build_lists(posts, replies, tag=tag))


def test_gzipped_dumps(tmp_path: Path) -> None:
    posts, replies = tmp_path / "posts.jsonl.gz", tmp_path / "replies.jsonl.gz"
    posts.write_bytes(gzip.compress(json.dumps(post("s1")).encode()))
    replies.write_bytes(gzip.compress(json.dumps(reply("c1")).encode()))
    assert len(list(build_lists(posts, replies, tag=tag))) == 1


def test_splits_are_those_of_the_thesis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Table 5; only test questions need four answers. A dump of other years has other counts, which is said."""
    table = {name: (split.counts["raw"].questions, split.counts["raw"].pairs) for name, split in ELI5.splits.items()}
    assert table == {"train": (1595, 13104), "dev": (398, 3226), "test-1": (713, 9040), "test-2": (735, 9030)}
    monkeypatch.setattr("anselm.data.corpora.eli5.nltk_tagger", lambda *folders: tag)
    for name in ELI5.splits:
        posts, replies = (tmp_path / f"{name}.{kind}.jsonl.gz" for kind in ("submissions", "comments"))
        posts.write_bytes(gzip.compress("".join(f"{json.dumps(post(id))}\n" for id in ("s1", "s2")).encode()))
        answers = [reply(f"c{n}", "s1" if n < 4 else "s2") for n in range(7)]  # four and three
        replies.write_bytes(gzip.compress("".join(f"{json.dumps(answer)}\n" for answer in answers).encode()))
    kept = {name: [question.id for question in split.read(tmp_path)] for name, split in ELI5.splits.items()}
    assert kept == {"train": ["s1", "s2"], "dev": ["s1", "s2"], "test-1": ["s1"], "test-2": ["s1"]}


def test_without_nltk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "nltk":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"pip install 'anselm\[nltk\]'"):
        nltk_tagger()


def test_without_the_model_of_nltk_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(data, "path", [])
    with pytest.raises(MissingDataError, match="averaged_perceptron_tagger_eng was not found"):
        nltk_tagger(tmp_path)


def test_the_tagger_of_nltk(monkeypatch: pytest.MonkeyPatch, real_data: Path) -> None:
    data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(data, "path", [])
    names = nltk_tagger(real_data / "nltk_data")(["Dogs", "bark", "because", "they", "hear", "something"])
    assert (names[0], names[4]) == ("NNS", "VBP")


def test_missing_dumps_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"test-1\.submissions\.jsonl\.gz does not exist"):
        list(ELI5.read("test-1", "raw", tmp_path))
