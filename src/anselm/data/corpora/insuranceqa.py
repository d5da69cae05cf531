"""InsuranceQA: questions of an insurance help site, answers by professionals, in pools of candidates.

Source: https://github.com/shuzi/insuranceQA. Research only.

Format: text by tabs, V2 gzipped. Words are numbers (`idx_17`) that a `vocabulary` file resolves; answers are numbers
that an answers file resolves. The columns differ:

    V1 train            question, right answers
    V1 dev and tests    right answers, question, pool
    V2                  domain, question, right answers, pool
    answers             answer number, words

V1 has pools of 500 for dev, test1 and test2; P@1 is the measure. Its training questions have no pool: their candidates
are the right answers only, and negatives must be sampled. V2 has pools by a search engine, 100 or 500 answers, for
every split; `train-500` and so on name them. The V2 files read here are the `raw` ones (original spelling, split at
white space). Where the answers are missing, the question files alone still give the counts: `data check` says
"partial" then.

Traps:
- In every V1 pool the right answers stand first, so that any model that sees positions, and any scorer with ties in
  source order, would be right by looking at nothing. Pools of V1 are therefore sorted by answer number.
- V1 pools were drawn with replacement: 992 of the 1,000 dev pools repeat some wrong answer. They are kept, since
  published numbers are for pools of 500; the second copy of answer 17 has the id `17-2`. Eight training questions list
  a right answer twice; there the copy is dropped.
- V2 pools do not always hold a right answer: `clean` leaves those lists out, `raw` keeps them. P@1 on `raw` cannot
  exceed the share of lists with one (0.8125 on test-500). Right answers outside the pool are not added.

Counts: V1 train 12,887 questions, dev 1,000, test1 and test2 1,800 each. V2 (lists, of them with a right answer):
train 12,889 (100: 8,311; 500: 10,391), valid 2,000 (1,278; 1,592), test 2,000 (1,323; 1,625).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anselm.data.corpus import CLEAN, RAW, Corpus, Counts, Split
from anselm.data.question import Candidate, Question
from anselm.data.resources import Numbers, Resource
from anselm.errors import FormatError
from anselm.files import read_lines

_V2 = "V2/InsuranceQA.{}.encoded.gz"
V1_TRAIN = ("question", "right")
V1_POOL = ("right", "question", "pool")
V2_POOL = ("domain", "question", "right", "pool")
V2_QUESTION = ("domain", "question", "right")


@dataclass(frozen=True, slots=True)
class PoolRecord:
    """One line of a question file: words and answers are still numbers. Without a pool `pool` is empty."""

    line: int
    words: tuple[str, ...]
    right: tuple[str, ...]
    pool: tuple[str, ...] = ()
    domain: str | None = None


def read_pools(path: Path, columns: tuple[str, ...]) -> Iterator[PoolRecord]:
    """Stream the lines of a question file with the given columns."""
    for line, text in read_lines(path):
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise FormatError(path, f"has {len(fields)} columns, not {len(columns)} ({', '.join(columns)})", line)
        record = dict(zip(columns, fields, strict=True))
        words, right = tuple(record["question"].split()), tuple(record["right"].split())
        if not words or not right:
            raise FormatError(path, "needs at least one word and one right answer", line)
        yield PoolRecord(line, words, right, tuple(record.get("pool", "").split()), record.get("domain"))


def read_table(path: Path) -> dict[str, str]:
    """A vocabulary or an answers file: the value of every key."""
    table: dict[str, str] = {}
    for line, text in read_lines(path):
        key, tab, value = text.partition("\t")
        if not tab:
            raise FormatError(path, "has 1 column, not 2 (number, text)", line)
        if key in table:
            raise FormatError(path, f"{key} occurs twice", line)
        table[key] = value
    return table


def read_lists(questions: Path, columns: tuple[str, ...], vocabulary: Path, answers: Path) -> Iterator[Question]:
    """Stream the questions of a file, with words and answers resolved."""
    words = read_table(vocabulary)
    texts = {key: _spell(value.split(), words, answers, None) for key, value in read_table(answers).items()}
    for record in read_pools(questions, columns):
        text = _spell(record.words, words, questions, record.line)
        meta = {} if record.domain is None else {"domain": record.domain}
        yield Question(str(record.line), text, _candidates(record, columns, texts, questions), meta)


def read_labels(questions: Path, columns: tuple[str, ...]) -> Iterator[Question]:
    """The same lists for counting alone: neither texts nor ids, and the right answers first."""
    right, wrong = Candidate("", "", 1.0), Candidate("", "", 0.0)
    for record in read_pools(questions, columns):
        pool, accepted = _pool(record, columns), set(record.right)
        hits = sum(answer in accepted for answer in pool)
        yield Question(str(record.line), "", (right,) * hits + (wrong,) * (len(pool) - hits))


def _spell(numbers: list[str] | tuple[str, ...], words: Mapping[str, str], path: Path, line: int | None) -> str:
    try:
        return " ".join(words[number] for number in numbers)
    except KeyError as error:
        raise FormatError(path, f"the word {error.args[0]} is not in the vocabulary", line) from None


def _candidates(
    record: PoolRecord, columns: tuple[str, ...], texts: Mapping[str, str], path: Path
) -> tuple[Candidate, ...]:
    pool = _pool(record, columns)
    if missing := [answer for answer in pool if answer not in texts]:
        raise FormatError(path, f"answer {missing[0]} is not in the answers file", record.line)
    if columns == V1_POOL:
        pool.sort(key=lambda answer: (len(answer), answer))  # by number; in the file the right ones are first
    copies: Counter[str] = Counter()
    candidates = []
    for answer in pool:
        copies[answer] += 1
        id = answer if copies[answer] == 1 else f"{answer}-{copies[answer]}"
        candidates.append(Candidate(id, texts[answer], float(answer in record.right)))
    return tuple(candidates)


def _pool(record: PoolRecord, columns: tuple[str, ...]) -> list[str]:
    """The pool, or the right answers where the file has no pools."""
    return list(record.pool) if "pool" in columns else list(dict.fromkeys(record.right))


def _split_v1(file: str, columns: tuple[str, ...], counts: Counts) -> Split:
    files = (f"V1/{file}", "V1/vocabulary", "V1/answers.label.token_idx")
    return _split(files, columns, {"raw": counts})


def _split_v2(part: str, pool: int, clean: Counts, raw: Counts) -> Split:
    questions = _V2.format(f"question.anslabel.raw.{pool}.pool.solr.{part}")
    return _split((questions, "V2/vocabulary", _V2.format("label2answer.raw")), V2_POOL, {"clean": clean, "raw": raw})


def _split(files: tuple[str, str, str], columns: tuple[str, ...], counts: Mapping[str, Counts]) -> Split:
    def read(folder: Path) -> Iterator[Question]:
        questions, vocabulary, answers = (folder / file for file in files)
        return read_lists(questions, columns, vocabulary, answers)

    return Split(files, read, counts, Split(files[:1], lambda folder: read_labels(folder / files[0], columns)))


def _count_questions(path: Path) -> Numbers:
    return {"questions": sum(1 for _ in read_pools(path, V2_QUESTION))}


_SOURCE = "https://github.com/shuzi/insuranceQA"
_CITATION = "Feng et al., Applying Deep Learning to Answer Selection: A Study and an Open Task, ASRU 2015"

CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="insuranceqa-v1",
        summary="insurance questions with pools of 500 answers, version 1 (the papers' version)",
        folder="insuranceqa",
        source=_SOURCE,
        terms="research only",
        citation=_CITATION,
        splits={  # a test first: the first split is the default
            "test1": _split_v1("question.test1.label.token_idx.pool", V1_POOL, Counts(1_800, 900_000)),
            "test2": _split_v1("question.test2.label.token_idx.pool", V1_POOL, Counts(1_800, 900_000)),
            "dev": _split_v1("question.dev.label.token_idx.pool", V1_POOL, Counts(1_000, 500_000, 1_454)),
            "train": _split_v1("question.train.token_idx.label", V1_TRAIN, Counts(12_887, 18_532, 18_532)),
        },
        protocols={"raw": RAW},  # every pool holds a right answer
    ),
    Corpus(
        name="insuranceqa-v2",
        summary="insurance questions with retrieved pools of 100 or 500 answers, version 2",
        folder="insuranceqa",
        source=_SOURCE,
        terms="research only",
        citation=_CITATION,
        splits={
            "test-500": _split_v2("test", 500, Counts(1_625, 812_500, 2_381), Counts(2_000, 1_000_000, 2_381)),
            "test-100": _split_v2("test", 100, Counts(1_323, 132_300, 1_800), Counts(2_000, 200_000, 1_800)),
            "valid-500": _split_v2("valid", 500, Counts(1_592, 796_000, 2_323), Counts(2_000, 1_000_000, 2_323)),
            "valid-100": _split_v2("valid", 100, Counts(1_278, 127_800, 1_752), Counts(2_000, 200_000, 1_752)),
            "train-500": _split_v2("train", 500, Counts(10_391, 5_195_500), Counts(12_889, 6_444_500)),
            "train-100": _split_v2("train", 100, Counts(8_311, 831_100, 11_291), Counts(12_889, 1_288_900, 11_291)),
        },
        protocols={"clean": CLEAN, "raw": RAW},
        resources=(
            Resource("questions", (_V2.format("question.anslabel.raw"),), _count_questions, {"questions": 16_889}),
        ),
    ),
)
