"""Many questions of the same documents: each has the answers that it has alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from anselm.errors import InputError
from anselm.models.lexical import Lexical
from anselm.ranking.ranker import Ranker

EXAMPLES = Path(__file__).parents[2] / "src/anselm/examples"
QUESTIONS = ["what do i pay if i am late", "do you sell bicycles", "How often should I descale the kettel?"]


@pytest.mark.parametrize("model", ["bm25", "default"])
@pytest.mark.parametrize("read", [None, 5])
def test_each_question_has_the_answers_that_it_has_alone(model: str, read: int | None) -> None:
    ranker, documents = Ranker.load(model), [EXAMPLES / "faq.csv", EXAMPLES / "kettle.md"]
    together = list(ranker.ask_many(QUESTIONS, documents, 3, read=read, explain=True, fold_duplicates=True))
    other = Ranker.load(model)  # which has kept no vectors
    alone = [other.ask(one, documents, 3, read=read, explain=True, fold_duplicates=True) for one in QUESTIONS]
    assert together == alone
    assert [answers.question for answers in together] == QUESTIONS
    assert together[2].read_as == (QUESTIONS[2].replace("kettel", "kettle") if model == "default" else None)
    assert all(answers.read == (read or answers.passages) for answers in together)


def test_documents_are_read_once_and_their_words_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "faq.csv"
    path.write_bytes((EXAMPLES / "faq.csv").read_bytes())
    answers = Ranker.load("bm25").ask_many(QUESTIONS * 2, path, read=3)
    path.unlink()
    counted: list[str] = []
    terms = Lexical.terms
    monkeypatch.setattr(Lexical, "terms", lambda self, text: counted.append(text) or terms(self, text))
    assert len(next(answers)) == 3
    rough = 1 + 12  # the question, and all entries
    ranked = 1 + 3
    assert len(counted) == rough + ranked
    assert len(list(answers)) == 5
    assert len(counted) == rough + ranked + 5 * (1 + ranked)


@pytest.mark.parametrize(
    ("questions", "problem"),
    [
        (["Who?", " "], "question 1: the question is empty"),
        (["Who?", 7], 'question 1: "question" must be a string'),
        ("Who?", "questions must be a list, not one str"),
    ],
)
def test_what_is_wrong_is_raised_before_the_first_answer(questions: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Ranker.load("bm25").ask_many(questions, "A text.")
    with pytest.raises(InputError, match="top must be at least 1"):
        Ranker.load("bm25").ask_many(["Who?"], "A text.", 0)
    assert list(Ranker.load("bm25").ask_many([], "A text.")) == []
