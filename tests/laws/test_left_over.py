"""What a run has made has no accumulators once the run is reversed: else they would grow with its length.

CHECKPOINT_CHECK asks each engine after each sweep (Engine.left_over), so all tests of gradients try this law.
Here are programs with fields that receive though nobody wants it: of literals, integers, keys, and copies.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict, deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Bisection
from tests.support.budgets import Watched
from tests.support.translation import forced

TURNS = 40
Loop = Callable[[float, int], float]


class Point:
    def __init__(self, x: float) -> None:
        self.x = x
        self.weight = 2.0


class Named(NamedTuple):
    x: float
    weight: float = 0.5


def tuples(x: float, turns: int) -> float:
    total = 0.0
    for i in range(turns):
        p = (x, 1.0, i, 2)
        total += p[0] * p[1] + p[2] * p[3]
    return total


def lists(x: float, turns: int) -> float:
    total = 0.0
    for _ in range(turns):
        xs = [1.0, x]
        xs.append(3.0)
        xs[0] = 4.0
        total += xs[0] * xs[1] * xs[2]
    return total


def ranges(x: float, turns: int) -> float:
    total = 0.0
    for i in range(turns):
        total += sum(k * x for k in list(range(i % 3))) + tuple(range(3))[2] * x
    return total


def objects(x: float, turns: int) -> float:
    total = 0.0
    for _ in range(turns):
        p, q = Point(x), Named(x)
        total += p.x * p.weight + q.x * q.weight
    return total


def kept_objects(x: float, turns: int) -> float:
    """Units are left for the print, with objects that they have made."""
    total = 0.0
    for i in range(turns):
        p, q = Point(x), (x, 3.0)
        if i % 7 == 0:
            print(p.weight)
        total += p.x * p.weight * q[1]
    return total


def keys(x: float, turns: int) -> float:
    total = 0.0
    for i in range(turns):
        d: dict[Any, float] = {1: x, 2: 3.0, Fraction(1, 4): 0.5}
        d[Fraction(3)] = 5.0
        total += sum(float(k) * v for k, v in d.items()) + list(d)[i % 2] * x
    return total


def closures(x: float, turns: int) -> float:
    total = 0.0
    for _ in range(turns):
        weight = 2.0

        def scaled(y: float, own: float = weight) -> float:
            return y * own + y * weight  # noqa: B023

        total += scaled(x)
    return total


def copies(x: float, turns: int) -> float:
    total = 0.0
    for i in range(turns):
        first, *rest = (1.0, 2.0, x)
        pairs = list(zip([1, 2.0], [x, 3.0], strict=True)) + list(enumerate([1.0, x]))
        queue = deque([1.0, i, x])
        queue.append(2.0)
        counts: defaultdict[str, float] = defaultdict(float)
        counts["a"] += 2.0
        total += first * rest[0] * rest[1] + sum(a * b for a, b in pairs) + queue[0] * queue[1] * queue[3]
        total += counts["a"] * x + sorted([3.0, 1.0, x])[1] * (1.0, 2.0, x)[:2][1]
    return total


def texts(x: float, turns: int) -> float:
    """Python makes containers of a text, which the program reads and changes."""
    total = 0.0
    for _ in range(turns):
        found = json.loads('{"a": 0.5, "b": [1.5, {"c": 2.5}], "n": 3}')
        total += found["a"] * found["b"][1]["c"] * found["n"] * x
        found["a"] = x
        found["b"].append(found.pop("n") * x)
        total += found["a"] * found["b"][0] * found["b"][2]
    return total


def generators(x: float, turns: int) -> float:
    """A generator of random numbers goes back to a state, which holds a normal one."""
    rng = random.Random(1)
    total = 0.0
    for _ in range(turns):
        rng.gauss(0.0, 1.0)
        state = rng.getstate()
        total += rng.gauss(0.0, 1.0) * x
        rng.setstate(state)
        total += rng.gauss(0.0, 1.0) * x * x
    return total


def lanes(x: float, turns: int) -> float:
    def one(y: float, scale: tuple[float, float]) -> float:
        point = (y * scale[0], 1.0, 2.0)
        return point[0] * point[1] + point[2] * scale[1] * y

    return float(np.sum(checkpoint.vmap(one, (0, None))(np.linspace(0.0, 1.0, turns), (x, 2.0))))


LOOPS = [tuples, lists, ranges, objects, kept_objects, keys, closures, copies, texts, generators, lanes]


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("f", LOOPS)
def test_nothing_is_left(f: Loop, engine: str) -> None:
    expected = checkpoint.grad(f, engine=engines.usable()[0])(1.3, TURNS)
    assert checkpoint.grad(f, engine=engine, schedule=Bisection(base=200))(1.3, TURNS) == expected


@pytest.mark.skipif("c" not in engines.usable(), reason="there is no C engine here")
@pytest.mark.parametrize("f", LOOPS)
def test_nothing_is_left_by_translated_code(f: Loop) -> None:
    expected = checkpoint.grad(f, engine="hybrid")(1.3, TURNS)
    with forced():
        assert checkpoint.grad(f, engine="c")(1.3, TURNS) == expected


@pytest.mark.parametrize("engine", engines.usable())
def test_a_cotangent_does_not_grow_with_the_run(engine: str) -> None:
    most = []
    for turns in (200, 800):
        watched = Watched(Bisection(base=500))
        checkpoint.grad(tuples, engine=engine, schedule=watched)(1.3, turns)
        most.append(max(report.cotangent for report in watched.reports))
    assert most[1] <= most[0] + 1_000


@pytest.mark.parametrize("engine", engines.usable())
def test_what_is_left_is_found(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    whole = Sweep.halves

    def halves(self: Sweep, *given: Any) -> Any:
        end, cotangent = yield from whole(self, *given)
        found.append(self.engine.left_over(cotangent, given[0]))
        monkeypatch.setattr(type(self.engine), "left_over", lambda *_: 3)
        return end, cotangent

    monkeypatch.setattr(Sweep, "halves", halves)
    with pytest.warns(ResourceWarning, match="3 accumulators of objects that the run has made are left"):
        checkpoint.grad(tuples, engine=engine, schedule=Bisection(base=200))(1.3, TURNS)
    assert found == [0]
