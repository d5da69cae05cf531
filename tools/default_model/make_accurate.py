"""The accurate model's folder as it ships: graphs without weights, the recipe for those, and the adapter.

    python -m tools.default_model.make_accurate ENCODER LORA ENTRIES OUT

ENCODER is the folder of all-mpnet-base-v2, LORA the adapter that teach.py wrote (its settings are in
accurate/adapter.json), ENTRIES what collect_entries.py wrote. OUT lacks a calibration and a card, and seal_accurate.py
is run once they are there. `anselm fetch accurate --from ENCODER` makes it whole. Needs ANSELM_DATA.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from safetensors.numpy import save
from safetensors.torch import load_file

from anselm.checkpoints.blend import Config as BlendConfig
from anselm.checkpoints.cache import RECIPE
from anselm.checkpoints.checkpoint import CASCADE, ENCODER_GRAPH, GRAPHS, READER_GRAPH, WEIGHTS, write_config
from anselm.checkpoints.checksums import hash_file
from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.errors import AnselmError
from anselm.export.exporter import batches, pair_rows, to_onnx
from anselm.export.quantize import Array, int8, quantize
from anselm.fetch.fetched_models import ADAPTER, EXTERNAL, FACTORS
from anselm.fetch.sources import Encoder
from anselm.files import write_folder_atomically
from anselm.models.crossencoder import Config, CrossEncoder
from anselm.models.frames.device_networks import Pairs, Texts
from anselm.models.frames.pretrained import load_pretrained, save_encoder
from anselm.runtime.blended import text_rows
from tools.default_model.make_default import some_lists
from tools.default_model.mixture import load_lists, mixture
from tools.default_model.skeletons import Skeletons
from tools.default_model.teaching.large import LINEAR

REVISION = "e8c3b32edf5434bc2275fc9bab85f82640a19130"  # on the hub
READ = {"read": 20, "texts": [-0.605, 0.913], "entries": [-0.527, 0.911]}  # docs/accurate.md says how it was chosen
SETTINGS = Path(__file__).parent / "accurate" / "adapter.json"
Settings = Mapping[str, Any]
TERMS = (
    "the weights are under Apache-2.0, like the encoder that they are merged with (all-mpnet-base-v2); they were "
    "trained on SQuAD and Stack Exchange (CC BY-SA), SelQA (Apache-2.0), SQuADShifts (no terms stated), and FAQs and "
    "manuals of Debian packages (free licences, most of them GPL, GFDL and CC BY-SA)"
)


def merged(folder: Path, lora: Path, settings: Settings) -> CrossEncoder:
    """The reader in float32: the encoder with the adapter added to its weights, and the adapter's head."""
    encoder, tokenizer = load_pretrained(str(folder))
    length, asked = (settings["reading"][name] for name in ("max_length", "max_question"))
    config = Config(base=str(folder), pooling="mean", max_length=length, max_question=asked)
    model = CrossEncoder("cross-encoder", config, encoder, tokenizer)
    tensors = {name: tensor.float() for name, tensor in load_file(lora).items()}
    with torch.no_grad():
        for weight, name in adapter_names(encoder.config.num_hidden_layers).items():
            encoder.get_parameter(weight).add_(settings["scale"] * tensors[f"up.{name}"] @ tensors[f"down.{name}"])
        model.head.weight.copy_(tensors["head.weight"])
        model.head.bias.copy_(tensors["head.bias"])
    return model.eval()


def adapter_names(layers: int) -> dict[str, str]:
    """The weights of the encoder that have one."""
    every = ((layer, name, path) for layer in range(layers) for name, path in LINEAR.items())
    return {f"encoder.layer.{layer}.{path}.weight": f"{layer}{name}" for layer, name, path in every}


def float_graphs(folder: Path, model: CrossEncoder) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    untouched, _ = load_pretrained(str(folder))
    reader = to_onnx(Pairs(model), model.encoder, ("ids", "mask", "types"))
    return reader, to_onnx(Texts(untouched), untouched, ("ids", "mask"))


def plain(weight: Array, gram: Array) -> tuple[Array, Array]:
    """What is made at fetching has seen no rows, whose Gram matrices would be larger than the weights."""
    return int8(weight, axis=0)


def write_skeleton(folder: Path, model: CrossEncoder, source: Path, questions: Sequence[Question]) -> dict[str, Any]:
    """Both graphs, and the factors, into a folder that is there; returns what their weights are made of."""
    reader, encoder = float_graphs(source, model)
    texts = model.featurize(questions).texts
    reader = quantize(reader, batches(pair_rows(model, questions)), plain)
    encoder = quantize(encoder, batches(text_rows(texts, np.arange(len(texts.starts)), model.tokenizer)), plain)
    skeletons = Skeletons(Path(EXTERNAL).name, adapter_names(model.encoder.config.num_hidden_layers))
    (folder / GRAPHS).mkdir()
    for graph, path, prefix in ((reader, READER_GRAPH, "model.encoder."), (encoder, ENCODER_GRAPH, "encoder.")):
        bare = skeletons.add(Path(path).stem, graph, prefix, adapted=path == READER_GRAPH)
        (folder / path).write_bytes(bare.SerializeToString())
    (folder / RECIPE).mkdir()
    (folder / RECIPE / FACTORS).write_bytes(save(skeletons.factors))
    return skeletons.recipe()


def write_recipe(folder: Path, source: Path, lora: Path, settings: Settings, recipe: Mapping[str, Any]) -> None:
    weights = source / WEIGHTS
    encoder = Encoder(settings["base"], REVISION, WEIGHTS, weights.stat().st_size, hash_file(weights))
    record = {"encoder": asdict(encoder), "scale": settings["scale"], **recipe}
    (folder / RECIPE / "recipe.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (folder / RECIPE / ADAPTER).write_bytes(lora.read_bytes())


def write_rest(folder: Path, model: CrossEncoder, settings: Settings, cascade: Mapping[str, Any]) -> None:
    save_encoder(model.encoder, model.tokenizer, folder)
    blends = {name: tuple(settings[name]) for name in ("blend", "entries")}
    config = BlendConfig(model.config.max_length, model.config.max_question, **blends)
    write_config(folder, "general", asdict(config), runtime=CASCADE, cascade=dict(cascade), terms=TERMS)


def main() -> None:
    source, lora, entries, out = map(Path, sys.argv[1:])
    settings = json.loads(SETTINGS.read_text(encoding="utf-8"))
    model = merged(source, lora, settings)
    questions = some_lists(mixture(load_lists, entries=load_dataset(entries).questions))
    with write_folder_atomically(out) as folder:
        write_recipe(folder, source, lora, settings, write_skeleton(folder, model, source, questions))
        write_rest(folder, model, settings, READ)


if __name__ == "__main__":
    try:
        main()
    except AnselmError as error:
        sys.exit(str(error))
