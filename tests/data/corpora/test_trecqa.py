"""TrecQA's three file formats: hand-made files with the corpus's traps, then the real files where they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from anselm.data.corpora.trecqa import CORPORA, NEGATIVE, POSITIVE, read_castorini, read_jacana, read_train_all
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


JACANA = """<QApairs id='7.1'>
<question>
Who	sank	?
WP	VBD	.
SUB	ROOT	P
2	0	2
-	-	-
</question>
<positive>
Ferry	&	<tug>
NNP	CC	NN
ROOT	NMOD	NMOD
0	1	1
FAC-B	-	-
Ferry	#	<tug>
1	#	3
</positive>
<negative>
Nobody	.
NN	.
ROOT	P
0	1
-	-
</negative>
</QApairs>
<QApairs id='7.2'>
<question>
Why	?
WRB	.
ROOT	P
0	1
-	-
</question>
</QApairs>
"""


def read_text(folder: Path, text: str) -> list[Question]:
    (folder / "some.xml").write_text(text)
    return list(read_jacana(folder / "some.xml"))


def test_jacana_columns_go_into_the_meta(tmp_path: Path) -> None:
    [question] = read_text(tmp_path, JACANA)  # 7.2 has no candidates
    assert (question.id, question.text, question.labels) == ("7.1", "Who sank ?", (1, 0))
    assert question.meta == {
        "pos": ("WP", "VBD", "."),
        "dependency": ("SUB", "ROOT", "P"),
        "head": (2, 0, 2),
        "ner": ("-", "-", "-"),
    }
    positive, negative = question.candidates
    assert (positive.id, positive.text, positive.meta["ner"]) == ("7.1-0", "Ferry & <tug>", ("FAC-B", "-", "-"))
    assert positive.meta["answer"] == (1, 3)
    assert (negative.id, negative.text, negative.meta["head"]) == ("7.1-1", "Nobody .", (0, 1))
    assert "answer" not in negative.meta


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("WP\tVBD\t.", "WP\tVBD", r"line 2: <question> of question 7.1: five rows of the same number of columns"),
        ("0\t1\n-\t-\n</negative>", "</negative>", r"line 18: <negative> of question 7.1: five rows"),
        ("2\t0\t2", "2\tROOT\t2", "line 2: question 7.1: heads and answers are token numbers"),
        ("1\t#\t3", "1\t#\tx", "line 9: question 7.1: heads and answers are token numbers"),
        ("<negative>\n", "", "line 18: QApairs, question, positive or negative must open, not 'Nobody"),
        ("<positive>", "<question>", r"line 2: 7.1 must have one <question>"),
    ],
)
def test_bad_jacana_files_are_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in JACANA
    broken = JACANA.replace(old, new, 1)
    if new == "<question>":
        broken = broken.replace("</positive>", "</question>")
    with pytest.raises(FormatError, match=rf"some\.xml, {problem}"):
        read_text(tmp_path, broken)


@pytest.mark.parametrize("kept_lines", [5, 8, 17])
def test_a_cut_jacana_file_is_named(tmp_path: Path, kept_lines: int) -> None:
    with pytest.raises(FormatError, match=r"some\.xml: ends inside question 7.1; the file is cut"):
        read_text(tmp_path, "".join(JACANA.splitlines(keepends=True)[:kept_lines]))


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


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_real_jacana_files_hold_the_same_pairs(real_data: Path, split: str) -> None:
    tagged = read_jacana(real_data / "trecqa/jacana-naacl2013" / f"{split}.xml")
    for ours, theirs in zip(TRECQA.read(split, "raw", real_data), tagged, strict=True):
        assert (ours.id, ours.text, ours.labels) == (theirs.id, theirs.text.lower(), theirs.labels)
        assert [answer.text for answer in ours.candidates] == [answer.text.lower() for answer in theirs.candidates]
        tagged_texts: list[Question | Candidate] = [theirs, *theirs.candidates]
        for item in tagged_texts:
            assert {len(item.meta[key]) for key in ("pos", "dependency", "head", "ner")} == {len(item.text.split(" "))}
