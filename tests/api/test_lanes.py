"""vmap: axes and pytrees as in JAX, derivatives around it and inside of it."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import engines, grad, hessian, jvp, value_and_grad, vjp, vmap

pytestmark = pytest.mark.engines_in_turn

ENGINES = engines.usable()
X = np.array([1.0, 2.0, 9.0])
M = np.arange(1.0, 7.0).reshape(2, 3)


def root(a: float) -> float:
    """Return the square root of a, in as many steps as it takes."""
    x, n = a, 0
    while abs(x * x - a) > 1e-9 and n < 50:
        x, n = (x + a / x) / 2.0, n + 1
    return x


def halved(x: float) -> float:
    return x if x < 1.0 else 1.0 + halved(x / 2.0)


def depth(x: float) -> float:
    return 0.0 if x < 0.5 else 0.5 + depth(x - 1.0)


def turned(x: float) -> complex:
    """Return the square of x + i up to 1.5, else its half."""
    z = complex(x, 1.0)
    return z * z if x < 1.5 else z / 2.0


def squares(z: Any) -> Any:
    return np.sum(z.real * z.real + z.imag * z.imag)


class Scale:
    """A function that is an object."""

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        return self.k * x


def equal(a: Any, b: Any) -> bool:
    """Return whether two pytrees are equal to the last bit."""
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and bool(a == b)


def cubes(a: Any) -> Any:
    return np.sum(vmap(root)(a) ** 3)


def slopes(a: Any) -> Any:
    return np.sum(vmap(grad(root))(a))


def of_weights(ws: list[float], a: Any) -> Any:
    return np.sum(vmap(lambda x: ws[0] * x + ws[1])(a))


def of_rows(w: Any, a: Any) -> Any:
    return np.sum(vmap(lambda x: w @ x)(a))


def around_own_array(a: Any) -> Any:
    w = np.zeros(3)
    w[1] = a[0]
    y = vmap(lambda x: w[1] * x)(a)
    w[2] = y[0]
    return np.sum(w + y)


roots = np.array([root(x) for x in X.tolist()])
root_slopes = np.array([grad(root)(x) for x in X.tolist()])
rows = np.array([[root(x) for x in row] for row in M.tolist()])

CASES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "a loop": (lambda e: vmap(root, engine=e)(X), roots),
    "recursion": (lambda e: vmap(halved, engine=e)(X), np.array([1.5, 2.5, 4.5625])),
    "of vmap": (lambda e: vmap(vmap(root), engine=e)(M), rows),
    "around vmap": (lambda e: vmap(lambda row: vmap(root)(row * 1.0), engine=e)(M), rows),
    "of grad": (lambda e: vmap(grad(root), engine=e)(X), root_slopes),
    "of value_and_grad": (lambda e: vmap(value_and_grad(root), engine=e)(X), (roots, root_slopes)),
    "of vjp": (lambda e: vmap(lambda a: vjp(root, a, 1.0)[1], engine=e)(X), root_slopes),
    "of plain vjp": (
        lambda e: vmap(lambda a: vjp(root, a, 1.0, schedule="plain")[1], engine=e)(X),
        root_slopes,
    ),
    "of jvp": (
        lambda e: vmap(lambda a: jvp(root, a, 1.0)[1], engine=e)(X),
        np.array([jvp(root, x, 1.0)[1] for x in X.tolist()]),
    ),
    "in vjp": (lambda e: vjp(vmap(root), X, np.ones(3), engine=e), (roots, root_slopes)),
    "in jvp": (
        lambda e: jvp(vmap(root), X, np.ones(3), engine=e),
        (roots, np.array([jvp(root, x, 1.0)[1] for x in X.tolist()])),
    ),
    "in grad of a list": (
        lambda e: grad(of_weights, (0, 1), engine=e)([1.0, 2.0], X),
        ([12.0, 3.0], np.ones(3)),
    ),
    "in grad of an array": (
        lambda e: grad(of_rows, (0, 1), engine=e)(np.ones(3), M),
        (M[1] + M[0], np.ones((2, 3))),
    ),
    "an array of the run": (lambda e: grad(around_own_array, engine=e)(X), np.array([16.0, 1.0, 1.0])),
    "axis 1": (lambda e: vmap(lambda c: c[0] * c[1], 1, engine=e)(M), M[0] * M[1]),
    "axis -1": (lambda e: vmap(lambda c: c[0] * c[1], -1, engine=e)(M), M[0] * M[1]),
    "out axes": (
        lambda e: vmap(lambda r: (r, 2.0 * r, r[0]), 0, (1, -2, 0), engine=e)(M),
        (M.T, 2.0 * M, M[:, 0]),
    ),
    "pytrees": (
        lambda e: vmap(
            lambda d, k: {"s": d["x"] * k, "t": [d["y"], d["x"]]},
            ({"x": 0, "y": None}, None),
            {"s": 0, "t": [None, 0]},
            engine=e,
        )({"x": X, "y": 3.0}, 2.0),
        {"s": X * 2.0, "t": [3.0, X]},
    ),
    "keywords": (lambda e: vmap(lambda a, b: a * b, engine=e)(X, b=X), X * X),
    "integers": (
        lambda e: vmap(lambda n: (n, n * 2, n > 3, True, 1, None), engine=e)(np.array([1, 5])),
        (
            np.array([1, 5]),
            np.array([2, 10]),
            np.array([False, True]),
            np.array([True, True]),
            np.array([1, 1]),
            None,
        ),
    ),
    "float32": (lambda e: vmap(lambda x: x * 2, engine=e)(X.astype(np.float32)), X.astype(np.float32) * 2),
    "complex": (lambda e: vmap(lambda x: x * 2, engine=e)(X + 1j), X * 2 + 2j),
    "complex numbers": (lambda e: vmap(turned, engine=e)(X), np.array([turned(x) for x in X.tolist()])),
    "complex numbers in grad": (
        lambda e: grad(lambda a: squares(vmap(turned)(a)), engine=e)(X),
        np.array([8.0, 1.0, 4.5]),
    ),
    "complex numbers in lists of lanes of lanes": (
        lambda e: vmap(lambda x: vmap(lambda y: [x * 1j + y])(X), engine=e)(X[:2]),
        [np.array([[1 + 1j, 2 + 1j, 9 + 1j], [1 + 2j, 2 + 2j, 9 + 2j]])],
    ),
    "a set that all lanes return": (lambda e: vmap(lambda x: {1, 2}, 0, None, engine=e)(X), {1, 2}),
    "a complex number that all lanes return": (lambda e: vmap(lambda x: 2j, 0, None, engine=e)(X), 2j),
    "recursion of many depths": (
        lambda e: vmap(depth, engine=e)(np.array([0.0, 150.0, 3.0, 40.0])),
        np.array([0.0, 75.0, 1.5, 20.0]),
    ),
    "integers beside reals": (
        lambda e: grad(lambda a: np.sum(vmap(lambda x: 0 if x < 2 else x * x)(a)), engine=e)(X),
        np.array([0.0, 4.0, 18.0]),
    ),
    "an object": (lambda e: vmap(Scale(2.0), engine=e)(X), 2.0 * X),
    "NumPy's function": (lambda e: vmap(np.negative, engine=e)(X), -X),
    "a partial": (lambda e: vmap(functools.partial(max, 2.0), engine=e)(X), np.maximum(2.0, X)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, engine: str) -> None:
    found, want = CASES[name]
    got = found(engine)
    assert equal(want, got), got


@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_derivatives(engine: str) -> None:
    curvatures = [hessian(root)(x) for x in X.tolist()]
    cube_curvatures = [hessian(lambda a: root(a) ** 3)(x) for x in X.tolist()]
    assert np.allclose(vmap(hessian(root), engine=engine)(X), curvatures, rtol=1e-12)
    assert np.allclose(grad(slopes, engine=engine)(X), curvatures, rtol=1e-12)
    assert np.allclose(hessian(cubes, engine=engine)(X), np.diag(cube_curvatures), rtol=1e-12)


def test_an_object_of_a_class_is_stacked() -> None:
    made = vmap(Scale)(X)
    assert type(made) is Scale
    assert np.array_equal(made.k, X)


def test_printing_is_in_the_order_of_lanes(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: float) -> float:
        print(x)
        return x

    grad(lambda a: np.sum(vmap(shown)(a)))(X)
    assert capsys.readouterr().out == "1.0\n2.0\n9.0\n"


def test_pickles() -> None:
    assert np.array_equal(pickle.loads(pickle.dumps(vmap(root)))(X), roots)
