"""`data check`: every published count is looked for, and what is missing, cut or unreadable is told apart."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from anselm.data.corpora import eli5, insuranceqa
from anselm.data.datasets import find_corpus
from anselm.data.inventory import check
from anselm.errors import FormatError, InputError, MissingExtraError

HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
ROW = "Q{0}\tWho?\tD{0}\tT\tD{0}-0\tAnn.\t1\n"


def put(data_dir: Path, file: str, content: str | bytes) -> Path:
    path = data_dir / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def statuses(data_dir: Path, *names: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(row["corpus"], row["split"], row["protocol"]): row for row in check(names, data_dir)}


def test_missing_is_told_from_wrong(tmp_path: Path) -> None:
    assert {row["status"] for row in check(data_dir=tmp_path)} == {"missing"}
    rows = list(check(["wikiqa"], tmp_path))
    assert {row["status"] for row in rows if row["protocol"] != "-"} == {"wrong"}
    assert {row["status"] for row in rows if row["protocol"] == "-"} == {"missing"}  # the references
    assert "WikiQA-train.tsv does not exist (expected 873 questions, 8,672 pairs" in rows[0]["problem"]
    put(tmp_path, "wikiqa/WikiQA-dev.tsv", "QuestionID\tQuestion\n")
    (row,) = [row for row in check(data_dir=tmp_path) if row["status"] == "wrong" and row["protocol"] == "clean"]
    assert "WikiQA-dev.tsv, line 1: the header must be" in row["problem"]


THREAD = """<Thread><RelQuestion RELQ_ID="Q{0}"><RelQSubject>A</RelQSubject><RelQBody>B</RelQBody></RelQuestion>
<RelComment RELC_ID="C{0}" RELC_RELEVANCE2RELQ="Good"><RelCText>x</RelCText></RelComment></Thread>\n"""
TSV = HEADER + ROW.format(1) + ROW.format(2)
LONG = HEADER + "".join(ROW.format(number) for number in range(500))
SEMEVAL = "semeval_cqa/2016/dev/SemEval2016-Task3-CQA-QL-dev-subtaskA.xml"
CUT = {
    "TSV": ("wikiqa", "dev", "wikiqa/WikiQA-dev.tsv", (TSV + "Q3\tWh").encode(), "126 questions, 1,130 pairs"),
    "packed": ("wikiqa", "dev", "wikiqa/WikiQA-dev.tsv.gz", gzip.compress(LONG.encode())[:-9], "126 questions"),
    "XML": ("semeval-2016", "dev", SEMEVAL, f"<xml>\n{THREAD.format(1)}{THREAD.format(2)}<Thre".encode(), "211 questi"),
    "JSON": ("selqa", "dev", "selqa/selqa-ass-dev.json", b'[{"question": "Who', "785 questions, 9,377 pairs"),
}


@pytest.mark.parametrize(("name", "split", "file", "content", "expected"), CUT.values(), ids=CUT)
def test_a_file_cut_inside_a_line_says_what_had_to_come_and_what_came(
    name: str, split: str, file: str, content: bytes, expected: str, tmp_path: Path
) -> None:
    path = put(tmp_path, file, content)
    corpus = find_corpus(name)
    row = statuses(tmp_path)[name, split, corpus.default_protocol]
    with pytest.raises(InputError) as caught:
        list(corpus.read(split, corpus.default_protocol, tmp_path))
    assert row["status"] == "wrong"
    for message in (row["problem"], str(caught.value)):
        assert path.name in message
        assert f"(expected {expected}" in message
        assert " before that)" in message


def test_the_count_before_the_cut_is_that_of_the_protocol(tmp_path: Path) -> None:
    no_answer = ROW.format(2).replace("\t1\n", "\t0\n")
    put(tmp_path, "wikiqa/WikiQA-dev.tsv", HEADER + ROW.format(1) + no_answer + ROW.format(3) + "Q4\tWh")
    problems = {key[2]: row["problem"] for key, row in statuses(tmp_path).items() if key[:2] == ("wikiqa", "dev")}
    assert "found 1 questions, 1 pairs, 1 relevant before that)" in problems["clean"]
    assert "found 2 questions, 2 pairs, 1 relevant before that)" in problems["raw"]
    assert "found 0 questions, 0 pairs, 0 relevant before that)" in problems["filtered"]
    with pytest.raises(FormatError, match=r"line 5: 2 columns.* found 2 questions"):
        list(find_corpus("wikiqa").read("dev", "raw", tmp_path))


def test_one_bad_item_does_not_end_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*folders: Path) -> None:
        raise MissingExtraError("tagging parts of speech", "nltk")

    monkeypatch.setattr(eli5, "nltk_tagger", refuse)
    for kind in ("submissions", "comments"):
        put(tmp_path, f"eli5/dev.{kind}.jsonl.gz", gzip.compress(b""))
    (tmp_path / "wikiqa/WikiQA-dev.tsv").mkdir(parents=True)
    put(tmp_path, "wikiqa/WikiQA-test.tsv", TSV)
    put(tmp_path, "nltk_data/corpora/treebank.zip", "no zip")
    put(tmp_path, "vectors/glove.6B.100d.subset.txt.gz", gzip.compress(b"the 0.1\n"))
    rows = statuses(tmp_path)
    wrong = {key[:2]: row["problem"] for key, row in rows.items() if row["status"] == "wrong"}
    assert wrong.keys() == {
        ("eli5", "dev"), ("wikiqa", "dev"), ("wikiqa", "test"), ("treebank", "sample"), ("vectors", "glove 6B 100d")
    }  # fmt: skip
    assert "anselm[nltk]" in wrong["eli5", "dev"]
    assert "WikiQA-dev.tsv is a folder" in wrong["wikiqa", "dev"]
    assert "must have" in wrong["wikiqa", "test"]
    assert "treebank.zip: cannot be unpacked" in wrong["treebank", "sample"]
    assert "line 1: a word and 100 numbers are needed, not 2 fields" in wrong["vectors", "glove 6B 100d"]


def test_what_can_be_counted_without_the_answers_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    v1, _ = insuranceqa.CORPORA
    counts = v1.splits["dev"].counts
    monkeypatch.setitem(counts, "raw", type(counts["raw"])(2, 5, 3))
    questions = put(tmp_path, f"insuranceqa/{v1.splits['dev'].files[0]}", "3 4\tidx_1\t3 4 7\n5\tidx_2\t5 5\n")
    row = statuses(tmp_path)["insuranceqa-v1", "dev", "raw"]
    assert (row["status"], row["found"]) == ("wrong", "2 questions, 5 pairs, 4 relevant")  # 5 is in the pool twice
    questions.write_text("3 4\tidx_1\t3 4 7\n5\tidx_2\t5 6\n")
    row = statuses(tmp_path)["insuranceqa-v1", "dev", "raw"]
    assert (row["status"], row["found"]) == ("partial", "2 questions, 5 pairs, 3 relevant")
    assert "answers.label.token_idx does not exist" in row["problem"] or "vocabulary does not" in row["problem"]
    assert statuses(tmp_path, "insuranceqa-v1")["insuranceqa-v1", "dev", "raw"]["status"] == "wrong"  # must be whole
    questions.write_text("3 4\tidx_1\t3 4 7\n")
    row = statuses(tmp_path)["insuranceqa-v1", "dev", "raw"]
    assert row["status"] == "wrong"
    assert "must have 2 questions, but 1 were found" in row["problem"]
    assert "answers.label" not in row["problem"]  # nothing was found there


def test_packed_corpora_are_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "wikiqa/WikiQA-dev.tsv.gz", gzip.compress(TSV.encode()))
    put(tmp_path, "selqa/selqa-ass-dev.json.gz", gzip.compress(b"[]"))
    put(tmp_path, f"{SEMEVAL}.gz", gzip.compress(f"<xml>\n{THREAD.format(1)}</xml>".encode()))
    found = {key: row["found"] for key, row in statuses(tmp_path).items()}
    assert found["wikiqa", "dev", "raw"] == "2 questions, 2 pairs, 2 relevant"
    assert found["selqa", "dev", "raw"] == "0 questions, 0 pairs, 0 relevant"
    assert found["semeval-2016", "dev", "official"] == "1 questions, 1 pairs, 1 relevant"


# The counts by which the data folder of this project is described; all must be found in it.
PUBLISHED = {
    ("wikiqa", "train", "clean"): "873 questions, 8,672 pairs",
    ("wikiqa", "dev", "clean"): "126 questions, 1,130 pairs",
    ("wikiqa", "test", "clean"): "243 questions, 2,351 pairs",
    ("wikiqa", "train", "raw"): "2,118 questions",
    ("wikiqa", "dev", "raw"): "296 questions",
    ("wikiqa", "test", "raw"): "633 questions",
    ("wikiqa", "test", "filtered"): "237 questions, 2,341 pairs",
    ("wikiqa", "WikiQA-test-filtered.ref", "-"): "237 questions, 2,341 pairs",
    ("trecqa", "dev", "clean"): "65 questions, 1,117 pairs",
    ("trecqa", "test", "clean"): "68 questions, 1,442 pairs",
    ("trecqa", "clean-dev", "-"): "65 questions, 1,117 pairs",
    ("trecqa", "clean-test", "-"): "68 questions, 1,442 pairs",
    ("trecqa", "train-all", "raw"): "1,229 questions, 53,417 pairs",
    ("trecqa", "dev", "raw"): "81 questions, 1,148 pairs",
    ("trecqa", "test", "raw"): "95 questions, 1,517 pairs",
    ("trecqa", "train", "raw"): "93 questions, 4,718 pairs",
    ("trecqa", "train1-2393", "-"): "6,410 positive lines, 47,007 negative lines",
    ("squad", "dev", "raw"): "10,570 questions",
    ("squad", "train-subset", "raw"): "11,877 questions",
    ("squad", "subset-train", "raw"): "10,685 questions",
    ("squad", "subset-dev", "raw"): "1,192 questions",
    ("addsent", "test", "raw"): "3,560 questions",
    ("addsent", "copies", "-"): "1,000 originals, 2,560 copies",
    ("addonesent", "test", "raw"): "1,787 questions",
    ("addonesent", "copies", "-"): "1,000 originals, 787 copies",
    ("squadshifts", "wiki", "raw"): "7,938 questions",
    ("squadshifts", "amazon", "raw"): "9,885 questions",
    ("semeval-2015", "dev", "official"): "300 questions, 1,645 pairs",
    ("semeval-2015", "test", "official"): "329 questions, 1,976 pairs",
    ("semeval-2016", "dev", "official"): "244 questions, 2,440 pairs",
    ("semeval-2016", "test", "official"): "327 questions, 3,270 pairs, 1,329 relevant",
    ("semeval-2016", "test-subtaskA.xml.subtaskA.relevancy", "-"): "327 questions, 3,270 pairs, 1,329 relevant",
    ("semeval-2016", "train-part2-all", "official"): "670 questions",
    ("semeval-2016", "train-part2", "official"): "379 questions",
    ("semeval-2016", "random baseline", "-"): "3,270 pairs",
    ("insuranceqa-v1", "train", "raw"): "12,887 questions",
    ("insuranceqa-v1", "dev", "raw"): "1,000 questions",
    ("insuranceqa-v2", "train-100", "raw"): "12,889 questions",
    ("insuranceqa-v2", "valid-500", "raw"): "2,000 questions",
    ("insuranceqa-v2", "test-500", "raw"): "2,000 questions",
    ("insuranceqa-text", "test.csv", "-"): "5,042 pairs",
    ("insuranceqa-text", "validation.csv", "-"): "5,040 pairs",
    ("insuranceqa-text", "in both", "-"): "237 positive questions, 677 answers",
    ("selqa", "dev", "raw"): "785 questions, 9,377 pairs",
    ("stackexchange", "five answers", "-"): "26 questions",
    ("treebank", "sample", "-"): "3,914 trees",
    ("vectors", "glove 6B 100d", "-"): "107,928 words",
}


def test_everything_that_is_here_is_as_published(real_data: Path) -> None:
    rows = statuses(real_data)
    assert [row["problem"] for row in rows.values() if row["status"] == "wrong"] == []
    for key, expected in PUBLISHED.items():
        assert rows[key]["found"].startswith(expected)
        assert rows[key]["status"] == ("partial" if key[0] in ("insuranceqa-v1", "insuranceqa-v2") else "ok")
    assert sum(row["status"] == "ok" for row in rows.values()) > 80
