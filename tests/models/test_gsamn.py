"""The gated self-attention memory network, against a loop over its vectors."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch import Tensor  # noqa: E402

from anselm.checkpoints.catalogue import build_model  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from tests.models.readers import LISTS, pairs, scores  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def controller(model: Any, states: list[Tensor]) -> Tensor:
    """After the last hop, one vector after the other."""
    c, cells = model.controller, states
    for _ in range(model.config.hops):
        z = [c, *cells]
        gates = []
        for one in z:
            looks = [math.exp(float(one @ (model.line.weight @ other + model.line.bias))) for other in z]
            gates.append(torch.sigmoid(sum(look / sum(looks) * other for look, other in zip(looks, z, strict=True))))
        cells = [gate * cell for gate, cell in zip(gates[1:], cells, strict=True)]
        c = gates[0] * c + sum(cells) / len(cells)
    return c


@pytest.mark.parametrize("hops", [1, 3])
def test_a_score_is_that_of_the_loop(folder: Path, hops: int) -> None:
    torch.manual_seed(4)
    model = build_model("gsamn", {"base": str(folder), "max_length": 96, "max_question": 48, "hops": hops}, []).eval()
    torch.nn.init.normal_(model.controller)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    encoder = transformers.AutoModel.from_pretrained(folder).eval()
    expected = []
    with torch.no_grad():
        for asked, said in pairs(LISTS):
            states = encoder(**tokenizer(asked, said, return_tensors="pt")).last_hidden_state[0]
            expected.append(float(controller(model, list(states)) @ model.head.weight[0] + model.head.bias))
    assert scores(model, LISTS) == pytest.approx(expected, abs=1e-5)


def test_a_network_without_a_hop_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="hops is 0"):
        build_model("gsamn", {"base": str(folder), "hops": 0}, [])


def test_it_runs_without_torch(tiny_encoder: Path, tmp_path: Path) -> None:
    """Also with other batches than the one that it was traced with."""
    pytest.importorskip("onnxscript")
    from anselm.export.exporter import export
    from anselm.ranking.scorers import load_scorer

    torch.manual_seed(4)
    model = build_model("gsamn", {"base": str(tiny_encoder), "max_length": 96, "max_question": 24}, []).eval()
    model.save(tmp_path)
    export(tmp_path, None, LISTS, int8=False)
    found = load_scorer(tmp_path)
    assert not hasattr(found, "parameters")
    for questions in (LISTS, LISTS[:1] * 5):
        expected = scores(model, questions)
        assert [float(one) for row in found.score(questions) for one in row] == pytest.approx(expected, abs=1e-4)
