"""A network with a class per layer, and its functional twin: of scalars in lists, and of arrays of NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Linear:
    """A layer that multiplies by weights and adds a bias, of lists of floats."""

    def __init__(self, weights: list[list[float]], bias: list[float]) -> None:
        self.weights = weights
        self.bias = bias

    def __call__(self, x: list[float]) -> list[float]:
        result = []
        for i in range(len(self.bias)):
            total = self.bias[i]
            row = self.weights[i]
            for j in range(len(x)):
                total += row[j] * x[j]
            result.append(total)
        return result


class Tanh:
    """A layer that takes the hyperbolic tangent of each float."""

    def __call__(self, x: list[float]) -> list[float]:
        return [math.tanh(v) for v in x]


class Network:
    """Layers, one after another."""

    def __init__(self, layers: list[Any]) -> None:
        self.layers = layers

    def forward(self, x: Any) -> Any:
        """Return the output of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x


def of_layers(weights: list[Any], samples: list[list[float]], epochs: int) -> float:
    """Return the sum of squared outputs over all samples; each layer is an object."""
    layers: list[Any] = []
    for matrix, bias in weights:
        layers.append(Linear(matrix, bias))
        layers.append(Tanh())
    network = Network(layers)
    total = 0.0
    for _ in range(epochs):
        for sample in samples:
            for value in network.forward(sample):
                total += value * value
    return total


def linear(matrix: list[list[float]], bias: list[float], x: list[float]) -> list[float]:
    """Return weights times x plus bias."""
    result = []
    for i in range(len(bias)):
        total = bias[i]
        row = matrix[i]
        for j in range(len(x)):
            total += row[j] * x[j]
        result.append(total)
    return result


def of_functions(weights: list[Any], samples: list[list[float]], epochs: int) -> float:
    """Return the same number; the layers are calls of functions."""
    total = 0.0
    for _ in range(epochs):
        for sample in samples:
            x = sample
            for matrix, bias in weights:
                x = linear(matrix, bias, x)
                x = [math.tanh(v) for v in x]
            for value in x:
                total += value * value
    return total


class ArrayLinear:
    """A layer that multiplies by a matrix and adds a bias."""

    def __init__(self, weights: Any, bias: Any) -> None:
        self.weights = weights
        self.bias = bias

    def __call__(self, x: Any) -> Any:
        return self.weights @ x + self.bias


class ArrayTanh:
    """A layer that takes the hyperbolic tangent of each element."""

    def __call__(self, x: Any) -> Any:
        return np.tanh(x)


def of_array_layers(weights: list[Any], samples: list[Any], epochs: int) -> Any:
    """Return the sum of squared outputs over all samples; each layer is an object."""
    layers: list[Any] = []
    for matrix, bias in weights:
        layers.append(ArrayLinear(matrix, bias))
        layers.append(ArrayTanh())
    network = Network(layers)
    total = 0.0
    for _ in range(epochs):
        for sample in samples:
            y = network.forward(sample)
            total += np.sum(y * y)
    return total


def of_array_functions(weights: list[Any], samples: list[Any], epochs: int) -> Any:
    """Return the same number; the layers are expressions."""
    total = 0.0
    for _ in range(epochs):
        for sample in samples:
            x = sample
            for matrix, bias in weights:
                x = np.tanh(matrix @ x + bias)
            total += np.sum(x * x)
    return total


def weights_of(widths: tuple[int, ...]) -> list[tuple[list[list[float]], list[float]]]:
    """Return weights and biases between layers of these widths."""
    found = []
    for rows, columns in zip(widths[1:], widths, strict=False):
        matrix = [[math.sin(1.0 + i * columns + j) / columns for j in range(columns)] for i in range(rows)]
        found.append((matrix, [0.1 * math.cos(i) for i in range(rows)]))
    return found


def samples_of(count: int, width: int) -> list[list[float]]:
    """Return inputs of the network."""
    return [[math.cos(i + 0.5 * j) for j in range(width)] for i in range(count)]
