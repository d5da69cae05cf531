"""From an ONNX file to a function: OpenVINO where it is installed, which is faster on long lists, else ONNX Runtime.

ANSELM_ENGINE=onnxruntime or openvino decides otherwise. Both compute in single precision what is not int8: half
precision would be faster on some processors, and scores would depend on which one it is and on the batch.

An engine may be called by several threads at once.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anselm.errors import FormatError, InputError, MissingExtraError, UnknownNameError
from anselm.machine import usable_cores

Run = Callable[
    [Mapping[str, Any]], NDArray[np.float32]
]  # inputs by name -> (pairs, signals), or (pairs, tokens, signals)

VARIABLE = "ANSELM_ENGINE"
INPUTS = (  # of the models that there are
    {"ids", "mask", "types"},
    {"ids", "mask"},  # of an encoder without token types, or of texts by themselves
    {"ids", "mask", "shapes"},  # of a parser: how the words are written, too
    {"questions", "answers", "asked", "said"},  # words, read apart
)
OUTPUT = "signals"
BUDGET = 1_024  # tokens of a batch; 512 to 2,048 were about equally fast
DOT_PRODUCTS = ("AVX512VNNI", "ASIMDDP")  # numpy's names


@dataclass(frozen=True)
class Engine:
    """An open graph, to be called with its inputs, and what computes it."""

    name: str
    threads: int
    run: Run
    budget: int = BUDGET  # tokens of a batch

    def __call__(self, rows: Mapping[str, Any]) -> NDArray[np.float32]:
        return self.run(rows)

    def computes_on(self) -> tuple[str, int]:
        return self.name, self.threads


def open_engine(path: Path, threads: int | None = None) -> Engine:
    """`threads` is the number of usable cores where it is not given."""
    if not path.is_file():
        raise FormatError(path, "the file with the exported model is missing")
    name, count = choose_engine(), threads or usable_cores()
    return Engine(name, count, checked(path, ENGINES[name](path, count)))


def checked(path: Path, engine: Run) -> Run:
    """A graph that opens may still be one of another model, or hold numbers that no training gives."""

    def run(rows: Mapping[str, Any]) -> NDArray[np.float32]:
        try:
            found = engine(rows)
        except Exception as error:  # as below; a KeyError where it takes what this kind of model does not give
            raise FormatError(path, f"the model does not fit the rest of its folder ({last_line(error)})") from None
        if not np.isfinite(found).all():
            raise FormatError(path, "the model gives what is no number; its file is damaged, or its training failed")
        return found

    return run


def check_signals(path: Path, signals: NDArray[Any], *counts: int) -> None:
    """One of so many for each row."""
    if len(signals) and signals.shape[-1] not in counts:
        found = f"it gives {signals.shape[-1]} signals of a row, and {counts[0]} are needed"
        raise FormatError(path, f"not a model as `anselm export` writes it: {found}")


def multiplies_int8(processor: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether the processor multiplies int8 without overflow (VNNI, or ARM's dot product); no where nobody can tell.

    Linux says so in a file. Elsewhere numpy knows, but for AVX-VNNI, which some laptops have instead.
    """
    try:
        return "vnni" in processor.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return any(known_features().get(name) for name in DOT_PRODUCTS)


def known_features() -> Mapping[str, bool]:
    try:
        features: Mapping[str, bool] = import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):  # a part of numpy that is nobody's business, and may go
        return {}
    return features


def choose_engine() -> str:
    name = os.environ.get(VARIABLE)
    if not name:
        return usual_engine()
    if name not in ENGINES:
        raise UnknownNameError(f"engine in the environment variable {VARIABLE}:", name, ENGINES)
    if find_spec(name) is None:
        raise MissingExtraError(f"{VARIABLE}={name}", name)
    if problem := import_problem(name):
        raise InputError(f"{VARIABLE}={name}, but {name} cannot be imported: {problem}")
    return name


@cache  # so that it is said once
def usual_engine() -> str:
    if find_spec("openvino") is None:
        return "onnxruntime"
    if problem := import_problem("openvino"):
        logging.getLogger(__name__).warning(
            "anselm: openvino cannot be imported (%s); ONNX Runtime is used, and is slower on long lists", problem
        )
        return "onnxruntime"
    return "openvino"


def import_problem(name: str) -> str | None:
    """Why a library that is installed cannot be used: one of its own that the system lacks, or a damaged file."""
    try:
        import_module(name)
    except Exception as error:  # whatever its start raises
        return " ".join(str(error).split()) or type(error).__name__
    return None


def onnx_runtime(path: Path, threads: int) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4  # what matters is raised
    options.add_session_config_entry("session.force_spinning_stop", "1")  # else sessions in turn take twice as long
    if not multiplies_int8():  # there the fast way overflows, and the other one takes twice as long
        options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises a class of its own for each mishap
        raise damaged(path, error) from None
    inputs = check_names(path, [one.name for one in session.get_inputs()], [one.name for one in session.get_outputs()])

    def run(rows: Mapping[str, Any]) -> NDArray[np.float32]:
        return np.asarray(session.run([OUTPUT], {name: rows[name] for name in inputs})[0])

    return run


def open_vino(path: Path, threads: int) -> Run:
    import openvino

    settings = {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
        "ENABLE_CPU_PINNING": False,  # each process would take the first cores, and several of them the same
    }  # fmt: skip
    try:
        model = openvino.Core().compile_model(str(path), "CPU", settings)
    except RuntimeError as error:
        raise damaged(path, error) from None
    inputs = check_names(path, [one.any_name for one in model.inputs], [one.any_name for one in model.outputs])
    request = model.create_infer_request()
    busy = Lock()  # a request is for one thread; more of them would wait as well, for the model's one stream

    def run(rows: Mapping[str, Any]) -> NDArray[np.float32]:
        with busy, FIRST:
            request.infer({name: rows[name] for name in inputs})
            return np.array(request.get_tensor(OUTPUT).data)  # a copy: the next call writes there

    return run


class AloneAtFirst:
    """Whoever is the first to do something does it alone, and the others behind it together.

    What openvino sets up at the first inference of a process it guards with a lock of C++, while it needs Python's: of
    two threads that begin at once each may have one of the locks, and wait for the other one for ever.
    """

    def __init__(self) -> None:
        self.done, self._lock = Event(), Lock()
        self._holder = local()

    def __enter__(self) -> None:
        self._holder.holds = not self.done.is_set()
        if self._holder.holds:
            self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        if self._holder.holds:
            self.done.set()
            self._lock.release()


FIRST = AloneAtFirst()


ENGINES: dict[str, Callable[[Path, int], Run]] = {"onnxruntime": onnx_runtime, "openvino": open_vino}


def check_names(path: Path, inputs: list[str], outputs: list[str]) -> list[str]:
    """The inputs."""
    if outputs != [OUTPUT] or set(inputs) not in INPUTS:
        found = f"it takes {', '.join(inputs)} and gives {', '.join(outputs)}"
        raise FormatError(path, f"not a model as `anselm export` writes it: {found}")
    return inputs


def damaged(path: Path, error: Exception) -> FormatError:
    return FormatError(path, f"not a whole ONNX model ({last_line(error)})")


def last_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__
