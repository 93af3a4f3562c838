"""No schedule changes a gradient in any bit: every kind of schedule, over programs of the corpus."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.comparison import RightBranching
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError, Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from tests.support import laws
from tests.support.corpus import DIFFERENTIABLE, Entry, engine_name, usable_engines
from tests.support.same import difference

PROGRAMS = {
    "capsules-recut", "logistic", "nested-forward", "rotations", "sharing", "tree-recursion", "write-loop"
}  # fmt: skip
ENTRIES = [entry for entry in DIFFERENTIABLE if entry.name in PROGRAMS]
SCHEDULES: list[Schedule] = [
    *(Binomial(snapshots=d, base=base) for d, base in ((1, 100), (2, 20), (3, 10), (5, 3), (20, 1))),
    *(Binomial(repetitions=t, base=base) for t, base in ((1, 1), (1, 30), (2, 1), (3, 7), (6, 2))),
    *(Binomial(base=base) for base in (1, 2, 5, 17, 100, 10_000)),
    *(Bisection(base, tape_bytes) for base in (10_000, 300) for tape_bytes in (1, 5_000)),
    *(Binomial(snapshots=d, tape_bytes=tape_bytes) for d in (1, 4) for tape_bytes in (1, 5_000)),
    *(Binomial(repetitions=2, tape_bytes=tape_bytes) for tape_bytes in (1, 5_000)),
    *(Binomial(base=300, tape_bytes=tape_bytes) for tape_bytes in (1, 5_000)),
    *(RightBranching(pieces) for pieces in (None, 1, 3)),
    RightBranching(base=7),
]


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_gradients_are_equal_to_the_last_bit(entry: Entry, engine: Engine) -> None:
    check_gradients(entry, engine, laws.share(SCHEDULES, engine))


@pytest.mark.long
@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_gradients_by_every_schedule_are_equal_to_the_last_bit(entry: Entry, engine: Engine) -> None:
    check_gradients(entry, engine, SCHEDULES)


def check_gradients(entry: Entry, engine: Engine, schedules: Iterable[Schedule]) -> None:
    case = entry.case(engine)
    run = laws.run_of(entry, engine)
    _, xbar = laws.gradient(case, engine, entry.input, run)
    for schedule in schedules:
        _, other = laws.gradient(case, engine, entry.input, run, schedule)
        assert difference(other, xbar) is None, schedule


def test_the_programs_are_there() -> None:
    assert len(ENTRIES) == len(PROGRAMS)
    assert len(SCHEDULES) >= 20


def test_schedules_have_names() -> None:
    f = checkpoint.read("(lambda (x) (* x (sin x)))")
    expected = checkpoint.vjp(f, 2.0, schedule=checkpoint.Plain())
    for name in ("budget", "plain", "bisection", "binomial"):
        assert checkpoint.vjp(f, 2.0, schedule=name) == expected
    with pytest.raises(RunError, match="no schedule 'greedy'; there are: budget, plain, bisection, binomial"):
        checkpoint.vjp(f, 2.0, schedule="greedy")


SHRINKING = """(lambda (x)
  (let turn ((n 0) (y x))
    (if (= n 10)
        y
        (turn (+ n 1)
              (+ (* 0.5 x)
                 (* 0.25 (cdr (checkpoint-*j sin
                   (let ((z (interrupt sqr 1.5 (floor (* 0.6 (primops sqr 1.5))))))
                     (* (resume z) (resume z)))
                   1.0))))))))"""


@pytest.mark.parametrize("length", [347, 375])
def test_a_run_that_is_longer_than_was_said_and_has_states_that_shrink(length: int) -> None:
    """States that are smaller than those before them count nothing, where it is asked which to drop."""
    engine = engines.get("interp")
    f = runs.run_program(load(Source("<test>", SHRINKING)), engine)
    assert runs.primops_values(f, 0.0, engine) == 390
    expected = runs.vjp_values(f, 0.0, 1.0, engine, Plain())
    for memory in range(
        11_012, 18_520, 501
    ):  # in the smaller ones a step fits only where states are given up
        found = runs.vjp_values(f, 0.0, 1.0, engine, Budget(memory, length))
        assert difference(found, expected) is None
