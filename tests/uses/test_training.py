"""A network that is trained inside of the function that is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.uses.support import engines, gradients, is_gradient


def forward(layers: Any, x: Any) -> Any:
    """Return the outputs of a network."""
    *hidden, last = layers
    for weight, bias in hidden:
        x = np.tanh(x @ weight + bias)
    weight, bias = last
    return x @ weight + bias


def loss(layers: Any, x: Any, y: Any) -> Any:
    """Return the mean squared error."""
    return np.mean((forward(layers, x) - y) ** 2)


def trained_loss(rate: float, layers: Any, data: Any, steps: int) -> Any:
    """Return the loss on held-out data after some steps of gradient descent."""
    x, y, x_other, y_other = data
    for _ in range(steps):
        slopes = checkpoint.grad(loss)(layers, x, y)
        layers = [
            (weight - rate * by_weight, bias - rate * by_bias)
            for (weight, bias), (by_weight, by_bias) in zip(layers, slopes, strict=True)
        ]
    return loss(layers, x_other, y_other)


def by_hand(rate: Any, layers: Any, data: Any, steps: int) -> Any:
    """Return the trained loss of one hidden layer, with back-propagation written out."""
    x, y, x_other, y_other = data
    (w1, b1), (w2, b2) = layers
    for _ in range(steps):
        h = np.tanh(x @ w1 + b1)
        error = 2.0 * (h @ w2 + b2 - y) / y.size
        dh = (error @ w2.T) * (1.0 - h**2)
        w2 = w2 - rate * (h.T @ error)
        b2 = b2 - rate * error.sum(axis=0)
        w1 = w1 - rate * (x.T @ dh)
        b1 = b1 - rate * dh.sum(axis=0)
    return np.mean((np.tanh(x_other @ w1 + b1) @ w2 + b2 - y_other) ** 2)


def with_momentum(settings: Any, layers: Any, data: Any, steps: int) -> Any:
    """Logistic regression on batches, weights and velocity changed in place, the rate falling off."""
    x, y, x_other, y_other = data
    rate, momentum = np.exp(settings[0]), settings[1]
    w = layers[0][0][:, 0].copy()
    velocity = np.zeros(len(w))
    size = len(x) // 2
    for step in range(steps):
        first = 0 if step % 2 == 0 else size
        xb, yb = x[first : first + size], y[first : first + size, 0]
        p = 1.0 / (1.0 + np.exp(-xb @ w))
        velocity *= momentum
        velocity -= rate / (1.0 + 0.1 * step) * (xb.T @ (p - yb)) / size
        w += velocity
    return np.sum((x_other @ w - y_other[:, 0]) ** 2)


def problem(n: int, width: int) -> tuple[Any, Any]:
    """Return weights of a network with one hidden layer, and data to train and test it on."""
    rng = np.random.default_rng(12)
    layers = [
        (0.5 * rng.normal(size=(3, width)), 0.1 * rng.normal(size=width)),
        (0.5 * rng.normal(size=(width, 2)), np.zeros(2)),
    ]
    x, x_other = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    return layers, (x, np.sin(x[:, :2]), x_other, np.sin(x_other[:, :2]))


@engines
@pytest.mark.parametrize("use", [trained_loss, by_hand])
def test_the_slope_by_the_learning_rate(engine: str, use: Any) -> None:
    layers, data = problem(16, 6) if engine != "interp" else problem(4, 2)
    args = (0.2, layers, data, 5 if engine != "interp" else 2)
    _, gradient = gradients(use, *args, engine=engine)
    assert is_gradient(gradient, use, *args)


@engines
def test_a_gradient_inside_is_as_good_as_one_written_by_hand(engine: str) -> None:
    layers, data = problem(8, 4) if engine != "interp" else problem(4, 2)
    args = (0.3, layers, data, 3)
    one, other = (gradients(use, *args, engine=engine, argnums=(0, 1)) for use in (trained_loss, by_hand))
    assert one[0] == pytest.approx(other[0], rel=1e-12)
    assert one[1][0] == pytest.approx(other[1][0], rel=1e-9)
    for layer, expected in zip(one[1][1], other[1][1], strict=True):
        for found, part in zip(layer, expected, strict=True):
            assert found == pytest.approx(part, rel=1e-8, abs=1e-12)


@engines
def test_momentum(engine: str) -> None:
    layers, data = problem(20 if engine != "interp" else 4, 3)
    args = (np.array([-1.0, 0.8]), layers, data, 12 if engine != "interp" else 3)
    _, gradient = gradients(with_momentum, *args, engine=engine)
    assert is_gradient(gradient, with_momentum, *args)
