"""Ranking lists and asking documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anselm
from anselm.data.question import Candidate, Question
from anselm.errors import InputError, MissingExtraError
from anselm.metrics.calibration import Beliefs, Calibration
from anselm.metrics.logistic import Logistic
from anselm.ranking.answers import Passage
from anselm.ranking.ranker import Ranker
from anselm.scorer import Scores
from anselm.text.documents import Document, read_document

FAQ = ["Parking is free for guests.", "The shop opens at nine in the morning.", "Returns are accepted for 30 days."]
QUESTION = "When does the shop open in the morning?"


class ByLength:
    """The longer the better: a model whose scores are plain to see."""

    name, pairwise, language = "length", False, None

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = capacity
        self.seen: list[int] = []

    def score(self, questions: Sequence[Question]) -> list[Scores]:
        self.seen += [len(question.candidates) for question in questions]
        return [np.array([float(len(c.text)) for c in question.candidates]) for question in questions]

    def save(self, folder: Path) -> None: ...


def test_best_first_with_the_position_in_the_input() -> None:
    ranking = anselm.rank(QUESTION, FAQ)
    assert ranking.answerable
    assert ranking.best is ranking.results[0]
    assert (ranking.best.index, ranking.best.text, ranking.best.id) == (1, FAQ[1], None)
    assert sorted(result.index for result in ranking) == [0, 1, 2]
    scores = [result.score for result in ranking]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= result.probability <= 1 for result in ranking)


def test_ids_come_back_where_they_were_given() -> None:
    mixed = [FAQ[0], Candidate("open", FAQ[1]), {"id": 7, "text": FAQ[2]}, {"text": "No."}, {"id": "", "text": "N"}]
    ids = {result.index: result.id for result in anselm.rank(QUESTION, mixed)}
    assert ids == {0: None, 1: "open", 2: "7", 3: None, 4: None}
    assert "id" not in anselm.rank(QUESTION, FAQ).to_dict()["results"][0]


def test_candidates_may_come_one_by_one() -> None:
    assert anselm.rank(QUESTION, (text for text in FAQ)).to_dict() == anselm.rank(QUESTION, FAQ).to_dict()


def test_a_ranking_carries_the_name_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": "bm25"}')
    assert anselm.rank(QUESTION, FAQ).model == "default"
    assert anselm.rank(QUESTION, FAQ, model="bm25").model == "bm25"
    assert anselm.rank(QUESTION, FAQ, model=tmp_path).model == str(tmp_path)
    assert Ranker(ByLength()).ask("Who?", ["Ann."]).model == "length"


def test_equal_scores_stay_in_the_order_of_the_input() -> None:
    ranking = Ranker(ByLength()).rank("?", ["aa", "bbb", "cc", "dd"])
    assert [result.index for result in ranking] == [1, 0, 2, 3]


def test_top_keeps_the_best() -> None:
    assert [result.index for result in anselm.rank(QUESTION, FAQ, top=1)] == [1]
    with pytest.raises(InputError, match="top must be at least 1, not 0"):
        anselm.rank(QUESTION, FAQ, top=0)


def test_the_threshold_decides_whether_there_is_an_answer() -> None:
    calibration = Calibration(Beliefs(Logistic(-5.0, {"score": 1.0})), 0.5)
    found = Ranker(ByLength(), calibration).rank("?", ["12345"])
    assert found.answerable is True  # sigmoid(0) = 0.5 reaches it
    assert found.answer is found.best is found.results[0]
    refused = Ranker(ByLength(), calibration).rank("?", ["1234"])
    assert refused.answerable is False
    assert refused.answer is None
    assert refused.best is refused.results[0]
    assert refused.best.probability == refused.answerability == pytest.approx(1 / (1 + np.e))


def test_the_verdict_is_apart_from_the_probabilities() -> None:
    """A list whose best one stands out is answered, however improbable each candidate by itself is."""
    beliefs = Beliefs(Logistic(-9.0, {"score": 0.1}), Logistic(-2.0, {"margin": 1.0}))
    ranker = Ranker(ByLength(), Calibration(beliefs, 0.5))
    apart, near = ranker.rank("?", ["a" * 9, "b" * 6]), ranker.rank("?", ["a" * 9, "b" * 8])
    assert apart.best.probability == near.best.probability == pytest.approx(1 / (1 + np.exp(8.1)))
    assert (apart.answerable, near.answerable) == (True, False)
    assert (apart.answerability, near.answerability) == pytest.approx((1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))))
    assert apart.to_dict()["answerability"] == apart.answerability
    assert ranker.rank("?", ["a" * 9, "b" * 6], top=1).answerability == apart.answerability


def test_without_a_calibration_nothing_is_said() -> None:
    ranking = Ranker(ByLength()).rank("?", ["12", "1"])
    assert (ranking.answerable, ranking.answerability, ranking.threshold) == (None, None, None)
    assert [result.probability for result in ranking] == [None, None]
    assert ranking.answer is ranking.best
    record = ranking.to_dict()
    assert (record["answerable"], record["answerability"], record["threshold"]) == (None, None, None)
    assert record["results"][0] == {"index": 0, "text": "12", "score": 2.0, "probability": None}


def test_empty_candidates_come_last() -> None:
    """Whatever they score: here 4, 1 and 0."""
    calibration = Calibration(Beliefs(Logistic(0.0, {"score": 1.0})), 0.5)
    ranking = Ranker(ByLength(), calibration).rank("?", ["    ", "a", {"text": None}, "ab"])
    assert [result.index for result in ranking] == [3, 1, 0, 2]
    assert ranking.empty == 2
    assert [result.probability for result in ranking][2:] == [0.0, 0.0]
    record = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert record["empty"] == 2
    assert [result["score"] for result in record["results"]] == [2.0, 1.0, None, None]
    assert "empty" not in Ranker(ByLength(), calibration).rank("?", ["a"]).to_dict()


def test_an_entry_without_an_answer_is_empty() -> None:
    ranking = Ranker(ByLength()).rank("?", [{"question": "When do you open?", "answer": ""}, "a"])
    assert (ranking.empty, ranking.best.text) == (1, "a")


def test_nothing_in_common_is_no_answer() -> None:
    assert not anselm.rank("Who painted this?", FAQ).answerable


@pytest.mark.parametrize(
    ("question", "candidates", "problem"),
    [
        ("", FAQ, "the question is empty"),
        (" \n", FAQ, "the question is empty"),
        ("Who?", [], "there are no candidates"),
        ("Who?", ["", " "], "every candidate is empty; at least one text is needed"),
        ("Who?", ["Ann", 3], "candidate 1 must be a string, a mapping with a text, or a document, not int"),
        ("Who?", [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "two candidates have the id 'a'"),
        ("Who?", "Ann", "candidates must be a list of texts, not one str"),
        ("Who?", {"text": "Ann"}, "candidates must be a list of texts, not one dict"),
        ("Who?", Candidate("a", "Ann"), "candidates must be a list of texts, not one Candidate"),
        ("Who?", None, "candidates must be a list of texts, not one NoneType"),
    ],
)
def test_bad_input_is_named(question: str, candidates: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        anselm.rank(question, candidates)


def test_ask_texts_files_and_folders(tmp_path: Path) -> None:
    text = "Welcome to us. The shop opens at nine\nin the morning. Parking is free."
    (tmp_path / "info.txt").write_text(text)
    (tmp_path / "other.md").write_text("# Nothing\n\nNothing *here* either.\n")
    for documents in ([text], [tmp_path / "info.txt"], [tmp_path]):
        ranking = anselm.ask(QUESTION, documents, "bm25", top=2)
        best = ranking.best
        assert isinstance(best, Passage)
        assert text[best.start : best.end] == best.text == "The shop opens at nine\nin the morning."
        assert (best.before, best.after) == ("Welcome to us.", "Parking is free.")
        assert len(ranking.results) == 2
    assert best.source == str(tmp_path / "info.txt")


def test_neighbours_are_of_the_same_document() -> None:
    ranking = anselm.ask(QUESTION, ["One thing. Another.", "The shop opens in the morning.", "A third."])
    assert isinstance(ranking.best, Passage)
    assert (ranking.best.source, ranking.best.before, ranking.best.after) == ("document 1", "", "")


def test_a_model_with_a_limit_sees_only_what_the_first_pass_keeps() -> None:
    scorer = ByLength(capacity=3)
    text = " ".join(["A long sentence that has nothing at all to do with it."] * 50 + ["The shop opens."])
    ranking = Ranker(scorer).ask("When does the shop open?", [text])
    assert scorer.seen == [3]
    index = {result.text: result.index for result in ranking}
    assert index["The shop opens."] == 50  # its place among all sentences, not among those kept


def test_documents_without_sentences_are_named() -> None:
    with pytest.raises(InputError, match="no sentences"):
        anselm.ask("Who?", [" \n "])


@pytest.mark.parametrize("top", [0, -3])
def test_top_is_checked_when_documents_are_asked(top: int) -> None:
    with pytest.raises(InputError, match="top must be at least 1"):
        anselm.ask("Who?", ["Ann."], top=top)


def test_one_document_needs_no_list(tmp_path: Path) -> None:
    path = tmp_path / "info.txt"
    path.write_text("Welcome. The shop opens at nine in the morning.")
    document = read_document(path)
    assert anselm.ask(QUESTION, path.read_text()).best.text == "The shop opens at nine in the morning."
    for given in (path, document):
        assert anselm.ask(QUESTION, given, "bm25").to_dict() == anselm.ask(QUESTION, [given], "bm25").to_dict()
    with pytest.raises(InputError, match="document 1 must be a text, a Path or a Document, not 3"):
        anselm.ask(QUESTION, ["One.", 3], "bm25")


def test_a_file_counts_once_by_whichever_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "info.txt").write_text("The shop opens at nine.")
    (tmp_path / "folder" / "link.txt").symlink_to(tmp_path / "folder" / "info.txt")
    given = [Path("folder/info.txt"), tmp_path / "folder", Path("folder/../folder/info.txt"), Path("folder/link.txt")]
    assert [result.source for result in anselm.ask(QUESTION, given)] == ["folder/info.txt"]
    assert len(anselm.ask(QUESTION, ["The shop opens at nine."] * 2).results) == 2  # texts are what they are


def test_documents_of_one_name_are_not_mixed_up() -> None:
    first, second = Document("page", "One.\n\nTwo.", "text"), Document("page", "The shop opens.\nIt closes.", "text")
    best = anselm.ask("When does the shop open?", [first, second]).results[0]
    assert isinstance(best, Passage)
    assert (best.line, best.before, best.after) == (1, "", "It closes.")


BROKEN = {
    "k1 is text": ({"config.json": {"model": "bm25", "config": {"k1": "x"}}}, "config.json: k1 must be a number"),
    "b is too large": (
        {"config.json": {"model": "bm25", "config": {"b": 2}}},
        "b must be a number from 0 to 1, not 2",
    ),
    "k1 is true": ({"config.json": {"model": "bm25", "config": {"k1": True}}}, "k1 must be a number"),
    "k1 is NaN": (
        {"config.json": {"model": "bm25", "config": {"k1": float("nan")}}},
        "config.json: nan is no number from",
    ),
    "stem is a number": (
        {"config.json": {"model": "bm25", "config": {"stem": 1}}},
        "stem must be true or false, not 1",
    ),
    "config is a list": ({"config.json": {"model": "bm25", "config": [1]}}, '"config" must be an object, not [1]'),
    "the default": ({"config.json": {"model": "default"}}, "unknown model in"),
    "text frequencies": (
        {"statistics.json": {"documents": 2, "mean_length": 1.0, "frequency": {"oak": "1"}}},
        "statistics.json: not word statistics as Anselm writes them ('oak' occurs in '1' of 2 documents)",
    ),
    "too frequent": (
        {"statistics.json": {"documents": 2, "mean_length": 1.0, "frequency": {"oak": 3}}},
        "'oak' occurs in 3 of 2 documents",
    ),
    "negative length": (
        {"statistics.json": {"documents": 2, "mean_length": -1.0, "frequency": {}}},
        "statistics.json: not word statistics",
    ),
    "frequencies are a list": (
        {"statistics.json": {"documents": 2, "mean_length": 1.0, "frequency": [1]}},
        "statistics.json: not word statistics",
    ),
    "a text slope": (
        {"calibration.json": {"slope": "x", "intercept": 0, "threshold": 0}},
        "calibration.json: not a calibration",
    ),
    "a falling slope": (
        {"calibration.json": {"slope": -1, "intercept": 0, "threshold": 0}},
        "calibration.json: not a calibration as Anselm writes it (with a negative weight",
    ),
    "an endless threshold": (
        {"calibration.json": {"slope": 1, "intercept": 0, "threshold": float("inf")}},
        "calibration.json: inf is no number from -1e+12 to 1e+12",
    ),
}


@pytest.mark.parametrize(("files", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_checkpoint_that_was_edited_wrongly_is_named(files: dict[str, Any], problem: str, tmp_path: Path) -> None:
    for name, content in ({"config.json": {"model": "bm25"}} | files).items():
        (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        Ranker.load(tmp_path)
    assert problem in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_extreme_settings_still_give_scores(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": "bm25", "config": {"k1": 0, "b": 1}}')
    ranking = Ranker.load(tmp_path).rank("oak?", ["oak", "elm", "!!!"])
    assert [result.score for result in ranking] == [1.0, 0.0, 0.0]


def test_a_model_whose_library_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "anselm.models.crossencoder", raising=False)
    with pytest.raises(MissingExtraError, match=r"the model 'cross-encoder' needs .* pip install 'anselm\[train\]'"):
        Ranker.load("cross-encoder")


def test_explanations_come_with_the_results_that_are_shown() -> None:
    ranking = anselm.rank(QUESTION, FAQ, top=2, explain=True)
    assert all(result.explanation for result in ranking)
    assert anselm.rank(QUESTION, FAQ).to_dict() == {
        **ranking.to_dict(), "results": [result.to_dict() for result in anselm.rank(QUESTION, FAQ)]
    }  # fmt: skip
    best = ranking.results[0]
    assert max(best.explanation.answer, key=lambda word: word.weight).text in ("shop", "opens", "morning")
    assert [(r.index, r.score) for r in ranking] == [(r.index, r.score) for r in anselm.rank(QUESTION, FAQ, top=2)]


def test_of_many_results_the_first_ten_are_explained() -> None:
    texts = [f"answer number {i}" for i in range(15)]
    explained = [bool(result.explanation) for result in anselm.rank("which number", texts, explain=True)]
    assert explained == [True] * 10 + [False] * 5
    assert all(result.explanation for result in anselm.rank("which number", texts, top=12, explain=True))


def test_an_explanation_is_about_the_list_that_was_scored() -> None:
    """Only those that pass the first pass are scored, and their places are not those in the documents."""

    class Alone(ByLength):
        pairwise = True

    text = "Zebra one. The oak is tall. Zebra two. The oak is very very tall. Zebra three."
    ranking = Ranker(Alone(capacity=2)).ask("Is the oak tall?", text, explain=True)
    assert [result.text for result in ranking] == ["The oak is very very tall.", "The oak is tall."]
    for result in ranking:
        assert {word.text: word.weight for word in result.explanation.answer} == {
            word.strip("."): len(word.strip(".")) for word in result.text.split()
        }
        assert isinstance(result, Passage)
        assert text[result.start : result.end] == result.text
    assert "explanation" not in Ranker(Alone()).ask("Is the oak tall?", text).to_dict()["results"][0]


def test_duplicates_are_folded_under_the_best_and_top_counts_what_is_left() -> None:
    texts = [
        "We open at nine",
        "Parking is free.",
        "We open at NINE today!",
        "we open at nine!",
        "We open at nine today",
    ]
    ranking = Ranker(ByLength()).rank("When?", texts, top=2, fold_duplicates=True)
    assert [(result.index, result.duplicates) for result in ranking] == [(2, (4,)), (1, ())]
    rest = Ranker(ByLength()).rank("When?", texts, fold_duplicates=True).results[2:]
    assert [(result.index, result.duplicates) for result in rest] == [(3, (0,))]
    assert ranking.to_dict()["results"][1]["duplicates"] == ()
    assert "duplicates" not in anselm.rank("When?", texts).to_dict()["results"][0]


def test_sentences_are_folded_by_their_places_in_the_documents() -> None:
    """After a first pass, whose list has other places."""

    class Alone(ByLength):
        pairwise = True

    texts = ["Zebra. The oak is very very tall. Zebra two.", "The oak is tall. The oak is VERY very tall!"]
    folded = Ranker(Alone(capacity=3)).ask("Is the oak tall?", texts, explain=True, fold_duplicates=True)
    assert [(result.index, result.text, result.duplicates) for result in folded] == [
        (1, "The oak is very very tall.", (4,)), (3, "The oak is tall.", ()),
    ]  # fmt: skip
    assert all(result.explanation for result in folded)
    top = Ranker(ByLength()).ask("Is the oak tall?", texts, top=2, fold_duplicates=True)
    assert [result.index for result in top] == [1, 3]
    plain = Ranker(ByLength()).ask("Is the oak tall?", texts)
    assert [result.index for result in plain] == [1, 4, 3, 2, 0]
    assert "duplicates" not in plain.to_dict()["results"][0]


LISTS = [
    (QUESTION, FAQ),
    ("Is parking free?", [{"id": "p", "text": FAQ[0]}, "", Candidate("r", FAQ[2], question="Can I return it?")]),
    ("What about returns?", FAQ[::-1]),
    ("दुकान कब खुलती है?", FAQ),
]


@pytest.mark.parametrize("model", ["default", "bm25"])
@pytest.mark.parametrize("top", [None, 1])
def test_many_are_ranked_as_one_by_one(model: str, top: int | None) -> None:
    ranker = Ranker.load(model)
    questions, lists = [question for question, _ in LISTS], [given for _, given in LISTS]
    many = ranker.rank_many(questions, lists, top)
    assert len(many) == len(LISTS)
    for found, (question, given) in zip(many, LISTS, strict=True):
        alone = ranker.rank(question, given, top)
        assert [(r.index, r.text, r.id, r.question) for r in found] == [
            (r.index, r.text, r.id, r.question) for r in alone
        ]
        assert all(result.item is given[result.index] for result in found)
        close = {"rel": 1e-3, "abs": 1e-3}  # in int8 a batch changes the last digits
        assert [r.score for r in found] == pytest.approx([r.score for r in alone], **close)
        assert [r.probability for r in found] == pytest.approx([r.probability for r in alone], **close)
        assert [found.answerability or 0.0] == pytest.approx([alone.answerability or 0.0], **close)
        for name in ("question", "model", "answerable", "threshold", "empty", "warnings"):
            assert getattr(found, name) == getattr(alone, name)


def test_many_come_in_batches_and_ids_may_repeat_between_lists() -> None:
    scorer = ByLength()
    given = [[{"id": "a", "text": "oak " * (i % 5 + 1)}, {"id": "b", "text": "elm"}] for i in range(100)]
    found = Ranker(scorer).rank_many(["oak?"] * 100, given)
    assert [ranking.best.index for ranking in found] == [0] * 100
    assert [ranking.best.id for ranking in found] == ["a"] * 100
    assert len(scorer.seen) == 100


def test_many_that_cannot_be_are_named() -> None:
    ranker = Ranker(ByLength())
    assert ranker.rank_many([], []) == []
    with pytest.raises(InputError, match="each question needs its list; 2 questions, 1 lists"):
        ranker.rank_many(["a?", "b?"], [["a"]])
    with pytest.raises(InputError, match="candidates must be a list of texts, not one str"):
        ranker.rank_many(["a?"], ["a"])
    with pytest.raises(InputError, match="the question is empty"):
        ranker.rank_many(["a?", " "], [["a"], ["b"]])
    with pytest.raises(InputError, match="list 1: every candidate is empty; at least one text is needed"):
        ranker.rank_many(["a?", "b?"], [["a"], [" "]])
    with pytest.raises(InputError, match="list 2: candidates must be a list of texts, not one str"):
        ranker.rank_many(["a?", "b?", "c?"], [["a"], [], "c"])
    with pytest.raises(InputError, match="top must be at least 1, not 0"):
        ranker.rank_many(["a?"], [["a"]], top=0)


@pytest.mark.parametrize("calibration", [None, Calibration(Beliefs(Logistic(0.0, {"score": 1.0})), 0.0)])
def test_an_empty_list_among_many_has_no_answer(calibration: Calibration | None) -> None:
    """A search that found nothing stops no other; where even 0 is enough for an answer, there is still none."""
    scorer = ByLength()
    first, none, last = Ranker(scorer, calibration).rank_many(["a?", "b?", "c?"], [["a"], iter(()), ["c", "cc"]], top=1)
    assert (first.best.text, last.best.text) == ("a", "cc")
    assert (none.question, none.model, len(none), list(none)) == ("b?", "length", 0, [])
    assert (none.answerable, none.answerability, none.answer, none.unsure) == (False, 0.0, None, False)
    assert none.threshold == first.threshold
    assert none.to_dict()["results"] == []
    with pytest.raises(InputError, match=r"there is nothing to be the best for 'b\?'; `answer` is None there"):
        _ = none.best
    assert scorer.seen == [1, 2]
    assert [len(one) for one in Ranker(scorer, calibration).rank_many(["a?", "b?"], [[], []])] == [0, 0]
    with pytest.raises(InputError, match="the question is empty"):
        Ranker(scorer).rank_many([" "], [[]])


def test_the_very_objects_come_back() -> None:
    given = [{"text": "a"}, "bb", Candidate("c", "ccc")]
    ranking = Ranker(ByLength()).rank("?", given)
    assert [result.item is given[result.index] for result in ranking] == [True] * 3
    assert "item" not in ranking.to_dict()["results"][0]
    assert "item" not in repr(ranking.best)


def test_so_many_threads_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from anselm.runtime import blended as general
    from anselm.runtime import engines

    asked: list[int | None] = []

    def watch(path: Path, threads: int | None = None) -> Any:
        asked.append(threads)
        return engines.open_engine(path, threads)

    monkeypatch.setattr(general, "open_engine", watch)
    one, two = Ranker.load(threads=1), Ranker.load("default", threads=2)
    assert asked == [1, 1, 2, 2]
    scores = [[r.score for r in ranker.rank(QUESTION, FAQ)] for ranker in (one, two)]
    assert scores[0] == pytest.approx(scores[1], abs=0.05)
    assert Ranker.load("bm25", threads=2).rank(QUESTION, FAQ).best.index == 1  # nothing to do with them


MEANT: Any = {"text": "x"}
MEANT["itself"] = [MEANT, {"again": MEANT}]
WRONG_CANDIDATES: dict[str, Any] = {
    "half a character in a question": [{"text": "x", "question": "a \ud800?"}],
    "half a character in a heading": [Candidate("1", "x", heading="\ud800")],
    "half a character in an id": [{"text": "x", "id": "\ud800"}],
    "meta that holds itself": [MEANT],
    "an id without end": [{"text": "x", "id": 10**5_000}],
    "no text": [Candidate("1", None)],  # type: ignore[arg-type]
    "a question that is none": [Candidate("1", "x", question=3)],  # type: ignore[arg-type]
    "an id that is none": [Candidate(["1"], "x")],  # type: ignore[arg-type]
}


@pytest.mark.parametrize("candidates", WRONG_CANDIDATES.values(), ids=WRONG_CANDIDATES)
def test_wrong_candidates_are_one_sentence(candidates: Any) -> None:
    ranker = Ranker.load("bm25")
    for call in (lambda: ranker.rank("Who?", candidates), lambda: ranker.rank_many(["Who?"], [candidates])):
        with pytest.raises(
            InputError, match=r"^(list 0: )?(the (id|question|heading|meta) of candidate 0|candidate 0|an id) "
        ):
            call()


FAQ_FILE = Path(anselm.__file__).parent / "examples" / "faq.csv"
WRONG_CALLS: dict[str, tuple[str, Any]] = {
    **{f"top {top!r}": ("top must be a whole number", lambda r, top=top: r.rank("a?", ["x"], top))
       for top in (1.5, "2", float("nan"), True)},
    "read": ("read must be a whole number, not 'x'", lambda r: r.ask("a?", "One. Two.", read="x")),
    "no documents": ("documents must be texts", lambda r: r.ask("a?", None)),
    "a number of documents": ("documents must be texts", lambda r: r.ask("a?", 3)),
    "bytes": ("document 0 must be a text", lambda r: r.ask("a?", b"x")),
    "a column's number": ("the column of the answer must", lambda r: r.ask("a?", FAQ_FILE, columns={"answer": 1})),
    "columns in a string": ("columns must be like", lambda r: r.ask("a?", FAQ_FILE, columns="answer=A")),
    "columns in a list": ("columns must be like", lambda r: r.ask("a?", FAQ_FILE, columns=["answer"])),
    "another role": ("columns must be like", lambda r: r.ask("a?", FAQ_FILE, columns={"reply": "answer"})),
    "no questions": ("questions must be a list", lambda r: r.rank_many(None, [["x"]])),
    "one question": ("questions must be a list", lambda r: r.rank_many("a?", [["x"], ["y"]])),
    "no lists": ("lists must be a list", lambda r: r.rank_many(["a?"], None)),
    **{f"a model {name!r}": ("a model is a name", lambda r, name=name: Ranker.load(name))
       for name in (None, 3, b"", [])},
    **{f"threads {count!r}": ("threads must be", lambda r, count=count: Ranker.load("bm25", threads=count))
       for count in ("2", 1.5, 0, -1)},
}  # fmt: skip


@pytest.mark.parametrize(("problem", "call"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_wrong_types_are_one_sentence(problem: str, call: Any) -> None:
    with pytest.raises(InputError, match=problem):
        call(Ranker.load("bm25"))


def test_many_questions_may_be_streamed() -> None:
    ranker = Ranker.load("bm25")
    found = ranker.rank_many((q for q in ["oak?", "elm?"]), (["oak", "elm"] for _ in range(2)), top=np.int64(1))  # type: ignore[arg-type]
    assert [ranking.best.text for ranking in found] == ["oak", "elm"]


def test_python_is_told_of_its_own_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(InputError, match=r'in Python and over HTTP, columns is \{"answer": "NAME"\}'):
        anselm.ask("Who?", tmp_path / "a.csv", "bm25")
    assert anselm.ask("Who?", tmp_path / "a.csv", "bm25", columns={"answer": "y"}).best.text == "2"


@pytest.mark.parametrize("skip", [None, lambda error: None])
def test_why_a_faq_has_no_entry_is_told(skip: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"question": "Who?", "answer": 3}\n{"question": "Why?", "answer": 4}\n')
    with pytest.raises(InputError, match=r"a\.jsonl, line 1: the answer must be a text, not 3"):
        Ranker.load("bm25").ask("Who?", tmp_path / "a.jsonl", skip=skip)


def test_a_question_that_is_not_read_to_its_end_says_so() -> None:
    ranker = Ranker.load("default", threads=1)
    said = "There is a lake behind the house. " * 20
    long = ranker.rank(said + "When do you open?", ["At nine."])
    assert long.question_cut is not None
    assert len(ranker.scorer.tokenizer([long.question[: long.question_cut]])[0]) == ranker.scorer.config.max_question
    assert long.to_dict()["question_cut"] == long.question_cut
    short = ranker.rank("When do you open on a day on which it rains and nobody is there?", ["At nine."])
    assert short.question_cut is None
    assert "question_cut" not in short.to_dict()
    assert Ranker.load("bm25").rank(said, ["At nine."]).question_cut is None
