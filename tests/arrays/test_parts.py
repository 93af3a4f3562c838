"""Arrays made of tuples and lists of numbers: the same bits on all engines, under all schedules.

Engine c makes and reverses most of them without Python (array_steps/operand_parts.h). What it leaves to
Python is among them, too: rows, other dtypes, integers alone, nests that are deeper or more than it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget import library, plans
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Plain
from tests.arrays.agreement import ENGINES, quietly, same_values
from tests.arrays.test_elements import X, cotangent_of, pulled


def of_floats(x: Any) -> Any:
    a, b = float(x[0]), float(x[1])
    return np.array([a * b, math.sin(a), 2.0]) * np.asarray((b, a - b, 1.0))


def of_scalars(x: Any) -> Any:
    y = x[:3]
    for _ in range(5):
        y = y + 0.1 * np.array([y[1] - y[0], y[0] * (2.8 - y[2]) - y[1], y[0] * y[1] - y[2]])
    return y


def of_both(x: Any) -> Any:
    a = float(x[3])
    return np.array([x[0], a, 3, True, x[0] * a, a, x[0]]) * np.arange(7.0)


def of_nests(x: Any) -> Any:
    c, s = math.cos(float(x[0])), np.sin(x[1])
    turn = np.array([[c, -s], [s, c]])
    block = np.array([[(c, 1), (x[2], 2.0)], [[s, s], [0, x[3]]]])
    return turn @ x[:2] + block.sum(axis=(0, 2))


def of_one_list_twice(x: Any) -> Any:
    row = [x[0], float(x[1]) * 2.0, x[2]]
    other = np.array([row, row, [row[2], row[1], row[0]]])
    return other * np.cos(np.arange(9.0)).reshape(3, 3)


def of_rows(x: Any) -> Any:
    y = np.reshape(x, (3, 4))
    return np.array([y[0], y[1] * y[2], [1.0, x[0], 2, 3.0]]) * np.array((y[2], y[2], x[:4]))


def of_a_list_that_changes(x: Any) -> Any:
    parts = [0.0, x[1], 1.0]
    total = np.zeros(3)
    for i in range(4):
        parts[0] = parts[0] + x[i] * parts[2]
        parts[i % 3] = np.float64(parts[1]) * 0.5
        total = total + np.array(parts)
    return total


def of_single(x: Any) -> Any:
    return np.array([x[0], x[1] * 2.0], np.float32).astype("float64") * np.array([x[2], 1.0], ndmin=2)


def of_integers(x: Any) -> Any:
    return x[np.array([1, 2, 0])] * np.asarray([[1], [2]]) + np.array([])[:0].sum()


def of_deep_nests(x: Any) -> Any:
    return np.array([[[[[x[0]], [x[1] * 2.0]]]]]).ravel()


def of_many_nests(x: Any) -> Any:
    return np.array([[x[i % 12] * i, float(x[0])] for i in range(80)]) * x[1]


def of_nothing_finite(x: Any) -> Any:
    return np.array([x[0] * 1e308 * 10.0, -0.0 * x[1], x[2] * math.nan]) * np.array([0.0, x[3], -0.0])


def of_a_constant(x: Any) -> Any:
    one = np.ones(3)[0]
    return np.array([one, x[0] * one, 2.0]) + np.stack([np.ones(3), x[:3]])


def of_joins(x: Any) -> Any:
    y = np.concatenate([x[:3] * 2.0, [1.0, x[4]], x[6:]])
    y = np.hstack((y[:2], float(x[0]), y)) * np.append(x, x[1:3])[: len(y) + 3]
    whole = np.vstack([y[:4], x[:4], [1.0, 2, x[0], y[0]]]) + np.concatenate((x[:6], x[:6]), None).reshape(
        3, 4
    )
    return np.column_stack([whole, y[:3]]) * np.stack([x[:3], np.ones(3), x[2:5], x[:3], x[:3]], -1)


def of_any_number(x: Any) -> Any:
    """Call functions that take any number of operands."""
    y = x.reshape(3, 4).transpose(1, 0) * x.reshape((4, -1))
    a, b = np.broadcast_arrays(y[0], x[:, None])
    rows, columns = np.meshgrid(x[:3], x[4:6])
    return np.einsum("ij,kj,k->i", a, b, x) * np.einsum("ij,ij", rows, columns) + np.atleast_1d(y[1, 2])


PROGRAMS = [
    of_floats, of_scalars, of_both, of_nests, of_one_list_twice, of_rows, of_joins, of_a_list_that_changes,
    of_any_number, of_single, of_integers, of_deep_nests, of_many_nests, of_nothing_finite, of_a_constant,
]  # fmt: skip
SCHEDULES = [Plain(), Bisection(base=7), Budget("512KiB")]
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@EACH
def test_engines_and_schedules_agree(program: Callable[[Any], Any]) -> None:
    with quietly():
        expected = program(X), pulled(program, engine="interp", schedule=Plain())[1]
        for engine in ENGINES:
            for schedule in SCHEDULES:
                found = pulled(program, engine=engine, schedule=schedule)
                assert same_values(np.asarray(found[0]), np.asarray(expected[0]))
                assert same_values(found[1], expected[1])


@EACH
def test_the_gradient_is_that_of_differences(program: Callable[[Any], Any]) -> None:
    if program in (of_single, of_nothing_finite):
        pytest.skip("differences of float32, and of what is not finite, say nothing")

    def total(x: Any) -> Any:
        value = program(x)
        return np.sum(value * cotangent_of(value))

    _, gradient = checkpoint.value_and_grad(total)(X)
    for i in range(len(X)):
        step = 1e-6 * np.eye(len(X))[i]
        assert gradient[i] == pytest.approx((total(X + step) - total(X - step)) / 2e-6, abs=1e-6)


@EACH
@pytest.mark.parametrize("engine", ENGINES)
def test_a_tape_that_is_kept_is_as_it_was(program: Callable[[Any], Any], engine: str) -> None:
    with quietly():
        value, pull = checkpoint.pullback(program, X, engine=engine)
        first = pull(cotangent_of(value))
        assert same_values(pull(cotangent_of(value)), first)


@EACH
@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_gradients(program: Callable[[Any], Any], engine: str) -> None:
    """Under derivatives numbers in lists are duals, which Python takes."""

    def gradient(x: Any) -> Any:
        return checkpoint.grad(lambda x: np.sum(program(x) * 0.5))(x)

    with quietly():
        found = checkpoint.jvp(gradient, X, np.sin(X), engine=engine)
        assert same_values(found[1], checkpoint.jvp(gradient, X, np.sin(X), engine="interp")[1])


@pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))
@pytest.mark.parametrize(
    "program", [of_floats, of_scalars, of_both, of_nests, of_rows], ids=lambda p: p.__name__
)
def test_python_tapes_none_of_them(program: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """C tapes and reverses these steps: none is handed to the function of its plan."""

    def refused(*_: Any) -> Any:
        raise AssertionError("a step on arrays was taped by Python")

    monkeypatch.setattr(plans, "perform_tensor_taped", refused)
    pulled(program, engine="c", schedule=Plain())
