"""What ships as the fast model scores as the student that was trained, but for rounding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from safetensors.torch import save_file  # noqa: E402

from anselm.checkpoints.checkpoint import Checkpoint  # noqa: E402
from anselm.data.question import Candidate, Question  # noqa: E402
from anselm.runtime import late  # noqa: E402
from tools.default_model.make_fast import make_fast  # noqa: E402
from tools.default_model.teaching.late import Late  # noqa: E402
from tools.default_model.teaching.rows import Row  # noqa: E402

LISTS = [
    Question("1", "When does the shop open in the morning?", (
        Candidate("0", "We open at nine."), Candidate("1", "open"), Candidate("2", "It opens at 9. " * 6),
    )),
    Question("2", "who wrote it", (Candidate("0", "Written by Ann."), Candidate("1", "nobody knows"))),
]  # fmt: skip


@pytest.fixture(scope="module")
def student() -> Late:
    torch.manual_seed(3)
    found = Late(torch.randn(30522, 64), torch.randn(30522) * 0.3, 2, "static").eval()
    with torch.no_grad():
        for one in found.parameters():
            if not one.any():
                one.normal_(0, 0.1)
    return found


def test_the_folder_scores_as_the_student(student: Late, tmp_path: Path) -> None:
    save_file({name: one.half() for name, one in student.state_dict().items()}, tmp_path / "student.safetensors")
    make_fast(tmp_path / "fast", [tmp_path / "student.safetensors"])
    scorer = late.load(Checkpoint.open(tmp_path / "fast"))
    with torch.no_grad():
        student.table.copy_(torch.from_numpy(np.array(scorer.weights.table)))
        expected = student(row(scorer.tokenizer))[0].numpy()
    np.testing.assert_allclose(np.concatenate(scorer.score(LISTS)), expected, atol=2e-3)


def row(tokenize) -> Row:
    """All pairs padded to one width, as in training."""
    pairs = [tokenize([question.text, one.text]) for question in LISTS for one in question.candidates]
    laid = [([101, *asked, 102], [*said, 102]) for asked, said in pairs]
    width = max(len(asked) + len(said) for asked, said in laid) + 3
    ids = torch.zeros(len(laid), width, dtype=torch.long)
    sizes = torch.tensor([[len(asked), len(asked) + len(said)] for asked, said in laid])
    for place, (asked, said) in enumerate(laid):
        ids[place, : len(asked) + len(said)] = torch.tensor([*asked, *said])
    where = torch.arange(width)[None]
    return Row(ids, where < sizes[:, 1:], where < sizes[:, :1])
