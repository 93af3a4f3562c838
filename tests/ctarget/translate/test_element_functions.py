"""Functions of two numbers, one of them an element of an array, and shapes, in translated loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.ctarget.translate.test_elements import X, agree, agree_in_units, stay_in_units

pytestmark = [needs_c, needs_compiler]


def extremes(a: Any) -> Any:
    s, top = 0.0, a[0]
    for i in range(len(a)):
        s = s + np.maximum(a[i], a[-i]) * np.minimum(a[i], 0.25) - np.minimum(1, a[i]) * np.maximum(s, 0.5)
        top = np.maximum(top, a[i] * a[i])
        s *= 0.5
    return s * top


def extremes_of_equals(a: Any) -> Any:
    """Of equals each receives half; of two zeros and of NaN NumPy decides."""
    b, s = np.round(a), 0.0
    for i in range(len(a)):
        s = s + np.maximum(b[i], b[-i]) * a[i] + np.minimum(b[i], 0.0) * a[i] + np.maximum(-0.0 * b[i], 0.0)
    return s


def quotients(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s = s * 0.5 + a[i] % 0.3 - 2.5 % (a[i] + 3) * (a[i] // 0.2) + np.remainder(a[i], a[-i] - 2.0)
        s = s + np.fmod(a[i], 0.4) * np.floor_divide(a[i], 0.25) + 7 // (a[i] + 2.0) * a[i]
        s %= 3.1
    return s


def angles(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s = s + np.hypot(a[i], a[-i]) * np.arctan2(a[i], 2.0) - np.hypot(s, 3) * np.arctan2(1.5, a[i]) * 0.1
    return s


def powers(a: Any) -> Any:
    b, s = abs(a) + 0.2, 0.0
    for i in range(len(a)):
        k = float(i % 3)
        s = s * 0.3 + b[i] ** b[-i] + 2.0 ** a[i] - 3 ** a[i] * 0.1 + b[i] ** k + b[i] ** (i % 4)
        s = s + b[i] ** (s * 0.01 + 0.5) + a[i] ** (i % 3) + float(b[i]) ** b[3]
        b[i] **= b[i - 1]
    return s + np.sum(b)


def of_shapes(a: Any) -> Any:
    b, s = np.reshape(a, (5, 12)), 0.0
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            s = s + b[i, j] * (b.size - j) / b.ndim
            rows, columns = b.shape
            s = s * 0.5 + b[rows - 1 - i, columns - 1 - j] * a.size
    return s


def of_rows(a: Any) -> Any:
    b, s = np.reshape(a, (5, 12)) * 1.0, 0.0
    for i in range(5):
        for j in range(12):
            s = s * 0.5 + b[i][j] * b[-1 - i][-j] - b[i][j] / (2.5 + b[0][0])
            s = s + b[i][int(3.0 * abs(b[i][j])) % 12] * b[i, j]
            if b[i][j] > b[0][j]:
                b[i, j] = s * b[i][0]
    return s + np.sum(b)


COUNTS = np.arange(60) % 7 - 2


def of_whole_numbers(a: Any) -> Any:
    s = 0.0
    for i in range(1, len(a)):
        s = s * 0.5 + a[i] * COUNTS[i] - COUNTS[i] / (a[i - 1] + 3.0) + COUNTS[i - 1] * a[i]
        if COUNTS[i] > 1 or COUNTS[i] == COUNTS[i - 1] + 1:
            s = s - a[i] + COUNTS[i]
        elif COUNTS[i] < a[i] or s > COUNTS[i - 1]:
            s = s * 0.25 + a[0] * COUNTS[i]
    return s


PROGRAMS = [of_rows, of_whole_numbers, extremes, extremes_of_equals, quotients, angles, powers, of_shapes]
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@EACH
def test_values_and_gradients_are_those_of_hybrid(program: Callable[..., Any]) -> None:
    agree_in_units(program)


@pytest.mark.parametrize("program", [extremes, quotients, angles])
def test_no_turn_of_a_loop_leaves_its_unit(program: Callable[..., Any]) -> None:
    stay_in_units(program, np.linspace(-0.71, 1.5, 3000))


def test_what_is_no_number_is_as_in_numpy() -> None:
    x = np.where(np.arange(60) % 7 == 3, np.nan, X)
    with np.errstate(all="ignore"):
        for program in (extremes, angles):
            agree(program, x)
