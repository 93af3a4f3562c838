"""The collector of engine c: what only refers to itself is freed, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ctarget.library import reason
from checkpoint.driver.effects import Effects
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions.python_functions import run_of
from tests.support.same import same_bits

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))


def of_lists(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        a: list[Any] = [x * i]
        b = [a]
        a.append(b)
        total = total + a[0] * b[0][1][0][0]
    return total


def of_dictionaries(x: float, n: int) -> float:
    total = 0.0
    for _ in range(n):
        a: dict[str, Any] = {"v": x}
        a["me"] = {"of": (a, x)}
        total = total + a["me"]["of"][0]["v"]
    return total


def of_functions(x: float, n: int) -> float:
    """A function that is in the list that it reads."""
    total = 0.0
    for _ in range(n):
        kept: list[Any] = [x]
        kept.append(lambda y, kept=kept: y * kept[0])
        total = total + kept[1](2.0)
    return total


def a_ring_in_use(x: float, n: int) -> float:
    """A ring of lists that lives through all collections, among many that do not."""
    ring: list[Any] = [x, None]
    last = ring
    for i in range(500):
        new: list[Any] = [x + i, ring]
        last[1] = new
        last = new
    node = ring
    for _ in range(n):
        lost: list[Any] = [node]
        lost.append(lost)
        node[0] = node[0] * 0.999 + lost[1][0][1][0] * 0.001
        node = node[1]
    result: float = node[0] + ring[0] * 2.0
    return result


TURNS = 240_000
FUNCTIONS = [of_lists, of_dictionaries, of_functions, a_ring_in_use]


@pytest.mark.parametrize(("function", "jit"), [(of_lists, "off"), *((f, "wait") for f in FUNCTIONS)])
def test_loops_that_make_cycles_run_in_constant_memory(
    function: Callable[..., float], jit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", jit)
    engine: Any = engines.get("c")
    start = engine.start(0, run_of(function, (0.7, TURNS), {}, "c").u, 0)
    end = engine.advance(start, None, Effects())
    assert same_bits(end.value, function(0.7, TURNS))
    assert start.heap.peak < 28 * 2**20, "without the collector they take 50 to 90 MiB"
    start.heap.check()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_over_collections(function: Callable[..., float]) -> None:
    y, xbar = run_of(function, (0.7, 15_000), {}, "c").vjp(lambda _: 1.0, Plain())
    assert same_bits(y, function(0.7, 15_000))
    for schedule in (Bisection(20_000), Bisection(100_000, 1_000_000)):
        again = run_of(function, (0.7, 15_000), {}, "c").vjp(lambda _: 1.0, schedule)
        assert same_bits(again[1].items[0], xbar.items[0])
    close = (function(0.7 + 1e-6, 15_000) - function(0.7 - 1e-6, 15_000)) / 2e-6
    assert xbar.items[0] == pytest.approx(close, rel=1e-4)
