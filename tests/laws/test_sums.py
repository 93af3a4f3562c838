"""summed is the tree of items by hand: random functions give what it gives, on every engine and any workers.

Compared are values, exceptions, what is printed, step counts of the engines, resumed runs, and the bits of
gradients under several schedules. What items share is copied by the tree by hand for each of its parts.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import partial
from itertools import product
from typing import Any

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.prims import parts
from checkpoint.workers import Threads
from tests.laws.test_lanes import LANES, SCHEDULES, arguments, functions_of, numbers
from tests.python import agreement
from tests.python.agreement import Outcome, TooLong, is_refusal, natively, outcome, same_outcomes
from tests.support.same import same_bits

SUMS = (
    LANES
    + """

def tree(x, y, xs, n, low, high):
    own = [part for part in xs]
    if high - low == 1:
        return lane(x[low], y[low], own, n)
    half = 1
    while 2 * half < high - low:
        half = 2 * half
    left = tree(x, y, own, n, low, low + half)
    return left + tree(x, y, own, n, low + half, high)


def by_tree(x, y, xs, n):
    return tree(x, y, xs, n, 0, len(x))


def by_sum(x, y, xs, n):
    return summed(lambda item: lane(item[0], item[1], xs, n), over=[(x[i], y[i]) for i in range(len(x))])


def beside(x, y, xs, n, workers):
    items = [(x[i], y[i]) for i in range(len(x))]
    return summed(lambda item: lane(item[0], item[1], xs, n), over=items, workers=workers)


def by_one(x, y, xs, n):
    return beside(x, y, xs, n, 1)


def by_three(x, y, xs, n):
    return beside(x, y, xs, n, 3)
"""
)


def check(seed: int, count: int) -> None:
    """Check the laws for one function and so many items."""
    written, named = functions_of(seed, "from checkpoint import summed\n" + SUMS)
    args = arguments(written, count)
    try:
        want = natively(named("by_tree"), args)
    except TooLong:
        return
    for engine, name in product(engines.usable(), ("by_sum", "by_one", "by_three")):
        got = outcome(partial(one_step_run, named(name), args, engine))
        if written.may_refuse and is_refusal(got.error):
            return
        assert same_outcomes(want, got), f"{engine} gives {got} {name}; Python gives {want}"
    for size in (None, 1, 2, 3, 7):
        got = outcome(partial(on_workers, named("lane"), args, size))
        assert same_outcomes(want, got), f"{size} workers give {got}; Python gives {want}"
    if want.error is None:
        steps = {name: check_resumed(named(name), args, want) for name in ("by_sum", "by_one", "by_three")}
        assert steps["by_one"] == steps["by_three"]
        check_gradients(named("by_tree"), (named("by_sum"), named("by_three")), args)
        check_terms(named("lane"), named("by_sum"), args)


def one_step_run(f: Callable[..., Any], args: tuple[Any, ...], engine: str) -> Any:
    """Return the value of a run on an engine."""
    return checkpoint.resume(checkpoint.interrupt(lambda given: f(*given), args, 1, engine=engine))


def on_workers(lane: Callable[..., Any], args: tuple[Any, ...], size: int | None) -> Any:
    x, y, xs, n = args

    def one(item: Any) -> Any:
        return lane(*item, list(xs), n)

    if size is None:
        return checkpoint.summed(one, over=zip(x, y, strict=True))
    with Threads(size) as workers:
        return checkpoint.summed(one, over=zip(x, y, strict=True), workers=workers)


def check_resumed(f: Callable[..., Any], args: tuple[Any, ...], want: Outcome) -> float:
    """Check that a run can be interrupted; return the number of its steps."""
    counts = set()
    for engine in engines.usable():
        with redirect_stdout(io.StringIO()):
            steps = checkpoint.primops(lambda given: f(*given), args, engine=engine)
        counts.add(steps)
        cut = int(0.6 * steps)
        with redirect_stdout(io.StringIO()) as before:
            rest = checkpoint.interrupt(lambda given: f(*given), args, cut, engine=engine)
        found = outcome(partial(checkpoint.resume, rest))
        assert same_outcomes(want, Outcome(found.value, found.error, before.getvalue() + found.text))
    (count,) = counts
    return count


def check_gradients(
    by_hand: Callable[..., Any], sums: Iterable[Callable[..., Any]], args: tuple[Any, ...]
) -> None:
    with redirect_stdout(io.StringIO()):
        want = numbers(checkpoint.grad(by_hand, (0, 1, 2), engine="interp", schedule="plain")(*args))
        for by_sum, engine, how in product(sums, engines.usable(), SCHEDULES):
            try:
                found = checkpoint.grad(by_sum, (0, 1, 2), engine=engine, **how)(*args)
            except checkpoint.BudgetError:
                continue
            got = numbers(found)
            where = f"{by_sum.__name__}, {engine}, {how}"
            assert all(map(same_bits, want, got)), f"{where}: {got}; by hand {want}"


def check_terms(lane: Callable[..., Any], by_sum: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Check that the sum of the items' gradients by what they share is that of the sum, on any workers."""
    x, y, xs, n = args
    terms = checkpoint.value_and_grad(lambda xs, item: lane(*item, xs, n))
    with redirect_stdout(io.StringIO()):
        value, gradient = checkpoint.value_and_grad(by_sum, 2)(*args)
        for size in (1, 3):
            got = checkpoint.summed(partial(terms, xs), over=zip(x, y, strict=True), workers=size)
            assert same_bits(value, got[0])
            assert all(map(same_bits, gradient, got[1])), (
                f"{size} workers give {got}; the run gives {gradient}"
            )


@pytest.mark.parametrize(
    ("count", "seed"), [(1, 0), (2, 1), (3, 6), (5, 9), (6, 7), (11, 8), (16, 10)], ids=str
)
@pytest.mark.filterwarnings("ignore")
def test_random_functions_equal_the_tree_by_hand(
    count: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "LINES", 2000 * (1 + count))
    monkeypatch.setattr(parts, "MOST_PARTS", 8)
    check(seed, count)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20, 60))
@pytest.mark.filterwarnings("ignore")
def test_many_random_functions(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "LINES", 100_000)
    check(seed, 1 + seed % 17)
