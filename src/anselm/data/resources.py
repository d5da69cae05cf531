"""Files of which a count is known but which are no split of a corpus: references, raw rows, trees, word vectors.

`data check` counts them beside the corpus whose name they bear; where one is not here, that is no mistake.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from anselm.data.corpora import insuranceqa, insuranceqa_text, squad, stackexchange, trecqa
from anselm.data.corpus import Tally
from anselm.data.formats.semeval_predictions import read_predictions, read_relevancy
from anselm.data.formats.trec import read_qrels
from anselm.errors import FormatError
from anselm.files import read_lines

Numbers = Mapping[str, int]  # how many of what


@dataclass(frozen=True)
class Resource:
    """`files` lie below the data folder; `count` takes their paths, in that order."""

    corpus: str
    name: str
    files: tuple[str, ...]
    count: Callable[..., Numbers]
    expected: Numbers


def count_qrels(path: Path) -> Numbers:
    tally = Tally()
    for question in read_qrels(path):
        tally.add(question)
    return asdict(tally)


def count_castorini(first: Path, *others: Path) -> Numbers:
    tally = Tally()
    for question in trecqa.read_castorini(first.parent):
        tally.add(question)
    return asdict(tally)


def count_blocks(positive: Path, negative: Path) -> Numbers:
    paths = {"positive lines": positive, "negative lines": negative}
    return {what: sum(len(lines) for _, lines in trecqa.read_blocks(path)) for what, path in paths.items()}


def count_relevancy(path: Path) -> Numbers:
    gold = read_relevancy(path)
    labels = [label for group in gold.values() for label in group.values()]
    return {"questions": len(gold), "pairs": len(labels), "relevant": sum(labels)}


def count_predictions(path: Path) -> Numbers:
    return {"pairs": sum(1 for _ in read_predictions(path))}


def count_copies(path: Path) -> Numbers:
    copies = ["-" in question.id for question in squad.read_squad(path, squad.whole_paragraph)]
    return {"originals": copies.count(False), "copies": copies.count(True)}


def count_pairs(path: Path) -> Numbers:
    return {"pairs": sum(1 for _ in insuranceqa_text.read_pairs(path))}


def count_shared(*paths: Path) -> Numbers:
    one, two = (list(insuranceqa_text.read_pairs(path)) for path in paths)
    questions = {pair.question for pair in one if pair.right} & {pair.question for pair in two if pair.right}
    answers = {pair.answer for pair in one} & {pair.answer for pair in two}
    return {"positive questions": len(questions), "answers": len(answers)}


def count_v2_questions(path: Path) -> Numbers:
    return {"questions": sum(1 for _ in insuranceqa.read_pools(path, insuranceqa.V2_QUESTION))}


def count_discussed(*paths: Path) -> Numbers:
    return {"questions": sum(1 for path in paths for _ in stackexchange.read_posts(path, min_answers=5))}


def count_trees(path: Path) -> Numbers:
    """A tree of the Penn Treebank begins with a bracket at the beginning of a line."""
    try:
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name) for name in archive.namelist() if name.endswith(".mrg")]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise FormatError(path, f"cannot be unpacked: {error}") from None
    return {"trees": sum(len(re.findall(rb"^\(", text, re.MULTILINE)) for text in texts)}


def count_vectors(path: Path, size: int = 100) -> Numbers:
    count = 0
    for count, line in read_lines(path):
        if line.count(" ") != size:
            raise FormatError(path, f"a word and {size} numbers are needed, not {line.count(' ') + 1} fields", count)
    return {"words": count}


def _lists(questions: int, pairs: int, relevant: int) -> Numbers:
    return {"questions": questions, "pairs": pairs, "relevant": relevant}


def _wikiqa(name: str, expected: Numbers) -> Resource:
    return Resource("wikiqa", name, (f"wikiqa/{name}",), count_qrels, expected)


def _trecqa(name: str, expected: Numbers) -> Resource:
    files = tuple(f"trecqa/castorini/{name}/{file}" for file in (*trecqa.PAIRS, trecqa.ANSWERS))
    return Resource("trecqa", name, files, count_castorini, expected)


def _gold(corpus: str, name: str, expected: Numbers) -> Resource:
    file = f"semeval_cqa/2016/gold/SemEval2016-Task3-CQA-QL-{name}"
    return Resource(corpus, name, (file,), count_relevancy, expected)


_BLOCKS = tuple(f"trecqa/train1-2393/{file}" for file in (trecqa.POSITIVE, trecqa.NEGATIVE))
_BASELINE = ("semeval_cqa/2016/gold/subtask_A_baseline_random.txt",)
_ADDSENT, _ADDONESENT = ("squad/sample1k-HCVerifyAll.json",), ("squad/sample1k-HCVerifySample.json",)
_V2 = ("insuranceqa/V2/InsuranceQA.question.anslabel.raw.encoded.gz",)
_TEST, _VALIDATION = _TEXT = tuple(f"insuranceqa/{file}" for file in insuranceqa_text.FILES)
_SITES = tuple(f"stackexchange/{site}.Posts.xml" for site in ("cardano", "coffee", "genai"))

RESOURCES = (
    _wikiqa("WikiQA-train.ref", _lists(2_118, 20_360, 1_040)),
    _wikiqa("WikiQA-dev.ref", _lists(296, 2_733, 140)),
    _wikiqa("WikiQA-test.ref", _lists(633, 6_165, 293)),
    _wikiqa("WikiQA-dev-filtered.ref", _lists(122, 1_126, 136)),
    _wikiqa("WikiQA-test-filtered.ref", _lists(237, 2_341, 283)),
    _trecqa("clean-dev", _lists(65, 1_117, 205)),
    _trecqa("clean-test", _lists(68, 1_442, 248)),
    Resource("trecqa", "train1-2393", _BLOCKS, count_blocks, {"positive lines": 6_410, "negative lines": 47_007}),
    Resource("addsent", "copies", _ADDSENT, count_copies, {"originals": 1_000, "copies": 2_560}),
    Resource("addonesent", "copies", _ADDONESENT, count_copies, {"originals": 1_000, "copies": 787}),
    _gold("semeval-2016", "dev-subtaskA.xml.subtaskA.relevancy", _lists(244, 2_440, 818)),
    _gold("semeval-2016", "test-subtaskA.xml.subtaskA.relevancy", _lists(327, 3_270, 1_329)),
    _gold("semeval-2016-b", "test.xml.subtaskB.relevancy", _lists(70, 700, 233)),
    _gold("semeval-2016-c", "test.xml.subtaskC.relevancy", _lists(70, 7_000, 654)),
    Resource("semeval-2016", "random baseline", _BASELINE, count_predictions, {"pairs": 3_270}),
    Resource("insuranceqa-v2", "questions", _V2, count_v2_questions, {"questions": 16_889}),
    Resource("insuranceqa-text", "test.csv", (_TEST,), count_pairs, {"pairs": 5_042}),
    Resource("insuranceqa-text", "validation.csv", (_VALIDATION,), count_pairs, {"pairs": 5_040}),
    Resource("insuranceqa-text", "in both", _TEXT, count_shared, {"positive questions": 237, "answers": 677}),
    Resource("stackexchange", "five answers", _SITES, count_discussed, {"questions": 26}),
    Resource("treebank", "sample", ("nltk_data/corpora/treebank.zip",), count_trees, {"trees": 3_914}),
    Resource("vectors", "glove 6B 100d", ("vectors/glove.6B.100d.subset.txt.gz",), count_vectors, {"words": 107_928}),
)
