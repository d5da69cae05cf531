"""The span parser: numpy's part against torch's, a checkpoint that is written and read, and strange sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from anselm.annotations.chart import best_trees  # noqa: E402
from anselm.annotations.piece_rows import make_row  # noqa: E402
from anselm.annotations.span_parser import SpanParser, check_lengths, load_span_parser  # noqa: E402
from anselm.annotations.trees import Tree, read_brackets  # noqa: E402
from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.errors import InputError  # noqa: E402
from anselm.models.frames import parser_training  # noqa: E402
from anselm.models.frames.parser_examples import collate, make_examples, take_inventory  # noqa: E402
from anselm.models.frames.parser_losses import margin_loss  # noqa: E402
from anselm.models.frames.parser_network import LowRank, ParserConfig, ParserNetwork, merge  # noqa: E402
from anselm.models.frames.parser_training import Plan, parse_examples, rate, states_of, train_parser  # noqa: E402

TREES = [
    read_brackets("(S (NP (DT The) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))"),
    read_brackets("(SBARQ (WHADVP (WRB How)) (SQ (VBZ is) (NP (DT the) (NN cave)) (VP (VBN made))) (. ?))"),
    read_brackets("(S (VP (VB Go)))"),
]
SHIPPED = Path(__file__).parents[2] / "src/anselm/shipped/default/tokenizer.json"


@pytest.fixture
def tokenizer() -> PairTokenizer:
    return PairTokenizer.load(SHIPPED, 0)


@pytest.fixture
def network(one_thread: None, tokenizer: PairTokenizer) -> Iterator[Any]:
    torch.manual_seed(1)
    shape = transformers.BertConfig(
        vocab_size=tokenizer.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    inventory = take_inventory(TREES)
    config = ParserConfig("additions", 2, width=16, heads=2, layers=1, hidden=32, dropout=0.0)
    encoder = transformers.BertModel(shape, add_pooling_layer=False)
    return ParserNetwork(encoder, config, len(inventory.labels), len(inventory.tags)).eval()


def test_numpy_scores_spans_and_tags_as_torch_does(network: Any, tokenizer: PairTokenizer) -> None:
    inventory = take_inventory(TREES)
    batch = collate(make_examples(TREES, inventory, tokenizer))
    with torch.no_grad():
        h = states_of(network, batch)
        spans = network.span_scores(h, batch.before, batch.behind, batch.starts, batch.ends).numpy()
        tags = network.tag_scores(h, batch.first, batch.last).argmax(-1).numpy()
    heads, states, span, word = network.heads(), h.reshape(*batch.ids.shape, -1).numpy(), 0, 0
    for tree, own in zip(TREES, states, strict=True):
        row, count = make_row(tree.words(), tokenizer, 100), len(tree.words())
        gain, _ = heads.best_labels(own, row)
        for start in range(count):
            for end in range(start + 1, count + 1):
                assert gain[start, end] == pytest.approx(spans[span, 1:].max() - spans[span, 0], abs=1e-5)
                span += 1
        assert heads.best_tags(own, row).tolist() == tags[word : word + count].tolist()
        word += count


def test_padding_changes_no_state(network: Any, tokenizer: PairTokenizer) -> None:
    inventory = take_inventory(TREES)
    examples = make_examples(TREES, inventory, tokenizer)
    with torch.no_grad():
        together = states_of(network, collate(examples)).reshape(3, -1, 16)
        alone = states_of(network, collate(examples[2:]))
    assert torch.allclose(together[2, : len(alone)], alone, atol=1e-5)


def dropped(seen: Any, whole: Any) -> bool:
    """Whether half of it is gone, and the rest twice as large."""
    alive = whole != 0
    gone = (seen == 0) & alive
    return bool(torch.allclose(seen[~gone], 2 * whole[~gone], atol=1e-5) and 0.4 < gone.sum() / alive.sum() < 0.6)


def test_dropout_is_before_every_product_above_the_encoder(network: Any, tokenizer: PairTokenizer) -> None:
    """What each product is given, beside what was computed before it; in training alone."""
    inventory = take_inventory(TREES)
    batch = collate(make_examples(TREES * 8, inventory, tokenizer))
    states, given, made = network.layer_states(batch.ids, batch.mask), dict[str, Any](), dict[str, Any]()
    names = {getattr(network, name): name for name in ("project", "fence", "label", "tag_hidden", "tag")}

    def keep(module: Any, x: tuple[Any], out: Any) -> None:
        given[names[module]], made[names[module]] = x[0], out

    for module in names:
        module.register_forward_hook(keep)
    network.train().dropout.p = 0.5
    h = torch.randn(batch.ids.numel(), 16)
    network.above(states, batch.mask, batch.shapes)
    network.span_scores(h, batch.before, batch.behind, batch.starts, batch.ends)
    network.tag_scores(h, batch.first, batch.last)
    apart = made["fence"][batch.ends] - made["fence"][batch.starts]
    whole = {
        "project": network.norm((states * network.mix.softmax(0)[:, None]).sum(2)),
        "fence": torch.cat([h[batch.before, :8], h[batch.behind, 8:]], dim=1),
        "label": torch.relu(network.fence_norm(apart)),
        "tag_hidden": torch.cat([h[batch.first], h[batch.last]], dim=1),
        "tag": torch.relu(made["tag_hidden"]),
    }
    assert {name: dropped(given[name], value) for name, value in whole.items()} == dict.fromkeys(whole, True)
    network.eval()
    network.above(states, batch.mask, batch.shapes)
    assert torch.equal(given["project"], whole["project"])


def test_the_layers_above_the_encoder_have_the_dropout_of_the_settings() -> None:
    shape = transformers.BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    encoder = transformers.BertModel(shape, add_pooling_layer=False)
    made = ParserNetwork(encoder, ParserConfig("nothing", layers=2, dropout=0.35), 2, 2)
    assert made.dropout.p == 0.35
    assert [layer.self_attn.dropout for layer in made.top.layers] == [0.35] * 2
    inside = [one.p for one in made.top.modules() if isinstance(one, torch.nn.Dropout)]
    assert inside == [0.35] * len(inside)
    assert len(inside) == 2 * 3


def test_additions_merge_into_the_products(network: Any) -> None:
    for module in network.modules():
        if isinstance(module, LowRank):
            torch.nn.init.normal_(module.up)
    given = torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.int64), torch.tensor([[0, 3, 0]])
    with torch.no_grad():
        before = network(*given)
        after = merge(network)(*given)
    assert not any(isinstance(module, LowRank) for module in network.modules())
    assert torch.allclose(before, after, atol=1e-4)


def binary_trees(start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """The spans of each, by recursion."""
    if end - start == 1:
        yield [(start, end)]
    for middle in range(start + 1, end):
        for left in binary_trees(start, middle):
            for right in binary_trees(middle, end):
                yield [(start, end), *left, *right]


def test_the_best_trees_are_those_of_all() -> None:
    scores, lengths = np.random.default_rng(1).normal(size=(3, 7, 7)), [6, 1, 4]
    for own, length, best in zip(scores, lengths, best_trees(scores, lengths), strict=True):
        highest = max(sum(own[span] for span in tree) for tree in binary_trees(0, length))
        assert sum(own[span] for span in best) == pytest.approx(highest)


def test_the_margin_is_that_of_the_worst_tree(network: Any, tokenizer: PairTokenizer) -> None:
    """Against all trees with all labels, one after the other."""
    inventory = take_inventory(TREES)
    examples = make_examples(TREES[:1], inventory, tokenizer)
    batch = collate(examples)
    scores = torch.randn(len(batch.labels), len(inventory.labels))
    spans = list(zip(batch.starts.tolist(), batch.ends.tolist(), strict=True))
    gains = dict(zip(spans, (scores - scores[:, :1]).tolist(), strict=True))
    right = dict(zip(spans, batch.labels.tolist(), strict=True))
    worst = max(
        sum(max(gain + (label != right[span]) for label, gain in enumerate(gains[span])) for span in tree)
        for tree in binary_trees(0, examples[0].words)
    )
    expected = worst - sum(gains[span][label] for span, label in right.items())
    assert margin_loss(scores, batch).item() == pytest.approx(expected, abs=1e-4)


def test_the_margin_pushes_what_is_wrong_and_pulls_what_is_right(network: Any, tokenizer: PairTokenizer) -> None:
    """By the difference of the loss, a step apart."""
    inventory = take_inventory(TREES)
    batch = collate(make_examples(TREES, inventory, tokenizer))
    scores = torch.randn(len(batch.labels), len(inventory.labels), dtype=torch.float64, requires_grad=True)
    margin_loss(scores, batch).backward()
    assert scores.grad is not None
    for place in torch.nonzero(scores.grad)[::3].tolist():
        moved = scores.detach().clone()
        moved[tuple(place)] += 1e-6
        slope = (margin_loss(moved, batch) - margin_loss(scores.detach(), batch)).item() / 1e-6
        assert slope == pytest.approx(scores.grad[tuple(place)].item(), abs=1e-4)


@pytest.mark.parametrize("loss", ["margin", "local"])
def test_three_sentences_are_learned_by_heart(network: Any, tokenizer: PairTokenizer, loss: str) -> None:
    inventory = take_inventory(TREES)
    examples = make_examples(TREES, inventory, tokenizer)
    plan = Plan(epochs=150, loss=loss, learning_rate=1e-2, lowered=0.0, seconds=1e9)
    scores = train_parser(network, inventory, examples, examples, plan, lambda _: None)
    assert scores.f1 == scores.tags == 1
    assert parse_examples(network, examples, inventory) == TREES


def test_the_rate_warms_up_by_steps_or_by_time_whichever_is_over_first() -> None:
    assert rate(0.0, 0.1) == rate(1.0, 0.1) == 0
    assert rate(0.05, 0.1) == pytest.approx(0.5 * 0.5 * (1 + np.cos(0.05 * np.pi)))
    assert rate(0.1, 0.1) == pytest.approx(0.5 * (1 + np.cos(0.1 * np.pi)))


def test_the_rate_has_warmed_up_before_a_short_time_is_over(
    network: Any, tokenizer: PairTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand epochs are asked for, of which there is time for few."""
    seen, clock = [], count()
    monkeypatch.setattr(parser_training, "set_rate", lambda _, share: seen.append(share))
    monkeypatch.setattr(parser_training, "monotonic", lambda: float(next(clock)))
    inventory = take_inventory(TREES)
    examples = make_examples(TREES, inventory, tokenizer)
    train_parser(network, inventory, examples, examples, Plan(epochs=1000, seconds=50), lambda _: None)
    assert len(seen) < 100
    assert max(seen) > 0.9
    assert seen[0] < 0.5  # it rises
    assert seen[-1] < 0.1  # and has fallen when time is over


def test_layers_above_are_as_wide_as_the_encoder_up_to_a_limit() -> None:
    assert (ParserConfig().above(384).width, ParserConfig().above(384).heads) == (384, 6)
    assert (ParserConfig().above(768).width, ParserConfig().above(768).heads) == (512, 8)
    assert (ParserConfig().above(16).width, ParserConfig().above(16).heads) == (16, 1)
    assert ParserConfig(width=32, heads=4).above(768) == ParserConfig(width=32, heads=4)


@pytest.fixture
def parser(network: Any, tokenizer: PairTokenizer) -> SpanParser:
    """With torch in the place of an engine, and a window of few pieces."""
    made = SpanParser.__new__(SpanParser)
    made.inventory, made.heads, made.tokenizer, made.unknown = take_inventory(TREES), network.heads(), tokenizer, 100

    def engine(rows: Any) -> Any:
        with torch.no_grad():
            found = network(*(torch.from_numpy(rows[name]) for name in ("ids", "mask", "shapes")))
        return np.asarray(found)

    made.engine = engine
    return made


@pytest.mark.parametrize(
    "text", ["何ですか。", "😀👍🏽 ok", "\u200b\x01", "word " * 500, "a" * 5_000, "(((", "``", "."]
)
def test_whatever_it_is_it_has_a_tree(parser: SpanParser, text: str) -> None:
    for tree in parser.parse([text])[0]:
        assert tree.words()


def test_no_words_no_tree(parser: SpanParser) -> None:
    assert parser.parse(["", " \n"]) == [(), ()]
    assert parser.parse_words([[]]) == [Tree("S")]


def test_too_many_words_are_refused() -> None:
    with pytest.raises(InputError, match=r"1,001 words.*1,000 at most"):
        check_lengths([["a"] * 1_001])


def test_no_parser_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="anselm train parser"):
        load_span_parser(tmp_path / "parser")
