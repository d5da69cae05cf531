"""InsuranceQA: numbers become words, pools keep their traps in check, and the text lists are reproducible."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from anselm.data.corpora import insuranceqa, insuranceqa_text
from anselm.data.corpora.insuranceqa import (
    V1_POOL,
    V1_TRAIN,
    V2_POOL,
    V2_QUESTION,
    read_labels,
    read_lists,
    read_pools,
    read_table,
)
from anselm.data.corpora.insuranceqa_text import BORDERS, FILES, POOL, Pair, draw, make_lists, read_pairs
from anselm.data.corpus import Counts
from anselm.data.question import Question
from anselm.errors import FormatError, MissingDataError

V1, V2 = insuranceqa.CORPORA
[TEXT] = insuranceqa_text.CORPORA
VOCABULARY = "idx_1\twhat\nidx_2\tis\nidx_3\tlife\nidx_4\tinsurance\n"
ANSWERS = "1\tidx_3\n2\tidx_4\n3\tidx_3 idx_4\n10\tidx_1\n"


def read(folder: Path, questions: str, columns: tuple[str, ...]) -> list[Question]:
    for name, text in (("questions", questions), ("vocabulary", VOCABULARY), ("answers", ANSWERS)):
        (folder / name).write_text(text)
    return list(read_lists(folder / "questions", columns, folder / "vocabulary", folder / "answers"))


def described(question: Question) -> list[tuple[str, str, float | None]]:
    return [(candidate.id, candidate.text, candidate.label) for candidate in question.candidates]


def test_training_questions_of_v1_have_only_right_answers(tmp_path: Path) -> None:
    [question] = read(tmp_path, "idx_1 idx_2 idx_3\t3 1 3\n", V1_TRAIN)
    assert (question.id, question.text) == ("1", "what is life")
    assert described(question) == [("3", "life insurance", 1.0), ("1", "life", 1.0)]


def test_pools_of_v1_are_sorted_by_number_and_copies_get_ids_of_their_own(tmp_path: Path) -> None:
    [question] = read(tmp_path, "3\tidx_1\t3 10 2 10\n", V1_POOL)
    assert described(question) == [
        ("2", "insurance", 0.0),
        ("3", "life insurance", 1.0),
        ("10", "what", 0.0),
        ("10-2", "what", 0.0),
    ]


def test_pools_of_v2_stay_as_published_with_or_without_the_right_answer(tmp_path: Path) -> None:
    one, two = read(tmp_path, "life\tidx_1\t3 1\t10 3\nhome\tidx_2\t1\t2 10\n", V2_POOL)
    assert described(one) == [("10", "what", 0.0), ("3", "life insurance", 1.0)]
    assert described(two) == [("2", "insurance", 0.0), ("10", "what", 0.0)]
    assert two.meta == {"domain": "home"}


@pytest.mark.parametrize(
    ("questions", "columns", "problem"),
    [
        ("3\tidx_1\t3\nidx_1\t3\n", V1_POOL, r"questions, line 2: has 2 columns, not 3 \(right, question, pool\)"),
        ("idx_9\t3\n", V1_TRAIN, "questions, line 1: the word idx_9 is not in the vocabulary"),
        ("idx_1\t3\nidx_1\t4\n", V1_TRAIN, "questions, line 2: answer 4 is not in the answers file"),
        ("3\tidx_1\t3 4\n", V1_POOL, "questions, line 1: answer 4 is not in the answers file"),
        ("idx_1\t\n", V1_TRAIN, "questions, line 1: needs at least one word and one right answer"),
    ],
)
def test_what_is_wrong_in_a_question_file_is_named(
    tmp_path: Path, questions: str, columns: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, questions, columns)


@pytest.mark.parametrize(("text", "problem"), [("1 a\n", "line 1: has 1 column"), ("1\ta\n1\tb\n", "line 2: 1 occurs")])
def test_what_is_wrong_in_a_table_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "table").write_text(text)
    with pytest.raises(FormatError, match=problem):
        read_table(tmp_path / "table")


def test_a_cut_gzip_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "questions.gz"
    path.write_bytes(gzip.compress(b"life\tidx_1\t3\t3\n" * 1000)[:-20])
    with pytest.raises(FormatError, match="cannot be unpacked"):
        list(read_pools(path, V2_POOL))


def test_a_split_of_v1_is_read_from_its_three_files(tmp_path: Path) -> None:
    (tmp_path / "insuranceqa/V1").mkdir(parents=True)
    for name, text in (
        ("question.train.token_idx.label", "idx_1\t3\n"),
        ("vocabulary", VOCABULARY),
        ("answers.label.token_idx", ANSWERS),
    ):
        (tmp_path / "insuranceqa/V1" / name).write_text(text)
    corpus = replace(V1, splits={"train": replace(V1.splits["train"], counts={"raw": Counts(1, 1, 1)})})
    assert [question.text for question in corpus.read("train", "raw", tmp_path)] == ["what"]


@pytest.mark.parametrize(
    ("questions", "columns"),
    [
        ("idx_1\t3 1 3\nidx_2\t2\n", V1_TRAIN),
        ("3\tidx_1\t3 10 2 10\n", V1_POOL),
        ("life\tidx_1\t3 1\t10 3\nhome\tidx_2\t1\t2 10\n", V2_POOL),
    ],
)
def test_without_the_answers_the_lists_count_the_same(tmp_path: Path, questions: str, columns: tuple[str, ...]) -> None:
    whole = read(tmp_path, questions, columns)
    counted = list(read_labels(tmp_path / "questions", columns))
    assert [sorted(question.labels) for question in counted] == [sorted(question.labels) for question in whole]


def test_the_answers_that_are_missing_are_named(real_data: Path) -> None:
    with pytest.raises(MissingDataError, match=r"V1/answers\.label\.token_idx does not exist"):
        list(V1.read("train", "raw", real_data))


@pytest.mark.parametrize(("split", "columns"), [("train", V1_TRAIN), ("dev", V1_POOL)])
def test_real_questions_of_v1_have_their_counts(split: str, columns: tuple[str, ...], real_data: Path) -> None:
    part = V1.splits[split]
    records = list(read_pools(real_data / "insuranceqa" / part.files[0], columns))
    vocabulary = read_table(real_data / "insuranceqa/V1/vocabulary")
    assert len(vocabulary) == 22_352
    assert all(word in vocabulary for record in records for word in record.words)
    pairs = sum(len(record.pool or set(record.right)) for record in records)
    relevant = sum(len(set(record.right)) for record in records)
    assert Counts(len(records), pairs, relevant) == part.counts["raw"]


def test_real_pools_of_v1_have_the_right_answers_first(real_data: Path) -> None:
    records = list(read_pools(real_data / "insuranceqa/V1/question.dev.label.token_idx.pool", V1_POOL))
    assert all(set(record.pool[: len(record.right)]) == set(record.right) for record in records)
    assert sum(len(set(record.pool)) < 500 for record in records) == 992


@pytest.mark.parametrize("split", [name for name in V2.splits if name != "train-500"])
def test_real_pools_of_v2_have_their_counts(split: str, real_data: Path) -> None:
    part = V2.splits[split]
    records = list(read_pools(real_data / "insuranceqa" / part.files[0], V2_POOL))
    hits = [len(set(record.right) & set(record.pool)) for record in records]
    pool = int(split.partition("-")[2])
    assert {len(record.pool) for record in records} == {pool}
    assert part.counts["raw"] == Counts(len(records), len(records) * pool, sum(hits))
    with_right = sum(hit > 0 for hit in hits)
    assert part.counts["clean"] == Counts(with_right, with_right * pool, sum(hits))


def test_all_real_questions_of_v2(real_data: Path) -> None:
    path = real_data / "insuranceqa/V2/InsuranceQA.question.anslabel.raw.encoded.gz"
    assert sum(1 for _ in read_pools(path, V2_QUESTION)) == 12_889 + 2_000 + 2_000


# The text lists


def pairs_by_hand() -> list[Pair]:
    right = [Pair(f"question {n}", f"answer {n}", True) for n in range(60)]
    shared = [Pair(f"question {n}", f"answer {n + 1}", True) for n in range(0, 60, 6)]
    wrong = [Pair(f"question {n}", f"other {n}", False) for n in range(40)]
    return [*right, *shared, *wrong, Pair("Question 7", "answer 7b", True)]


def lists_by_hand(pairs: list[Pair], pool: int = 8) -> dict[str, list[Question]]:
    return {split: list(make_lists(pairs, split, pool)) for split in BORDERS}


def test_file_order_and_repeated_rows_do_not_matter() -> None:
    pairs = pairs_by_hand()
    assert lists_by_hand(pairs) == lists_by_hand([*reversed(pairs), *pairs[:9]])


def test_every_question_is_in_one_split_with_all_its_right_answers() -> None:
    pairs = pairs_by_hand()
    questions = list(chain.from_iterable(lists_by_hand(pairs).values()))
    assert Counter(question.text.lower() for question in questions) == {f"question {n}": 1 for n in range(60)}
    found = {(q.text.lower(), c.text) for q in questions for c in q.candidates if c.relevant}
    assert found == {(pair.question.lower(), pair.answer) for pair in pairs if pair.right}


def test_splits_share_no_candidate_and_pools_are_full_and_without_copies() -> None:
    texts = []
    for questions in lists_by_hand(pairs_by_hand()).values():
        assert {len(question.candidates) for question in questions} == {8}
        assert all(len({candidate.id for candidate in q.candidates}) == 8 for q in questions)
        texts.append({candidate.text for question in questions for candidate in question.candidates})
    assert sum(map(len, texts)) == len(set.union(*texts))
    assert any(text.startswith("other") for text in set.union(*texts))


def test_a_draw_depends_on_its_key_alone_and_every_item_is_as_likely() -> None:
    assert draw("a", "bcdefgh", 7) == draw("a", "bcdefgh", 7) != draw("b", "bcdefgh", 7)
    assert sorted(draw("a", "bcdefgh", 7)) == list("bcdefgh")
    assert draw("a", "bcd", 5) == draw("a", "bcd", 3)
    firsts = Counter(draw(str(key), range(4), 2)[0] for key in range(4000))
    seconds = Counter(draw(str(key), range(4), 2)[1] for key in range(4000))
    assert all(abs(count - 1000) < 120 for count in (*firsts.values(), *seconds.values()))  # 4 standard deviations


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("question,answer,label\na,b,1\na,b\n", "line 3: needs question, answer and label"),
        ("question,answer,label\na,b,2\n", "line 2: needs question, answer and label"),
        ('question,answer,label\na,"b,1\n', "line 2: not valid CSV"),
    ],
)
def test_what_is_wrong_in_the_csv_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FormatError, match=problem):
        list(read_pairs(tmp_path / "a.csv"))


def test_rows_of_the_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('\ufeffquestion,answer,label\n"what be , it","a  ""b""\nc",1\n', encoding="utf-8")
    assert list(read_pairs(tmp_path / "a.csv")) == [Pair("what be , it", 'a "b" c', True)]


def test_real_text_lists(real_data: Path) -> None:
    lists = {split: list(TEXT.read(split, "raw", real_data)) for split in TEXT.splits}  # counts are checked there
    answers = {split: {c.text for q in questions for c in q.candidates} for split, questions in lists.items()}
    assert [len(texts) for texts in answers.values()] == [5_138, 1_779, 1_773]
    assert len(set.union(*answers.values())) == 8_690  # disjoint, and none is lost
    questions = list(chain.from_iterable(lists.values()))
    assert len({question.id for question in questions}) == 4_531
    assert all(len({candidate.id for candidate in question.candidates}) == POOL for question in questions)
    positions = [place for q in questions for place, c in enumerate(q.candidates) if c.relevant]
    assert abs(sum(positions) / len(positions) - 249.5) < 8  # 4 standard errors around the middle
    labelled = chain.from_iterable(read_pairs(real_data / "insuranceqa" / file) for file in FILES)
    assert {(pair.question.lower(), pair.answer) for pair in labelled if pair.right} == {
        (q.text.lower(), c.text) for q in questions for c in q.candidates if c.relevant
    }
