"""What Python's own functions return has births, too: containers in it or beside it keep their cotangents."""

from __future__ import annotations

import json
import os
import random
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, arrays, engines, grad, interrupt, primops, vjp, vmap
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.strips import translate_soon


def twice(xs: list[float]) -> tuple[float, list[float]]:
    first = statistics.multimode(xs)
    second = statistics.multimode(xs[:1])
    return xs[0] * second[0], first


def beside_a_tuple(xs: list[float]) -> tuple[float, list[float]]:
    made = [2.0 * x for x in xs]
    places = sorted(range(len(xs)), key=lambda i: -i)
    kept = (made, [made[i] for i in places])
    more = [kept[1][i] for i in sorted(places)]
    return more[0], kept[1]


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("base", [1, 3, 7, 50])
@pytest.mark.parametrize("f", [twice, beside_a_tuple])
def test_cotangents_of_containers_that_python_made(engine: str, base: int, f: object) -> None:
    xs, seed = [2.0, 2.0], (1.0, [10.0, 100.0][: 1 if f is twice else 2])
    expected = vjp(f, xs, seed, engine="interp", schedule="plain")
    assert vjp(f, xs, seed, engine=engine, schedule=Bisection(base=base)) == expected


def within_lists(x: float) -> float:
    rows = json.loads("[[1, 2], [3, 4]]")
    rows[0].extend([x, x * x])
    rows[1].extend([2.0 * x, 5.0 * x])
    rows[0][0] = x
    return float(rows[0][2] * 3.0 + rows[0][3] * 5.0 + rows[1][2] * rows[1][3] * rows[0][0])


def within_dictionaries(x: float) -> float:
    one, other = json.loads('{"a": 1, "b": [1]}'), json.loads('{"a": 1, "b": [1]}')
    one.update({"a": x, "c": 2.0 * x})
    other.update({"a": x * x, "c": 3.0 * x})
    one["b"].extend([x])
    other["b"].extend([4.0 * x])
    return float(one["a"] * other["a"] + one["c"] * other["c"] * 2.0 + one["b"][1] * other["b"][1])


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("schedule", ["plain", Bisection(base=3)])
@pytest.mark.parametrize(("f", "slope"), [(within_lists, 143.0), (within_dictionaries, 76.0)])
def test_what_is_within_them_has_cotangents_of_its_own(
    engine: str, schedule: Any, f: Callable[[float], float], slope: float
) -> None:
    assert grad(f, engine=engine, schedule=schedule)(2.0) == slope


def modes(x: float) -> float:
    return x * statistics.multimode([1, 1, 2, 2])[1]


def drawn(x: float) -> float:
    return x * random.Random(3).random()


def observed(x: float) -> float:
    return x * len(os.listdir("."))


@needs_c
@pytest.mark.parametrize("f", [modes, drawn, observed, within_lists, within_dictionaries])
def test_translation_gives_the_births_of_hybrid(f: Callable[[float], float]) -> None:
    for cut in range(primops(f, 2.0, engine="hybrid")):
        own, other = [interrupt(f, 2.0, cut, engine=engine) for engine in ("c", "hybrid")]
        assert own.state.births == other.state.births, cut


def reduced(x: Any) -> Any:
    """Call a function of the library: its environments are deeper than translation sees."""
    return arrays.reduce(np.add, np.ones(3) * x)


def in_lanes(table: Any) -> Any:
    total = 0.0
    for row in table:
        total = total + np.sum(vmap(reduced)(row))
    return total


@needs_c
@needs_compiler
def test_deep_environments_have_births_in_translated_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    table = np.linspace(-1.0, 1.0, 20).reshape(4, 5)
    expected = vjp(in_lanes, table, 1.0, engine="hybrid")[1]
    for base in (30, 200, 500):
        found = vjp(in_lanes, table, 1.0, engine="c", schedule=Bisection(base=base))[1]
        assert found.tobytes() == expected.tobytes()
