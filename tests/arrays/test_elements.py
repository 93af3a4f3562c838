"""Programs that read, compare and set elements of arrays: the same bits on all engines, under all schedules.

Engine c does most of these steps without Python; what it leaves to Python is among them, too: slices, other
dtypes, indices that name an element twice, arrays that came in, elements of views, results that are not
finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import pullback, value_and_grad, vjp
from checkpoint.ad import accumulators
from checkpoint.ad.array_library import zeros_beside
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Plain
from tests.arrays.agreement import ENGINES, quietly, same_values
from tests.arrays.element_programs import program
from tests.python.texts import defined

X = np.linspace(0.5, 1.5, 12)
LONG = pytest.mark.long


def scanned(x: Any) -> Any:
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] * 0.5 + x[i]
    return out


def swept(x: Any) -> Any:
    a = x * 1.0
    for _ in range(2):
        for i in range(1, len(a) - 1):
            a[i] += 0.25 * (a[i - 1] - a[i + 1])
    return a


def of_two_axes(x: Any) -> Any:
    a = x.reshape(3, 4) * 2.0
    for i in range(3):
        for j in range(4):
            a[i, j] = a[i, j] * a[-1, -1] / (1.0 + a[0, 0])
    return a


def largest(x: Any) -> Any:
    best, at = x[0], 0
    for i in range(len(x)):
        if x[i] * math.cos(3.0 * i) > best:
            best, at = x[i] * math.cos(3.0 * i), i
    return best * (at + 1)


def set_twice(x: Any) -> Any:
    a = x * 1.0
    a[3] = x[1]
    a[3] = a[3] * a[2]
    a[-1] = 2
    a[0] = True
    return a * a


def in_a_view(x: Any) -> Any:
    a = x * 1.0
    row = a[2:8]
    row[1] = x[0] * 3.0
    row[2] += row[1]
    return row * row


def of_an_argument(x: Any) -> Any:
    a = x.copy()
    a[2] = a[2] ** 2 - a[1] / a[0] - (-a[5])
    return a


def with_slices(x: Any) -> Any:
    a = x * 1.0
    for i in range(3):
        a[i] = 2.0 * x[i]
        a[4:6] = a[i] * x[i : i + 2]
    return a


def of_single(x: Any) -> Any:
    a = x.astype("float32")
    a[1] = a[0] * 2.0
    return a.astype("float64")


def beyond(x: Any) -> Any:
    a = x * 1.0
    a[1] = a[0] / (a[1] - a[1])
    a[2] = a[3] * 1e308 * 10.0
    a[4] = a[5] * 1e-310
    return np.where(np.isfinite(a), a, 1.0)


def summed_by_floats(x: Any) -> Any:
    a, total = np.empty(len(x)), 0.0
    for i in range(len(x)):
        a[i] = math.sin(float(x[i]))
        total = total + a[i] * i - 2.0 / a[i]
    return total


def sorted_by_insertion(x: Any) -> Any:
    a = np.array(x[::-1])
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    return a * np.arange(len(a))


def read_in_a_loop(x: Any) -> Any:
    a, total = np.tile(x, 8), 0.0
    for i in range(0, 30, 2):
        total = total + a[i] * a[i + 1] - a[-i - 1] * a[3] * a[3]
    return total * a[90] + total


def read_in_loops(x: Any) -> Any:
    a, b = np.tile(x, (8, 1)), np.tile(x, 10) * 2.0
    total = np.zeros(3)
    for i in range(8):
        for j in range(i):
            total[j % 3] += a[i, j] / b[i] + a[i, -1]
    return total * a.sum() + b[:3]


def read_by_calls(x: Any) -> Any:
    a = np.tile(x, 12)

    def at(i: int, depth: int) -> Any:
        return a[i] if depth == 0 else a[i + 1] * at(i * 2, depth - 1) + at(i, depth - 1)

    return at(3, 4) * np.exp(-a)


def read_often(x: Any) -> Any:
    a, total = np.tile(x, 6), 0.0
    for i in range(0, 72, 6):
        for j in range(30):
            total += a[(i + j) % 72] * (j - 20.0)
    return total


def read_and_written(x: Any) -> Any:
    a, out = np.tile(x, 6), np.zeros(72)
    for i in range(72):
        out[i] = a[71 - i] * a[i] + (out[i // 2] if i else 0.0)
    return out[70] * out[3]


def raised_in_place(x: Any) -> Any:
    """Python raises an element by C's power: np.power may have other last bits."""
    a, s = np.tile(x, 20), x[0]
    for i in range(len(a)):
        a[i] *= 1.0 + 0.01 * i
        a[i] **= 2.5
        s **= 0.9
        s *= 1.1
    return a + s


def of_views(x: Any) -> Any:
    a, b = np.tile(x, (3, 1)), x * 1.0
    total = a[1:, 2] * a[0, -2:] + a[::-1][0, 3:5] * 0.5 + b[None, 2:4][0] - a[..., 5][:2]
    for i in range(1, 4):
        total = total + b[i : i + 2] * b[-2 - i : -i] * a[1][i : i + 2] + b[::6] * a[1, :][:2] * b[i]
    return total * np.tile(b, (70, 1))[:, :2].sum(axis=0) * b[:12:11] * b.astype("float32")[:2]


def changed_in_place(x: Any) -> Any:
    a, b = x * 1.0, np.tile(x, (2, 1))
    a += x
    a *= a[0]
    b -= a
    b /= 1.0 + x * x
    a **= 2.0
    a[1:] += 0.1 * b[0, :-1]
    b[0] *= a
    b[:, ::2] -= a[::2]
    c = a.astype("float32")
    c += a
    n = np.arange(12)
    n += 2
    return a * b[0] + b[1] + c + n


def selected(x: Any) -> Any:
    a, table = x * 1.0, np.tile(x, (3, 1))
    places, odd = np.array([3, 1, -2]), np.arange(12) % 2 == 1
    for i in range(2):
        a[places] = x[:3] * a[places]
        a[odd] = a[:6] * (i + 0.5)
        a[[0, 2]] = 3.0
        a[[0, 2]] = x[3:5]
        a[np.array([1, 1, -4])] = x[:3] * a[:3]
        a[places] = a[0] * 2.0
        a[odd] = x[1]
        a[places[:2]] += 0.5 * a[:2]
        table[:, places] = a[:3]
        table[places[1:2], 1:3] = x[:2]
        table[np.array([True, False, True])] = a
        table[table > 1.3] = 0.25
    return a + table[0] * table[2] * table[1]


PROGRAMS = [
    scanned, swept, of_two_axes, largest, set_twice, in_a_view, of_an_argument, with_slices, of_single,
    beyond, summed_by_floats, sorted_by_insertion, read_in_a_loop, read_in_loops, read_by_calls, read_often,
    read_and_written, raised_in_place, of_views, changed_in_place, selected,
]  # fmt: skip
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
SCHEDULES = {"plain": Plain(), "bisection": Bisection(base=7), "budget": Budget("128KiB")}


def cotangent_of(value: Any) -> Any:
    return np.cos(np.arange(value.size)).reshape(value.shape) if np.ndim(value) else 0.75


def pulled(program: Callable[..., Any], **options: Any) -> tuple[Any, Any]:
    value = program(X)
    with quietly():
        y, x_bar = vjp(program, X, cotangent_of(np.asarray(value)), **options)
    return y, x_bar


@EACH
def test_engines_and_schedules_agree(program: Any) -> None:
    with quietly():
        expected = program(X), pulled(program, engine="interp", schedule=Plain())[1]
        for engine in ENGINES:
            for schedule in SCHEDULES.values():
                found = pulled(program, engine=engine, schedule=schedule)
                assert same_values(np.asarray(found[0]), np.asarray(expected[0]))
                assert same_values(found[1], expected[1])


@EACH
def test_the_gradient_is_that_of_differences(program: Any) -> None:
    def total(x: Any) -> Any:
        value = program(x)
        return np.sum(value * cotangent_of(np.asarray(value)))

    if program in (of_single, beyond, of_views, changed_in_place, selected):
        pytest.skip("differences of float32, of steps at infinity, and across a branch say nothing")
    _, gradient = value_and_grad(total)(X)
    for i in range(len(X)):
        step = 1e-6 * np.eye(len(X))[i]
        assert gradient[i] == pytest.approx((total(X + step) - total(X - step)) / 2e-6, abs=1e-6)


@EACH
@pytest.mark.parametrize("engine", ENGINES)
def test_a_tape_that_is_kept_is_as_it_was(program: Any, engine: str) -> None:
    with quietly():
        value, pull = pullback(program, X, engine=engine)
        cotangent = cotangent_of(np.asarray(value))
        first = pull(cotangent)
        assert same_values(pull(cotangent), first)
        pull(2.0 * cotangent)
        assert same_values(pull(cotangent), first)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_element_costs_what_it_is(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that reads elements of a large array makes no array of its size in each turn of the reversal."""

    def total(k: float, n: int) -> Any:
        a, found = k * np.linspace(0.0, 1.0, n), 0.0
        for i in range(0, n, 10):
            found = found + a[i] * a[i]
        return found

    sizes: list[int] = []

    def counted(data: Any, shape: Any, dtype: Any) -> Any:
        sizes.append(math.prod(shape))
        return zeros_beside(data, shape, dtype)

    monkeypatch.setattr(accumulators, "zeros_beside", counted)
    _, gradient = value_and_grad(total, engine=engine)(2.0, 1000)
    assert gradient == pytest.approx(sum(4.0 * (i / 999.0) ** 2 for i in range(0, 1000, 10)))
    assert sizes.count(1000) < 5


@pytest.mark.parametrize("seed", [*range(8), *[pytest.param(seed, marks=LONG) for seed in range(8, 300)]])
def test_random_programs(seed: int) -> None:
    """They give Python's value, and on all engines the same bits, which are about those of differences."""
    f = defined(program(seed))["f"]
    x = np.linspace(0.3, 1.1, 4)
    value, *gradients = (
        f(x),
        *[
            vjp(f, x, 1.0, engine=engine, schedule=schedule)
            for engine in ENGINES
            for schedule in (Plain(), Bisection(base=11))
        ],
    )
    for found, gradient in gradients:
        assert same_values(float(found), float(value))
        assert same_values(gradient, gradients[0][1])
    assert gradients[0][1] == pytest.approx(differences(f, x), rel=1e-3, abs=1e-4)


def differences(f: Any, x: Any) -> Any:
    """Return the derivatives by differences of several widths, of each the median.

    In some widths two equal numbers that are compared are rounded to different ones.
    """
    found = [
        [(f(x + width * step) - f(x - width * step)) / (2.0 * width) for step in np.eye(len(x))]
        for width in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
    ]
    return np.median(found, axis=0)
