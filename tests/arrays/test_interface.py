"""The functions of the interface on functions of arrays, against results written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import Bisection, Plain, grad, hessian, hvp, jacfwd, jacrev, value_and_grad
from tests.arrays.agreement import same_values
from tests.support.corpus import usable_engines

X = np.array([0.5, -1.0, 2.0])
A = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.0, 4.0]])
B = np.array([1.0, 2.0])


def quadratic(x: Any) -> Any:
    return 0.5 * x @ A @ x


def cubes(x: Any) -> Any:
    return x**3


def outer(x: Any, y: Any) -> Any:
    return np.outer(x, y)


def loss(p: dict[str, Any], x: Any) -> Any:
    residual = x @ p["w"] + p["b"] - 1.0
    return np.sum(residual**2) * p["scale"]


@dataclass
class Layer:
    w: Any
    b: float
    name: str


def check(found: Any, wanted: Any) -> None:
    """Assert that values are near in all elements and have the same structure, types and dtypes."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key in wanted:
            check(found[key], wanted[key])
    elif isinstance(wanted, list | tuple):
        assert type(found) is type(wanted)
        assert len(found) == len(wanted)
        for part, other in zip(found, wanted, strict=True):
            check(part, other)
    elif wanted is None:
        assert found is None
    else:
        assert np.shape(found) == np.shape(wanted)
        assert isinstance(found, np.ndarray) == isinstance(wanted, np.ndarray)
        assert np.allclose(found, wanted, rtol=1e-12, atol=0.0)


def test_gradients(engine: str) -> None:
    check(grad(quadratic, engine=engine)(X), 0.5 * (A + A.T) @ X)
    value, g = value_and_grad(quadratic, engine=engine)(X)
    assert same_values(value, quadratic(X))
    check(g, 0.5 * (A + A.T) @ X)
    check(grad(lambda x, y: np.sum(x) * y, argnums=(0, 1), engine=engine)(X, 2.0), (np.full(3, 2.0), 1.5))
    check(grad(lambda x: (np.sum(x**2), x), has_aux=True, engine=engine)(X), (2.0 * X, X))


def test_gradients_of_containers(engine: str) -> None:
    x, p = A[:, :2], {"w": B, "b": 0.5, "scale": 2.0, "names": ["a"], "n": np.arange(3)}
    residual = x @ B + 0.5 - 1.0
    found = grad(loss, engine=engine)(p, x)
    check(found["w"], 4.0 * x.T @ residual)
    check(found["b"], float(4.0 * residual.sum()))
    assert type(found["b"]) is float
    check(found["scale"], float((residual**2).sum()))
    assert found["names"] == [None]
    assert found["n"] is None
    layer = grad(lambda m, v: m.b * (m.w @ v), engine=engine)(Layer(X, 3.0, "name"), X)
    assert type(layer) is Layer
    check([layer.w, layer.b, layer.name], [3.0 * X, float(X @ X), None])


def test_cotangents_and_tangents(engine: str) -> None:
    ybar, xtan = np.array([1.0, 2.0, -1.0]), np.array([0.5, 0.0, 1.0])
    for schedule in (None, Plain(), Bisection(3), "binomial"):
        y, xbar = checkpoint.vjp(cubes, X, ybar, engine=engine, schedule=schedule)
        assert same_values(y, X**3)
        check(xbar, 3.0 * X**2 * ybar)
    y, ytan = checkpoint.jvp(cubes, X, xtan, engine=engine)
    assert same_values(y, X**3)
    check(ytan, 3.0 * X**2 * xtan)
    check(checkpoint.vjp(lambda x: x.sum(), X, engine=engine)[1], np.ones(3))
    check(checkpoint.vjp(lambda x: {"a": x, "n": 3}, X, {"a": ybar, "n": None}, engine=engine)[1], ybar)


def test_single_precision(engine: str) -> None:
    x = X.astype(np.float32)
    y, xbar = checkpoint.vjp(cubes, x, np.ones(3), engine=engine)
    assert y.dtype == np.float32
    assert same_values(xbar, (3.0 * x**2).astype(np.float32))
    value, g = value_and_grad(lambda v: np.sum(v * v), engine=engine)(x)
    assert type(value) is np.float32
    assert same_values(g, 2.0 * x)


def test_matrices_of_derivatives(engine: str) -> None:
    diagonal = np.diag(3.0 * X**2)
    check(jacrev(cubes, engine=engine)(X), diagonal)
    check(jacfwd(cubes, engine=engine)(X), diagonal)
    for jacobian in (jacrev, jacfwd):
        by_x, by_y = jacobian(outer, argnums=(0, 1), engine=engine)(X, B)
        check(by_x, np.einsum("ik,j->ijk", np.eye(3), B))
        check(by_y, np.einsum("i,jk->ijk", X, np.eye(2)))
        of_nest = jacobian(lambda x: {"sum": x.sum(), "all": [2.0 * x]}, engine=engine)(X)
        check(of_nest, {"sum": np.ones(3), "all": [2.0 * np.eye(3)]})
        mixed = jacobian(lambda p: p["a"] * p["b"], engine=engine)({"a": X, "b": 2.0})
        check(mixed, {"a": 2.0 * np.eye(3), "b": X})
        check(jacobian(lambda x: [x[:0], x[0]], engine=engine)(X), [np.zeros((0, 3)), np.eye(3)[0]])
        check(jacobian(cubes, engine=engine)(X[:0]), np.zeros((0, 0)))
        check(jacobian(lambda x: x.sum() + B, engine=engine)(X[:0]), np.zeros((2, 0)))


def test_hessians(engine: str) -> None:
    symmetric = 0.5 * (A + A.T)
    check(hessian(quadratic, engine=engine)(X), symmetric)
    check(jacfwd(grad(quadratic), engine=engine)(X), symmetric)
    check(jacrev(grad(quadratic), engine=engine)(X), symmetric)
    v = np.array([1.0, 0.0, -2.0])
    check(hvp(quadratic, X, v, engine=engine), symmetric @ v)
    blocks = hessian(lambda p: p["s"] * np.sum(p["x"] ** 2), engine=engine)({"x": X, "s": 2.0})
    check(blocks["x"]["x"], 4.0 * np.eye(3))
    check(blocks["x"]["s"], 2.0 * X)
    check(blocks["s"]["x"], 2.0 * X)
    check(float(blocks["s"]["s"]), 0.0)


def test_third_derivatives(engine: str) -> None:
    def f(x: Any) -> Any:
        return np.sum(x**4)

    v = np.array([1.0, 0.5, -2.0])
    along = hessian(lambda x: grad(f)(x) @ v, engine=engine)(X)
    check(along, np.diag(24.0 * X * v))
    twice = jacfwd(lambda x: hvp(f, x, v), engine=engine)(X)
    check(twice, np.diag(24.0 * X * v))


def test_capsules_hold_arrays(engine: str) -> None:
    def f(x: Any) -> Any:
        y = np.zeros(3)
        for i in range(3):
            y[i] = x[i] ** 2
        return y

    steps = checkpoint.primops(f, X, engine=engine)
    for cut in range(steps + 1):
        z = checkpoint.interrupt(f, X, cut, engine=engine)
        for _ in range(2):  # a capsule is not used up
            assert same_values(checkpoint.resume(z), X**2)
        y, zbar = checkpoint.vjp(checkpoint.resume, z, np.ones(3))
        assert same_values(y, X**2)
        assert zbar is not None


def test_results_are_the_users_own(engine: str) -> None:
    """Changing a result or a gradient changes neither the arguments nor later results."""
    x = X.copy()
    f = value_and_grad(lambda v: np.sum(v * SHARED), engine=engine)
    _, g = f(x)
    g[0] = 77.0
    x[0] = 5.0
    assert np.array_equal(SHARED, [1.0, 2.0, 3.0])
    check(f(x)[1], SHARED)
    same, _ = checkpoint.vjp(lambda v: v, x, np.ones(3), engine=engine)
    assert np.array_equal(same, x)


SHARED = np.array([1.0, 2.0, 3.0])


def test_constants_are_read_at_each_call(engine: str) -> None:
    f = grad(lambda v: np.sum(v * SHARED), engine=engine)
    check(f(X), SHARED)
    SHARED[0] = 9.0
    try:
        check(f(X), np.array([9.0, 2.0, 3.0]))
    finally:
        SHARED[0] = 1.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_arguments(order: Any, engine: str) -> None:
    a = np.asarray(A, order=order)[::-1, ::2]
    check(grad(lambda m: np.sum(m**2), engine=engine)(a), 2.0 * a)
    check(
        grad(lambda m: np.sum(m.T[0] ** 2), engine=engine)(a),
        np.stack([2.0 * a[:, 0], 0.0 * a[:, 0]], axis=1),
    )


def test_scalars_of_numpy(engine: str) -> None:
    found = grad(lambda x: x * x, engine=engine)(np.float64(3.0))
    assert found == 6.0
    assert isinstance(found, float)
    zero_dimensional = grad(lambda x: x * x, engine=engine)(np.array(3.0))
    check(zero_dimensional, np.array(6.0))


class Version:
    """A class with equality of its own, beside arrays."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.number == other.number

    __hash__ = None  # type: ignore[assignment]  # as a class that defines __eq__ alone has it


def chosen_by_inequality(x: Any) -> Any:
    assert Version(1) != Version(2)
    return (np.where(x != 1.0, x * x, 0.0) + np.where(x != -B[:1], x, 0.0)).sum()


@pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
def test_arrays_are_unequal_by_elements_where_a_class_has_its_own_equality(engine: str) -> None:
    found = checkpoint.grad(chosen_by_inequality, engine=engine)(np.array([1.0, 2.0, 3.0]))
    assert found.tolist() == [1.0, 5.0, 7.0]
