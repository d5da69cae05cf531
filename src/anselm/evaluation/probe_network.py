"""The classifier of a probe: one hidden layer as wide as its input, ReLU, and a line; in numpy, the same for a seed.

    classes     softmax, cross-entropy
    a number    half the squared error

Adam (0.9, 0.999, 1e-8), small batches in a new order in each epoch, a fixed number of epochs. Inputs are standardised
by what is trained on; one that does not vary there counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Parameters = list[Floats]  # hidden weights, hidden bias, output weights, output bias

DECAYS, TINY = (0.9, 0.999), 1e-8


@dataclass(frozen=True)
class Fitting:
    epochs: int = 20
    batch: int = 64
    learning_rate: float = 1e-3
    seed: int = 1


@dataclass(frozen=True)
class Network:
    mean: Floats
    scale: Floats
    parameters: Parameters

    def __call__(self, vectors: Floats) -> Floats:
        """(n, width) -> (n, out)"""
        return _read((vectors - self.mean) * self.scale, self.parameters)[1]


def fit_network(vectors: Floats, targets: Floats, fitting: Fitting, classes: bool) -> Network:
    """`targets` are (n, out): 1 for the class of each and 0 for others, or numbers."""
    chance = np.random.default_rng(fitting.seed)
    mean, spread = vectors.mean(axis=0), vectors.std(axis=0)
    scale = np.where(spread > TINY, 1 / np.maximum(spread, TINY), 0).astype(np.float32)
    inputs, width, out = (vectors - mean) * scale, vectors.shape[1], targets.shape[1]
    parameters = [*_line(chance, width, width), *_line(chance, width, out)]
    adam = Adam(parameters, fitting.learning_rate)
    for _ in range(fitting.epochs):
        order = chance.permutation(len(inputs))
        for start in range(0, len(order), fitting.batch):
            rows = order[start : start + fitting.batch]
            adam.step(gradients(inputs[rows], targets[rows], parameters, classes))
    return Network(mean, scale, parameters)


def _line(chance: np.random.Generator, width: int, out: int) -> tuple[Floats, Floats]:
    bound = np.sqrt(6 / (width + out))  # Glorot's
    return chance.uniform(-bound, bound, (width, out)).astype(np.float32), np.zeros(out, dtype=np.float32)


def _read(inputs: Floats, parameters: Parameters) -> tuple[Floats, Floats]:
    """(n, width) -> hidden (n, width), out (n, out)"""
    first, bias, second, last = parameters
    hidden = np.maximum(inputs @ first + bias, 0)
    return hidden, hidden @ second + last


def gradients(inputs: Floats, targets: Floats, parameters: Parameters, classes: bool) -> Parameters:
    """Of the mean loss."""
    hidden, out = _read(inputs, parameters)
    if classes:
        out = np.exp(out - out.max(axis=1, keepdims=True))
        out /= out.sum(axis=1, keepdims=True)
    wrong = (out - targets) / len(inputs)  # of both losses
    back = (wrong @ parameters[2].T) * (hidden > 0)
    return [inputs.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]


class Adam:
    """Changes the parameters where they are."""

    def __init__(self, parameters: Parameters, rate: float) -> None:
        self.parameters, self.rate, self.steps = parameters, rate, 0
        self.means, self.squares = ([np.zeros_like(one) for one in parameters] for _ in range(2))

    def step(self, found: Parameters) -> None:
        self.steps += 1
        first, second = DECAYS
        rate = self.rate * np.sqrt(1 - second**self.steps) / (1 - first**self.steps)
        for one, gradient, mean, square in zip(self.parameters, found, self.means, self.squares, strict=True):
            mean += (1 - first) * (gradient - mean)
            square += (1 - second) * (gradient**2 - square)
            one -= (rate * mean / (np.sqrt(square) + TINY)).astype(one.dtype)
