"""Models over word vectors as ONNX graphs; runtime/words.py says what goes in and comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from anselm.errors import InputError
from anselm.export.graphs import trace
from anselm.models.frames.word_model import Batch, WordModel
from anselm.text.vocabulary import PAD


class ReadApart(nn.Module):
    """A model over word vectors whose batch is four tensors; padding tells where texts end."""

    def __init__(self, model: WordModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, questions: Tensor, answers: Tensor, asked: Tensor, said: Tensor) -> Tensor:
        nothing: Any = None  # layout and labels are for training
        batch = Batch(questions, questions != PAD, answers, answers != PAD, asked, said, nothing, nothing)
        scores: Tensor = self.model(batch)
        return scores[:, None]


def words_to_onnx(model: WordModel) -> onnx.ModelProto:
    lists, texts, pairs = (torch.export.Dim(name, min=1) for name in ("lists", "texts", "pairs"))
    asked_words, said_words = (torch.export.Dim(name, min=1) for name in ("question_words", "answer_words"))
    example = {
        "questions": torch.full((3, 7), 1), "answers": torch.full((5, 23), 1),
        "asked": torch.tensor([0, 1, 1, 2, 2, 2]), "said": torch.tensor([0, 1, 2, 3, 4, 0]),
    }  # fmt: skip
    shapes = {
        "questions": {0: lists, 1: asked_words}, "answers": {0: texts, 1: said_words},
        "asked": {0: pairs}, "said": {0: pairs},
    }  # fmt: skip
    try:
        graph = trace(ReadApart(model), example, shapes)
    except torch.onnx.errors.OnnxExporterError:
        raise InputError(f"{model.name!r} cannot be exported: it computes what ONNX has no operation for") from None
    if not follows(graph, model):
        raise InputError(f"{model.name!r} cannot be exported: its graph would be right for texts of one length only")
    return graph


def follows(graph: onnx.ModelProto, model: WordModel) -> bool:
    """Whether a graph scores texts of other lengths as the model does: a loop over words is traced for one length."""
    import onnxruntime

    generator = torch.Generator().manual_seed(0)
    example = {
        "questions": torch.randint(1, len(model.vocabulary), (2, 4), generator=generator),
        "answers": torch.randint(1, len(model.vocabulary), (4, 61), generator=generator),
        "asked": torch.tensor([0, 0, 1, 1, 1]), "said": torch.tensor([3, 2, 1, 0, 3]),
    }  # fmt: skip
    with torch.no_grad():
        expected = ReadApart(model).eval()(**example).numpy()
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
        (found,) = session.run(None, {name: tensor.numpy() for name, tensor in example.items()})
    except Exception:  # the library raises a class of its own for a length that does not fit
        return False
    return bool(np.allclose(found, expected, atol=1e-4))
