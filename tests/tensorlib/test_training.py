"""The training kit on NumPy's arrays: values by formulas, in programs on all engines, derivatives, data."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, engines, grad, value_and_grad
from tensorlib import random
from tensorlib.networks import gru_cell, lstm_cell, tree_lstm_cell
from tensorlib.training import (
    adam,
    batches,
    characters,
    clip_norm,
    cosine,
    digits,
    exponential,
    linear_warmup,
    rows,
    sgd,
    stepwise,
)

ENGINES = pytest.mark.parametrize("engine", engines.usable())
PIECE = {"interp": 40, "hybrid": 1, "c": 1}  # steps: what interp copies, it walks through in Python
Layer = namedtuple("Layer", ["w", "b"])
X = np.array([1.0, 0.0, 2.0])
RNG = np.random.default_rng(7)
DATA = (RNG.normal(size=(10, 3)), RNG.normal(size=10))


def start() -> Any:
    return {"first": Layer(np.full((2, 3), 0.1), 0.5), "rest": [(np.ones(2),), None]}


def loss(weights: Any, x: Any) -> Any:
    first = weights["first"]
    return np.sum((np.tanh(first.w @ x) * weights["rest"][0][0] - 1.0) ** 2) + first.b**2


def by_sgd(rate: Any, x: Any) -> Any:
    weights, state = start(), None
    for step in range(4):
        gradient, _ = clip_norm(grad(loss)(weights, x), 1.0)
        now = stepwise(rate, step, 2, 0.5)
        weights, state = sgd(weights, gradient, state, now, momentum=0.5, weight_decay=0.1, nesterov=True)
    return loss(weights, x)


def by_adam(rate: Any, x: Any) -> Any:
    """The second input is 0, so the squares of a column of gradients are 0, too."""
    weights, state = start(), None
    for step in range(4):
        gradient = grad(loss)(weights, x)
        weights, state = adam(weights, gradient, state, linear_warmup(cosine(rate, step, 10), step, 3, 0.1))
    return loss(weights, x)


def by_batches(rate: Any, x: Any) -> Any:
    weights, state = np.zeros(3), None
    for epoch in range(2):
        for points, values in batches(DATA, 4, random.fold_in(random.key(1), epoch)):
            gradient = grad(lambda w, a, b: np.mean((a @ w - b) ** 2))(weights, points, values)
            weights, state = adam(
                weights, gradient, state, exponential(rate, epoch, 0.5), weight_decay=0.1, decoupled=True
            )
    return np.sum(weights * x)


@ENGINES
@pytest.mark.parametrize("trained", [by_sgd, by_adam, by_batches])
def test_derivatives_through_training(trained: Callable[..., Any], engine: str) -> None:
    value, slope = value_and_grad(trained, engine=engine)(0.1, X)
    assert value == trained(0.1, X)
    width = 1e-4
    difference = (trained(0.1 + width, X) - trained(0.1 - width, X)) / (2 * width)
    assert math.isclose(slope, difference, rel_tol=1e-5)
    schedules = ("plain", Bisection(PIECE[engine]))
    again = [grad(trained, engine=engine, schedule=how)(0.1, X) for how in schedules]
    assert again == [slope, slope]


def test_leaves_without_a_gradient_stay() -> None:
    before = {"w": np.ones(2), "n": 3, "name": "layer", "inner": (1.0, None)}
    for after, _ in (
        sgd(before, {"w": np.ones(2), "n": None, "name": None, "inner": None}, rate=0.5),
        adam(before, {"w": np.ones(2), "n": None, "name": None, "inner": (None, None)}, rate=0.5),
    ):
        np.testing.assert_allclose(after["w"], [0.5, 0.5])
        assert (after["n"], after["name"], after["inner"]) == (3, "layer", (1.0, None))


def test_arguments_are_not_changed() -> None:
    weights, gradient = [np.ones(3)], [np.full(3, 2.0)]
    for optimiser in (sgd, adam):
        _, state = optimiser(weights, gradient, rate=0.1)
        optimiser(weights, gradient, state, rate=0.1)
    np.testing.assert_array_equal(weights + gradient, [np.ones(3), np.full(3, 2.0)])


@ENGINES
def test_steps_within_the_sweep(engine: str) -> None:
    """An optimiser's step of each layer as soon as its gradient is final: the layers of whole steps."""

    def deep(layers: Any, x: Any) -> Any:
        for w in layers:
            x = x + np.tanh(w @ x)
        return np.sum(x * x)

    layers = [0.1 * np.eye(3) for _ in range(5)]
    whole, state = [w.copy() for w in layers], None
    states: list[Any] = [None] * 5

    def step(path: tuple[int, ...], gradient: Any) -> None:
        layers[path[0]], states[path[0]] = adam(layers[path[0]], gradient, states[path[0]], 0.01)

    for _ in range(3):
        value, _ = value_and_grad(deep, engine=engine, each=step)(layers, X)
        other, gradient = value_and_grad(deep, engine=engine)(whole, X)
        whole, state = adam(whole, gradient, state, 0.01)
        assert value == other
    np.testing.assert_array_equal(layers, whole)


def test_rates() -> None:
    assert [stepwise(1.0, n, 2, 0.5) for n in range(5)] == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert exponential(2.0, 3, 0.5) == 0.25
    assert [round(cosine(1.0, n, 4, 0.2), 12) for n in (0, 2, 4, 9)] == [1.0, 0.6, 0.2, 0.2]
    assert [linear_warmup(2.0, n, 4, 0.5) for n in (0, 2, 4, 9)] == [1.0, 1.5, 2.0, 2.0]


def test_clipped_gradients() -> None:
    gradient = {"a": np.array([3.0, 0.0]), "b": [4.0, None]}
    same, norm = clip_norm(gradient, 10.0)
    assert norm == 5.0
    assert same["b"] == [4.0, None]
    shorter, norm = clip_norm(gradient, 1.0)
    assert norm == 5.0
    np.testing.assert_allclose(shorter["a"], [0.6, 0.0], rtol=1e-6)


def test_batches_have_every_sample_once() -> None:
    data = {"x": np.arange(10), "y": np.arange(10) * 2}
    found = list(batches(data, 4, random.key(1)))
    assert [len(batch["x"]) for batch in found] == [4, 4, 2]
    np.testing.assert_array_equal(np.sort(np.concatenate([batch["x"] for batch in found])), data["x"])
    assert all(np.array_equal(2 * batch["x"], batch["y"]) for batch in found)
    assert [len(batch["x"]) for batch in batches(data, 4, random.key(1), drop_last=True)] == [4, 4]
    np.testing.assert_array_equal(next(batches(data, 3))["y"], [0, 2, 4])
    np.testing.assert_array_equal(rows(data, [1, 3])["y"], [2, 6])


def test_batches_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"the arrays have \[3, 2\] samples, not all as many"):
        list(batches((np.ones(3), np.ones(2)), 1))
    with pytest.raises(ValueError, match="a batch has at least 1 sample, not 0"):
        list(batches(np.ones(3), 0))


def test_characters(tmp_path: Path) -> None:
    codes, alphabet = characters("abcab")
    assert (codes.tolist(), alphabet) == ([0, 1, 2, 0, 1], "abc")
    (tmp_path / "text").write_text("caé", encoding="utf-8")
    assert characters(tmp_path / "text", "acé")[0].tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="'d' is not in the alphabet"):
        characters("abd", alphabet)


def test_digits() -> None:
    pytest.importorskip("sklearn")
    pictures, labels = digits("float32")
    assert (pictures.shape, pictures.dtype, labels.shape) == ((1797, 1, 8, 8), np.float32, (1797,))
    assert (pictures.min(), pictures.max(), labels[:5].tolist()) == (0.0, 1.0, [0, 1, 2, 3, 4])


def test_digits_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.datasets", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"digits needs scikit-learn: pip install 'checkpoint-ad\[data\]'"
    ):
        digits()


# Cells of recurrent networks


def drawn(*shapes: tuple[int, ...]) -> list[Any]:
    return [np.random.default_rng(len(shapes)).normal(size=shape) for shape in shapes]


def recurrent(weights: Any, xs: Any) -> Any:
    h, c, g = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))
    for x in xs:
        h, c = lstm_cell(x, (h, c), *weights[:4])
        g = gru_cell(h, g, *weights[4:])
    return np.sum(np.cos(h) + g * c)


def tree(weights: Any, xs: Any) -> Any:
    def state(depth: Any) -> Any:
        children = [state(depth - 1) for _ in range(depth)]
        return tree_lstm_cell(xs[depth], children, *weights)

    h, c = state(3)
    return np.sum(h * np.cos(c))


NETWORKS = {
    "recurrent": (
        recurrent,
        drawn((12, 4), (12, 3), (12,), (12,), (9, 3), (9, 3), (9,), (9,)),
        np.random.default_rng(1).normal(size=(3, 2, 4)),
    ),
    "tree": (
        tree,
        drawn((9, 2), (9, 3), (9,), (3, 2), (3, 3), (3,)),
        np.random.default_rng(2).normal(size=(4, 2)),
    ),
}


@ENGINES
@pytest.mark.parametrize("name", NETWORKS)
def test_derivatives_of_cells(name: str, engine: str) -> None:
    f, weights, xs = NETWORKS[name]
    value, gradient = value_and_grad(f, engine=engine)(weights, xs)
    assert value == f(weights, xs)
    direction = [np.cos(np.arange(w.size)).reshape(w.shape) for w in weights]
    width = 1e-5
    up, down = [f([w + s * d for w, d in zip(weights, direction, strict=True)], xs) for s in (width, -width)]
    slope = sum([np.sum(g * d) for g, d in zip(gradient, direction, strict=True)])
    assert math.isclose(slope, (up - down) / (2 * width), rel_tol=1e-6)
    for how in ("plain", Bisection(PIECE[engine])):
        again = grad(f, engine=engine, schedule=how)(weights, xs)
        assert all(map(np.array_equal, again, gradient))


def test_cells_of_wrong_shapes() -> None:
    f, weights, xs = NETWORKS["recurrent"]
    with pytest.raises(ValueError, match="linear: weights of shape"):
        grad(f)([weights[1], *weights[1:]], xs)
