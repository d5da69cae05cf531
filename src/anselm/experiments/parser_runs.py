"""The one command that makes a parser: treebank sample in, a checkpoint out that parses without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.torch import save_file

from anselm import __version__
from anselm.annotations.evalb import BracketScores, score_brackets
from anselm.annotations.span_heads import Inventory
from anselm.annotations.span_parser import HEADS, MODEL, load_span_parser
from anselm.annotations.syntax import join_sentences
from anselm.annotations.treebank import TERMS, read_treebank, without_traces
from anselm.annotations.trees import Tree, read_trees
from anselm.checkpoints.checkpoint import CARD, GRAPH, WEIGHTS, write_config
from anselm.checkpoints.checksums import write_checkpoint
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import FormatError, InputError
from anselm.experiments.question_trees import make_questions, plain_question
from anselm.export.parser_graph import parser_graph
from anselm.models.frames.parser_examples import Example, make_examples, take_inventory
from anselm.models.frames.parser_network import ParserConfig, ParserNetwork, merge
from anselm.models.frames.parser_training import Plan, Say, train_parser, with_states
from anselm.models.frames.pretrained import MINILM, load_pretrained, save_encoder
from anselm.train.devices import device_name, on_device

QUESTIONS = 800  # made ones, beside the 3,466 trees
ASKED = Path(__file__).with_name("asked.mrg")
SEEN = 100  # sentences, to see the ranges of int8 on
TEXT = """# A parser of English

A span parser and tagger on {encoder}, made with Anselm {version}: `anselm parse "..."`.

| | |
|---|---|
| trained on | {train:,} trees of the Penn Treebank sample of NLTK, {questions:,} questions made of their phrases |
| and on | {more:,} trees of a file |
| chosen on | {dev:,} other trees: labelled F1 {dev_f1:.4f}, tags {dev_tags:.4f} |
| tested on | {test:,} more: labelled F1 {f1:.4f}, tags {tags:.4f}, as it is in this folder, in int8 |
| made on | {device} |
| terms of the data | {terms} |
"""


@dataclass(frozen=True)
class ParserReport:
    """What came of it."""

    checkpoint: str
    sentences: int  # that were trained on, made questions included
    dev: BracketScores  # as it was trained, in float32
    test: BracketScores  # as it is saved, in int8
    questions: BracketScores  # on questions whose trees were written by hand


def make_parser(
    out: Path, data_dir: Path | None, config: ParserConfig, plan: Plan, say: Say, more: Path | None = None
) -> ParserReport:
    """`more`: a file of trees to learn from besides the sample's, such as another parser's of questions."""
    trees = {split: read_treebank(split, data_dir) for split in ("train", "dev", "test")}
    others = read_others(more, plan.seed) if more else []
    made = [*trees["train"], *make_questions(trees["train"], QUESTIONS, plan.seed), *others]
    inventory = take_inventory(made)
    pretrained, tokenizer = load_pretrained(MINILM)
    network = on_device(ParserNetwork(pretrained, config, len(inventory.labels), len(inventory.tags)))
    examples, dev = (_read(network, part, inventory, tokenizer) for part in (made, trees["dev"]))
    say(f"{len(examples):,} sentences are read; training")
    scores = train_parser(network, inventory, examples, dev, plan, say)
    settings = asdict(config) | {"encoder": MINILM} | asdict(plan)
    with write_checkpoint(out) as folder:
        _write(folder, network, inventory, tokenizer, settings, examples)
        say("testing")
        test, questions = _test(folder, trees["test"]), _test(folder, read_asked())
        card = _card(trees, len(others), scores, test)
        (folder / CARD).write_text(card, encoding="utf-8")
    return ParserReport(str(out), len(examples), scores, test, questions)


def read_asked() -> list[Tree]:
    """Questions as people ask and type them, that nothing is trained on."""
    return list(read_trees(ASKED.read_text(encoding="utf-8")))


def read_others(path: Path, seed: int) -> list[Tree]:
    """Trees in brackets as the sample's are read; questions among them also as people type them."""
    try:
        content = path.read_text(encoding="utf-8")
        trees = [without_traces(join_sentences([tree])) for tree in read_trees(content)]
    except (OSError, ValueError) as error:
        raise FormatError(path, f"cannot be read as a file of trees ({error})") from None
    except InputError as error:
        raise FormatError(path, str(error)) from None
    random = Random(seed)
    return [plain_question(tree, random) for tree in trees if tree is not None and not tree.word]


def _read(network: ParserNetwork, trees: list[Tree], inventory: Inventory, tokenizer: PairTokenizer) -> list[Example]:
    examples = make_examples(trees, inventory, tokenizer)
    return with_states(network, examples) if network.config.tuned == "nothing" else examples


def _write(
    folder: Path,
    network: ParserNetwork,
    inventory: Inventory,
    tokenizer: PairTokenizer,
    settings: dict[str, Any],
    examples: list[Example],
) -> None:
    """The trained weights by themselves, and what parsing needs: one graph, and the weights behind it."""
    network = network.cpu().eval()
    save_file(network.own_weights(), folder / WEIGHTS)
    np.savez(folder / HEADS, **asdict(network.heads()))
    save_encoder(network.encoder, tokenizer, folder)
    names = {"labels": list(inventory.labels), "tags": list(inventory.tags)}
    write_config(folder, MODEL, settings | names, terms=TERMS)
    (folder / GRAPH).parent.mkdir()
    rows = [example.row for example in examples[:: max(1, len(examples) // SEEN)]]
    seen = [{"ids": row.ids[None], "mask": np.ones_like(row.ids[None]), "shapes": row.shapes[None]} for row in rows]
    (folder / GRAPH).write_bytes(parser_graph(merge(network), seen).SerializeToString())


def _test(folder: Path, gold: list[Tree]) -> BracketScores:
    return score_brackets(gold, load_span_parser(folder).parse_words([tree.words() for tree in gold]))


def _card(trees: dict[str, list[Tree]], more: int, dev: BracketScores, test: BracketScores) -> str:
    counts = {split: len(found) for split, found in trees.items()}
    return TEXT.format(
        encoder=MINILM, more=more, version=__version__, questions=QUESTIONS, device=device_name(), terms=TERMS,
        dev_f1=dev.f1, dev_tags=dev.tags, f1=test.f1, tags=test.tags, **counts,
    )  # fmt: skip
