"""The fast model's folder as it ships, from the weights of a student that teaching/pupils.py trained.

    python -m tools.default_model.make_fast OUT WEIGHTS.safetensors ...

The table is rounded to int8, the rest to half precision. OUT lacks a calibration, which calibrate_default.py fits, and
a card.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from anselm.checkpoints.catalogue import DEFAULT, SHIPPED
from anselm.checkpoints.checkpoint import ARRAYS, ENCODER, LATE, TOKENIZER, write_config
from anselm.checkpoints.checksums import copy_files, write_checkpoint
from anselm.errors import AnselmError
from anselm.runtime.late_weights import TABLE, write_arrays

HEAD = 32  # how wide a head of attention is
TERMS = (
    "the weights are under Apache-2.0, like the encoders that they began as and were taught by (all-mpnet-base-v2, "
    "all-MiniLM-L6-v2); they were trained on SQuAD and Stack Exchange (CC BY-SA), SelQA (Apache-2.0), SQuADShifts (no "
    "terms stated), FAQs and manuals of Debian packages (free licences, most of them GPL, GFDL and CC BY-SA), and a "
    "dictionary of computing (GFDL)"
)


def make_fast(out: Path, files: Sequence[Path]) -> None:
    arrays = {name: array.astype(np.float32) for file in files for name, array in load_file(file).items()}
    config = {"max_length": 192, "max_question": 64, "heads": arrays[TABLE].shape[1] // HEAD}
    with write_checkpoint(out) as folder:
        copy_files(SHIPPED / DEFAULT, folder, (ENCODER, TOKENIZER))  # of the same pieces
        write_arrays(folder / ARRAYS, arrays)
        write_config(folder, "late-interaction", config, runtime=LATE, terms=TERMS)


if __name__ == "__main__":
    try:
        make_fast(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
    except AnselmError as error:
        sys.exit(str(error))
