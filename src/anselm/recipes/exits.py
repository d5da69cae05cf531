"""Exits for a general ranker: heads that estimate, after some of the reader's layers, what all of them would say.

The graph of the reader is cut after those layers, and each part but the last gets a head. Nothing is trained but the
heads, on what the int8 reader itself says of pairs, so no labels are needed, and a pair that is read to the end has
exactly the score that it had. See runtime/exits.py for how they are used.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import torch
from onnx import ModelProto, TensorProto, compose, helper
from onnx.utils import Extractor
from torch import Tensor, nn
from torch.nn import functional

from anselm.data.question import Question
from anselm.errors import FormatError, InputError
from anselm.files import write_folder_atomically
from anselm.models.features import encode_lists
from anselm.models.general import READER, reader_files
from anselm.models.reading import Reading
from anselm.recipes.exporting import write_graph
from anselm.recipes.general import write_config
from anselm.recipes.graphs import trace
from anselm.runtime.cores import usable_cores
from anselm.runtime.engines import BEFORE, OUTPUT, STATES, onnx_runtime_options
from anselm.runtime.exits import may_leave
from anselm.runtime.exported import BUDGET
from anselm.runtime.general import General, load_general
from anselm.runtime.rows import by_width, lay_out

INPUTS = ["ids", "mask", "types"]
HIDDEN = 128
EPOCHS, BATCH, RATE, DECAY, DROPOUT = 10, 256, 2e-3, 0.05, 0.2


class Head(nn.Module):
    """Both signals of a pair from the states of its tokens after some layer: question against answer, and [CLS]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(3 * width, HIDDEN), nn.Linear(HIDDEN, 2)

    def forward(self, states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return self.estimate(self.features(states, mask, types))

    @staticmethod
    def features(states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """(pairs, tokens, width) -> (pairs, 3 width)"""
        said = (mask * types).to(states.dtype)  # (pairs, tokens)
        asked = mask.to(states.dtype) - said
        q, a = (
            (part[:, None, :] @ states)[:, 0] / part.sum(dim=1, keepdim=True).clamp(min=1) for part in (asked, said)
        )
        return torch.cat([q * a, (q - a).abs(), states[:, 0]], dim=1)

    def estimate(self, features: Tensor) -> Tensor:
        signals: Tensor = self.out(functional.gelu(self.hidden(features)))
        return signals


def add_exits(
    folder: Path, out: Path, questions: Sequence[Question], exits: Mapping[int, float], terms: str = ""
) -> Path:
    """A general ranker in a new folder, with exits below such scores after such layers.

    `questions` are what the heads learn on; pairs that no exit is for are left out.
    """
    ranker = load_general(folder)
    if ranker.config.exits:
        raise InputError(f"{folder} has exits already; give the ranker that it was made from")
    if ranker.tokenizer.types != (0, 1):
        raise InputError(f"the reader in {folder} does not tell question and answer apart by token types 0 and 1")
    layers = sorted(exits)
    graph = onnx.load(folder / READER)
    states = [states_after(graph, layer, folder / READER) for layer in layers]
    features, signals = observe(graph, states, ranker, questions)
    parts = cut(graph, states, [fit(part, signals) for part in features])
    with write_folder_atomically(out) as new:
        ranker.save(new)
        for part, file in zip(parts, reader_files(len(exits)), strict=True):
            write_graph(part, new / file)
        write_config(new, replace(ranker.config, exits=tuple(exits[layer] for layer in layers)), terms)
        if (folder / "calibration.json").is_file():
            shutil.copyfile(folder / "calibration.json", new / "calibration.json")
    return out


def states_after(graph: ModelProto, layer: int, path: Path) -> str:
    """The tensor that a layer of the encoder gives; layers count from 1. Each ends with the second of its norms."""
    norms = [node.output[0] for node in graph.graph.node if node.op_type == "LayerNormalization"]  # the first, of words
    if not 1 <= layer < len(norms) // 2:
        raise FormatError(path, f"not a reader that can be cut after layer {layer}")
    return str(norms[2 * layer])


def observe(
    graph: ModelProto, states: Sequence[str], ranker: General, questions: Sequence[Question]
) -> tuple[list[Tensor], Tensor]:
    """Features of every pair after each of the layers, and its signals. (pairs, features), (pairs, 2)"""
    seen = list(_seen(graph, states, ranker, questions))
    if not seen:
        raise InputError("no question and answer of these lists are short enough for an exit")
    features, signals = zip(*seen, strict=True)
    return [torch.cat(parts) for parts in zip(*features, strict=True)], torch.cat(signals)


def _seen(
    graph: ModelProto, states: Sequence[str], ranker: General, questions: Sequence[Question]
) -> Iterator[tuple[list[Tensor], Tensor]]:
    import onnxruntime

    shown = onnx.ModelProto()
    shown.CopyFrom(graph)
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in states)
    options = onnx_runtime_options(usable_cores())
    session = onnxruntime.InferenceSession(shown.SerializeToString(), options, providers=["CPUExecutionProvider"])
    lists = encode_lists(questions, ranker.tokenizer)
    reading = Reading(ranker.config.max_length, ranker.config.max_question, title=False, neighbours=0)
    rows = lay_out(lists, ranker.tokenizer, reading).pick(may_leave(lists, ranker.config)).distinct()[0]
    for some, width in by_width(rows.widths, reading.max_length, BUDGET):
        batch = rows.pad_rows(some, width)
        found, *after = (torch.from_numpy(array) for array in session.run([OUTPUT, *states], batch))
        mask, types = (torch.from_numpy(batch[name]) for name in ("mask", "types"))
        yield [Head.features(table, mask, types).half() for table in after], found


def fit(features: Tensor, signals: Tensor, seed: int = 1) -> Head:
    """By least squares, each signal in its own standard deviations. (pairs, features), (pairs, 2)"""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _fit(Head(features.shape[1] // 3), features, signals)


def _fit(head: Head, features: Tensor, signals: Tensor) -> Head:
    x, y = standards(features.float()), standards(signals.float())
    steps = EPOCHS * -(-len(signals) // BATCH)
    optimizer = torch.optim.AdamW(head.parameters(), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for _ in range(EPOCHS):
        for some in torch.split(torch.randperm(len(signals)), BATCH):
            hidden = functional.gelu(head.hidden((features[some].float() - x[0]) / x[1]))
            found = head.out(functional.dropout(hidden, DROPOUT))
            loss = functional.mse_loss(found, (signals[some] - y[0]) / y[1])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    with torch.no_grad():  # as a head of plain features that gives plain signals
        head.hidden.weight.div_(x[1])
        head.hidden.bias.sub_(head.hidden.weight @ x[0])
        head.out.weight.mul_(y[1][:, None])
        head.out.bias.copy_(head.out.bias * y[1] + y[0])
    return head.eval()


def standards(values: Tensor) -> tuple[Tensor, Tensor]:
    return values.mean(dim=0), values.std(dim=0).clamp(min=1e-3)


def cut(graph: ModelProto, states: Sequence[str], heads: Sequence[Head]) -> list[ModelProto]:
    """The parts of a reader, each but the last with its head."""
    whole = onnx.ModelProto()
    whole.CopyFrom(graph)
    for node in whole.graph.node:
        if node.op_type == "Shape" and node.input[0] in INPUTS:  # the mask has it too, and every part has the mask
            node.input[0] = "mask"
    whole.graph.value_info.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["pairs", "tokens", head.hidden.in_features // 3])
        for name, head in zip(states, heads, strict=True)
    )
    extractor, parts = Extractor(whole), []
    for begin, end, head in zip([None, *states], [*states, None], [*heads, None], strict=True):
        inputs = [begin, "mask", "types"] if begin else INPUTS
        part = extractor.extract_model(inputs, [end or OUTPUT])
        rename(part, {begin or "": BEFORE, end or "": STATES})
        parts.append(with_head(part, head) if head else part)
    return parts


def rename(graph: ModelProto, names: Mapping[str, str]) -> None:
    for node in graph.graph.node:
        for ends in (node.input, node.output):
            ends[:] = [names.get(name, name) if name else name for name in ends]
    for end in (*graph.graph.input, *graph.graph.output):
        end.name = names.get(end.name, end.name)


def with_head(part: ModelProto, head: Head) -> ModelProto:
    """Part and head as one graph: the head's signals beside the states."""
    pairs, tokens = torch.export.Dim("pairs", min=1), torch.export.Dim("tokens", min=1)
    example = {STATES: torch.randn(3, 5, head.hidden.in_features // 3)}
    example |= {"mask": torch.ones(3, 5, dtype=torch.long), "types": torch.ones(3, 5, dtype=torch.long)}
    added = trace(head, example, {name: {0: pairs, 1: tokens} for name in example})
    added = compose.add_prefix(added, "exit.", rename_inputs=False, rename_outputs=False)
    part.graph.node.extend(added.graph.node)
    part.graph.initializer.extend(added.graph.initializer)
    part.graph.output.extend(added.graph.output)
    return part
