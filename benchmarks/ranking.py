"""Our default model beside its peers on a CPU: pairs per second, latency, cold start, memory, size of the install.

    python -m benchmarks.ranking [MODEL]

All ways take turns within one run, since a shared machine is not equally fast all the time. The peers run the encoder
that ours was made from, all-MiniLM-L6-v2, with an untrained head: their speed does not depend on the weights, but their
scores mean nothing. Ours does more: it has a second head, and reads long answers twice. Peers that are not installed
are left out. Needs ANSELM_DATA and the extras `export` and `openvino`.

sentence-transformers runs ONNX and OpenVINO through optimum. Where optimum cannot be imported, its CrossEncoder
tokenizes, sorts and batches as always, and only its forward pass is replaced by the engine.
"""

# ruff: noqa: T201

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np

import anselm
from anselm.checkpoints.catalogue import DEFAULT, SHIPPED, find_checkpoint
from anselm.data.datasets import load_dataset
from anselm.data.question import Question
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import AnselmError, InputError
from anselm.ranking.ranker import Ranker
from anselm.ranking.speed import bundled_texts, latency, make_lists, resident_megabytes
from anselm.runtime.engines import VARIABLE

Way = Callable[[Sequence[Question]], Any]

EVERY = 4  # of WikiQA's 243 test questions, so that a run takes minutes
ROUNDS = 7
STARTS = 5
CALLS = 16  # of each length of list
BATCH = 32
MOST = 192  # tokens of a pair, for all
SIZES = (10, 30, 100)
TOKENS = 64
SPARE = 8  # tokens, which are cut off again: texts are made to be about as long
FLASHRANK = "FlashRank's way: ONNX Runtime int8, unsorted batches of 32"
OURS = {"onnxruntime": "Anselm, ONNX Runtime", "openvino": "Anselm, OpenVINO"}


def main(arguments: Sequence[str] = ()) -> None:
    model = arguments[0] if arguments else "default"
    try:
        checkpoint = find_checkpoint(model)
        if checkpoint is None or checkpoint.runtime is None:
            raise InputError(f"{model} is not exported")
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            prepare(folder)
            print_speed(model, folder)
            print_latency(model)
            print_start(model, folder)
            print_sizes(model)
    except (ImportError, AnselmError) as error:
        print(f"\n## Ranking beside peers: left out, {error}")


def prepare(folder: Path) -> None:
    """The peers' files: torch's folder, ONNX in float32 and in int8, OpenVINO in int8."""
    prepare_onnx(folder)
    prepare_openvino(folder)


def prepare_onnx(folder: Path) -> None:
    import onnx
    import torch
    from onnxruntime.quantization import quantize_dynamic
    from transformers import AutoTokenizer, BertForSequenceClassification

    from anselm.export.exporter import to_onnx
    from anselm.models.frames.pretrained import find_encoder

    class Logits(torch.nn.Module):
        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: Any, mask: Any, types: Any) -> Any:
            return self.model(ids, attention_mask=mask, token_type_ids=types).logits

    torch.manual_seed(1)
    source = find_encoder("all-MiniLM-L6-v2")
    model = BertForSequenceClassification.from_pretrained(source, num_labels=1).eval()
    model.save_pretrained(folder / "torch")
    AutoTokenizer.from_pretrained(source).save_pretrained(folder / "torch")
    onnx.save(to_onnx(Logits(model), model, ("ids", "mask", "types")), folder / "float32.onnx")
    quantize_dynamic(folder / "float32.onnx", folder / "int8.onnx", per_channel=True)


def prepare_openvino(folder: Path) -> None:
    import nncf
    import openvino
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder / "torch")
    questions, texts = bundled_texts()
    pairs = [tokenizer(question, text) for question in questions for text in texts]
    names = {"ids": "input_ids", "mask": "attention_mask", "types": "token_type_ids"}
    rows = [{name: np.array([pair[theirs]]) for name, theirs in names.items()} for pair in pairs]
    graph = openvino.Core().read_model(folder / "float32.onnx")
    nncf.set_log_level(40)
    with redirect_stdout(sys.stderr):  # its progress bars are no results
        small = nncf.quantize(graph, nncf.Dataset(rows), model_type=nncf.ModelType.TRANSFORMER, subset_size=len(rows))
    openvino.save_model(small, folder / "int8.xml")


def ours(engine: str, model: str) -> Way:
    os.environ[VARIABLE] = engine
    ranker = Ranker.load(model)
    return lambda questions: list(ranker.rank_lists(questions))


def pairs_of(questions: Sequence[Question]) -> list[tuple[str, str]]:
    return [(question.text, candidate.text) for question in questions for candidate in question.candidates]


def session(path: Path) -> Callable[[dict[str, Any]], Any]:
    """ONNX Runtime as it comes."""
    import onnxruntime

    opened = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda rows: opened.run(None, rows)[0]


def compiled(path: Path) -> Callable[[dict[str, Any]], Any]:
    """OpenVINO with the one setting that optimum gives it."""
    import openvino

    model = openvino.Core().compile_model(path, "CPU", {"PERFORMANCE_HINT": "LATENCY"})
    return lambda rows: model(rows)[0]


def flashrank(folder: Path) -> Way:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "torch" / "tokenizer.json"))
    tokenizer.enable_truncation(MOST)
    tokenizer.enable_padding()
    run = session(folder / "int8.onnx")

    def score(questions: Sequence[Question]) -> Any:
        found, pairs = [], pairs_of(questions)
        for start in range(0, len(pairs), BATCH):
            rows = tokenizer.encode_batch(pairs[start : start + BATCH])
            parts = {"ids": "ids", "mask": "attention_mask", "types": "type_ids"}
            found.append(run({name: np.array([getattr(row, part) for row in rows]) for name, part in parts.items()}))
        return np.concatenate(found)

    return score


def cross_encoder(folder: Path, run: Callable[[dict[str, Any]], Any] | None = None) -> Way:
    """sentence-transformers' CrossEncoder, on torch or on another engine."""
    import torch
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(folder / "torch"), device="cpu", max_length=MOST, local_files_only=True)
    if run is not None:

        def forward(features: dict[str, Any], **_: Any) -> dict[str, Any]:
            names = {"ids": "input_ids", "mask": "attention_mask", "types": "token_type_ids"}
            return {"scores": torch.tensor(run({name: features[theirs].numpy() for name, theirs in names.items()}))}

        encoder.forward = forward
    return lambda questions: encoder.predict(pairs_of(questions), batch_size=BATCH, show_progress_bar=False)


def makers(model: str, folder: Path) -> dict[str, Callable[[], Way]]:
    """Each way by name, not loaded yet."""
    return {
        OURS["onnxruntime"]: lambda: ours("onnxruntime", model),
        OURS["openvino"]: lambda: ours("openvino", model),
        FLASHRANK: lambda: flashrank(folder),
        "CrossEncoder, torch float32": lambda: cross_encoder(folder),
        "CrossEncoder, ONNX Runtime float32": lambda: cross_encoder(folder, session(folder / "float32.onnx")),
        "CrossEncoder, ONNX Runtime int8": lambda: cross_encoder(folder, session(folder / "int8.onnx")),
        "CrossEncoder, OpenVINO int8": lambda: cross_encoder(folder, compiled(folder / "int8.xml")),
    }


def load_ways(model: str, folder: Path) -> Iterator[tuple[str, Way]]:
    for name, make in makers(model, folder).items():
        try:
            yield name, make()
        except ImportError as error:
            print(f"\nwithout {name}: {error}")


def memory(name: str, model: str, folder: Path) -> float:
    """MB of a process of its own that has loaded one way and ranked 20 lists."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_memory, name, model, folder).result()


def _memory(name: str, model: str, folder: Path) -> float:
    makers(model, folder)[name]()(sample()[:20])
    return resident_megabytes() or 0.0


def sample() -> Sequence[Question]:
    return load_dataset("wikiqa", "test")[::EVERY]


def print_speed(model: str, folder: Path) -> None:
    questions = sample()
    ways = dict(load_ways(model, folder))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():  # to warm up
        way(questions[:20])
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began = time.perf_counter()
            way(questions)
            times[name].append(time.perf_counter() - began)
    pairs = len(pairs_of(questions))
    print(f"\n## Ranking beside peers ({pairs} pairs of WikiQA's test set, {ROUNDS} rounds in turn)\n")
    print("| way | pairs/s | slowest to fastest round | ratio | MB in memory |\n|---|---|---|---|---|")
    base = np.median(times[FLASHRANK])
    for name, spent in times.items():
        speeds = pairs / np.array(spent)
        print(
            f"| {name} | {np.median(speeds):.0f} | {speeds.min():.0f} to {speeds.max():.0f} "
            f"| {base / np.median(spent):.2f} | {memory(name, model, folder):.0f} |"
        )


def print_latency(model: str) -> None:
    questions, texts = bundled_texts()
    rankers = {engine: ours(engine, model) for engine in OURS}
    print("\n| one list, ms | candidates | tokens of each | p50 | p99 | calls |\n|---|---|---|---|---|---|")
    for size, tokens in [*((size, TOKENS) for size in SIZES), (30, TOKENS // 2)]:
        lists = [cut(question, tokens) for question in make_lists(questions, texts, size, tokens + SPARE)]
        times: dict[str, list[float]] = {engine: [] for engine in OURS}
        for number in range(len(lists) + CALLS):
            for engine, rank in rankers.items():
                began = time.perf_counter()
                rank([lists[number % len(lists)]])
                if number >= len(lists):  # each list once to warm up
                    times[engine].append(time.perf_counter() - began)
        for engine, spent in times.items():
            found = latency(size, spent)
            print(f"| {OURS[engine]} | {size} | {tokens} | {found.p50_ms:.0f} | {found.p99_ms:.0f} | {found.calls} |")


def cut(question: Question, tokens: int) -> Question:
    """Every candidate so many of the default's tokens long: from 65 on it would be read a second time."""
    tokenizer = PairTokenizer.load(SHIPPED / DEFAULT / "tokenizer.json", pad=0).tokenizer
    ends = [tokenizer.encode(one.text, add_special_tokens=False).offsets[:tokens][-1][1] for one in question.candidates]
    shown = tuple(replace(one, text=one.text[:end]) for one, end in zip(question.candidates, ends, strict=True))
    return replace(question, candidates=shown)


def started(*command: str) -> float:
    """The median of some new processes, in seconds."""
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def print_start(model: str, folder: Path) -> None:
    path = folder / "candidates.txt"
    path.write_text("".join(f"Answer {i} says that the shop opens at {i} in the morning.\n" for i in range(30)))
    print("\n| cold start, 30 candidates, a new process | seconds |\n|---|---|")
    for engine in OURS:
        os.environ[VARIABLE] = engine
        spent = started(sys.executable, "-m", "anselm", "rank", "When?", "-c", str(path), "--model", model)
        print(f"| `anselm rank`, {OURS[engine]} | {spent:.2f} |")
    code = (
        "from pathlib import Path; from sentence_transformers import CrossEncoder; "
        f"CrossEncoder({str(folder / 'torch')!r}, device='cpu', local_files_only=True)"
        f".rank('When?', Path({str(path)!r}).read_text().splitlines())"
    )
    if installed("sentence-transformers"):
        print(f"| CrossEncoder, torch | {started(sys.executable, '-c', code):.2f} |")


def print_sizes(model: str) -> None:
    rows = {
        "Anselm": ["anselm"],
        "Anselm with OpenVINO": ["anselm", "openvino"],
        "FlashRank's way: onnxruntime, tokenizers, tqdm": ["onnxruntime", "tokenizers", "tqdm"],
        "sentence-transformers": ["sentence-transformers"],
        "sentence-transformers with ONNX Runtime": ["sentence-transformers", "onnxruntime"],
        "sentence-transformers with OpenVINO": ["sentence-transformers", "openvino", "nncf"],
    }
    print("\n| install, MB, with all that it needs | without weights | weights |\n|---|---|---|")
    weights = tree_bytes(checkpoint.folder) if (checkpoint := find_checkpoint(model)) else 0
    for name, roots in rows.items():
        size = sum(map(distribution_bytes, closure(roots)))
        print(f"| {name} | {size / 1e6:.0f} | {f'{weights / 1e6:.0f}' if name.startswith('Anselm') else ''} |")


def installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def closure(names: Sequence[str]) -> set[str]:
    """The distributions that these need, as far as they are installed, without extras."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: set[str] = set()
    queue = list(names)
    while queue:
        name = canonicalize_name(queue.pop())
        if name in found or not installed(name):
            continue
        found.add(name)
        needed = map(Requirement, requirements(name))
        queue += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def requirements(name: str) -> list[str]:
    """Ours are read from the source: what an installed link says may be older."""
    if name != "anselm":
        return distribution(name).requires or []
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def distribution_bytes(name: str) -> int:
    if name == "anselm":  # perhaps installed as a link to its source
        package = Path(anselm.__file__).parent
        return tree_bytes(package) - tree_bytes(package / "shipped")
    paths = (Path(str(file.locate())) for file in distribution(name).files or [])
    return sum(path.stat().st_size for path in paths if path.is_file())


def tree_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(sys.argv[1:])
