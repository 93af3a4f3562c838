"""`each=` where programs read their leaves in other orders than loops: early, late, often, in closures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, Budget, Plain, engines, grad

pytestmark = pytest.mark.skipif("c" not in engines.available(), reason="engine c knows when leaves are final")
SCHEDULES = (Plain(), Bisection(base=40), Bisection(base=7), Budget("300KiB"))


def by_closures(ws: Any, x: Any) -> Any:
    layers: list[Any] = []
    for w in ws:
        layers.append(lambda y, w=w: np.tanh(w @ y))
    for layer in layers:
        x = layer(x)
    return np.sum(x)


def captured(ws: Any, x: Any) -> Any:
    first = ws[0]

    def layer(y: Any) -> Any:
        return np.tanh(first @ y)

    for w in ws[1:]:
        x = layer(np.tanh(w @ x))
    return np.sum(x)


def by_recursion(ws: Any, x: Any) -> Any:
    def inner(i: int, x: Any) -> Any:
        if i == len(ws):
            return x
        y = inner(i + 1, np.tanh(ws[i] @ x))
        return y + np.tanh(ws[len(ws) - 1 - i] @ y)

    return np.sum(inner(0, x))


def by_slices(ws: Any, x: Any) -> Any:
    if len(ws) == 0:
        return np.sum(x)
    return by_slices(ws[1:], np.tanh(ws[0] @ x))


def updated(ws: Any, x: Any) -> Any:
    ws = list(ws)
    for i in range(len(ws)):
        ws[i] = ws[i] * 1.5
        x = np.tanh(ws[i] @ x + ws[(i * 3) % len(ws)] @ x)
    return np.sum(x)


def raised(ws: Any, x: Any) -> Any:
    for w in ws:
        try:
            if np.sum(w) > 0:
                raise ValueError(w)
            x = np.tanh(w @ x)
        except ValueError as error:
            x = np.tanh(error.args[0] @ x) * 0.5
    return np.sum(x)


def differentiated(ws: Any, x: Any) -> Any:
    for w in ws:
        x = x + 0.1 * grad(lambda y, w=w: np.sum(np.sin(w @ y)))(x)
    return np.sum(x)


def in_pairs(ws: Any, x: Any) -> Any:
    total = 0.0
    for a, b in pairwise(ws):
        total = total + np.sum(np.tanh(a @ (b @ x)))
    return total + sum(np.sum(w * w) for w in ws)


def used_late(ws: Any, x: Any) -> Any:
    later = [ws[i] for i in (7, 3, 5)]
    for w in ws:
        x = np.tanh(w @ x)
    for w in later:
        x = np.tanh(w @ x)
    return np.sum(x)


def used_in_part(ws: Any, x: Any) -> Any:
    best = ws[0]
    for w in ws[::2]:
        if np.sum(w) > np.sum(best):
            best = w
        x = np.tanh(w @ x)
    return np.sum(best) * np.sum(x)


PROGRAMS = (
    by_closures,
    captured,
    by_recursion,
    by_slices,
    updated,
    raised,
    differentiated,
    in_pairs,
    used_late,
    used_in_part,
)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("count", [9, 40])
def test_steps_within_the_sweep_are_those_after_it(program: Any, schedule: Any, count: int) -> None:
    rng = np.random.default_rng(count)
    weights, x = [rng.normal(size=(4, 4)) * 0.5 for _ in range(count)], rng.normal(size=4)
    gradient = grad(program, engine="c", schedule=schedule)(weights, x)
    changed = [w.copy() for w in weights]
    reported: list[int] = []

    def each(path: Any, cotangent: Any) -> None:
        reported.append(path[0])
        changed[path[0]] -= 0.1 * cotangent

    assert grad(program, engine="c", schedule=schedule, each=each)(changed, x) == [None] * count
    assert sorted(reported) == list(range(count))
    for new, w, g in zip(changed, weights, gradient, strict=True):
        assert new.tobytes() == (w - 0.1 * g).tobytes()
