"""TrecQA's two file formats: hand-made files with the corpus's traps, then the real files where they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from anselm.data.corpora.trecqa import CORPORA, NEGATIVE, POSITIVE, read_castorini, read_train_all
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError

TRECQA = CORPORA[0]
FILES = ("id.txt", "a.toks", "sim.txt", "b.toks")

# As in FILES. 1 and 1.2 have the same text; 1.2 is all correct, 3 is all wrong.
PAIRS = (
    ("1", "who sank ?", "1", "the -lrb- old -rrb- ferry sank ."),
    ("1", "who sank ?", "0", "nobody swam ."),
    ("1.2", "who sank ?", "1", "a tug ."),
    ("3", "where ?", "0", "at 5 % of the coast ."),
)


def write_pairs(folder: Path, *pairs: tuple[str, str, str, str]) -> Path:
    for name, column in zip(FILES, zip(*pairs, strict=True), strict=True):
        (folder / name).write_text("".join(f"{value}\n" for value in column))
    return folder


def test_pairs_become_lists_by_id(tmp_path: Path) -> None:
    first, second, third = read_castorini(write_pairs(tmp_path, *PAIRS))
    candidates = (
        Candidate("1-0", "the -lrb- old -rrb- ferry sank .", 1.0, heading=""),
        Candidate("1-1", "nobody swam .", 0.0, heading=""),
    )
    assert first == Question("1", "who sank ?", candidates)
    assert (second.id, second.text, second.labels) == ("1.2", "who sank ?", (1.0,))
    assert (third.id, third.labels) == ("3", (0.0,))


def test_clean_is_the_default_and_leaves_training_whole(tmp_path: Path) -> None:
    clean = TRECQA.protocols[TRECQA.default_protocol]
    questions = list(read_castorini(write_pairs(tmp_path, *PAIRS)))
    for split in TRECQA.splits:
        kept = [question for question in questions if clean.keeps(question, split)]
        assert [question.id for question in kept] == ["1"] if split in ("dev", "test") else kept == questions


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_ends_early_is_named(tmp_path: Path, name: str) -> None:
    path = write_pairs(tmp_path, *PAIRS) / name
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(FormatError, match=rf"{name}, line 4: ends here"):
        list(read_castorini(tmp_path))


def test_labels_are_0_or_1(tmp_path: Path) -> None:
    write_pairs(tmp_path, *PAIRS, ("4", "why ?", "2", "because ."))
    with pytest.raises(FormatError, match=r"sim\.txt, line 5: the label must be 0 or 1, not '2'"):
        list(read_castorini(tmp_path))


def test_the_lines_of_a_question_must_be_together(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"id\.txt: question 1 comes back"):
        list(read_castorini(write_pairs(tmp_path, *PAIRS, PAIRS[0])))


POSITIVES = "<A 1 >\nThe -LRB- Old -RRB- Ferry  sank .\n</A>\n<A 1.2 >\nA Tug .\n</A>\n<A 3 >\n</A>\n"
NEGATIVES = "<A 1 >\nNobody SWAM .\n</A>\n<A 1.2 >\n</A>\n<A 3 >\nAt 5 % of the coast .\n</A>\n"


def write_train_all(folder: Path, positives: str = POSITIVES, negatives: str = NEGATIVES) -> Path:
    write_pairs(folder, *PAIRS)
    (folder / "b.toks").unlink()
    for name, text in ((POSITIVE, positives), (NEGATIVE, negatives)):
        (folder / name).write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    return folder


def test_train_all_is_rebuilt_as_the_other_splits_are_written(tmp_path: Path) -> None:
    rebuilt = list(read_train_all(write_train_all(tmp_path), tmp_path))
    assert rebuilt == list(read_castorini(write_pairs(tmp_path, *PAIRS)))


def test_sim_may_call_a_positive_line_wrong(tmp_path: Path) -> None:
    write_train_all(tmp_path)
    (tmp_path / "sim.txt").write_text("0\n0\n1\n0\n")
    assert [question.labels for question in read_train_all(tmp_path, tmp_path)] == [(0, 0), (1,), (0,)]


def test_sim_may_not_call_a_negative_line_correct(tmp_path: Path) -> None:
    write_train_all(tmp_path)
    (tmp_path / "sim.txt").write_text("1\n1\n1\n0\n")
    with pytest.raises(
        FormatError, match=r"sim\.txt: question 1 has 2 pairs, 2 of them correct, .* 1 positive and 1 neg"
    ):
        list(read_train_all(tmp_path, tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "</A>\n<A 1.2",
            "One more .\n</A>\n<A 1.2",
            "question 1 has 2 pairs, 1 of them correct, .* 2 positive and 1 neg",
        ),
        ("<A 1.2 >", "<A 2 >", r"but here are \['1.2', '2', '1.2'\]"),
        ("<A 3 >\n</A>\n", "", r"but here are \['3', None, '3'\]"),
        ("<A 3 >\n</A>\n", "<A 3 >\n</A>\n<A 4 >\n</A>\n", r"but here are \[None, '4', None\]"),
        ("<A 3 >\n</A>\n", "<A 3 >\n", "ends inside question 3; the file is cut"),
        ("</A>\n<A 1.2 >", "<A 1.2 >", r"line 3: blocks must be <A id >, answers, </A>, not '<A 1.2 >'"),
        ("<A 1.2 >", "", "line 4: blocks must be"),
    ],
)
def test_train_all_stops_where_the_files_disagree(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in POSITIVES
    write_train_all(tmp_path, positives=POSITIVES.replace(old, new))
    with pytest.raises(FormatError, match=problem):
        list(read_train_all(tmp_path, tmp_path))


def test_a_cut_gzip_file_is_named(tmp_path: Path) -> None:
    path = write_train_all(tmp_path) / NEGATIVE
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(FormatError, match=NEGATIVE):
        list(read_train_all(tmp_path, tmp_path))


@pytest.mark.parametrize("protocol", TRECQA.protocols)
@pytest.mark.parametrize("split", TRECQA.splits)
def test_real_counts(real_data: Path, split: str, protocol: str) -> None:
    questions = list(TRECQA.read(split, protocol, real_data))
    assert len({question.id for question in questions}) == len(questions)
    for question in questions:
        assert len({candidate.id for candidate in question.candidates}) == len(question.candidates)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_clean_filter_gives_the_published_clean_files(real_data: Path, split: str) -> None:
    published = list(read_castorini(real_data / "trecqa/castorini" / f"clean-{split}"))
    assert list(TRECQA.read(split, "clean", real_data)) == published


def test_real_train_all_holds_train(real_data: Path) -> None:
    """An independent check of the rebuilt answers: the pairs of train have their own answer file."""
    rebuilt = set()
    for question in TRECQA.read("train-all", "raw", real_data):
        rebuilt |= {(question.id, question.text, answer.text, answer.label) for answer in question.candidates}
    train = list(TRECQA.read("train", "raw", real_data))
    pairs = [(q.id, q.text, answer.text, answer.label) for q in train for answer in q.candidates]
    assert sum(pair in rebuilt for pair in pairs) == len(pairs) - 9
    assert {label for pair in pairs if pair not in rebuilt for label in pair[3:]} == {1.0}


@pytest.mark.parametrize("split", ["train", "train-all", "dev", "test"])
def test_the_real_order_says_nothing_about_the_labels(real_data: Path, split: str) -> None:
    """In the files the correct answers come first."""
    mixed = [q.labels for q in TRECQA.read(split, "raw", real_data) if 0 < sum(q.labels) < len(q.labels)]
    before = [np.flatnonzero(labels).mean() / (len(labels) - 1) for labels in mixed]  # 0: all in front, 1: all behind
    assert np.mean(before) == pytest.approx(0.5, abs=3 * 0.29 / len(mixed) ** 0.5)


def read_jacana(path: Path) -> dict[str, list[str]]:
    """The texts of each question's element and of its answers', by their tags; the files only look like XML."""
    found: dict[str, list[str]] = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        if line.startswith("<QApairs"):
            texts = found.setdefault(line.split("'")[1], [])
        elif line in ("<question>", "<positive>", "<negative>"):
            texts.append(f"{line[1]} {lines[place + 1].lower().replace(chr(9), ' ')}")
    return found


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_real_files_of_somebody_else_hold_the_same_pairs(real_data: Path, split: str) -> None:
    """jacana's, which has some questions without candidates besides."""
    theirs = read_jacana(real_data / "trecqa/jacana-naacl2013" / f"{split}.xml")
    ours = list(TRECQA.read(split, "raw", real_data))
    assert {question.id for question in ours} == {id for id, texts in theirs.items() if len(texts) > 1}
    for question in ours:
        answers = [f"{'p' if one.relevant else 'n'} {one.text}" for one in question.candidates]
        assert [f"q {question.text}", *sorted(answers)] == [theirs[question.id][0], *sorted(theirs[question.id][1:])]
