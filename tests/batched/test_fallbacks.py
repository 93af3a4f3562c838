"""Functions without a batched form give what the loop over lanes gives: values, exceptions, prints."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.support.same import same_elements
from tests.support.sampling import sample

pytestmark = [
    pytest.mark.filterwarnings("ignore::checkpoint.LanesWarning"),  # test_warnings.py has these
    pytest.mark.engines_in_turn,
]
X = np.array([2.0, 0.0, -1.0, 3.5])


def divides(x: Any) -> Any:
    return 1.0 / x


def handles(x: Any) -> Any:
    try:
        return math.sqrt(x)
    except ValueError:
        return 0.0


def prints(x: Any) -> Any:
    if x > 0.0:
        print("above", 1)
    return x


def appends_apart(x: Any) -> Any:
    found = []
    for i in range(3):
        if x > i:
            found.append(x * i)
    return sum(found)


def appends_for_others(x: Any) -> Any:
    found = [x]
    other = found
    if x > 0.0:
        other.append(2.0 * x)
    return sum(found)


def changes_a_cell(x: Any) -> Any:
    count = 0.0

    def add() -> None:
        nonlocal count
        count = count + x

    if x > 0.0:
        add()
    add()
    return count


def of_different_lengths(x: Any) -> Any:
    return sum([x] * (2 if x > 0.0 else 3))


def of_different_functions(x: Any) -> Any:
    def twice(y: Any) -> Any:
        return y * 2.0

    def thrice(y: Any) -> Any:
        return y * 3.0

    chosen = twice if x > 0.0 else thrice
    return chosen(x)


def of_large_integers(x: Any) -> Any:
    n = 3 if x > 0.0 else 5
    for _ in range(6):
        n = n * n
    return float(n)


def of_booleans(x: Any) -> Any:
    return (x > 0.0) + (x > 1.0) + 0.5


def of_integers_and_floats(x: Any) -> Any:
    n = 1 if x > 0.0 else 0.5
    return float(isinstance(n, int)) + n // 2


def compares_tuples(x: Any) -> Any:
    return 1.0 if (x, 1.0) == (2.0, 1.0) else 0.0


def searches(x: Any) -> Any:
    return 1.0 if x in [0.0, 3.5] else 2.0


def writes_into_an_array(x: Any) -> Any:
    found = np.zeros(3)
    found[1] = x
    shown = found
    if x > 0.0:
        shown = shown * 2.0
    return shown


def writes_into_a_shared_array(x: Any) -> Any:
    found = np.zeros(3)
    if x > 0.0:
        found[0] = 1.0
    return found * x


def adds_in_place(x: Any) -> Any:
    found = np.ones(2) * x
    found += 1.0
    return found


def raises_in_some(x: Any) -> Any:
    if x < 0.0:
        raise KeyError("below")
    return x


def returns_text(x: Any) -> Any:
    return "text" if x > 5.0 else "other"


def calls_inner_gradient(x: Any) -> Any:
    return checkpoint.grad(lambda y: y * y * x)(x)


def stops_gradient(x: Any) -> Any:
    return checkpoint.stop_gradient(x) * x


ALL: list[Callable[..., Any]] = [
    *(divides, handles, prints, appends_apart, appends_for_others, changes_a_cell, of_different_lengths),
    *(of_different_functions, of_large_integers, of_booleans, of_integers_and_floats, compares_tuples),
    *(searches, writes_into_an_array, writes_into_a_shared_array, adds_in_place, raises_in_some),
    *(returns_text, calls_inner_gradient, stops_gradient),
]


def outcome(f: Callable[..., Any], exact: bool, engine: str | None = None) -> tuple[Any, str]:
    """Return the value of a function over lanes, or its exception in words, and what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            value = checkpoint.vmap(f, exact=exact, engine=engine)(X)
        except Exception as error:
            value = f"{type(error).__name__}: {error} {getattr(error, '__notes__', ())}"
    return value, printed.getvalue()


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("engine", checkpoint.engines.usable())
def test_what_the_loop_gives(f: Callable[..., Any], engine: str) -> None:
    got, want = outcome(f, False, engine), outcome(f, True, engine)
    assert got[1] == want[1]
    assert got[0] == want[0] if isinstance(want[0], str) else same_elements(got[0], want[0])


@pytest.mark.parametrize("f", sample(ALL), ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any]) -> None:
    if isinstance(outcome(f, True)[0], str):
        return

    def loss(exact: bool) -> Callable[..., Any]:
        return lambda x: np.sum(checkpoint.vmap(f, exact=exact)(x))

    got, want = (checkpoint.grad(loss(exact))(X) for exact in (False, True))
    assert same_elements(got, want)


def test_an_error_names_its_lane() -> None:
    value, _ = outcome(divides, False)
    assert value.startswith("ZeroDivisionError: float division by zero")
    assert "in lane 1 of vmap" in value


def test_axes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="one number of lanes in all mapped arguments"):
        checkpoint.vmap(lambda x, y: x, exact=False)(np.zeros(2), np.zeros(3))


def test_what_lanes_share_cannot_be_changed() -> None:
    shared = [1.0]

    def change(x: Any) -> Any:
        shared.append(x)
        return x

    with pytest.raises(checkpoint.SourceError, match="changing shared, which the function does not make"):
        checkpoint.vmap(change, exact=False)(X)
