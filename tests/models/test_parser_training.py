"""How a span parser is trained: which weights, how fast, on what sentences, and which are kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from torch.optim.optimizer import register_optimizer_step_pre_hook  # noqa: E402

from anselm.annotations.evalb import BracketScores  # noqa: E402
from anselm.annotations.piece_rows import LOWER  # noqa: E402
from anselm.annotations.trees import read_brackets  # noqa: E402
from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.models.frames import parser_training  # noqa: E402
from anselm.models.frames.parser_examples import batches, collate, make_examples, take_inventory  # noqa: E402
from anselm.models.frames.parser_network import LowRank, ParserConfig, ParserNetwork, adapt  # noqa: E402
from anselm.models.frames.parser_training import Plan, loss_of, rate_groups, set_rate, states_of, train_parser  # noqa: E402

TREES = [
    read_brackets("(S (NP (NNP Rome)) (VP (VBZ is) (ADJP (JJ old))) (. .))"),
    read_brackets("(S (NP (DT The) (NN cave)) (VP (VBZ is) (ADJP (JJ cold))) (. .))"),
]
INVENTORY = take_inventory(TREES)
TOKENIZER = PairTokenizer.load(Path(__file__).parents[2] / "src/anselm/shipped/default/tokenizer.json", 0)
EXAMPLES = make_examples(TREES, INVENTORY, TOKENIZER)


def make_network(tuned: str) -> Any:
    torch.manual_seed(1)
    shape = transformers.BertConfig(
        vocab_size=TOKENIZER.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    config = ParserConfig(tuned, rank=2, layers=1, hidden=32, dropout=0.0)
    encoder = transformers.BertModel(shape, add_pooling_layer=False)
    return ParserNetwork(encoder, config, len(INVENTORY.labels), len(INVENTORY.tags)).eval()


@pytest.mark.parametrize(
    ("tuned", "rate", "names"),
    [("layers", 3e-5, "encoder.encoder."), ("additions", 2e-4, ".up .down"), ("nothing", 3e-5, "")],
)
def test_what_is_new_learns_at_one_rate_and_the_encoder_at_another(tuned: str, rate: float, names: str) -> None:
    network = make_network(tuned)
    new, inner = rate_groups(network, Plan(learning_rate=2e-4, encoder_rate=3e-5))
    assert (new["full"], inner["full"]) == (2e-4, rate)
    named = {one: name for name, one in network.named_parameters()}
    trained = [named[one] for one in inner["params"]]
    assert all(any(part in name for part in names.split()) for name in trained)
    assert bool(trained) is (tuned != "nothing")
    assert not any("embeddings" in name for name in trained)
    assert {named[one] for one in new["params"]} == {name for name in named.values() if not name.startswith("encoder.")}


def test_a_share_of_the_rate_is_that_of_each_group() -> None:
    optimizer = torch.optim.SGD(rate_groups(make_network("layers"), Plan(learning_rate=2e-4, encoder_rate=3e-5)), lr=1)
    set_rate(optimizer, 0.5)
    assert [group["lr"] for group in optimizer.param_groups] == [1e-4, 1.5e-5]


def test_the_weights_that_were_best_on_dev_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    network, told = make_network("layers"), iter([0.3, 0.5, 0.4, 0.2])
    after: list[dict[str, Any]] = []

    def score(*_: object) -> BracketScores:
        after.append({name: value.clone() for name, value in network.state_dict().items()})
        return BracketScores(0, 0, next(told), 0, 0, 2)

    monkeypatch.setattr(parser_training, "score_brackets", score)
    best = train_parser(network, INVENTORY, EXAMPLES, EXAMPLES, Plan(epochs=4, learning_rate=1e-2), lambda _: None)
    assert best.f1 == 0.5
    left = network.state_dict()
    assert all(torch.equal(left[name], value) for name, value in after[1].items())
    assert any(not torch.equal(left[name], value) for name, value in after[3].items())


def steps_of(plan: Plan) -> list[Any]:
    """All gradients as one vector, at each step of the optimizer."""
    network, found = make_network("nothing"), list[Any]()

    def keep(*_: object) -> None:
        gradients = [one.grad.flatten() for one in network.parameters() if one.grad is not None]
        found.append(torch.cat(gradients).double())

    handle = register_optimizer_step_pre_hook(keep)
    try:
        train_parser(network, INVENTORY, EXAMPLES, EXAMPLES, plan, lambda _: None)
    finally:
        handle.remove()
    return found


def test_gradients_are_clipped_together_to_the_length_of_the_plan() -> None:
    whole, *_ = steps_of(Plan(epochs=1, clip=1e9))
    length = float(whole.square().sum().sqrt())
    assert length > 0.5
    clipped, *_ = steps_of(Plan(epochs=1, clip=0.25))
    torch.testing.assert_close(clipped, whole * (0.25 / length), atol=1e-7, rtol=1e-4)
    kept, *_ = steps_of(Plan(epochs=1, clip=2 * length))
    torch.testing.assert_close(kept, whole)  # a short one is not made longer


MANY = make_examples([TREES[i % 2] for i in range(12)], INVENTORY, TOKENIZER)


def orders_of(monkeypatch: pytest.MonkeyPatch, seed: int) -> list[list[list[int]]]:
    """The batches of each of four epochs, as places of examples."""
    network, read, modes = make_network("nothing"), list[list[int]](), list[bool]()

    def keep(examples: Any) -> Any:
        if network.training:
            read.append([next(i for i, one in enumerate(MANY) if one is example) for example in examples])
        return collate(examples)

    def loss(network: Any, batch: Any, plan: Plan) -> Any:
        modes.append(network.training)
        return loss_of(network, batch, plan)

    monkeypatch.setattr(parser_training, "collate", keep)
    monkeypatch.setattr(parser_training, "loss_of", loss)
    train_parser(network, INVENTORY, MANY, EXAMPLES, Plan(epochs=4, words=16, seed=seed), lambda _: None)
    assert all(modes)  # dev, which is read without dropout, comes between them
    assert len(modes) == len(read) == 4 * 6
    return [read[start : start + 6] for start in range(0, 24, 6)]


def test_every_epoch_has_all_sentences_in_an_order_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = orders_of(monkeypatch, 1)
    for batched in orders:
        assert sorted(place for batch in batched for place in batch) == list(range(len(MANY)))
    assert len({str(batched) for batched in orders}) == 4
    assert orders_of(monkeypatch, 1) == orders
    assert orders_of(monkeypatch, 2) != orders


def test_batches_come_in_an_order_and_a_company_that_change() -> None:
    """Of sentences of about one length; without a generator from short to long."""
    lengths = list(range(1, 41))
    sentences: Any = [SimpleNamespace(words=length) for length in reversed(lengths)]
    read = lambda *random: [[sentences[i].words for i in batch] for batch in batches(sentences, 90, *random)]  # noqa: E731
    assert [length for batch in read() for length in batch] == lengths
    random = np.random.default_rng(1)
    draws = [read(random) for _ in range(5)]
    for batched in draws:
        assert sorted(length for batch in batched for length in batch) == lengths
        assert all(max(batch) - min(batch) < 25 for batch in batched)
    assert len({frozenset(map(frozenset, batched)) for batched in draws}) == 5
    assert any(min(batched[0]) > max(batched[-1]) for batched in draws)


def test_sentences_are_read_as_if_written_without_capitals() -> None:
    network, batch = make_network("nothing"), collate(EXAMPLES)
    assert (batch.shapes > LOWER).any()
    assert (batch.shapes < LOWER).any()
    with torch.no_grad():
        usual, lowered = states_of(network, batch), states_of(network, batch, 1.0)
        batch.shapes.clamp_(max=LOWER)  # the shapes of what is no word, and of punctuation, stay
        expected = states_of(network, batch)
    assert torch.equal(lowered, expected)
    assert not torch.allclose(usual, lowered)


def test_the_share_of_lowered_sentences_is_that_of_the_plan() -> None:
    network, batch = make_network("nothing"), collate(EXAMPLES)
    with torch.no_grad():
        usual, lowered = (loss_of(network, batch, Plan(lowered=share)) for share in (0.0, 1.0))
    assert usual != lowered


def test_layers_are_mixed_and_normed_before_they_are_projected() -> None:
    """From the equations: softmax over layers, a layer norm, a product, and the shape of the word."""
    network, batch = make_network("nothing"), collate(EXAMPLES)
    seen: list[Any] = []
    network.top.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    torch.nn.init.normal_(network.mix)
    with torch.no_grad():
        states = 3 * network.layer_states(batch.ids, batch.mask) + 1  # which are normed themselves
        network.above(states, batch.mask, batch.shapes)
        shares = network.mix.exp() / network.mix.exp().sum()
        mixed = sum(share * states[:, :, layer] for layer, share in enumerate(shares))
        centred = mixed - mixed.mean(-1, keepdim=True)
        normed = centred / (centred.square().mean(-1, keepdim=True) + network.norm.eps).sqrt()
        expected = normed @ network.project.weight.T + network.project.bias + network.shape.weight[batch.shapes]
    torch.testing.assert_close(seen[0], expected, atol=1e-5, rtol=1e-4)


def test_additions_change_nothing_before_they_have_learned() -> None:
    torch.manual_seed(1)
    product = torch.nn.Linear(8, 4)
    x = torch.randn(3, 8)
    assert torch.equal(LowRank(product, 2)(x), product(x))


@pytest.mark.parametrize("kind", ["Bert", "MPNet"])
def test_all_products_of_an_encoders_layers_are_adapted(kind: str) -> None:
    shape = getattr(transformers, f"{kind}Config")(
        vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    encoder = getattr(transformers, f"{kind}Model")(shape, add_pooling_layer=False)
    adapt(encoder, 2)
    assert sum(isinstance(module, LowRank) for module in encoder.modules()) == 2 * 6
