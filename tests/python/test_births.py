"""What Python's own functions return has births, too: a container made beside it keeps its cotangent."""

from __future__ import annotations

import statistics

import pytest

from checkpoint import Bisection, engines, vjp


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
