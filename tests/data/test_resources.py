"""Resources: each way of counting, on files made by hand."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from anselm.data.checks import check_resource
from anselm.data.datasets import all_corpora
from anselm.data.resources import Resource, count_trees, count_vectors


def put(folder: Path, resource: Resource, *contents: str) -> list[Path]:
    paths = [folder / file.removesuffix(".gz") for file in resource.files]
    for path, content in zip(paths, contents, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return paths


def test_a_corpus_names_each_once() -> None:
    for corpus in all_corpora().values():
        names = [resource.name for resource in corpus.resources]
        assert sorted({*names}) == sorted(names)


SQUAD = [{"id": name, "question": "?", "answers": []} for name in ("a", "b", "a-turk0")]
COPIES = json.dumps({"data": [{"title": "T", "paragraphs": [{"context": "One. Two.", "qas": SQUAD}]}]})
PAIRS = ("question,answer,label\nq,a,1\nr,b,1\ns,c,0\n", "question,answer,label\nq,b,1\ns,c,1\nr,d,0\n")
POST = '<row Id="{0}" PostTypeId="{1}" ParentId="1" Title="T" Body="b" Score="1" />'
POSTS = "<posts>" + POST.format(1, 1) + "".join(POST.format(id, 2) for id in range(2, 7)) + "</posts>"
CASES = [
    ("wikiqa", "WikiQA-dev.ref", ["1 0 0 1\n1 0 1 0\n2 0 0 0\n"], "2 questions, 3 pairs, 1 relevant"),
    ("trecqa", "clean-dev", ["1\n1\n", "q\nq\n", "0\n1\n", "a\nb\n"], "1 questions, 2 pairs, 1 relevant"),
    (
        "trecqa",
        "train1-2393",
        ["<A 1 >\na\nb\n</A>\n", "<A 1 >\nc\n</A>\n<A 2 >\nd\ne\n</A>\n"],
        "2 positive lines, 3 negative lines",
    ),
    ("addsent", "copies", [COPIES], "2 originals, 1 copies"),
    (
        "semeval-2016-b",
        "test.xml.subtaskB.relevancy",
        ["Q\tA\t0\t1\ttrue\nQ\tB\t0\t1\tfalse\nR\tA\t0\t1\tfalse\n"],
        "2 questions, 3 pairs, 1 relevant",
    ),
    ("semeval-2016", "random baseline", ["Q\tC\t0\t1\ttrue\n" * 3], "3 pairs"),
    ("insuranceqa-v2", "questions", ["life\tidx_1\t1\nlife\tidx_2\t1\n"], "2 questions"),
    ("insuranceqa-text", "test.csv", PAIRS[:1], "3 pairs"),
    ("insuranceqa-text", "in both", PAIRS, "1 positive questions, 2 answers"),
    ("stackexchange", "five answers", [POSTS, POSTS, "<posts/>"], "2 questions"),
]


@pytest.mark.parametrize(("corpus", "name", "contents", "found"), CASES)
def test_what_is_counted(corpus: str, name: str, contents: list[str], found: str, tmp_path: Path) -> None:
    resource = next(resource for resource in all_corpora()[corpus].resources if resource.name == name)
    paths = put(tmp_path, resource, *contents)
    row = check_resource(corpus, resource, tmp_path)
    assert (row.status, row.found) == ("wrong", found)
    assert row.expected in row.problem
    assert paths[0].name in row.problem
    paths[-1].unlink()
    assert check_resource(corpus, resource, tmp_path).status == "missing"


def test_trees_and_vectors(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("combined/1.mrg", "\n( (S (NP A)\n  (VP b)))\n( (S (NP (C c))))\n")
        archive.writestr("combined/README", "( no tree )\n")
    assert count_trees(tmp_path / "a.zip") == {"trees": 2}
    (tmp_path / "v.txt").write_text("a 1 2\nb 3 4\n")
    assert count_vectors(tmp_path / "v.txt", size=2) == {"words": 2}
