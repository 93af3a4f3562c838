"""The driver in C does what the one in Python does: the same actions, counts and bits, and leaves nothing."""

from __future__ import annotations

import _thread
import gc
import threading
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ad.graph import numbers
from checkpoint.ad.values import Pair
from checkpoint.ctarget.directives import action_of
from checkpoint.ctarget.engine import C
from checkpoint.ctarget.library import reason, runtime
from checkpoint.ctarget.sweep import follow
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Wanted, driver_of
from checkpoint.driver.execute import Sweep, outcome
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Bisection,
    Drop,
    Keep,
    Plain,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.errors import InternalError, RunError
from checkpoint.functions import runs
from tests.ctarget.failing import every_allocation_fails_once, only_hostile
from tests.ctarget.test_engine import CUT, closure, started
from tests.driver.model import Model
from tests.driver.test_schedules import Fixed
from tests.driver.test_tape_bytes import SIZES, UNEVEN
from tests.support.same import difference
from tests.support.sampling import sample

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

NESTED = """
(lambda (x)
  (let loop ((i 0) (y x))
    (if (= i 4)
        y
        (loop (+ i 1) (+ y (cdr (checkpoint-*j (lambda (z) (* z (sin (* z x)))) y 1)))))))
"""
LONG = "(define (loop i x) (if (= i 0) x (loop (- i 1) (+ (sin x) 0.5))))\n(lambda (x) (loop 4e6 x))"
REBUILT = """
(define (scaled xs) (if (null? xs) '() (cons (* 1.1 (car xs)) (scaled (cdr xs)))))
(define (first n x) (if (= n 0) '() (cons (+ x n) (first (- n 1) x))))
(lambda (x) (let loop ((i 0) (xs (first 50 x))) (if (= i 6) (car xs) (loop (+ i 1) (scaled xs)))))
"""
OWN_BYTES = 2100  # what a sweep itself takes
PROGRAMS = {**CUT, "uneven": UNEVEN, "nested": NESTED}
BOUNDS = [
    *((base, None) for base in (1, 2, 3, 7, 50, 10_000)),
    *((base, bytes) for base in (3, 40, 10_000) for bytes in (1, 300, 2000)),
]
FED: list[Schedule] = [
    Plain(),
    *(Binomial(snapshots=d, base=base) for d, base in ((1, 40), (3, 5))),
    *(Binomial(snapshots=d, tape_bytes=bytes) for d in (1, 4) for bytes in (1, 1000)),
    Binomial(repetitions=2, base=3),
    Binomial(base=2),
]


class ByPython(C):
    """The C engine, directed by the driver in Python."""

    sweep = None  # type: ignore[assignment]


class Followed:
    """A schedule, whose actions are kept."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.found: list[Action] = []

    def actions(self) -> Actions:
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            self.found.append(action)
            report = yield action
            try:
                action = actions.send(report)
            except StopIteration:
                return


class Asked:
    """C's bisection alone, as a schedule of its own."""

    def __init__(self, base: int, bytes: int | None) -> None:
        self.bounds = (base, (1 << 64) - 1 if bytes is None else bytes)

    def actions(self) -> Actions:
        module = runtime()
        _, start = started("(lambda (x) x)")
        create, drop = module.lib.ck_sweep_create, module.lib.ck_drop
        held = module.ffi.gc(create(start.held, 0, *self.bounds, 0), drop)
        directive = module.ffi.new("Directive *")
        report = Report(0, False)
        while module.lib.ck_sweep_ask(held, (report.step, report.finished, report.bytes), directive):
            report = yield action_of(directive)


def swept(engine: Any, start: Any, schedule: Schedule, log: list[Action] | None = None) -> Any:
    """Return counts, end and cotangents of one sweep, and the bytes in use when all else is dropped."""
    counts = Counts()

    def seed(end: Any) -> Any:
        return engine.seed(end, 1.0)

    if driver_of(engine) is None:
        sweep = Sweep(engine, Effects(), seed, counts=counts)
        end, cotangent = sweep.run(start, schedule)
    else:
        end, cotangent = outcome(
            follow(Wanted(engine, Effects(), seed, counts=counts), start, schedule, (), log)
        )
    u = start.start.values
    received = engine.argument_cotangents(start, cotangent, numbers(Pair(*u)))
    return counts, end.steps, end.value, tuple(received)


def used_by(engine: Any, start: Any) -> int:
    """Return the bytes of its heap in use once a run has stored there what later runs reuse."""
    engine.advance(start, 1000, Effects())
    engine.tape(start, 1000, Effects())
    used: int = start.heap.bytes
    return used


# Bisection of its own


@pytest.mark.parametrize("base", [1, 2, 3, 7, 50, 299])
def test_bisection_is_that_of_the_model(base: int) -> None:
    for length in [*range(40), 299, 300, 301, 1000]:
        for start in (0, 17):
            expected = Model(length, start).follow(Bisection(base))
            found = Model(length, start).follow(Asked(base, None))
            assert found.actions == expected.actions


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("look_every", [1, 5])
def test_so_it_is_where_tapes_outgrow_their_bound(sizes: str, look_every: int) -> None:
    random = Random(sizes)
    for _ in range(40):
        length, base = random.randrange(1, 260), random.choice((1, 2, 3, 10, 40, 100, 1000))
        bytes, size = random.choice((1, 10, 300, 5000, 10**6)), SIZES[sizes](length)
        expected, found = (
            Model(length, size=size, look_every=look_every).follow(schedule)
            for schedule in (Bisection(base, bytes), Asked(base, bytes))
        )
        assert found.actions == expected.actions


def test_so_it_is_of_very_long_runs() -> None:
    for length, base in ((10**9, 10**6), (10**12, 10**8 + 1), (2**40 + 1, 2**30)):
        assert (
            Model(length).follow(Asked(base, None)).actions == Model(length).follow(Bisection(base)).actions
        )


@pytest.mark.parametrize(("name", "bounds"), sample(product(PROGRAMS, BOUNDS)), ids=str)
def test_bisection_is_that_of_the_python_driver(name: str, bounds: tuple[int, int | None]) -> None:
    log: list[Action] = []
    schedule = Bisection(*bounds)
    followed = Followed(schedule)
    _, start = started(PROGRAMS[name])
    mine = swept(C(), start, schedule, log)
    other = swept(ByPython(), start, followed)
    assert log == followed.found
    assert difference(mine[2:], other[2:]) is None
    assert mine[:2] == other[:2]


# The same numbers


@pytest.mark.parametrize(("name", "schedule"), sample(product(PROGRAMS, FED)), ids=str)
def test_schedules_of_python_direct_it(name: str, schedule: Schedule) -> None:
    _, start = started(PROGRAMS[name])
    mine, other = (swept(engine, start, schedule) for engine in (C(), ByPython()))
    assert mine[:2] == other[:2]
    assert difference(mine[2:], other[2:]) is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_hybrids(name: str) -> None:
    f, g = closure(PROGRAMS[name]), closure(PROGRAMS[name], "hybrid")
    expected = runs.vjp_values(g, 0.7, 1.0, engines.get("hybrid"), Plain())
    for schedule in (*(Bisection(base, bytes) for base, bytes in BOUNDS), *FED):
        assert runs.vjp_values(f, 0.7, 1.0, engines.get("c"), schedule) == expected


def changing(x: float) -> float:
    """Lists, dictionaries and arrays that Python's steps change in place, over cuts anywhere."""
    found = {"a": [x, x * 2], "b": [x]}
    a = np.array([x, x * x, 1.0])
    for i in range(6):
        found["a"].append(found["a"][-1] * x + i)
        found["b"].extend(found["a"][-2:])
        a[i % 3] = a[(i + 1) % 3] * np.sin(found["b"][-1])
    return float(np.sum(a * a)) if x < 0 else np.sum(a * a) + sum(found["b"])


@pytest.mark.parametrize("schedule", [*(Bisection(base) for base in (1, 5, 33)), *FED], ids=str)
def test_what_python_changes_in_place(schedule: Schedule) -> None:
    assert checkpoint.vjp(changing, 0.7, engine="c", schedule=schedule) == checkpoint.vjp(
        changing, 0.7, engine="hybrid", schedule=Plain()
    )


def test_reversal_is_silent_and_runs_are_not() -> None:
    def loud(x: Any) -> Any:
        return np.sum(np.log(x * x))

    x = np.array([0.0, 1.0])
    for base in (1, 10_000):
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in log") as told:
            checkpoint.vjp(loud, x, 1.0, engine="c", schedule=Bisection(base))
        assert not [each for each in told if "log" not in str(each.message)]


# Errors


@pytest.mark.parametrize("base", [5, 10_000])
def test_a_failure_tells_where_it_was(base: int) -> None:
    text = "(define (f x) (car x))\n(define (g x) (+ 1 (f x)))\n(lambda (x) (* 2 (g (* x x))))"
    told = []
    for name in ("hybrid", "c"):
        with pytest.raises(RunError) as caught:
            runs.vjp_values(closure(text, name), 0.7, 1.0, engines.get(name), Bisection(base))
        error = caught.value
        told.append((error.message, error.span and error.span.start, [span.start for span in error.trace]))
    assert told[0] == told[1]


def test_raised_is_raised() -> None:
    engine, start = started("(lambda (x) (raise (* x x)))")
    with pytest.raises(Raised) as caught:
        swept(engine, start, Bisection(1))
    assert caught.value.value == 0.7 * 0.7


def test_what_the_seed_raises_is_raised() -> None:
    engine, start = started(CUT["loop"])

    def seed(end: Any) -> Any:
        raise LookupError

    used = used_by(engine, start)
    with pytest.raises(LookupError):
        outcome(engine.sweep(Wanted(engine, Effects(), seed), start, Bisection(7)))
    assert start.heap.bytes == used


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ((Keep(), Reverse()), "reversed without a tape"),
        ((Keep(), Tape(None), Keep(), Reverse()), "reversed without a tape"),
        ((Keep(), Tape(None)), "never reversed the end of the run"),
        ((Keep(), Tape(10), Reverse()), "reversed a tape that ends elsewhere"),
        ((Keep(), Tape(None), Reverse(), Restore(0), Tape(5), Reverse()), "a tape that ends elsewhere"),
        ((Keep(), Tape(None), Reverse(), Advance(None)), "went on without a current state"),
        ((Keep(), Tape(None), Reverse(), Keep()), "went on without a current state"),
        ((Keep(), Restore(5)), "named a state that is not kept"),
        ((Keep(), Drop(5)), "named a state that is not kept"),
    ],
)
def test_a_wrong_schedule_is_our_bug(actions: tuple[Action, ...], told: str) -> None:
    engine, start = started(CUT["loop"])
    used = used_by(engine, start)
    with pytest.raises(InternalError, match=told):
        swept(engine, start, Fixed(*actions))
    assert start.heap.bytes == used


# Nothing stays behind


@pytest.mark.parametrize("name", [*PROGRAMS, "rebuilt"])
def test_no_more_is_held_than_by_the_python_driver(name: str) -> None:
    text = PROGRAMS.get(name, REBUILT)
    for schedule in (Bisection(7), Bisection(40, 300), Binomial(snapshots=3, base=50), Plain()):
        peaks = []
        for engine in (C(), ByPython()):
            _, start = started(text)
            swept(engine, start, schedule)
            used = start.heap.bytes
            peaks.append(start.heap.peak)
            swept(engine, start, schedule)
            assert start.heap.bytes == used
            start.heap.check()
        assert peaks[0] <= peaks[1] + OWN_BYTES


def test_the_collector_runs_again() -> None:
    for text in (CUT["loop"], NESTED):
        engine, start = started(text)
        swept(engine, start, Bisection(3))
        assert gc.isenabled()


def interrupted(work: Callable[[], Any], after: float) -> None:
    """An interruption while it works stops it."""
    timer = threading.Timer(after, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.mark.parametrize("schedule", [Bisection(1), Bisection(1000), Bisection(100_000), Binomial(base=100)])
def test_ctrl_c_in_a_sweep(schedule: Schedule) -> None:
    engine, start = started(LONG)
    used = used_by(engine, start)
    for after in (0.1, 0.25, 0.4):
        interrupted(lambda: swept(engine, start, schedule), after)
        assert start.heap.bytes == used
        assert gc.isenabled()
    start.heap.check()


def test_memory_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", "4MiB")
    engine, start = started(
        "(define (f xs n) (if (= n 0) 1.0 (f (cons n xs) (- n 1))))(lambda (x) (f '() 1e6))"
    )
    with pytest.raises(MemoryError, match="no more than 4,194,304") as caught:
        swept(engine, start, Bisection(1000))
    assert caught.value.span is not None  # type: ignore[attr-defined]
    with pytest.raises(MemoryError, match="no more than 4,194,304"):
        swept(engine, started(LONG)[1], Plain())


@only_hostile
@pytest.mark.parametrize(
    ("name", "schedule"),
    [
        *(("loop", Bisection(5)), ("loop", Binomial(snapshots=2, base=5)), ("deep", Bisection(20, 300))),
        *(("closures", Bisection(5)), ("reverse", Bisection(5)), ("capsule", Bisection(20))),
    ],
    ids=str,
)
def test_memory_may_end_anywhere(name: str, schedule: Schedule) -> None:
    """Each allocation fails once: MemoryError, the heap in order, every Python object let go of."""
    every_allocation_fails_once(closure(CUT[name]), lambda engine, start: swept(engine, start, schedule)[2:])
