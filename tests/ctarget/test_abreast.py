"""Several segments taped at once: counts, values and gradients, in every bit, as one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from checkpoint.ctarget.engine import C
from checkpoint.ctarget.library import runtime
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Schedule
from tests.ctarget.failing import every_allocation_fails_once, only_hostile
from tests.ctarget.test_driver import ByPython, swept, used_by
from tests.ctarget.test_engine import closure, started
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.driver.test_series import Strided
from tests.support.same import difference
from tests.support.translation import forced

pytestmark = [needs_c, needs_compiler]

# Loops over numbers, which are taped at once. Each is run for some thousand steps.
LOOPS = {
    "arithmetic": "(let f ((i 200) (y x)) (if (= i 0) y (f (- i 1) (* y (- 1.1 (* y (* x 0.1)))))))",
    "functions": "(let f ((i 200) (y x)) (if (= i 0) y (f (- i 1) (+ (sin (* y x)) (exp (- 0.0 y))))))",
    "swapped": "(let f ((i 200) (y x) (z 0.5)) (if (= i 0) (- y z) (f (- i 1) z (- (* 0.5 x) (* y z)))))",
    "integers": """(let f ((i 200) (k 1) (y x))
        (if (= i 0) y (f (- i 1) (+ k k) (+ (* 0.7 y) (* k 1e-9)))))""",
    "quotients": "(let f ((i 200) (y x)) (if (< i 1) y (f (- i 1) (/ (+ y 1) (+ (sqrt i) (* y x))))))",
    "pairs": """(let f ((i 200) (y x)) (if (= i 0) y
        (let ((p (cons (* y x) (sin y)))) (f (- i 1) (- (car p) (cdr p))))))""",
    "minus zero": "(let f ((i 200) (y x)) (if (= i 0) y (f (- i 1) (* -1.0 (* y (- x x))))))",
    "nan": "(let f ((i 200) (y x)) (if (= i 0) y (f (- i 1) (- (* y 1e10) (* y (* x 1e9))))))",
}
# What such a loop may be within, or what makes segments differ. Some are taped at once, in part.
OTHERS = {
    "branches": """(let f ((i 200) (y x))
        (if (= i 0) y (f (- i 1) (if (< y 0.5) (* y 1.9) (* x (- 1.0 y))))))""",
    "inner": """(let f ((i 12) (y x)) (if (= i 0) y
        (f (- i 1) (let g ((k (* i 3)) (z y)) (if (= k 0) (* 0.9 z) (g (- k 1) (sin (* z x))))))))""",
    "two": """(let ((g (lambda (y) (let f ((i 90) (y y)) (if (= i 0) y (f (- i 1) (* x (sin y))))))))
        (let f ((i 100) (y (g x))) (if (= i 0) (g y) (f (- i 1) (* 0.99 (+ y x))))))""",
    "lists": """(let f ((i 100) (l (list x 1)))
        (if (= i 0) (car l) (f (- i 1) (list (* 0.5 (+ (car l) (car (cdr l)))) (* x (car l))))))""",
    "recursion": "(let f ((i 200) (y x)) (if (= i 0) y (+ (* y 0.5) (f (- i 1) (sin (* y x))))))",
    "late": """(let f ((i 200) (a 2.0) (b x) (y x))
        (if (= i 0) y (f (- i 1) b b (+ (* 0.3 (* a y)) (* b 0.1)))))""",
}
ALL = LOOPS | OTHERS
SCHEDULES = [
    *[Strided(steps, 100, 10**6) for steps in (111, 250)],
    Strided(100, 6, 10**6),
    *[Strided(steps, 100, bytes) for steps, bytes in ((111, 1500), (250, 1500))],
    Strided(111, 100, 4000, 30_000),
]


def begun() -> int:
    """Return how many segments of the process were taped beside another."""
    return int(runtime().lib.ck_segments_abreast())


def program(name: str) -> str:
    return f"(lambda (x) {ALL[name]})"


@pytest.fixture
def translated() -> Iterator[None]:
    with forced():
        yield


def outcome_of(engine: Any, start: Any, schedule: Schedule) -> Any:
    """Return counts, end and cotangents of a sweep, and how many segments were taped beside another."""
    before = begun()
    found = swept(engine, start, schedule)
    return *found, begun() - before


@pytest.mark.parametrize("name", ALL)
def test_segments_at_once_are_those_one_by_one(name: str) -> None:
    _, start = started(program(name))
    expected = outcome_of(C(), start, SCHEDULES[0])
    assert expected[-1] == 0, "nothing is translated yet"
    counted = 0
    with forced():
        outcome_of(C(), start, SCHEDULES[0])  # translates
        for schedule in SCHEDULES:
            mine, other = (outcome_of(engine, start, schedule) for engine in (C(), ByPython()))
            assert difference(mine[1:4], expected[1:4]) is None
            assert difference(other[1:4], expected[1:4]) is None
            if schedule.bytes == 10**6:  # else how far a tape goes depends on its bytes, and so on the engine
                assert mine[0] == other[0]
            assert other[-1] == 0
            counted += mine[-1]
    assert counted > 0 or name not in LOOPS


@pytest.mark.parametrize("memory", ["200kB", "500kB", "2MB"])
@pytest.mark.usefixtures("translated")
def test_a_budget_holds_and_has_the_same_bits(memory: str) -> None:
    text = "(lambda (x) (let f ((i 20000) (y x)) (if (= i 0) y (f (- i 1) (* y (- 1.1 (* y 0.1)))))))"
    _, start = started(text)
    swept(C(), start, Budget(memory))
    mine, other = (swept(engine, start, Budget(memory)) for engine in (C(), ByPython()))
    assert difference(mine[1:], other[1:]) is None


@pytest.mark.usefixtures("translated")
def test_nothing_stays_behind() -> None:
    for name in ("arithmetic", "two"):
        engine, start = started(program(name))
        for schedule in SCHEDULES:
            swept(engine, start, schedule)
            used = used_by(engine, start)
            swept(engine, start, schedule)
            assert start.heap.bytes == used
            start.heap.check()


@only_hostile
@pytest.mark.usefixtures("translated")
def test_an_allocation_that_fails_leaves_nothing() -> None:
    schedule = Strided(111, 100, 10**6)
    every_allocation_fails_once(
        closure(program("arithmetic")), lambda engine, start: swept(engine, start, schedule)[2:]
    )
