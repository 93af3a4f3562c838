"""Derivatives at points where a function has none, or an infinite one; errors that wrong operands raise."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import checkpoint
import tensorlib  # noqa: F401
from checkpoint.ad.accumulators import contribution_of
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.numbers import Dual, Tape, tangent_at
from checkpoint.ad.operands import leaves
from checkpoint.ad.record import PYTHON_FAILURES, lookup
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from tests.tensorlib.check import data_of, value

INF, NAN = np.inf, np.nan


def named(name: str) -> Tensor:
    return cast(Tensor, lookup(name))


def pulled(name: str, g: Any, *operands: Any) -> list[Any]:
    """Return the cotangents of arrays among operands, by the rules."""
    record = named(name)
    y = record(*operands)
    rules = [(i, record.vjp(i)) for i, x in enumerate(operands) if isinstance(x, np.ndarray)]
    return [rule(np, np.asarray(g), y, *operands) for _, rule in rules if rule is not None]


def pushed(name: str, t: Any, x: Any, *rest: Any) -> Any:
    """Return the tangent of the result for that of the first operand."""
    dual = Dual(1, Array(np.asarray(x), Memory()), Array(np.asarray(t, float), Memory()))
    result = apply(ALWAYS, named(name), [dual, *map(value, rest)])
    return data_of(tangent_at(leaves(result)[0], 1))


HALVES = [
    ("np.maximum", (np.array([1.0, 2.0]), np.array([1.0, 3.0])), [[0.5, 0.0], [0.5, 1.0]]),
    ("np.minimum", (np.array([1.0, 2.0]), np.array([1.0, 3.0])), [[0.5, 1.0], [0.5, 0.0]]),
    ("np.fmax", (np.array([1.0, NAN]), np.array([1.0, 3.0])), [[0.5, 0.0], [0.5, 1.0]]),
    ("np.fmin", (np.array([1.0, 2.0]), np.array([1.0, NAN])), [[0.5, 1.0], [0.5, 0.0]]),
    ("np.clip", (np.array([-2.0, -1.0, 0.0, 1.0]), -1.0, 1.0), [[0.0, 0.5, 1.0, 0.5]]),
    ("np.absolute", (np.array([-1.0, 0.0, 2.0]),), [[-1.0, 0.0, 1.0]]),
    ("np.hypot", (np.array([0.0, 3.0]), np.array([0.0, 4.0])), [[0.0, 0.6], [0.0, 0.8]]),
    ("np.max", (np.array([1.0, 3.0, 3.0]),), [[0.0, 0.5, 0.5]]),
    ("np.min", (np.array([[1.0, 1.0], [1.0, 1.0]]),), [[[0.25, 0.25], [0.25, 0.25]]]),
    ("np.ptp", (np.array([1.0, 3.0, 3.0]),), [[-1.0, 0.5, 0.5]]),
    ("np.std", (np.array([2.0, 2.0]),), [[0.0, 0.0]]),
    ("np.linalg.norm", (np.zeros(2),), [[0.0, 0.0]]),
    ("np.prod", (np.array([0.0, 2.0, 3.0]),), [[6.0, 0.0, 0.0]]),
    ("np.prod", (np.array([0.0, 2.0, 0.0]),), [[0.0, 0.0, 0.0]]),
    ("np.median", (np.array([1.0, 5.0, 3.0, 2.0]),), [[0.0, 0.0, 0.5, 0.5]]),
    ("np.nansum", (np.array([1.0, NAN]),), [[1.0, 0.0]]),
    ("np.nanmean", (np.array([1.0, NAN, 3.0]),), [[0.5, 0.0, 0.5]]),
    ("np.nanmax", (np.array([1.0, NAN, 3.0]),), [[0.0, 0.0, 1.0]]),
    ("np.nan_to_num", (np.array([1.0, NAN, INF]),), [[1.0, 0.0, 0.0]]),
    ("np.power", (np.array([0.0, 2.0]), 0), [[0.0, 0.0]]),
    ("np.power", (np.array([0.0, 0.0]), np.array([0.0, 2.0])), [[0.0, 0.0], [-INF, 0.0]]),
    ("np.sinc", (np.zeros(1),), [[0.0]]),
    ("np.logaddexp", (np.array([-INF]), np.array([1.0])), [[0.0], [1.0]]),
]


@pytest.mark.parametrize(("name", "operands", "expected"), HALVES)
def test_conventions(name: str, operands: tuple[Any, ...], expected: list[Any]) -> None:
    y = named(name)(*operands)
    for found, wanted in zip(pulled(name, np.ones(np.shape(y)), *operands), expected, strict=True):
        np.testing.assert_allclose(found, wanted)
    if len(expected) == 1 and np.ndim(y):
        np.testing.assert_allclose(pushed(name, np.ones(len(operands[0])), *operands), expected[0])


SINGULAR = [
    ("np.sqrt", 0.0),
    ("np.cbrt", 0.0),
    ("np.log", 0.0),
    ("np.log1p", -1.0),
    ("np.arcsin", 1.0),
    ("np.arccosh", 1.0),
    ("np.arctanh", 1.0),
]


@pytest.mark.parametrize(("name", "point"), SINGULAR)
def test_infinite_slopes(name: str, point: float) -> None:
    """Infinite derivatives are infinite, and a zero cotangent or tangent contributes nothing."""
    x = np.array([point, point])
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(pulled(name, [1.0, 0.0], x)[0], [INF, 0.0])
        np.testing.assert_array_equal(pushed(name, [1.0, 0.0], x), [INF, 0.0])


def test_second_derivative_where_nothing_arrives() -> None:
    """The root of a zero that `where` leaves out gives no NaN in any order."""
    sqrt, where, multiply = named("np.sqrt"), named("np.where"), named("np.multiply")
    x = np.array([0.0, 4.0])
    tape = Tape()
    node = tape.leaf(Array(x, Memory()))
    dual = Dual(1, node, Array(np.ones(2), Memory()))
    y = apply(ALWAYS, where, [value(x > 0), apply(ALWAYS, sqrt, [dual]), 0.0])
    y = apply(ALWAYS, multiply, [y, 1.0])
    tangent = tangent_at(y, 1)
    assert tangent is not None
    tangent.adjoint = contribution_of(Array(np.ones(2), Memory()))
    tape.propagate()
    np.testing.assert_allclose(node.adjoint.array, [0.0, -1.0 / 32.0])


def test_powers_at_exponent_zero() -> None:
    """JAX's case: the mixed second derivative of x**y at y = 0 is 1 / x."""
    x, y = np.array(4.0), np.array(0.0)
    one = Array(np.array(1.0), Memory())
    along_y = Dual(2, Array(y, Memory()), one)
    along_x = Dual(1, Array(x, Memory()), one)
    result = apply(ALWAYS, named("np.power"), [along_x, along_y])
    outer = tangent_at(result, 2)
    np.testing.assert_allclose(data_of(tangent_at(outer, 1)), 0.25)


WRONG = [
    ("np.add", (np.ones(3), np.ones(4)), ValueError),
    ("np.sum", (np.ones(3), 1), ValueError),
    ("np.max", (np.ones(0),), ValueError),
    ("np.cumsum", (np.ones((2, 2)), 2), ValueError),
    ("np.linalg.norm", (np.ones((2, 2)), 5), ValueError),
    ("np.bitwise_and", (np.ones(3), np.ones(3)), TypeError),
    ("np.subtract", (np.ones(2, bool), np.ones(2, bool)), TypeError),
    ("np.sin", ("a",), TypeError),
    ("py.iadd/array", (np.ones(3, int), np.ones(3)), TypeError),
    ("py.iadd/array", (np.ones(3), np.ones((2, 3))), ValueError),
    ("np.quantile", (np.ones(3), 1.5), ValueError),
]


@pytest.mark.parametrize(("name", "operands", "kind"), WRONG)
def test_wrong_operands(name: str, operands: tuple[Any, ...], kind: type[Exception]) -> None:
    assert issubclass(kind, PYTHON_FAILURES)
    with pytest.raises(kind):
        named(name)(*operands)


def test_in_place_on_what_is_no_array() -> None:
    assert named("py.iadd/array")(1.5, np.ones(2)).tolist() == [2.5, 2.5]
    assert type(named("py.iadd/array")(np.float32(1.5), np.float64(1.0))) is np.float64


def test_nothing_is_passed_where_a_broadcast_cotangent_is_zero() -> None:
    """An infinite slope leaves zeros there, along axes on which the cotangent does not depend, too."""
    bases = np.array([[INF, 2.0, 3.0], [INF, -1.0, 0.5]])
    g = np.broadcast_to(np.array([[0.0], [1.0]]), (2, 3))
    for name, exponent in (("py.pow/array", 2), ("np.power", 2.0), ("py.pow/array", 3)):
        found = pulled(name, g, bases, exponent)[0]
        assert np.array_equal(found[0], np.zeros(3))
        assert np.array_equal(found[1], exponent * bases[1] ** (exponent - 1))


def test_a_derivative_that_is_0_everywhere_passes_nothing() -> None:
    """Also of an infinite cotangent, of which 0 times is NaN."""
    x = np.array([1.5, 2.0])
    found = checkpoint.grad(lambda x: np.sum(x + INF * np.copysign(1.0, x) + INF * np.nextafter(2.0, x)))(x)
    assert np.array_equal(found, [1.0, 1.0])


def test_a_broadcast_operand_that_is_subtracted_receives_the_negative_sum() -> None:
    g = np.array([[1e16, 1.0], [-1e16, 3.0]])
    assert np.array_equal(pulled("np.subtract", g, np.ones((2, 2)), np.ones((1, 2)))[1], [[0.0, -4.0]])
    found = checkpoint.grad(lambda x: np.sum(g * (np.ones((2, 2)) - x)))(np.ones(2))
    assert np.array_equal(found, [0.0, -4.0])
