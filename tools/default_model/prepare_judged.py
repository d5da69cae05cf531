"""Write down the dev lists and collections that students are looked at with, as arrays of tokens.

    python -m tools.default_model.prepare_judged OUT.npz

Kinds are "family/source" of verdict_lists.py. Beside what is read of each candidate (`listed`) stand what it is
compared by (`compared`: a sentence's paragraph) and its text alone (`alone`: an entry's answer). Needs ANSELM_DATA.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from anselm.models.frames.pretrained import load_pretrained
from tools.default_model.prepare_teaching import Table, translated
from tools.default_model.verdict_lists import all_parts


def main(out: Path) -> None:
    table, numbers = Table(), dict[tuple[str, bool], int]()
    kinds, asked, sizes, labels, kind = [], [], [], [], []
    listed, compared, alone = [], [], []
    for part in all_parts():
        kinds.append(f"{part.family}/{part.source}")
        for question in (one for one in part.questions if one.candidates):
            asked.append(table.of(question.text))
            sizes.append(len(question.candidates))
            kind.append(len(kinds) - 1)
            for one in question.candidates:
                entry = bool(one.question)
                units = (one.content, entry), (one.compared, entry), (one.text, False)
                for unit, column in zip(units, (listed, compared, alone), strict=True):
                    column.append(numbers.setdefault(unit, len(numbers)))
            labels += question.labels
    rows = [(0, table.of(text)) for text, _ in numbers]
    _, tokenizer = load_pretrained("all-MiniLM-L6-v2")
    tokens = [one[:260] for one in tokenizer(list(table.numbers))]
    np.savez_compressed(
        out, ids=np.concatenate([np.array(one, dtype=np.uint16) for one in tokens]),
        lengths=np.array([len(one) for one in tokens], dtype=np.uint16), units=np.array(rows, dtype=np.int32),
        entry=np.array([entry for _, entry in numbers]), asked=np.array(asked, dtype=np.int32),
        sizes=np.array(sizes, dtype=np.int16), listed=np.array(listed, dtype=np.int32),
        compared=np.array(compared, dtype=np.int32), alone=np.array(alone, dtype=np.int32),
        labels=np.array(labels, dtype=np.float16), kind=np.array(kind, dtype=np.int16), kinds=np.array(kinds),
        translation=translated(tokenizer),
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
