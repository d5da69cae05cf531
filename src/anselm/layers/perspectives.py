"""The Multi-Perspective Graph Encoder (Tian et al., 2020): candidates see each other through up to four graphs.

    H^all  = [H^0; H^L_ent; H^L_dist; H^L_simi; H^L_dyn]                                                             (8)
    H^mpge = BiGRU(H^all), half of the width in each direction                                                       (7)

or, as in Table 5, a linear projection of H^all. Figure 6 has a GRU of two layers over H^0 in its place. The graphs are
those of layers/graph.py, each with the weights of its own ("we input the four pairs into GCNs respectively").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from anselm.layers.graph import (
    DynamicGraph,
    GraphConvolution,
    distance_graph,
    entity_graph,
    normalise,
    similarity_graph,
)
from anselm.layers.recurrent import BiGRU

ENTITY, DISTANCE, SIMILARITY, DYNAMIC = "entity", "distance", "similarity", "dynamic"
PERSPECTIVES = (ENTITY, DISTANCE, SIMILARITY, DYNAMIC)
GRU, LINEAR = "gru", "linear"
FUSIONS = (GRU, LINEAR)


@dataclass(frozen=True)
class Relations:
    """What is known of the candidates of a batch, list by list."""

    mask: Tensor  # (lists, n) True where there is a candidate
    positions: Tensor  # (lists, n) in the source, from 0; below 0: none
    documents: Tensor  # (lists, n) which document of the list it is from
    shared: Tensor  # (lists, n, entities) those that several candidates of the list have
    named: Tensor  # (lists, n) whether it has any entity
    vectors: Tensor  # (lists, n, width of the vectors)


@dataclass(frozen=True)
class GraphSettings:
    """What the paper leaves open, and recipes choose on dev: sigma, activation, scaled, what the entities are."""

    graphs: tuple[str, ...] = PERSPECTIVES
    sigma: float = 2.0  # of the distance graph, in sentences
    graph_layers: int = 2
    graph_dropout: float = 0.2
    activation: str = "relu"
    scaled: bool = False  # whether the scores of the dynamic graph are divided by the root of the width
    fusion: str = GRU
    entities: str = "rules"  # who finds them (annotations/entities.py)
    partial_names: bool = False  # whether Cavill is Henry Cavill


class GraphEncoder(nn.Module):
    def __init__(self, width: int, settings: GraphSettings) -> None:
        super().__init__()
        self.settings = settings
        self.convolutions = nn.ModuleDict(
            {
                name: GraphConvolution(width, settings.graph_layers, settings.activation, settings.graph_dropout)
                for name in settings.graphs
            }
        )
        if DYNAMIC in settings.graphs:
            self.dynamic = DynamicGraph(width, settings.activation, settings.scaled)
        joined = width * (1 + len(settings.graphs))
        self.fusion = nn.Linear(joined, width) if settings.fusion == LINEAR else BiGRU(joined, width // 2)

    def graphs(self, h: Tensor, relations: Relations) -> Iterator[tuple[str, Tensor]]:
        """The adjacency matrices, not normalised, one after the other: of 2,000 candidates each has 16 MB. Each (lists,
        n, n)"""
        mask, sigma = relations.mask, self.settings.sigma
        makers: dict[str, Callable[[], Tensor]] = {
            ENTITY: lambda: entity_graph(relations.shared, relations.named, mask),
            DISTANCE: lambda: distance_graph(relations.positions, relations.documents, mask, sigma),
            SIMILARITY: lambda: similarity_graph(relations.vectors, mask),
            DYNAMIC: lambda: self.dynamic(h, mask),
        }
        for name in self.settings.graphs:
            yield name, makers[name]()

    def forward(self, h: Tensor, relations: Relations) -> Tensor:
        """(lists, n, width) -> (lists, n, width)"""
        seen = [h]
        for name, graph in self.graphs(h, relations):
            seen.append(self.convolutions[name](h, graph if name == DYNAMIC else normalise(graph)))
        every = torch.cat(seen, dim=-1)  # (8)
        fused: Tensor = (
            self.fusion(every) if self.settings.fusion == LINEAR else self.fusion(every, relations.mask)
        )  # (7)
        return fused
