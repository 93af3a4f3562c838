"""The shorter ways of engine c beside the longer ones: the opening of a budget, cotangents of flat arguments.

Both ways must give the same: actions, counts, values and bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from checkpoint import grad
from checkpoint.ad import tangent
from checkpoint.ad.numbers import one as one_of
from checkpoint.api import gradients
from checkpoint.ctarget import engine as c_engine
from checkpoint.ctarget.arguments import tree_cotangents
from checkpoint.ctarget.library import reason
from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Plain
from checkpoint.functions.python_functions import run_of

pytestmark = pytest.mark.skipif(reason() is not None, reason=f"engine c is missing: {reason()}")


class Asked(Budget):
    """A budget that is asked for each of its actions, as it is not of Budget's own class."""


def loop(x: float, turns: int) -> float:
    for _ in range(turns):
        x = math.sin(x) + 0.1
    return x


def seeded(engine: Engine, end: Any) -> Any:
    return engine.seed(end, 1.0)


@pytest.mark.parametrize("turns", [0, 1, 100, 60_000])
@pytest.mark.parametrize("memory", [None, "1MiB", "64MiB"])
def test_a_budget_opens_as_it_says(turns: int, memory: str | None) -> None:
    found = []
    for kind in (Budget, Asked):
        call = run_of(loop, (0.5, turns), {}, "c")
        counts, engine = Counts(), call.engine
        sweep = Sweep(engine, Effects(), seed=partial(seeded, engine), counts=counts)
        start = engine.start(0, call.u, call.tags)
        end, cotangent = sweep.run(start, kind(memory))
        received = engine.argument_cotangents(start, cotangent, call.found)
        # How a long run is divided depends on the time that its segments take.
        found.append((end.steps, end.value, received, counts if turns <= 100 else None))
    assert found[0] == found[1]


def one(x: Any) -> Any:
    return x * x


def items(xs: Any) -> Any:
    return xs[0] * xs[1]


def entries(xs: Any) -> Any:
    return xs["a"] * xs["b"]


def arrays(xs: Any) -> Any:
    return np.sum(xs[0] * xs[1])


def inner(xs: Any) -> Any:
    return xs[0][0] * xs[1]


def applied(xs: Any) -> Any:
    return xs[1](xs[0])


A, B = np.array([1.0, 2.0]), np.array([3.0, 4.0])
TREES: dict[str, tuple[Callable[..., Any], Any]] = {
    "a number": (one, 3.0),
    "a list": (items, [2.0, 3.0, 4.0]),
    "a tuple": (items, (2.0, 3.0)),
    "a dictionary": (entries, {"b": 2.0, "a": 3.0}),
    "arrays": (arrays, [A, B, A]),
    "a list in a list": (inner, [[2.0], 3.0]),
    "lists of both": (inner, [[2.0, A, None], 3.0, {"a": (B, 4.0)}]),
}


def reversed_run(f: Callable[..., Any], x: Any) -> tuple[Any, Any, Any, Any]:
    """Return the engine, the start of a run, the cotangent of that, and the numbers in it."""
    call = run_of(f, (x,), {}, "c")
    engine: Any = call.engine
    start = engine.start(0, call.u, call.tags)
    sweep = Sweep(engine, Effects(), seed=lambda end: engine.seed(end, one_of(end.value)))
    return engine, start, sweep.run(start, Plain())[1], call.found


@pytest.mark.parametrize("name", TREES)
def test_cotangents_of_trees_are_those_of_a_search(name: str) -> None:
    _, start, cotangent, numbers = reversed_run(*TREES[name])
    state = start.python()
    found = tree_cotangents(state, cotangent, len(numbers), None)
    searched = c_engine._ON_STATES.argument_cotangents(state, cotangent.at(state), numbers)
    assert found is not None
    assert list(map(shown, found)) == list(map(shown, searched))
    assert tree_cotangents(state, cotangent, len(numbers), [0]) is not None


def shown(accumulator: Any) -> Any:
    return accumulator if type(accumulator) is float else accumulator.array.tolist()


def test_arguments_that_are_no_data_are_searched() -> None:
    engine, start, cotangent, numbers = reversed_run(applied, [2.0, one])
    assert tree_cotangents(start.python(), cotangent, len(numbers), None) is None
    assert engine.argument_cotangents(start, cotangent, numbers) == [4.0]


def test_fewer_numbers_than_places_are_searched_for() -> None:
    _, start, cotangent, numbers = reversed_run(items, [2.0, 3.0])
    assert tree_cotangents(start.python(), cotangent, len(numbers) - 1, None) is None


def test_programs_that_round_nothing_are_not_searched_for_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    examined: list[Any] = []

    def is_zero(cotangent: Any) -> bool:
        examined.append(cotangent)
        return False

    monkeypatch.setattr(gradients, "is_zero", is_zero)
    assert grad(lambda x: 0.0 * x)(2.0) == 0.0
    assert not examined
    assert grad(lambda x: x * round(x))(2.5) == 2.0
    assert examined == [2.0]


def test_a_zero_is_one_of_all_numbers() -> None:
    assert tangent.is_zero(0.0)
    assert not tangent.is_zero(math.nan)


def total(xs: list[Any]) -> Any:
    y = 0.0
    for x in xs:
        y = y + (x * x).sum()
    return y


def test_a_list_of_views_of_one_array() -> None:
    rows = np.arange(60.0).reshape(20, 3)
    found = grad(total, engine="c")(list(rows))
    assert np.array_equal(np.stack(found), 2.0 * rows)
