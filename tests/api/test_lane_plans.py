"""Calls of vmap by plans: what these take, what they leave to ordinary calls, and that they see every change.

The loop of Python's own over the items says what is right, to the last bit.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import config, engines, vmap
from checkpoint.api import lane_plans
from checkpoint.ctarget.at_once import unwatched
from checkpoint.ctarget.translate import policy
from tests.ctarget.translate.shared_objects import needs_compiler
from tests.support.translation import forced

pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not available")

SCALE = 2.0


def turns(x: float, n: float) -> float:
    t = 0.0
    while t < n:
        x = math.sin(x) * SCALE if x > 1.0 else x * 1.5 + 0.1
        t = t + 1.0
    return x


def shared(x: float, parts: Any, n: float) -> Any:
    return x * parts["k"][0] + parts["k"][1] * n


def mixed(x: float) -> Any:
    return x if x > 0.0 else 0


def items(count: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.random(count) * 3.0, rng.integers(1, 9, count).astype(float)


def by_hand(f: Callable[..., Any], *columns: Any) -> Any:
    return np.array([f(*row) for row in zip(*[column.tolist() for column in columns], strict=True)])


def same(a: Any, b: Any) -> bool:
    return bool(type(a) is type(b) and a.dtype == b.dtype and a.tobytes() == b.tobytes())


def taken(mapped: Any, args: Sequence[Any]) -> int:
    """Return how many calls like one were taken by plans."""
    plans = lane_plans.plans_of(mapped, args, {})
    return 0 if plans is None else sum(plan.loop.taken for plan in plans.plans)  # type: ignore[attr-defined]


def by_plan(mapped: Any, *args: Any) -> Any:
    """Return the value of a call that a plan takes."""
    before = taken(mapped, args)
    value = mapped(*args)
    assert taken(mapped, args) == before + 1
    return value


def learned(f: Callable[..., Any], *args: Any, in_axes: Any = 0) -> Any:
    """Return vmap of a function that has a plan for such calls."""
    mapped = vmap(f, in_axes, engine="c")
    mapped(*args)
    mapped(*args)
    return mapped


def test_items_of_any_number_and_layout() -> None:
    mapped = learned(turns, *items(5))
    for count in (1, 2, 7, 64, 500):
        columns = items(count, count)
        assert same(by_plan(mapped, *columns), by_hand(turns, *columns))
    xs, ns = items(40)
    whole = np.frombuffer(b"." + xs.tobytes(), offset=1)
    for columns in ((xs[::-2], ns[::2]), (whole, ns), (np.array([math.nan, -0.0, 1.0]), ns[:3])):
        assert same(by_plan(mapped, *columns), by_hand(turns, *columns))


def test_items_of_other_kinds_are_ordinary() -> None:
    xs, _ = items(9)
    mapped = learned(lambda x: x * 2.0, xs)
    for others in (xs.astype(">f8"), xs.astype(np.float32), xs[:, None], xs.astype(int)):
        before = taken(mapped, (others,))
        assert np.array_equal(mapped(others), others * 2.0)
        assert taken(mapped, (others,)) == before


@needs_compiler
def test_translated_blocks_in_one_call() -> None:
    columns = items(20_003)  # three blocks, and lanes that no vector has
    columns[1][7] = 3000.0  # long after the others have ended
    want = by_hand(turns, *columns)
    with forced(slice=100_000, first=2000):
        mapped = learned(turns, *columns)
        for _ in range(3):
            assert same(by_plan(mapped, *columns), want)
        loop: Any = lane_plans.plans_of(mapped, columns, {}).plans[0].loop  # type: ignore[union-attr]
        assert loop.at_once > 0
        ran = policy.translator.effort.ran
        mapped(*columns)
        assert policy.translator.effort.ran > ran  # so translation may take its share of that, too


def test_what_lanes_share_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    xs, ns = items(9)
    mapped = learned(turns, xs, ns)
    by_plan(mapped, xs, ns)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert same(mapped(xs, ns), by_hand(turns, xs, ns))
    given = learned(shared, xs, {"k": [2.0, 0.5]}, ns, in_axes=(0, None, 0))
    for k in ([2.0, 0.5], [2.0, 0.75], [-0.0, 0.5], [2, 0.5]):
        parts = {"k": k}
        assert same(given(xs, parts, ns), by_hand(lambda x, n, p=parts: shared(x, p, n), xs, ns))
    array = learned(lambda x, a: x * a[0], xs, np.array([2.0]), in_axes=(0, None))
    assert same(array(xs, np.array([5.0])), xs * 5.0)


def test_which_arguments_are_items_is_compared() -> None:
    def either(x: Any, y: Any) -> Any:
        return y * 3.0 if x is None else x * 2.0

    xs, _ = items(9)
    mapped = learned(either, None, xs)
    assert same(by_plan(mapped, None, xs), xs * 3.0)
    assert same(mapped(xs, None), xs * 2.0)


def test_closures_of_one_code_have_plans_of_their_own() -> None:
    def times(k: float) -> Callable[[float], float]:
        return lambda x: x * k

    def by_default(k: float) -> Callable[[float], float]:
        def scaled(x: float, by: float = k) -> float:
            return x * by

        return scaled

    xs, _ = items(9)
    for k in (2.0, 3.0, 2.0):
        assert same(learned(times(k), xs)(xs), xs * k)
        assert same(learned(by_default(k), xs)(xs), xs * k)
    assert taken(vmap(times(2.0), engine="c"), (xs,)) > 0


def test_results_of_other_kinds_are_ordinary() -> None:
    xs = np.array([1.0, 2.0, 3.0])
    mapped = learned(mixed, xs)
    assert same(by_plan(mapped, xs), xs)
    for others in (np.array([1.0, -1.0]), np.array([-1.0, -2.0])):
        assert same(mapped(others), by_hand(mixed, others))
    assert same(by_plan(vmap(mixed, engine="c"), xs), xs) or taken(mapped, (xs,)) > 0


def test_what_fails_or_prints_does_as_ever() -> None:
    def root(x: float) -> float:
        if x > 5.0:
            print("large")
        return math.sqrt(x)

    xs = np.array([1.0, 4.0, 2.0])
    mapped = learned(root, xs)
    by_plan(mapped, xs)
    with pytest.raises(ValueError, match="math domain error") as error:
        mapped(np.array([1.0, 4.0, -1.0]))
    assert any("lane 2" in note for note in error.value.__notes__)
    shown = io.StringIO()
    with redirect_stdout(shown):
        assert same(mapped(np.array([1.0, 9.0, 16.0])), np.array([1.0, 3.0, 4.0]))
    assert shown.getvalue() == "large\nlarge\n"


def test_refused_calls_are_tried_when_there_is_new_code() -> None:
    tries = unwatched.Tries()
    for _ in range(10):  # refused whenever it is tried
        while not tries.next(1):
            pass
        tries.note(False)
    assert not any(tries.next(1) for _ in range(100))
    assert tries.next(2)
    tries.note(False)
    assert [tries.next(2), tries.next(2)] == [False, True]


def test_lanes_are_watched_the_more_rarely_the_longer_that_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    xs, ns = items(9)
    mapped = learned(turns, xs, ns)
    loop: Any = lane_plans.plans_of(mapped, (xs, ns), {}).plans[0].loop  # type: ignore[union-attr]
    monkeypatch.setattr(loop, "_longest", policy.PROBE_STEPS)
    monkeypatch.setattr(loop._account, "due", 0)
    monkeypatch.setattr(loop._account, "patience", 16)
    monkeypatch.setattr(config, "translation", lambda: "background")

    def is_due_after(seconds: float) -> bool:
        loop._seconds = seconds
        return bool(loop._watch_is_due())

    assert is_due_after(0.1)
    for _ in range(2):
        loop._costs.add(0.01)
    assert not is_due_after(0.1)
    assert is_due_after(1.0)
    assert loop._seconds == 0.0


def test_an_observed_or_bounded_call_and_other_engines_are_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    xs, ns = items(9)
    mapped = learned(turns, xs, ns)
    before = taken(mapped, (xs, ns))
    for engine in ("interp", "hybrid"):
        assert same(vmap(turns, engine=engine)(xs, ns), by_hand(turns, xs, ns))
    assert taken(mapped, (xs, ns)) == before
    monkeypatch.setenv("CHECKPOINT_MEMORY", "1GiB")
    assert same(mapped(xs, ns), by_hand(turns, xs, ns))
    monkeypatch.delenv("CHECKPOINT_MEMORY")
    assert taken(mapped, (xs, ns)) == before
    assert checkpoint.grad(lambda x: float(np.sum(vmap(turns)(x, ns))), engine="c")(xs).shape == xs.shape
