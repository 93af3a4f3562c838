"""Learning by hand on lists: regression, optimizers, small networks, clustering, kernels."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.python.corpus import Example

Layer = Callable[[list[float]], list[float]]
Weights = list[list[float]]


class Dense(NamedTuple):
    """The parameters of a layer."""

    weights: Weights
    bias: list[float]


def sigmoid(x: float) -> float:
    """The logistic function, without overflow."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


def softmax(scores: Sequence[float]) -> list[float]:
    """Probabilities from scores."""
    top = max(scores)
    powers = [math.exp(s - top) for s in scores]
    total = sum(powers)
    return [p / total for p in powers]


def cross_entropy(scores: list[float], label: int) -> float:
    """The loss of a classifier."""
    return -math.log(softmax(scores)[label])


def linear_fit(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The line of least squares."""
    n = len(points)
    sx = sy = sxx = sxy = 0.0
    for x, y in points:
        sx += x
        sy += y
        sxx += x * x
        sxy += x * y
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n


def logistic_regression(points: list[list[float]], labels: list[int], rate: float, rounds: int = 10) -> float:
    """The loss after some rounds of gradient descent."""
    weights = [0.0] * len(points[0])
    bias = 0.0
    for _ in range(rounds):
        for point, label in zip(points, labels, strict=True):
            error = sigmoid(sum(map(operator.mul, weights, point)) + bias) - label
            weights = [w - rate * error * x for w, x in zip(weights, point, strict=True)]
            bias -= rate * error
    loss = 0.0
    for point, label in zip(points, labels, strict=True):
        p = sigmoid(sum(map(operator.mul, weights, point)) + bias)
        loss -= math.log(p) if label else math.log(1 - p)
    return loss / len(points)


def gradient_descent(start: list[float], rate: float) -> list[float]:
    """Descent on Rosenbrock's valley."""
    x, y = start
    for _ in range(20):
        dx = -2 * (1 - x) - 40 * x * (y - x * x)
        dy = 20 * (y - x * x)
        x, y = x - rate * dx, y - rate * dy
    return [x, y]


def adam(start: Sequence[float], rate: float, b1: float = 0.9, b2: float = 0.99) -> list[float]:
    """Adam on a bowl with unequal axes."""
    x = list(start)
    m = [0.0] * len(x)
    v = [0.0] * len(x)
    for t in range(1, 16):
        for i in range(len(x)):
            g = 2 * (i + 1) * (x[i] - i)
            m[i] = b1 * m[i] + (1 - b1) * g
            v[i] = b2 * v[i] + (1 - b2) * g * g
            x[i] -= rate * (m[i] / (1 - b1**t)) / (math.sqrt(v[i] / (1 - b2**t)) + 1e-8)
    return x


def momentum(gradient: Callable[[float], float], x: float, *, rate: float, friction: float) -> float:
    """Descent with momentum in one dimension."""
    speed = 0.0
    for _ in range(25):
        speed = friction * speed - rate * gradient(x)
        x += speed
    return x


def double_well(x: float, rate: float) -> float:
    """Which well momentum ends in."""
    return momentum(lambda x: 4 * x * (x * x - 1), x, rate=rate, friction=0.8)


def dense(layer: Dense, activation: Callable[[float], float]) -> Layer:
    """A layer as a function."""

    def apply(inputs: list[float]) -> list[float]:
        return [
            activation(sum(w * x for w, x in zip(row, inputs, strict=True)) + b)
            for row, b in zip(layer.weights, layer.bias, strict=True)
        ]

    return apply


def sequential(*layers: Layer) -> Layer:
    """Layers one after another."""

    def apply(values: list[float]) -> list[float]:
        for layer in layers:
            values = layer(values)
        return values

    return apply


def mlp_loss(hidden: Dense, output: Dense, data: Sequence[tuple[list[float], float]]) -> float:
    """The squared error of a network with one hidden layer."""
    network = sequential(dense(hidden, math.tanh), dense(output, lambda x: x))
    return sum((network(inputs)[0] - target) ** 2 for inputs, target in data)


def rnn(sequence: Sequence[float], w_in: list[float], w_rec: Weights, w_out: list[float]) -> list[float]:
    """A recurrent network over a sequence."""
    state = [0.0 for _ in w_in]
    outputs = []
    for x in sequence:
        state = [
            math.tanh(w * x + sum(r * s for r, s in zip(row, state, strict=True)))
            for w, row in zip(w_in, w_rec, strict=True)
        ]
        outputs.append(sum(w * s for w, s in zip(w_out, state, strict=True)))
    return outputs


def gru_cell(h: float, x: float, p: dict[str, float]) -> float:
    """One step of a gated unit."""
    z = sigmoid(p["wz"] * x + p["uz"] * h)
    r = sigmoid(p["wr"] * x + p["ur"] * h)
    return (1 - z) * h + z * math.tanh(p["wh"] * x + p["uh"] * r * h)


def gru(sequence: Sequence[float], parameters: dict[str, float]) -> float:
    """A gated unit over a sequence."""
    h = 0.0
    for x in sequence:
        h = gru_cell(h, x, parameters)
    return h


def perceptron(points: Sequence[tuple[float, float, int]]) -> tuple[float, float, float]:
    """The perceptron rule until nothing is wrong."""
    a = b = c = 0.0
    while True:
        mistakes = 0
        for x, y, label in points:
            if label * (a * x + b * y + c) <= 0:
                a, b, c = a + label * x, b + label * y, c + label
                mistakes += 1
        if not mistakes:
            break
    return a, b, c


def k_means(points: list[tuple[float, float]], k: int = 2) -> list[tuple[float, float]]:
    """The centers of clusters."""
    centers = points[:k]
    for _ in range(4):
        groups: list[list[tuple[float, float]]] = [[] for _ in range(k)]
        for point in points:
            nearest = min(range(k), key=lambda i: math.dist(point, centers[i]))
            groups[nearest].append(point)
        centers = [(sum(x for x, _ in g) / len(g), sum(y for _, y in g) / len(g)) for g in groups]
    return centers


def kernel_regression(xs: list[float], ys: list[float], at: float, width: float) -> float:
    """The estimate of Nadaraya and Watson."""
    weights = [math.exp(-(((x - at) / width) ** 2)) for x in xs]
    return sum(w * y for w, y in zip(weights, ys, strict=True)) / sum(weights)


def nearest_neighbors(data: list[tuple[float, float, float]], x: float, y: float, k: int = 3) -> float:
    """The mean value of the nearest points, weighted by distance."""
    ranked = sorted((math.hypot(px - x, py - y), value) for px, py, value in data)
    weights = [(1 / distance, value) for distance, value in ranked[:k]]
    return sum(w * v for w, v in weights) / sum(w for w, _ in weights)


def batch_norm(batch: Weights, scale: float, shift: float) -> Weights:
    """Each feature of a batch, normalized."""
    columns = []
    for column in zip(*batch, strict=True):
        mean = sum(column) / len(column)
        variance = sum((x - mean) ** 2 for x in column) / len(column)
        columns.append([scale * (x - mean) / math.sqrt(variance + 1e-5) + shift for x in column])
    return [list(row) for row in zip(*columns, strict=True)]


def convolution(image: Weights, kernel: Weights) -> Weights:
    """A valid convolution followed by a soft rectifier."""
    size = len(kernel)
    height, width = len(image) - size + 1, len(image[0]) - size + 1
    result = [[0.0] * width for _ in range(height)]
    for i in range(height):
        for j in range(width):
            for p in range(size):
                for q in range(size):
                    result[i][j] += image[i + p][j + q] * kernel[p][q]
            result[i][j] = math.log1p(math.exp(result[i][j]))
    return result


def naive_bayes(likelihoods: dict[str, dict[str, float]], words: Sequence[str]) -> dict[str, float]:
    """The probabilities of classes, given words."""
    scores = {
        label: math.exp(math.fsum([math.log(table.get(word, 0.01)) for word in words]))
        for label, table in likelihoods.items()
    }
    total = sum(scores.values())
    return {label: score / total for label, score in scores.items()}


HIDDEN = Dense([[0.5, -0.3], [0.8, 0.2], [-0.6, 0.9]], [0.1, 0.0, -0.2])
OUTPUT = Dense([[1.0, -1.0, 0.5]], [0.05])
XOR = [([0.0, 0.0], 0.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 0.0)]
GRU = {"wz": 0.5, "uz": -0.2, "wr": 0.7, "ur": 0.1, "wh": 1.0, "uh": -0.8}
CLOUD = [(1.0, 1.2), (4.0, 4.5), (0.8, 0.7), (4.4, 3.9), (1.3, 0.9), (3.7, 4.2)]
SITES = [(0.0, 0.0, 1.0), (1.0, 0.2, 2.0), (0.3, 1.0, 4.0), (2.0, 2.0, 0.0)]
WORDS = {"spam": {"offer": 0.3, "hello": 0.05}, "mail": {"offer": 0.04, "hello": 0.25}}

EXAMPLES = [
    Example(cross_entropy, ([1.0, 2.5, -0.5], 0)),
    Example(linear_fit, ([(0.0, 1.0), (1.0, 2.9), (2.0, 5.2), (3.0, 7.1)],)),
    Example(logistic_regression, ([[0.5, 1.0], [-1.0, 0.3], [1.5, -0.2]], [1, 0, 1], 0.5)),
    Example(gradient_descent, ([-0.5, 1.0], 0.01)),
    Example(gradient_descent, ([-0.5, 1.0, 2.0], 0.01), raises=ValueError),
    Example(adam, ([3.0, -2.0], 0.2)),
    Example(double_well, (0.3, 0.05)),
    Example(mlp_loss, (HIDDEN, OUTPUT, XOR)),
    Example(rnn, ([1.0, -0.5, 0.25], [0.7, -0.4], [[0.1, 0.5], [-0.3, 0.2]], [1.0, 2.0])),
    Example(gru, ([0.5, -1.0, 2.0, 0.3], GRU)),
    Example(perceptron, ([(2.0, 1.0, 1), (1.0, 3.0, 1), (-1.0, -0.5, -1), (-2.0, 1.0, -1)],)),
    Example(k_means, (CLOUD,)),
    Example(kernel_regression, ([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 2.0, 0.5], 1.4, 0.6)),
    Example(nearest_neighbors, (SITES, 0.5, 0.4)),
    Example(batch_norm, ([[1.0, 2.0], [3.0, -1.0], [0.5, 0.3]], 1.5, 0.1)),
    Example(convolution, ([[1.0, 0.5, -1.0], [0.2, 0.3, 0.9], [0.0, -0.4, 1.1]], [[0.5, -1.0], [1.0, 0.25]])),
    Example(naive_bayes, (WORDS, ["offer", "hello", "offer"])),
]
