"""The graph encoder: what goes into the fusion, and what may change its output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from anselm.layers.graph import distance_graph, entity_graph, normalise, similarity_graph  # noqa: E402
from anselm.layers.perspectives import PERSPECTIVES, GraphEncoder, GraphSettings, Relations  # noqa: E402

SIZES = (5, 2)
WIDTH = 8


def relations(extra: int = 0) -> Relations:
    """Two lists, with so many places of padding more than they need."""
    generator = torch.Generator().manual_seed(4)
    n = max(SIZES)
    mask = torch.arange(n) < torch.tensor(SIZES)[:, None]
    known = Relations(
        mask,
        torch.arange(n).expand(2, n) * mask,
        torch.zeros(2, n, dtype=torch.long),
        (torch.rand(2, n, 3, generator=generator) > 0.5) & mask[:, :, None],
        mask.clone(),
        torch.randn(2, n, 6, generator=generator),
    )
    pad = lambda t: torch.cat([t, torch.ones(2, extra, *t.shape[2:]).to(t.dtype)], dim=1)  # noqa: E731
    padded = Relations(*(pad(getattr(known, name)) for name in known.__dataclass_fields__))
    return replace(padded, mask=torch.arange(n + extra) < torch.tensor(SIZES)[:, None])


def encoder(**settings: Any) -> GraphEncoder:
    torch.manual_seed(1)
    return GraphEncoder(WIDTH, GraphSettings(**settings)).eval()


def states() -> torch.Tensor:
    return torch.randn(2, max(SIZES), WIDTH, generator=torch.Generator().manual_seed(9))


@torch.no_grad()
def test_linear_fusion_is_of_the_list_and_the_four_outputs() -> None:
    model, h, known = encoder(fusion="linear"), states(), relations()
    graphs = {
        "entity": normalise(entity_graph(known.shared, known.named, known.mask)),
        "distance": normalise(distance_graph(known.positions, known.documents, known.mask, 2.0)),
        "similarity": normalise(similarity_graph(known.vectors, known.mask)),
        "dynamic": model.dynamic(h, known.mask),
    }
    outputs = [h, *(model.convolutions[name](h, graphs[name]) for name in PERSPECTIVES)]
    expected = model.fusion(torch.cat(outputs, dim=-1))
    torch.testing.assert_close(model(h, known), expected)


@torch.no_grad()
def test_the_fusion_reads_both_ways_with_half_the_width_each() -> None:
    model, h, known = encoder(), states(), relations()
    every = [h]
    for name, graph in model.graphs(h, known):
        every.append(model.convolutions[name](h, graph if name == "dynamic" else normalise(graph)))
    joined = torch.cat(every, dim=-1)
    for k, size in enumerate(SIZES):
        row = joined[k : k + 1, :size]
        ahead, _ = model.fusion.forwards[0](row)
        back, _ = model.fusion.backwards[0](row.flip(1))
        expected = torch.cat([ahead, back.flip(1)], dim=2)[0]
        torch.testing.assert_close(model(h, known)[k, :size], expected)


@torch.no_grad()
@pytest.mark.parametrize("fusion", ["gru", "linear"])
def test_padding_changes_nothing(fusion: str) -> None:
    model, h = encoder(fusion=fusion), states()
    wider = torch.cat([h, torch.full((2, 3, WIDTH), 7.0)], dim=1)
    found, expected = model(wider, relations(3)), model(h, relations())
    for k, size in enumerate(SIZES):
        torch.testing.assert_close(found[k, :size], expected[k, :size])


@pytest.mark.parametrize("fusion", ["gru", "linear"])
def test_a_list_that_is_all_padding_changes_nothing_of_the_others(fusion: str) -> None:
    model, h, known = encoder(fusion=fusion), states(), relations()
    none = {"mask": torch.zeros_like(known.mask[:1])}
    values = {name: getattr(known, name) for name in known.__dataclass_fields__}
    more = Relations(**{name: torch.cat([value, none.get(name, value[:1])]) for name, value in values.items()})
    found = model(torch.cat([h, h[:1]]), more)
    assert torch.isfinite(found).all()
    gradients = []
    for scored, mask in ((found[:2], known.mask), (model(h, known), known.mask)):
        torch.testing.assert_close(scored[mask], found[:2][mask])
        gradients.append(torch.autograd.grad(scored[mask].square().sum(), list(model.parameters()), retain_graph=True))
    torch.testing.assert_close(*gradients, atol=1e-5, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize(
    ("graphs", "fusion", "same"),
    [
        (("entity", "similarity", "dynamic"), "linear", True),
        (PERSPECTIVES, "linear", False),
        (("entity", "similarity", "dynamic"), "gru", False),
    ],
)
def test_order_counts_through_distance_and_gru_alone(graphs: tuple[str, ...], fusion: str, same: bool) -> None:
    model, h, known = encoder(graphs=graphs, fusion=fusion), states()[:1], relations()
    one = Relations(*(getattr(known, name)[:1] for name in known.__dataclass_fields__))
    order = torch.tensor([3, 0, 4, 2, 1])
    moved = Relations(*(getattr(one, name)[:, order] for name in one.__dataclass_fields__))
    moved = replace(moved, positions=one.positions)  # in the new order
    found, expected = model(h[:, order], moved), model(h, one)[:, order]
    assert torch.allclose(found, expected, atol=1e-6) is same


@torch.no_grad()
def test_places_count_by_the_distance_graph_alone() -> None:
    """With the places of the source, a list in another order is the same list."""
    model, h, known = encoder(fusion="linear"), states()[:1], relations()
    one = Relations(*(getattr(known, name)[:1] for name in known.__dataclass_fields__))
    order = torch.tensor([3, 0, 4, 2, 1])
    moved = Relations(*(getattr(one, name)[:, order] for name in one.__dataclass_fields__))
    torch.testing.assert_close(model(h[:, order], moved), model(h, one)[:, order])


def test_every_weight_learns() -> None:
    model = encoder().train()
    model(states(), relations()).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
