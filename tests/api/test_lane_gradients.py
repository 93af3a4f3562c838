"""Gradients of vmap by plans: what these take, what they leave to ordinary calls, and that bits are the same.

The sweep of schedule "plain", which has no plans, says what is right, to the last bit.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines, vmap
from checkpoint.ctarget.at_once import lane_gradients
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate import policy
from tests.api.counting import calls_counted
from tests.ctarget.translate.shared_objects import needs_compiler
from tests.support.translation import forced

pytestmark = [
    pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not available"),
    needs_compiler,
]

SCALE = 2.0


def turns(x: float, n: float) -> float:
    t = 0.0
    while t < n:
        x = math.sin(x) * SCALE if x > 1.0 else x * 1.5 + 0.1
        t = t + 1.0
    return x


def products(x: float, y: float, z: float) -> float:
    return x * y / (z + 2.0) + math.exp(-x) * z


def items(count: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.random(count) * 3.0, rng.integers(1, 9, count).astype(float)


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Count the loops that C is asked to tape: for each whether it was taken. Runs are translated soon."""
    found: list[bool] = []
    tape = lane_gradients.LaneGradient.tape

    def counted(self: Any, *args: Any) -> Any:
        made = tape(self, *args)
        found.append(made is not None)
        return made

    monkeypatch.setattr(lane_gradients.LaneGradient, "tape", counted)
    with forced(slice=100_000, first=500):
        yield found


def same(a: Any, b: Any) -> bool:
    pairs = zip((a[0], *parts(a[1])), (b[0], *parts(b[1])), strict=True)
    return all(np.asarray(x).dtype == np.asarray(y).dtype and bits(x) == bits(y) for x, y in pairs)


def bits(x: Any) -> bytes:
    return np.asarray(x).tobytes()


def parts(gradient: Any) -> tuple[Any, ...]:
    return gradient if type(gradient) is tuple else (gradient,)


def entering(f: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    return checkpoint.value_and_grad(f, argnums, engine="c", schedule="plain")


def learned(f: Callable[..., Any], *args: Any, argnums: Any = 0) -> Callable[..., Any]:
    """Return a gradient that has seen such calls: if they may have a plan, it has one."""
    gradient = checkpoint.value_and_grad(f, argnums, engine="c")
    want = gradient(*args)
    for _ in range(4):
        assert same(gradient(*args), want)
    return gradient


def by_plan(calls: list[bool], gradient: Callable[..., Any], *args: Any) -> Any:
    """Return the value of a call that a plan takes."""
    calls.clear()
    found = gradient(*args)
    assert calls == [True]
    return found


def test_items_of_any_number(calls: list[bool]) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    gradient = learned(loss, *items(9_003))  # two blocks
    for count in (9_003, 64, 7, 1):
        for _ in range(3):
            gradient(*items(count, count))
        others = items(count, count + 1)
        assert same(by_plan(calls, gradient, *others), entering(loss)(*others))


def test_calls_enter_no_program(calls: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    columns = items(64)
    gradient = learned(loss, *columns)
    counts = calls_counted(monkeypatch, {"__init__": "runs"})
    by_plan(calls, gradient, *columns)
    assert counts["runs"] == 0


def test_its_time_allows_translation_as_that_of_runs_does(calls: list[bool]) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    columns = items(64)
    gradient = learned(loss, *columns)
    ran = policy.translator.effort.ran
    by_plan(calls, gradient, *columns)
    assert policy.translator.effort.ran > ran


def test_all_engines(calls: list[bool]) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(np.square(vmap(turns)(xs, ns)) * xs)

    columns = items(40)
    gradient = learned(loss, *columns, argnums=(0, 1))
    found = by_plan(calls, gradient, *columns)
    for engine in ("interp", "hybrid"):
        assert same(found, checkpoint.value_and_grad(loss, (0, 1), engine=engine)(*columns))


def test_what_the_loss_captures_may_change(calls: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    xs, ns = items(64)

    def loss(xs: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    gradient = learned(loss, xs)
    ns[:] = ns[::-1].copy()
    assert same(by_plan(calls, gradient, xs), entering(loss)(xs))
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    calls.clear()
    assert same(gradient(xs), entering(loss)(xs))
    ns = ns[:32]
    with pytest.raises(ValueError, match="one number of lanes"):
        gradient(xs)


def test_an_array_in_several_places(calls: list[bool]) -> None:
    def loss(xs: Any, ys: Any) -> Any:
        return np.sum(vmap(products)(xs, ys, xs) * xs) + np.sum(vmap(products)(xs, xs, xs)) - np.dot(xs, ys)

    xs, ys = np.random.default_rng(1).normal(size=(2, 100))
    gradient = learned(loss, xs, ys, argnums=(0, 1))
    calls.clear()
    assert same(gradient(ys, xs), entering(loss, (0, 1))(ys, xs))
    assert calls == [True, True]


def test_special_reals(calls: list[bool]) -> None:
    def loss(xs: Any, ys: Any) -> Any:
        return np.sum(vmap(lambda x, y: x * y)(xs, ys) * np.array([-0.0, 0.0, 1.0, -1.0] * 12))

    xs = np.array([-0.0, 0.0, math.inf, math.nan, 1.0, -1.0] * 8)
    ys = np.roll(xs, 7)
    gradient = learned(loss, xs, ys, argnums=(0, 1))
    calls.clear()
    assert same(gradient(xs, ys), entering(loss, (0, 1))(xs, ys))
    assert calls[0]


def test_blocks_of_any_size_and_tapes_that_are_not_held(
    calls: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    columns = items(5_000)
    gradient = learned(loss, *columns)
    want = entering(loss)(*columns)
    monkeypatch.setattr(lane_gradients, "MOST_HELD", 0)
    assert same(by_plan(calls, gradient, *columns), want)
    monkeypatch.setattr(lane_gradients, "MOST_TAPED", 20_000)
    assert same(by_plan(calls, gradient, *columns), want)
    monkeypatch.setattr(lane_gradients, "MOST_TAPED", 1)
    calls.clear()
    assert same(gradient(*columns), want)
    assert not any(calls)


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], bool]]:
    """Divide lanes among threads even where they are few, and leave all that may be left to helpers to them.

    Return what says whether helpers have done anything since it was asked last.
    """
    monkeypatch.setattr(lane_gradients, "LEAST_SHARED", 64)
    monkeypatch.setattr(lane_gradients, "LEAST_STEPS", 1)
    lib, before = runtime().lib, [0]

    def have_helped() -> bool:
        last, before[0] = before[0], int(lib.ck_lanes_by_helpers())
        return before[0] > last

    have_helped()
    lib.ck_wait_for_helpers(1)
    yield have_helped
    lib.ck_wait_for_helpers(0)


def test_any_number_of_threads(
    calls: list[bool], helpers: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(np.square(vmap(turns)(xs, ns)))

    columns = items(2_003)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    gradient = learned(loss, *columns)
    want = entering(loss)(*columns)
    for held in (lane_gradients.MOST_HELD, 10_000, 0):
        monkeypatch.setattr(lane_gradients, "MOST_HELD", held)
        for threads in (1, 2, 3):
            monkeypatch.setenv("CHECKPOINT_THREADS", str(threads))
            helpers()
            assert same(by_plan(calls, gradient, *columns), want)
            assert helpers() == (threads > 1)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: gradient(*columns), range(8)):
            assert same(found, want)


def test_a_tape_that_is_too_large_for_one_of_several_threads(
    calls: list[bool], helpers: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    columns = items(2_003)
    monkeypatch.setenv("CHECKPOINT_THREADS", "2")
    gradient = learned(loss, *columns)
    want = entering(loss)(*columns)
    for most in (40_000, 20_000):  # the second is too little for two threads
        monkeypatch.setattr(lane_gradients, "MOST_TAPED", most)
        for _ in range(2):
            assert same(by_plan(calls, gradient, *columns), want)
        assert helpers()


def test_the_first_lane_that_fails_is_named_whichever_thread_has_it(
    calls: list[bool], helpers: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any) -> Any:
        return np.sum(vmap(lambda x: math.sqrt(x) * x)(xs))

    xs, _ = items(1_000)
    monkeypatch.setenv("CHECKPOINT_THREADS", "3")
    gradient = learned(loss, xs)
    want = by_plan(calls, gradient, xs)
    for lanes in ((999,), (700, 999), (0, 300), (130, 131, 900)):
        others = xs.copy()
        others[list(lanes)] = -1.0
        with pytest.raises(ValueError, match="math domain error") as error:
            gradient(others)
        assert any(f"lane {lanes[0]} " in f"{note} " for note in error.value.__notes__)
    while not calls or not calls[-1]:  # calls that were refused are tried again later
        assert same(gradient(xs), want)
    assert helpers()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_forks_have_helpers_of_their_own(
    calls: list[bool], helpers: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any, ns: Any) -> Any:
        return np.sum(vmap(turns)(xs, ns))

    columns = items(1_000)
    monkeypatch.setenv("CHECKPOINT_THREADS", "2")
    gradient = learned(loss, *columns)
    want = by_plan(calls, gradient, *columns)
    child = os.fork()
    if not child:
        helpers()
        os._exit(0 if same(gradient(*columns), want) and helpers() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert same(by_plan(calls, gradient, *columns), want)


def test_what_fails_or_prints_does_as_ever(calls: list[bool]) -> None:
    def root(x: float) -> float:
        if x > 5.0:
            print("large")
        return math.sqrt(x)

    def loss(xs: Any) -> Any:
        return np.sum(vmap(root)(xs))

    xs = np.array([1.0, 4.0, 2.0] * 20)
    gradient = learned(loss, xs)
    by_plan(calls, gradient, xs)
    xs[50] = -1.0
    with pytest.raises(ValueError, match="math domain error") as error:
        gradient(xs)
    assert any("lane 50" in note for note in error.value.__notes__)
    xs[50] = 9.0
    shown = io.StringIO()
    with redirect_stdout(shown):
        found = gradient(xs)
    assert shown.getvalue() == "large\n"
    assert found[1][50] == 0.5 / 3.0


def test_what_lanes_share_has_its_gradient(calls: list[bool]) -> None:
    def loss(xs: Any, k: float) -> Any:
        return np.sum(vmap(lambda x: turns(x * k, 3.0))(xs))

    xs, _ = items(64)
    gradient = learned(loss, xs, 1.5)
    assert same(by_plan(calls, gradient, xs, 1.5), entering(loss)(xs, 1.5))
    calls.clear()
    assert same(gradient(xs, 1.25), entering(loss)(xs, 1.25))
    by_both = checkpoint.value_and_grad(loss, (0, 1), engine="c")
    for _ in range(3):
        found, want = by_both(xs, 1.5), entering(loss, (0, 1))(xs, 1.5)
        assert (found[0], found[1][1], found[1][0].tobytes()) == (want[0], want[1][1], want[1][0].tobytes())

    def scaled(xs: Any, w: Any) -> Any:
        return np.sum(vmap(lambda x: x * w[0])(xs))

    w = np.array([2.0])
    gradient = learned(scaled, xs, w, argnums=(0, 1))
    w[0] = 3.0
    assert same(gradient(xs, w), entering(scaled, (0, 1))(xs, w))


def test_who_observes_or_bounds_memory_has_a_sweep(
    calls: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(xs: Any) -> Any:
        return np.sum(vmap(turns, (0, None))(xs, 4.0))

    xs, _ = items(64)
    gradient = learned(loss, xs)
    want = by_plan(calls, gradient, xs)
    calls.clear()
    for options in ({"memory": "1MiB"}, {"progress": lambda *_: None}, {"each": lambda *_: None}):
        other: Any = checkpoint.value_and_grad(loss, engine="c", **options)
        for _ in range(2):
            assert other(xs)[0] == want[0]
    with checkpoint.profile() as profile:
        assert same(gradient(xs), want)
    assert profile.total.taped > 0
    monkeypatch.setenv("CHECKPOINT_MEMORY", "1GiB")
    assert same(gradient(xs), want)
    assert not calls


def test_results_along_other_axes_are_ordinary(calls: list[bool]) -> None:
    def loss(xs: Any) -> Any:
        return np.sum(vmap(lambda x: (x * 2.0, x * x))(xs)[1])

    xs, _ = items(64)
    learned(loss, xs)
    assert not any(calls)
