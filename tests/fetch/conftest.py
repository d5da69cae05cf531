"""A small server that misbehaves on request, and a model like the accurate one on a tiny encoder."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from anselm.checkpoints.catalogue import all_models
from anselm.data.bundled import bundled_lists
from anselm.data.question import Question


@dataclass
class Hub:
    """What it sends, how, and what it was asked."""

    address: str = ""
    content: bytes = b""
    ranges: bool = True
    most: int | None = None  # bytes of one answer, after which it breaks off
    status: int = 200
    asked: list[tuple[str, str | None]] = field(default_factory=list)  # path, Range


def make_handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers["Range"]
            hub.asked.append((self.path, wanted))
            if hub.status != 200:
                return self.send_error(hub.status)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and hub.ranges else 0
            if start > len(hub.content):
                return self.send_error(416)
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(hub.content) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(hub.content) - 1}/{len(hub.content)}")
            self.end_headers()
            self.wfile.write(hub.content[start:][: hub.most])
            return None

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(hub))
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


WORDS = ("bees", "honey", "hive", "nectar", "the", "make", "is", "where", "how", "what", "garden", "wood", "sweet")
SETTINGS = {
    "base": "nobody/tiny-mpnet", "scale": 2.0, "reading": {"max_length": 40, "max_question": 12},
    "blend": [0.5, 5.0], "entries": [0.25, 6.0],
}  # fmt: skip
CASCADE = {"read": 3, "texts": [0.1, 0.9], "entries": [0.0, 1.1]}


@pytest.fixture(scope="session")
def tiny_mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face folder with an MPNet of two small layers, random weights, and a table that is worth rounding."""
    torch, _ = pytest.importorskip("torch"), pytest.importorskip("transformers")
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import MPNetConfig, MPNetModel

    signs = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *signs, *(f"##{sign}" for sign in signs), *WORDS]
    tokenizer = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="<unk>"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    config = MPNetConfig(
        vocab_size=1200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=300, initializer_range=0.2, pad_token_id=1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny-mpnet")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        weights = MPNetModel(config).state_dict()
        drawn = {name: tensor + 0.1 * torch.randn_like(tensor) for name, tensor in weights.items() if tensor.ndim == 1}
    save_file(weights | drawn, folder / "model.safetensors")  # equal ones would become one constant of a graph
    config.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="session")
def lora(tiny_mpnet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of rank 4 of random weights."""
    from safetensors.numpy import save_file

    from tools.default_model.make_accurate import adapter_names

    rng, path = np.random.default_rng(2), tmp_path_factory.mktemp("adapter") / "lora.safetensors"
    tensors = {"head.weight": rng.normal(size=(1, 32)), "head.bias": rng.normal(size=1)}
    for name in adapter_names(2).values():
        out, wide = {"up": (64, 32), "down": (32, 64)}.get(name[1:], (32, 32))
        tensors |= {f"down.{name}": rng.normal(size=(4, wide)) / 8, f"up.{name}": rng.normal(size=(out, 4)) / 8}
    save_file({name: tensor.astype(np.float16) for name, tensor in tensors.items()}, path)
    return path


def example_questions() -> list[Question]:
    return [replace(question, candidates=question.candidates[:4]) for question in bundled_lists()]


@pytest.fixture(scope="session")
def shipped(tiny_mpnet: Path, lora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a package would ship of such a model, beside the real default."""
    pytest.importorskip("onnxscript")
    from anselm.checkpoints.catalogue import SHIPPED
    from tools.default_model import make_accurate
    from tools.default_model.seal_accurate import seal

    root = tmp_path_factory.mktemp("package") / "shipped"
    (folder := root / "accurate").mkdir(parents=True)
    (root / "default").symlink_to(SHIPPED / "default")
    model = make_accurate.merged(tiny_mpnet, lora, SETTINGS)
    recipe = make_accurate.write_skeleton(folder, model, tiny_mpnet, example_questions())
    make_accurate.write_recipe(folder, tiny_mpnet, lora, SETTINGS, recipe)
    make_accurate.write_rest(folder, model, SETTINGS, CASCADE)
    seal(folder, tiny_mpnet)
    return root


@pytest.fixture
def package(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package ships it, nothing is fetched, and the hub is nowhere."""
    all_models()  # reads the tiers that are shipped, once; the folder below has one of them
    for module in ("anselm.checkpoints.catalogue", "anselm.fetch.fetched_models"):
        monkeypatch.setattr(f"{module}.SHIPPED", shipped)
    monkeypatch.setenv("ANSELM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hugging-face"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    return shipped
