"""Plans of calls: these enter no program, return what others do, and see every change that they have to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tracing.forms import form_of
from checkpoint.api.direction_plans import RunPlan
from checkpoint.functions import python_functions
from tests.api.test_directions import bits

X, M = np.linspace(0.3, 1.7, 12), np.random.default_rng(3).normal(size=(12, 12))


class Weights(NamedTuple):
    matrix: Any
    shifts: list[Any]


class Entries:
    """Counts the runs for which arguments have entered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        usual = python_functions.run_of

        def run_of(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            return usual(*args, **kwargs)

        monkeypatch.setattr(python_functions, "run_of", run_of)

    @contextmanager
    def none(self) -> Iterator[None]:
        """Compare how many there are within."""
        before = self.count
        yield
        assert self.count == before


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Entries:
    return Entries(monkeypatch)


def layered(weights: Any, x: Any, options: Any) -> Any:
    """Return numbers of a network, in a structure."""
    y = x
    for shift in weights.shifts:
        y = weights.matrix[0] * y + shift
        y = y / np.sqrt(1.0 + y * y) * options["scale"]
    return y


def loss(weights: Any, x: Any, options: Any) -> Any:
    return np.sum(layered(weights, x, options) ** 2)


def arguments(k: float) -> tuple[Any, ...]:
    return Weights(M * k, [X * k, X + k]), X - k, {"scale": 2, "name": "bent"}


def gradient() -> Any:
    return checkpoint.value_and_grad(loss, (0, 1))


def jacobian() -> Any:
    return checkpoint.jacfwd(layered, 1)


@pytest.mark.parametrize("make", [gradient, jacobian])
def test_later_calls_enter_nothing(make: Callable[[], Any], entries: Entries) -> None:
    known = make()
    for k in (1.0, 1.1, 1.2):
        known(*arguments(k))
    for k in (1.3, -0.4, 0.0):
        expected = make()(*arguments(k))
        with entries.none():
            found = known(*arguments(k))
        assert bits(found) == bits(expected)


@pytest.mark.parametrize("make", [gradient, jacobian])
def test_what_is_returned_is_the_callers_own(make: Callable[[], Any], entries: Entries) -> None:
    known, given = make(), arguments(1.0)
    for _ in range(3):
        known(*given)
    expected = bits(known(*given))
    with entries.none():
        for _ in range(2):
            found = known(*given)
            assert bits(found) == expected
            part = found[1][1] if make is gradient else found
            part[...] = 5.0


def test_named_arguments_are_told_apart(entries: Entries) -> None:
    def f(x: Any, *, y: Any, z: Any) -> Any:
        return np.sum(x * y - z)

    known = checkpoint.grad(f)
    for _ in range(3):
        known(X, y=X * 2.0, z=X * 3.0)
    with entries.none():
        assert bits(known(X, y=X * 3.0, z=X * 4.0)) == bits(X * 3.0)
    assert bits(known(X, z=X * 3.0, y=X * 4.0)) == bits(X * 4.0)


SCALE = 2.0


def scaled(x: Any) -> Any:
    return np.sum(np.sin(x)) * SCALE


def test_what_the_program_reads_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    known = checkpoint.value_and_grad(scaled)

    def agree() -> None:
        for _ in range(4):
            assert bits(known(X)) == bits(checkpoint.value_and_grad(scaled)(X))

    agree()
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    agree()
    monkeypatch.setattr(scaled, "__code__", (lambda x: np.sum(x * x)).__code__)
    agree()
    monkeypatch.setattr(np, "sum", np.mean)
    agree()


def test_a_branch_of_another_structure() -> None:
    def f(x: Any) -> Any:
        return {"up": x * x, "down": [x]} if np.sum(x) > 0.0 else (x * 3.0, x * x * x)

    known: Any = checkpoint.jacfwd(f)
    for sign in (1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0):
        assert repr(known(sign * X)) == repr(checkpoint.jacfwd(f)(sign * X))


def test_a_budget_or_an_observer_has_its_run(monkeypatch: pytest.MonkeyPatch, entries: Entries) -> None:
    known = checkpoint.grad(scaled)
    for _ in range(4):
        known(X)
    before = entries.count
    monkeypatch.setenv("CHECKPOINT_MEMORY", "64MiB")
    known(X)
    assert entries.count == before + 1


# Forms


class Derived(tuple[Any, ...]):
    """A tuple that may have attributes."""


FORMED: list[Any] = [
    X,
    M.T,
    M[::2],
    np.float64(2.0),
    np.arange(3),
    [X, (M, [])],
    Weights(M, [X]),
    {"a": X, "b": {"c": 1}},
    (1, True, None, "text", b"bytes", 1.5, -0.0),
]


@pytest.mark.parametrize("k", range(len(FORMED)))
def test_a_form_finds_only_what_equals(k: int) -> None:
    form = form_of([FORMED[k]])
    assert form is not None
    for other, value in enumerate(FORMED):
        found = form.of([value])
        assert (found is not None) == (other == k)
        if found is not None:
            assert all(map(lambda x, y: x is y, found, form.arrays))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (1, True),
        (1, 1.0),
        (X, X[::-1]),
        (X, X.astype(np.float32)),
        (X, X.astype(">f8")),
        (M, np.asfortranarray(M)),
        (np.float64(1.0), np.array(1.0)),
        ([X], (X,)),
        ([X, M], [X, M, X]),
        ({"a": X, "b": M}, {"b": M, "a": X}),
        ({"a": X}, {"a": X, "b": X}),
        (Weights(X, []), (X, [])),
        ([[X], [X + 1.0]], [[X], [X]]),
        ("a", b"a"),
    ],
)
def test_what_has_another_form(one: Any, other: Any) -> None:
    form = form_of([one])
    assert form is not None
    assert form.of([one]) is not None
    assert form.of([other]) is None


def test_a_nan_has_the_form_of_a_nan() -> None:
    form = form_of([float("nan")])
    assert form is not None
    assert form.of([float("nan")]) == []


def test_what_has_no_form() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    deep: Any = X
    for _ in range(100):
        deep = [deep]
    twice = [X]
    nests = cyclic, deep, [X, X], [twice, twice], {1: X}, Derived((X,))
    for thing in (*nests, np.sum, len, 1j, {1, 2}, object()):
        assert form_of([thing]) is None


def test_a_call_makes_use_of_its_plan_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check it where a call cannot leave a plan of its own, too."""
    count, usual = [0], RunPlan.computed

    def computed(self: RunPlan, inputs: Any) -> Any:
        count[0] += 1
        return usual(self, inputs)

    def double(x: Any) -> Any:
        return 2.0 * x

    x = np.arange(12.0)
    f = checkpoint.grad(lambda x: np.sum(checkpoint.arrays.map(double, x)))
    for _ in range(3):
        f(x)
    monkeypatch.setattr(RunPlan, "computed", computed)
    for _ in range(4):
        f(x)
    assert count == [4]
