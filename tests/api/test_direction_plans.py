"""Jacobians by plans: they have the bits of runs, and a plan sees every change that it has to.

Another function of the same text has no plans yet, and says what is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.api.direction_plans import MAX_TRACES, RunPlan
from tests.api import test_directions as corpus
from tests.api.test_directions import MANY, POINTS, WEIGHTS, X, bits, steady, turned

RNG = np.random.default_rng(5)
POINTS_OF_CALLS = [X, X, X[::-1].copy(), X + 0.1 * RNG.normal(size=12), 0.5 * X, X, X * 3.0]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each use of a plan adds whether the plan did not fail."""
    found: list[bool] = []
    usual = RunPlan.outputs

    def outputs(self: RunPlan, inputs: Any) -> Any:
        made = usual(self, inputs)
        found.append(made is not None)
        return made

    monkeypatch.setattr(RunPlan, "outputs", outputs)
    return found


def agrees(jacobian: Callable[..., Any], f: Callable[..., Any], *args: Any) -> None:
    """Compare a Jacobian with that of a function without plans, bit for bit."""
    assert bits(jacobian(*args)) == bits(checkpoint.jacfwd(f)(*args))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of what is not finite
@pytest.mark.parametrize("f", corpus.TOGETHER)
def test_calls_have_the_bits_of_the_first_one(f: Any) -> None:
    """Whether there is a plan or not."""
    jacobian = checkpoint.jacfwd(f)
    for x in POINTS_OF_CALLS:
        agrees(jacobian, f, x)


@pytest.mark.parametrize("f", [steady, turned, corpus.stacks, corpus.sums, corpus.roots])
def test_which_functions_have_plans(f: Any, taken: list[bool]) -> None:
    jacobian = checkpoint.jacfwd(f)
    for x in POINTS_OF_CALLS:
        agrees(jacobian, f, x)
    assert taken == [True] * (len(POINTS_OF_CALLS) - 2)


# What is not the same in another call


def test_a_branch_on_elements_is_guarded(taken: list[bool]) -> None:
    def f(x: Any) -> Any:
        y = steady(x)
        return y * x if np.sum(x) > 0.0 else y - x * 2.0

    jacobian = checkpoint.jacfwd(f)
    up, down = np.abs(X), -np.abs(X)
    for x in (up, up, down, up, down, up):
        agrees(jacobian, f, x)
    # The plan for `up` is tried first, with the form of its call and then with the run that has entered.
    assert taken == [False, False, True, False, True, True]


def test_a_loop_on_elements_is_guarded() -> None:
    def f(x: Any) -> Any:
        y = steady(x)
        while np.sum(y * y) > 1.0:
            y = y * 0.7
        return y

    jacobian: Any = checkpoint.jacfwd(f)
    for scale in (1.0, 2.0, 4.0, 1.0, 2.0, 0.1, 8.0, 16.0, 32.0, 64.0, 1.0, 64.0):
        agrees(jacobian, f, X * scale)
    assert len(jacobian._known.plans._plans) == MAX_TRACES


def test_a_shape_that_elements_decide_is_guarded(taken: list[bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        chosen = y[y > 0.0]
        return steady(x) * np.sum(chosen) / chosen.shape[0]

    jacobian = checkpoint.jacfwd(f)
    for y in (X, X, X, -X, X[::-1].copy()):
        agrees(jacobian, f, X, y)
    assert taken.count(True) >= 2


def test_an_integer_that_elements_decide_is_guarded() -> None:
    def f(x: Any, k: Any) -> Any:
        y = steady(x)
        for _ in range(int(k[0])):
            y = y * x
        return y, y[int(np.argmax(x)) :]

    jacobian = checkpoint.jacfwd(f)
    for x, k in ((X, 2), (X, 2), (X, 3), (X[::-1].copy(), 2), (X, 1), (X, 2)):
        agrees(jacobian, f, x, np.array([k]))


def test_a_real_of_elements_has_no_plan(taken: list[bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        scale = float(y[0])
        return steady(x) * scale + scale**2.0

    jacobian = checkpoint.jacfwd(f)
    for scale in (1.0, 2.0, 3.0):
        agrees(jacobian, f, X, np.array([scale]))
    assert taken == []


def test_other_arguments(taken: list[bool]) -> None:
    """Arrays may have other elements; another number, shape, dtype, or order in memory is another run."""

    def f(x: Any, y: Any, scale: Any, names: Any) -> Any:
        found = steady(x) * scale + np.sum(y)
        return found @ y[: len(x)] if "product" in names else found

    jacobian, square = checkpoint.jacfwd(f), RNG.normal(size=(12, 12))
    others: list[Any] = [
        (square, 2.0, {"a": 1}),
        (square, 2.0, ["sum"]),
        (square, 2.0, ("product",)),
        (square.T, 2.0, ("product",)),
        (square, -0.0, ("product",)),
        (square, 2, ("product",)),
        (square.astype(np.float32), 2.0, ("product",)),
        (square[:, :3], 2.0, ("product",)),
        (np.arange(12), 0.0, ("product",)),
    ]
    for other in (*others, *others):
        for _ in range(2):
            agrees(jacobian, f, X, *other)
    assert taken
    assert all(taken)


def test_a_table_as_an_argument() -> None:
    """Structured arrays have no signature."""

    def f(x: Any, table: Any) -> Any:
        return steady(x) * table["weight"][0]

    jacobian, table = checkpoint.jacfwd(f), np.zeros(3, [("weight", float), ("count", int)])
    for weight in (1.0, 2.0, 3.0, 3.0):
        table["weight"] = weight
        agrees(jacobian, f, X, table)


def test_one_array_as_two_arguments() -> None:
    def f(x: Any, y: Any, z: Any) -> Any:
        return steady(x) * y - z

    jacobian = checkpoint.jacfwd(f)
    for y, z in ((X, X), (X, X), (X, 2.0 * X), (X, 3.0 * X), (X, X)):
        agrees(jacobian, f, X, y, z)


FACTOR, OFFSET, CHOICE = 2.0, np.ones(12), {"power": 2}


def helper(x: Any) -> Any:
    return x * FACTOR


def reading(x: Any) -> Any:
    y = helper(steady(x)) + OFFSET
    for _ in range(CHOICE["power"]):
        y = np.positive(y * x)
    return y


def test_globals_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    jacobian = checkpoint.jacfwd(reading)

    def calls() -> None:
        for _ in range(3):
            agrees(jacobian, reading, X)

    calls()
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    calls()
    monkeypatch.setitem(CHOICE, "power", 3)
    calls()
    monkeypatch.setitem(globals(), "OFFSET", np.arange(12.0))
    calls()
    monkeypatch.setitem(globals(), "helper", lambda x: x - 1.0)
    calls()
    monkeypatch.setattr(np, "positive", np.negative)
    calls()


def test_elements_of_a_global_that_change(taken: list[bool]) -> None:
    table = np.ones(12)

    def f(x: Any) -> Any:
        return steady(x) * table

    jacobian = checkpoint.jacfwd(f)
    for k in range(5):
        table[k] = 7.0
        agrees(jacobian, f, X)
    assert taken == [True] * 3


# What has no plan


def test_what_is_printed_or_raised(capsys: pytest.CaptureFixture[str], taken: list[bool]) -> None:
    def printing(x: Any) -> Any:
        print("here")
        return steady(x)

    def raising(x: Any) -> Any:
        y = steady(x)
        try:
            if np.sum(x) > 0.0:
                raise ValueError
        except ValueError:
            y = y * 2.0
        return y

    for f in (printing, raising):
        jacobian = checkpoint.jacfwd(f)
        for x in (np.abs(X), np.abs(X), -np.abs(X), np.abs(X)):
            agrees(jacobian, f, x)
    assert capsys.readouterr().out == "here\n" * 8
    assert True not in taken[:-1]  # of what raises nothing there may be a plan


def test_an_error_of_a_later_call() -> None:
    def f(x: Any, k: Any) -> Any:
        return steady(x)[k]

    jacobian = checkpoint.jacfwd(f)
    for k in ([1, 2], [3, 2], [0, 0]):
        agrees(jacobian, f, X, np.array(k))
    with pytest.raises(IndexError, match="out of bounds"):
        jacobian(X, np.array([12, 0]))
    agrees(jacobian, f, X, np.array([5, 6]))


def test_a_warning_of_a_later_call() -> None:
    def f(x: Any, y: Any) -> Any:
        return steady(x) * np.log(y)

    def warned(jacobian: Callable[..., Any], y: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            jacobian(X, y)
        return [str(each.message) for each in found]

    jacobian, zeros = checkpoint.jacfwd(f), np.zeros(12)
    agrees(jacobian, f, X, np.ones(12))
    agrees(jacobian, f, X, np.ones(12))
    assert warned(jacobian, zeros) == warned(checkpoint.jacfwd(f), zeros) != []
    assert warned(jacobian, np.ones(12)) == []


def test_constants_of_a_plan_stay_as_they_are(taken: list[bool]) -> None:
    """What a caller does with a result changes nothing in a plan."""

    def f(x: Any) -> Any:
        return {"x": steady(x), "eye": np.eye(3), "points": POINTS @ WEIGHTS, "many": MANY[0] * x[0]}

    jacobian = checkpoint.jacfwd(f)
    for _ in range(4):
        agrees(jacobian, f, X)
        for block in jacobian(X).values():
            block[...] = 5.0
    assert taken == [True] * 6
