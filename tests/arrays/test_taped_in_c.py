"""Steps on arrays that engine c tapes and reverses without Python: the bits are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, Plain, RunError, pullback, value_and_grad
from checkpoint.ctarget import library, plans
from checkpoint.ctarget.cotangent import Reverser
from checkpoint.interp.hybrid.tensors import perform_tensor_taped

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

X = np.array([0.5, -1.25, 2.0, 0.75, -0.5, 1.5])
PLACES, CHOSEN = np.array([4, 0, -3]), np.array([True, False, True, True, False, False])


def written_at_places(x: Any) -> Any:
    a = x * 1.0
    for _ in range(3):
        a[PLACES] = x[1:4] * a[PLACES]
    return np.sum(a * x)


def written_where_chosen(x: Any) -> Any:
    a = x * 1.0
    for _ in range(3):
        a[CHOSEN] = x[:3] * 0.5
        a[~CHOSEN] = 0.25
    return np.sum(a * x)


def of_extremes(x: Any) -> Any:
    a, total = x.reshape(2, 3), 0.0
    for axis in (0, 1, -1, None):
        total = total + np.sum(np.exp(a - np.max(a, axis, keepdims=True)) * a)
        total = total + np.sum(np.min(a * a, axis=axis)) * x.max()
    return total * np.min(np.abs(x))  # which two elements are


def of_several_results(x: Any) -> Any:
    total = 0.0
    for _ in range(2):
        first, second = np.split(x, 2)
        rows, columns = np.meshgrid(first * second, second)
        fraction, whole = np.modf(x * 3.0)
        total = total + np.sum(rows[1]) * second[0] + columns[0, 0] + np.sum(fraction * whole)
        parts = list(x)
        total = total + parts[1] * parts[-1] + np.array_split(x, 4)[3][0]
        x = np.tanh(x) * 0.75
    return total


PROGRAMS = [written_at_places, written_where_chosen, of_extremes, of_several_results]


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of what is left to Python from now on: taping or reversing a step on arrays."""
    left: list[str] = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any) -> Any:
            left.append(function.__name__)
            return function(*given)

        return called

    monkeypatch.setattr(plans, "perform_tensor_taped", noted(perform_tensor_taped))
    monkeypatch.setattr(Reverser, "reverse", noted(Reverser.reverse))
    return left


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_nothing_is_left_to_python(program: Any, left: list[str]) -> None:
    value, gradient = value_and_grad(program, engine="c")(X)
    assert left == []
    expected, other = value_and_grad(program, engine="interp")(X)
    assert (value, gradient.tobytes()) == (expected, other.tobytes())


@pytest.mark.parametrize("engine", ["interp", "hybrid", "c"])
def test_several_results_show_the_elements_of_an_operand(engine: str) -> None:
    """A change of a part is one of the whole, which may not be read under its other name then."""

    def changed(x: Any) -> Any:
        a = x * 1.0
        first, _ = np.split(a, 2)
        first[0] = 2.0
        return np.sum(a)

    with pytest.raises(RunError, match="changed through another name"):
        value_and_grad(changed, engine=engine)(X)


@pytest.mark.parametrize("schedule", [Plain(), Bisection(base=5)], ids=["plain", "bisection"])
def test_results_that_are_constants_or_not_used_receive_nothing(schedule: Any) -> None:
    def constant_results(x: Any) -> Any:
        first, second = np.split(np.arange(6.0), 2)
        unused, _ = np.meshgrid(x, x)
        places = np.nonzero(x > 0.0)
        return np.sum(first * x[:3]) + second[0] * x[places[0][1]] + np.sum(unused[0] * 0.0 + x)

    found = [value_and_grad(constant_results, engine=e, schedule=schedule)(X) for e in ("interp", "c")]
    assert found[0][0] == found[1][0]
    assert found[0][1].tobytes() == found[1][1].tobytes()


def test_a_kept_tape_gives_several_results_their_cotangents_again() -> None:
    value, pull = pullback(of_several_results, X, engine="c")
    assert value == of_several_results(X)
    assert pull(1.0).tobytes() == pull(1.0).tobytes()


def test_what_is_written_twice_at_a_place_is_left_to_python(left: list[str]) -> None:
    def written_twice(x: Any) -> Any:
        a = x * 1.0
        a[np.array([1, 1])] = x[:2]
        return np.sum(a)

    value_and_grad(written_twice, engine="c")(X)
    assert left == ["reverse"]
