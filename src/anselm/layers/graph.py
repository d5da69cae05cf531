"""Graphs over the candidates of a list, and convolutions over them. "Capturing Sentence Relations for Answer Sentence
Selection with Multi-Perspective Graph Encoding" (Tian et al., 2020), equations 1 to 6:

    A^ent_ij  = 1 where S_i and S_j share an entity, else 0                                                          (1)
    A^dist_ij = exp(-(j - i)² / 2σ²)                                                                                 (2)
    A^simi_ij = cos(r_i, r_j)                                                                                        (3)
    A^dyn_i   = softmax_j(α_ij),  α_ij = φ(w_s h_i) · φ(w_s h_j)                                                (4), (5)
    H^(t+1)   = φ(D^-½ A D^-½ H^(t) W^(t)),  D_ii = Σ_j A_ij, without added self-loops                               (6)

What follows from them, and what was settled here:
  - (2) has the factor 1 / σ√2π in the paper. It cancels in (6), so it is left out.
  - Candidates of different documents, or drawn from other lists, are no distance apart: there is no edge in (2).
  - A cosine below 0 could make a degree of (6) zero or negative: it counts as 0, no relation.
  - A sentence without entities has a row of zeros in (1), and so in (6): that graph says nothing of it. One that has
    entities has itself as a neighbour.
  - The rows of (4) sum to one already, so that (6) has D = I, and is not applied.
  - (5) is not scaled; `scaled` divides α by √d, and leaves the softmax all but uniform at the start.
  - Weights begin as in Kipf and Welling's GCN (2017), after Glorot and Bengio (2010), times the gain of φ: what comes
    out of a convolution is then about as large as what went in, and can be read beside H^0; and α is large enough for
    the dynamic graph to prefer some candidates, without choosing one. PyTorch's own weights are √6 times smaller.
Padding has no edges. A graph is (lists, n, n).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "tanh": torch.tanh,
    "gelu": functional.gelu,
}
GAINS = {"relu": math.sqrt(2), "tanh": 5 / 3, "gelu": math.sqrt(2)}  # which undo what φ takes from the variance


def both(mask: Tensor) -> Tensor:
    """Where an edge may be: both of its ends are candidates. (lists, n) -> (lists, n, n)"""
    return mask[:, :, None] & mask[:, None, :]


def entity_graph(shared: Tensor, named: Tensor, mask: Tensor) -> Tensor:
    """(1), from the entities that several candidates of a list share, (lists, n, entities), and whether a candidate
    has any at all, (lists, n)."""
    incidence = shared.float()
    together = incidence @ incidence.mT > 0  # (lists, n, n)
    alone = torch.diag_embed(named)
    return ((together | alone) & both(mask)).float()


def distance_graph(positions: Tensor, documents: Tensor, mask: Tensor, sigma: float) -> Tensor:
    """(2), from places in the source and the numbers of the documents, each (lists, n); a place below 0 is none."""
    places = positions.float()
    gap = places[:, :, None] - places[:, None, :]
    placed = both(mask & (positions >= 0)) & (documents[:, :, None] == documents[:, None, :])
    itself = torch.eye(positions.shape[1], dtype=torch.bool, device=positions.device)
    edges = (placed | itself) & both(mask)
    return gap.square_().div_(-2 * sigma**2).exp_().mul_(edges)


def similarity_graph(vectors: Tensor, mask: Tensor) -> Tensor:
    """(3), from vectors of any length. (lists, n, width)"""
    unit = functional.normalize(vectors.float(), dim=-1)
    return (unit @ unit.mT).clamp(min=0) * both(mask)


def normalise(graph: Tensor) -> Tensor:
    """D^-½ A D^-½ of (6); a candidate without an edge keeps none."""
    degree = graph.sum(dim=-1)  # (lists, n)
    root = torch.where(degree > 0, degree, torch.inf).rsqrt()
    return root[:, :, None] * graph * root[:, None, :]


def square(width: int, activation: str) -> nn.Linear:
    """A matrix of weights before an activation, drawn as Glorot and Bengio do."""
    layer = nn.Linear(width, width, bias=False)
    nn.init.xavier_uniform_(layer.weight, GAINS[activation])
    return layer


class DynamicGraph(nn.Module):
    """(4) and (5)."""

    def __init__(self, width: int, activation: str, scaled: bool) -> None:
        super().__init__()
        self.weight = square(width, activation)  # w_s
        self.activation, self.scale = ACTIVATIONS[activation], width**-0.5 if scaled else 1.0

    def forward(self, h: Tensor, mask: Tensor) -> Tensor:
        """(lists, n, width) -> (lists, n, n)"""
        projected = self.activation(self.weight(h)).float()
        alpha = (self.scale * projected) @ projected.mT
        hidden = mask[:, :, None] & ~mask[:, None, :]  # rows of padding, which may not be empty in a softmax, hide none
        return alpha.masked_fill(hidden, -torch.inf).softmax(dim=-1) * both(mask)


class GraphConvolution(nn.Module):
    """(6), some layers of it, each followed by dropout."""

    def __init__(self, width: int, layers: int, activation: str, dropout: float) -> None:
        super().__init__()
        self.weights = nn.ModuleList(square(width, activation) for _ in range(layers))
        self.activation, self.dropout = ACTIVATIONS[activation], nn.Dropout(dropout)

    def forward(self, h: Tensor, graph: Tensor) -> Tensor:
        """(lists, n, width), (lists, n, n), normalised -> (lists, n, width)"""
        for weight in self.weights:
            h = self.dropout(self.activation(weight(graph.to(h.dtype) @ h)))
        return h
