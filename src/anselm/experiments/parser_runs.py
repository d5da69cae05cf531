"""The one command that makes a parser: treebank sample in, a checkpoint out that parses without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from random import Random

import numpy as np
from safetensors.torch import load_file, save_file

from anselm import __version__
from anselm.annotations.evalb import BracketScores, score_brackets
from anselm.annotations.span_heads import Inventory
from anselm.annotations.span_parser import HEADS, MODEL, load_span_parser, read_inventory
from anselm.annotations.syntax import join_sentences
from anselm.annotations.treebank import COUNTS, TERMS, read_treebank, without_traces
from anselm.annotations.trees import Tree, read_tree_file
from anselm.checkpoints.checkpoint import CARD, GRAPH, WEIGHTS, Checkpoint, write_config
from anselm.checkpoints.checksums import write_checkpoint
from anselm.encoding.tokenizer import PairTokenizer
from anselm.experiments.question_trees import make_questions, plain_question
from anselm.models.frames.parser_examples import Example, make_examples, take_inventory
from anselm.models.frames.parser_network import ParserConfig, ParserNetwork, merge
from anselm.models.frames.parser_training import Plan, Say, train_parser, with_states
from anselm.models.frames.pretrained import load_pretrained, save_encoder
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


@dataclass(frozen=True)
class Learned:
    """A parser that is trained."""

    network: ParserNetwork
    inventory: Inventory
    tokenizer: PairTokenizer
    examples: list[Example]
    more: int  # trees of a file
    dev: BracketScores


def make_parser(
    out: Path, data_dir: Path | None, config: ParserConfig, plan: Plan, say: Say, more: Path | None = None
) -> ParserReport:
    """`more`: a file of trees to learn from besides the sample's, such as another parser's of questions."""
    learned = learn_parser(data_dir, config, plan, say, more)
    with write_checkpoint(out) as folder:
        write_heads(folder, learned, plan)
        write_graph(folder, learned)
        say("testing")
        test, questions = _test(folder, read_treebank("test", data_dir)), _test(folder, read_asked())
        (folder / CARD).write_text(_card(learned, test), encoding="utf-8")
    return ParserReport(str(out), len(learned.examples), learned.dev, test, questions)


def learn_parser(data_dir: Path | None, config: ParserConfig, plan: Plan, say: Say, more: Path | None) -> Learned:
    train, others = read_treebank("train", data_dir), read_others(more, plan.seed) if more else []
    made = [*train, *make_questions(train, QUESTIONS, plan.seed), *others]
    inventory = take_inventory(made)
    pretrained, tokenizer = load_pretrained(config.base)
    network = on_device(ParserNetwork(pretrained, config, len(inventory.labels), len(inventory.tags)))
    examples, dev = (_read(network, part, inventory, tokenizer) for part in (made, read_treebank("dev", data_dir)))
    say(f"{len(examples):,} sentences are read; training")
    scores = train_parser(network, inventory, examples, dev, plan, say)
    return Learned(network.cpu().eval(), inventory, tokenizer, examples, len(others), scores)


def read_asked() -> list[Tree]:
    """Questions as people ask and type them, that nothing is trained on."""
    return read_tree_file(ASKED)


def read_others(path: Path, seed: int) -> list[Tree]:
    """Trees in brackets as the sample's are read; questions among them also as people type them."""
    trees = [without_traces(join_sentences([tree])) for tree in read_tree_file(path)]
    random = Random(seed)
    return [plain_question(tree, random) for tree in trees if tree is not None and not tree.word]


def _read(network: ParserNetwork, trees: list[Tree], inventory: Inventory, tokenizer: PairTokenizer) -> list[Example]:
    examples = make_examples(trees, inventory, tokenizer)
    return with_states(network, examples) if network.config.tuned == "nothing" else examples


def write_network(folder: Path, learned: Learned, plan: Plan) -> None:
    """What `load_network` reads: the trained weights, in half precision. A graph has them already, in int8."""
    save_file({name: value.half() for name, value in learned.network.own_weights().items()}, folder / WEIGHTS)
    write_heads(folder, learned, plan)


def write_heads(folder: Path, learned: Learned, plan: Plan) -> None:
    """What stands behind a graph, with the tokenizer and the names of labels and tags."""
    network, inventory = learned.network, learned.inventory
    np.savez(folder / HEADS, **asdict(network.heads()))
    save_encoder(network.encoder, learned.tokenizer, folder)
    settings = asdict(network.config) | asdict(plan)
    names = {"labels": list(inventory.labels), "tags": list(inventory.tags)}
    write_config(folder, MODEL, settings | names, terms=TERMS)


def load_network(folder: Path) -> tuple[ParserNetwork, Inventory, PairTokenizer]:
    """With torch, on the device at hand, what `write_network` wrote: a GPU parses many texts with it."""
    checkpoint = Checkpoint.open(folder)
    if not checkpoint.has(WEIGHTS):
        raise checkpoint.refusal(
            "a parser that only parses has none; tools.tree_rows.learn_parser writes them", WEIGHTS
        )
    inventory = read_inventory(checkpoint)
    own = {one.name: checkpoint.config[one.name] for one in fields(ParserConfig) if one.name in checkpoint.config}
    config = ParserConfig(**own)
    pretrained, tokenizer = load_pretrained(config.base)
    network = ParserNetwork(pretrained, config, len(inventory.labels), len(inventory.tags))
    found = {name: value.float() for name, value in load_file(checkpoint.path(WEIGHTS)).items()}
    network.load_state_dict(found, strict=False)
    return on_device(network).eval(), inventory, tokenizer


def write_graph(folder: Path, learned: Learned) -> None:
    """What parsing needs besides the weights behind it."""
    from anselm.export.parser_graph import parser_graph  # its libraries are not wherever a network can be trained

    (folder / GRAPH).parent.mkdir()
    rows = [example.row for example in learned.examples[:: max(1, len(learned.examples) // SEEN)]]
    seen = [{"ids": row.ids[None], "mask": np.ones_like(row.ids[None]), "shapes": row.shapes[None]} for row in rows]
    (folder / GRAPH).write_bytes(parser_graph(merge(learned.network), seen).SerializeToString())


def _test(folder: Path, gold: list[Tree]) -> BracketScores:
    return score_brackets(gold, load_span_parser(folder).parse_words([tree.words() for tree in gold]))


def _card(learned: Learned, test: BracketScores) -> str:
    dev = learned.dev
    return TEXT.format(
        encoder=learned.network.config.base, more=learned.more, version=__version__, questions=QUESTIONS,
        device=device_name(), terms=TERMS,
        dev_f1=dev.f1, dev_tags=dev.tags, f1=test.f1, tags=test.tags, **COUNTS,
    )  # fmt: skip
