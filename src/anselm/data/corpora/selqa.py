"""SelQA: questions written by crowd workers about sections of Wikipedia articles, with all sentences of the section.

Format: selqa-ass-{train,dev,test}.json, an array of {question, candidates, answers (indices of candidates), article,
section, topic, q_types, is_paraphrase}. The TSV files beside them hold the same pairs tokenized; the JSON is read
because its text is as written. Half of the questions are paraphrases of another question, made to share fewer words
with the answer; they are questions in their own right.

Traps. Some candidates in the JSON are empty (42 in dev). The TSV files and the published counts leave them out, and so
does this reader; a candidate keeps its index as id, so ids have gaps. Question texts repeat: ids are positions.

    questions/pairs/correct   train 5,529/66,438/-   dev 785/9,377/893   test 1,590/19,435/-

Every question (of dev, at least) has both correct and wrong sentences, so one protocol is enough. The number of correct
pairs in train and test was not published.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anselm.data.corpus import RAW, Corpus, Counts, Split
from anselm.data.question import Candidate, Question
from anselm.errors import FormatError
from anselm.files import read_json

META = {"article": str, "section": str, "topic": str, "q_types": list, "is_paraphrase": bool}
FIELDS = {"question": str, "candidates": list, "answers": list, **META}


def read_selqa(path: Path) -> Iterator[Question]:
    """Stream the lists of a SelQA file for answer sentence selection."""
    for position, record in enumerate(_load(path)):
        place = f"{path}, question {position}"
        _check(record, place)
        answers = set(record["answers"])
        candidates = (
            Candidate(f"{position}-{index}", text.strip(), float(index in answers), heading="")
            for index, text in enumerate(record["candidates"])
            if text.strip()
        )
        meta = {key: record[key] for key in META}
        yield Question(str(position), record["question"].strip(), tuple(candidates), meta)


def _load(path: Path) -> list[Any]:
    document = read_json(path)
    if not isinstance(document, list):
        raise FormatError(path, "a JSON array of questions is needed")
    return document


def _check(record: Any, place: str) -> None:
    for key, kind in FIELDS.items():
        if not isinstance(record, dict) or not isinstance(record.get(key), kind):
            raise FormatError(place, f"needs {key!r} ({kind.__name__}); a question has {', '.join(FIELDS)}")
    if not all(isinstance(text, str) for text in record["candidates"]):
        raise FormatError(place, "candidates must be strings")
    count = len(record["candidates"])
    for index in record["answers"]:
        if type(index) is not int or not 0 <= index < count:  # True is an int, but no index
            raise FormatError(
                place, f"answers must be indices of its {count} candidates (0 to {count - 1}), not {index!r}"
            )


def _split(name: str, counts: Counts) -> Split:
    file = f"selqa-ass-{name}.json"
    return Split((file,), lambda folder: read_selqa(folder / file), {"raw": counts})


CORPORA: tuple[Corpus, ...] = (
    Corpus(
        name="selqa",
        summary="crowd-written questions with the sentences of a Wikipedia section",
        folder="selqa",
        source="https://github.com/emorynlp/selqa (folder ass)",
        terms="Apache-2.0",
        citation="Jurczyk, Zhai and Choi. SelQA: A New Benchmark for Selection-based Question Answering. ICTAI 2016.",
        splits={
            "train": _split("train", Counts(5529, 66438)),
            "dev": _split("dev", Counts(785, 9377, 893)),
            "test": _split("test", Counts(1590, 19435)),
        },
        protocols={"raw": RAW},
    ),
)
