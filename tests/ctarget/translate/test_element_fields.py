"""Arrays and scalars of NumPy's that functions capture, or that objects, lists and dictionaries hold.

Translated loops read them there: NumPy's values, hybrid's gradients, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import vjp
from checkpoint.errors import RunError
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.ctarget.translate.test_elements import X, agree_in_units, stay_in_units
from tests.support.translation import forced

pytestmark = [needs_c, needs_compiler]


class Model:
    """Arrays, and a number that changes."""

    def __init__(self, weights: Any, grid: Any) -> None:
        self.weights = weights
        self.grid = grid
        self.sum = 0.0

    def at(self, i: int) -> Any:
        return self.weights[i] * self.grid[i % 3, -1]


def captured(a: Any) -> Any:
    b = a * 0.5

    def at(i: int) -> Any:
        return a[i] * b[-i]

    def chosen(i: int, s: Any) -> Any:
        return at(i) - 1.0 if s > 0.1 else b[i] * b[i]

    s = 0.0
    for i in range(len(a)):
        s = s + chosen(i, s)
    return s * a[2] + np.sum(b)


def captured_and_set(a: Any) -> Any:
    h = a * 1.0

    def add(i: int, x: Any) -> None:
        h[i % 10] += x

    for i in range(len(a)):
        add(i, a[i] * h[3])
    return np.sum(np.tanh(h))


def captured_by_its_name(a: Any) -> Any:
    """An inner function reads what its variable has when it is called."""
    b, s = a * 1.0, 0.0

    def at(i: int) -> Any:
        return b[i] * 0.5

    for i in range(len(a)):
        s = s + at(i)
        if i % 20 == 3:
            b = np.cos(b)
    return s


def of_objects(a: Any) -> Any:
    model = Model(a * 2.0, np.reshape(a[:6], (3, 2)))
    for i in range(len(a)):
        model.sum = model.sum * 0.5 + model.at(i) - model.weights[i] * model.weights[-i]
    return model.sum


def set_in_objects(a: Any) -> Any:
    model = Model(a * 2.0, np.reshape(a[:6], (3, 2)) * 1.0)
    for i in range(1, len(a)):
        model.weights[i] = model.weights[i - 1] * 0.5 + a[i]
        model.grid[i % 3, 0] += model.weights[i]
    return np.sum(model.weights) + np.sum(model.grid * model.grid)


def of_lists(a: Any) -> Any:
    rows, s = [a[:20], a[20:40] * a[0], a[40:]], 0.0
    for i in range(len(a)):
        s = s * 0.9 + rows[i % 3][i // 3 % 20] * rows[-1][3]
    return s


def in_lists(a: Any) -> Any:
    found: list[Any] = []
    for i in range(len(a)):
        found.append(a[i] * a[-i])
    s = 0.0
    for i in range(len(a)):
        s = s + found[i] * found[i // 2]
        found[i // 2] = s * 0.01 * found[i]
    return s


def of_elements(a: Any) -> Any:
    s, elements = 0.0, list(a)
    for i in range(len(a)):
        s = s * 0.5 + elements[i] * elements[3]
    return s


def in_pairs(a: Any) -> Any:
    chain: Any = None
    for i in range(len(a)):
        chain = (a[i] * 2.0, a, chain)
    s = 0.0
    while chain is not None:
        x, row, chain = chain
        s = s * 0.5 + x * row[7]
    return s


PROGRAMS = [
    captured, captured_and_set, captured_by_its_name, of_objects, set_in_objects, of_lists, in_lists,
    of_elements, in_pairs,
]  # fmt: skip
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@EACH
def test_values_and_gradients_are_those_of_hybrid(program: Callable[..., Any]) -> None:
    agree_in_units(program)


@pytest.mark.parametrize("program", [captured, of_objects, of_lists, in_lists])
def test_no_turn_of_a_loop_leaves_its_unit(program: Callable[..., Any]) -> None:
    stay_in_units(program, np.linspace(-0.7, 0.9, 3000))


def reading_what_was_changed(a: Any) -> Any:
    b, s = a * 1.0, 0.0
    holder = [b[2:]]
    for i in range(40):
        s = s + holder[0][0] * b[i]
        if i == 30:
            b[2] = s
    return s


def test_what_another_name_has_changed_is_not_read() -> None:
    for engine in ("hybrid", "c"):
        with forced(), pytest.raises(RunError, match="another name, a view of it"):
            vjp(reading_what_was_changed, X, 1.0, engine=engine)
