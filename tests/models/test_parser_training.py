"""How a span parser is trained: which weights, how fast, on what sentences, and which are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from anselm.annotations.evalb import BracketScores  # noqa: E402
from anselm.annotations.piece_rows import LOWER  # noqa: E402
from anselm.annotations.trees import read_brackets  # noqa: E402
from anselm.encoding.tokenizer import PairTokenizer  # noqa: E402
from anselm.models.frames import parser_training  # noqa: E402
from anselm.models.frames.parser_examples import collate, make_examples, take_inventory  # noqa: E402
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
