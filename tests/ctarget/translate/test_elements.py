"""Loops over elements of arrays in translated code: NumPy's values, hybrid's gradients, bit for bit."""

from __future__ import annotations

import math
import pkgutil
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import pullback, vjp
from checkpoint.ctarget.library import runtime
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError
from tests.arrays import test_elements as untranslated
from tests.arrays.agreement import quietly, same_values
from tests.arrays.element_programs import program
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.python.texts import defined
from tests.support.translation import forced

pytestmark = [needs_c, needs_compiler]
X = np.linspace(-0.7, 1.5, 60)
SCHEDULES: list[Schedule] = [Plain(), Bisection(base=101), Budget("256KiB")]


def summed(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * a[i]
    return s


def branching(a: Any) -> Any:
    s, t = 0.0, 1.0
    for i in range(1, len(a) - 1):
        if a[i] > 0.3:
            s = s + 2 * a[i - 1] / (a[i + 1] * a[i + 1] + 1.5) - a[-i]
        elif a[i] != a[i - 1]:
            t = 0.9 * t - a[i] * s * 0.001
    return s * t


def of_rows(a: Any) -> Any:
    b = np.reshape(a, (5, 12)) * 1.0
    s = 0.0
    for i in range(5):
        for j in range(12):
            s += b[i, j] * b[i, -1] - b[i - 1, j]
    return s


def of_strided_columns(a: Any) -> Any:
    b = np.reshape(a, (5, 12)).T[::2]
    s = 0.0
    for i in range(len(b)):
        for j in range(5):
            s += b[i, j] * 0.5
            s -= b[0, j] * s * 1e-2
    return s + np.sum(b)


def of_new_arrays(a: Any) -> Any:
    s = 0.0
    for k in range(9):
        b = a * (1.0 + k)
        for i in range(len(a)):
            s += b[i] * b[3]
    return s


def of_large_arrays(a: Any) -> Any:
    b = np.tile(a, 50)
    s = 0.0
    for i in range(0, 3000, 7):
        s += b[i] * b[i // 2]
    return s * np.sum(b[:9])


def of_floats(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += float(a[i]) * math.sin(s) + 0.1
    return s


def _squares(a: Any, first: int, last: int) -> Any:
    if last - first == 1:
        return a[first] * a[first]
    middle = (first + last) // 2
    return _squares(a, first, middle) * 0.5 + _squares(a, middle, last)


def by_halves(a: Any) -> Any:
    return _squares(a, 0, len(a))


def negated(a: Any) -> Any:
    s = a[0]
    for i in range(len(a)):
        s = -(s - a[i]) * 0.5
    return s


def settling(a: Any) -> Any:
    """A scalar that is set to an invariant one in each turn."""
    k, s, last = a[3], 0.0, a[5]
    for i in range(len(a)):
        s = s + a[i] * last * k
        last = k
    return s


def heat(a: Any) -> Any:
    u, v = a.copy(), np.zeros(len(a))
    for _ in range(5):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return u[5] + np.sum(u)


def sweeping(a: Any) -> Any:
    b = a * 1.0
    for _ in range(3):
        for i in range(1, len(b) - 1):
            b[i] += 0.25 * (b[i - 1] - b[i + 1])
    return np.sum(b * b)


def on_a_grid(a: Any) -> Any:
    b = np.reshape(a[:49], (7, 7)) * 1.0
    for i in range(1, 7):
        for j in range(1, 6):
            b[i, j] = (
                0.3 * b[i, j] + 0.2 * (b[i - 1, j] + b[i, j - 1]) - b[i, j + 1] / (2.5 + b[i, j] * b[i, j])
            )
    return np.sum(b * b)


def sorting(a: Any) -> Any:
    b = np.array(a[:30][::-1])
    for i in range(1, len(b)):
        j = i
        while j > 0 and b[j - 1] > b[j]:
            b[j - 1], b[j] = b[j], b[j - 1]
            j -= 1
    return np.sum(b * np.arange(len(b)))


def in_bins(a: Any) -> Any:
    h = np.zeros(10)
    for i in range(len(a)):
        h[i % 10] += a[i] * h[(i + 3) % 10] * 0.01 + a[i]
        h[3] = 2
    return np.sum(np.tanh(h))


def of_functions(a: Any) -> Any:
    s = 0.0
    for i in range(1, len(a)):
        s += math.sin(a[i]) * math.exp(-a[i - 1]) - math.sqrt(a[i] * a[i]) + math.atan2(a[i], 1)
        if math.isfinite(a[i]) and not math.isnan(a[i]):
            s -= math.pow(2.5, a[i]) * int(3 * a[i]) + round(a[i]) + math.floor(a[i]) * a[i - 1]
    return s


def of_functions_in_place(a: Any) -> Any:
    b = a * 1.0
    for i in range(1, len(b)):
        b[i] = math.tanh(b[i]) + 0.5 * math.cos(b[i - 1])
    return np.sum(b * b)


def of_functions_of_arrays(a: Any) -> Any:
    s = 0.0
    for i in range(1, len(a)):
        s += np.sin(a[i]) * np.exp(-a[i - 1]) + np.cos(a[i]) * np.tanh(a[i]) - np.sqrt(1.0 + a[i] ** 2)
        s += abs(a[i]) * 0.5 - np.log(np.abs(a[i]) + 0.1) * (+a[i - 1])
    return s


def of_powers(a: Any) -> Any:
    s, b = 0.0, abs(a) + 0.01
    for i in range(len(a)):
        s += b[i] ** 2 - b[i] ** 3 + b[i] ** 0.5 * b[i] ** -1.5
        s = s * 0.5 + a[i] ** 5 + a[i] ** -1 * 0.01 + a[i] ** 1
        b[i] **= 2.5
    return s + np.sum(b)


def at_zero(a: Any) -> Any:
    """Compute where slopes jump or are infinite, and where a cotangent is zero."""
    b, s = np.maximum(a, 0.0), 0.0
    for i in range(len(b)):
        s += abs(b[i]) + b[i] ** 2 + np.sqrt(b[i]) * 0.0 + (-0.0) * np.abs(b[i]) + np.sin(b[i])
    return s


ORDER, NARROW = np.argsort(np.sin(np.arange(60.0))), np.arange(60, dtype="int32")[::-1]
CHOSEN = np.arange(60) % 3 > 0
STARTS = np.arange(0, 61, 4)


def by_indices(a: Any) -> Any:
    s, order = 0.0, np.argsort(-a)
    for i in range(1, len(a)):
        s += a[ORDER[i]] * a[NARROW[i]] - a[order[i] - 1] * a[order[i]]
        if CHOSEN[i] and not CHOSEN[i - 1]:
            s = s * 0.5 + a[ORDER[i - 1] - 1]
    return s


def of_a_sparse_matrix(a: Any) -> Any:
    y = np.zeros(15)
    for i in range(15):
        for k in range(STARTS[i], STARTS[i + 1]):
            y[i] += a[k] * a[ORDER[k]]
    return np.sum(y * y)


def scattered(a: Any) -> Any:
    h = np.zeros(60)
    for i in range(len(a)):
        h[ORDER[i]] += a[i] * h[NARROW[i]] + a[i]
        h[NARROW[i]] = a[ORDER[i]]
    return np.sum(np.tanh(h))


PROGRAMS = [
    by_indices, of_a_sparse_matrix, scattered,
    of_functions_of_arrays, of_powers, at_zero, of_functions, of_functions_in_place,
    summed, branching, of_rows, of_strided_columns, of_new_arrays, of_large_arrays, of_floats, by_halves,
    negated, settling, heat, sweeping, on_a_grid, sorting, in_bins,
]  # fmt: skip
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


def unit_runs() -> int:
    return int(runtime().lib.ck_unit_runs())


def agree(program: Callable[..., Any], x: Any, cotangent: Any = 1.0) -> None:
    """Assert that a translated program has hybrid's value and cotangent under each schedule."""
    expected = vjp(program, x, cotangent, engine="hybrid")
    with forced():
        for schedule in SCHEDULES:
            found = vjp(program, x, cotangent, engine="c", schedule=schedule)
            assert same_values(np.asarray(found[0]), np.asarray(expected[0]))
            assert same_values(found[1], expected[1])


def agree_in_units(program: Callable[..., Any]) -> None:
    """Assert that a program has hybrid's value and cotangent in units, and Python's value."""
    before = unit_runs()
    agree(program, X)
    assert unit_runs() > before
    assert same_values(float(vjp(program, X, 1.0, engine="c")[0]), float(program(X)))


def stay_in_units(program: Callable[..., Any], x: Any) -> None:
    """Assert that the turns of a program's loops, of which there are thousands, do not leave its units."""
    with forced(slice=100_000):
        for _ in range(3):
            vjp(program, x, 1.0, engine="c", schedule=Plain())
        before = unit_runs()
        vjp(program, x, 1.0, engine="c", schedule=Plain())
    assert unit_runs() < before + 300


@EACH
def test_values_and_gradients_are_those_of_hybrid(program: Callable[..., Any]) -> None:
    agree_in_units(program)


@EACH
def test_a_tape_that_is_kept_is_reversed_again(program: Callable[..., Any]) -> None:
    expected = vjp(program, X, 0.75, engine="hybrid")[1]
    with forced():
        vjp(program, X, 1.0, engine="c")
        _, pull = pullback(program, X, engine="c")
        first = pull(1.0)
        assert same_values(pull(1.0), first)
        assert same_values(pull(0.75), expected)


@pytest.mark.parametrize("program", untranslated.PROGRAMS, ids=lambda program: program.__name__)
def test_programs_that_set_elements_too(program: Callable[..., Any]) -> None:
    with quietly():
        value = program(untranslated.X)
        agree(program, untranslated.X, untranslated.cotangent_of(np.asarray(value)))


TABLE = np.arange(3000)[::-1].copy()


def by_table(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += a[TABLE[i]] * a[i]
    return s


@pytest.mark.parametrize(
    "program", [of_functions, of_functions_in_place, of_functions_of_arrays, heat, by_table]
)
def test_no_turn_of_a_loop_leaves_its_unit(program: Callable[..., Any]) -> None:
    stay_in_units(program, np.linspace(-0.7, 1.5, 3000))


@pytest.mark.parametrize("program", [heat, sweeping, on_a_grid])
def test_the_first_change_after_a_state_is_no_step_of_pythons(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two states C copies an array before it sets an element, on a tape or not."""
    steps: list[str] = []
    for name in ("_change", "perform"):
        _note_calls(monkeypatch, f"checkpoint.interp.hybrid.tensors.{name}", steps)
    vjp(program, X, 1.0, engine="c", schedule=Bisection(base=101))
    assert not steps


def _note_calls(monkeypatch: pytest.MonkeyPatch, name: str, calls: list[str]) -> None:
    function = pkgutil.resolve_name(name)

    def noted(*given: Any, **named: Any) -> Any:
        calls.append(name)
        return function(*given, **named)

    monkeypatch.setattr(name, noted)


LONG = pytest.mark.long


@pytest.mark.parametrize("seed", [*range(6), *[pytest.param(seed, marks=LONG) for seed in range(6, 300)]])
def test_random_programs(seed: int) -> None:
    agree(defined(program(seed))["f"], np.linspace(0.3, 1.1, 4))


def quotients(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += a[i] / a[i - 1]
    return s


def growing(a: Any) -> Any:
    s = a[0]
    for i in range(len(a)):
        s = s * a[i]
    return s


@pytest.mark.parametrize(
    ("program", "at", "factor"), [(quotients, 40, 0.0), (growing, 50, 1e300), (growing, 9, 0.0)]
)
def test_numpy_warns_as_it_does_in_python(program: Callable[..., Any], at: int, factor: float) -> None:
    """A quotient by zero is infinite, and products may overflow, with the warnings of NumPy."""
    x = np.where(np.arange(60) % at == at - 1, factor, 1e8 if factor > 1.0 else 0.5)

    def caught(run: Callable[[], Any]) -> tuple[Any, set[str]]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            value = run()
        return value, {str(each.message).replace("scalar ", "") for each in found}

    expected, messages = caught(lambda: program(x))
    with forced():
        vjp(program, np.ones(60), 1.0, engine="c")
        found, own = caught(lambda: pullback(program, x, engine="c")[0])
    assert same_values(float(found), float(expected))
    assert own == messages


def reading_what_was_changed(a: Any) -> Any:
    b = a * 1.0
    c = b[2:]
    s = 0.0
    for i in range(40):
        s = s + c[0] * b[i]
        if i == 30:
            b[2] = s
    return s


def test_what_another_name_has_changed_is_not_read() -> None:
    for engine in ("hybrid", "c"):
        with forced(), pytest.raises(RunError, match="another name, a view of it"):
            vjp(reading_what_was_changed, X, 1.0, engine=engine)
