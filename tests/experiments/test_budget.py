"""The measurements of budgets run, on small cases, and what they compare is right."""

from __future__ import annotations

import sys

import pytest

from checkpoint import engines
from checkpoint.driver.binomial import recomputed
from checkpoint.driver.engine import Counts
from checkpoint.driver.schedule import Bisection, Schedule
from experiments.budget import choosing, memory
from experiments.budget.fixed import Known, Spaced
from experiments.budget.programs import PROGRAMS
from experiments.budget.taking import Told, measured, schedule_of

ENGINE = engines.get("hybrid")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are those of Linux")


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_the_programs_are_those_of_one_tape(name: str) -> None:
    program = PROGRAMS[name]
    subject = program.make(program.small, ENGINE)
    steps = subject.forward().steps
    plain = repr(subject.segment())
    for schedule in (Spaced(steps, steps // 5), Known(steps, 3, steps // 20), Bisection(steps // 7)):
        assert repr(subject.gradient(schedule)) == plain


@pytest.mark.parametrize(("snapshots", "base"), [(1, 700), (2, 300), (3, 100), (5, 100), (40, 50)])
def test_the_schedule_that_knows_the_length_is_optimal(snapshots: int, base: int) -> None:
    subject = PROGRAMS["lorenz"].make(100, ENGINE)
    steps = subject.forward().steps
    counts = Counts()
    subject.gradient(Known(steps, snapshots, base), counts=counts)
    assert counts.taped == steps
    assert counts.advanced == recomputed(steps, snapshots, base)
    assert counts.most_kept <= snapshots


def test_equal_stretches_run_once_more_but_for_the_last() -> None:
    subject = PROGRAMS["lorenz"].make(100, ENGINE)
    steps, counts = subject.forward().steps, Counts()
    subject.gradient(Spaced(steps, 1_000), counts=counts)
    assert counts == Counts(
        advanced=1_000 * ((steps - 1) // 1_000), taped=steps, most_kept=-(-steps // 1_000)
    )


def test_what_a_sweep_says_that_it_holds_is_noted() -> None:
    subject = PROGRAMS["lorenz"].make(100, ENGINE)
    told = Told(Bisection(base=1_000))
    subject.gradient(told)
    assert told.held >= told.tapes > 0
    assert told.done > 10


@linux
@pytest.mark.parametrize("spec", [[], ["Budget", "16MiB"], ["Spaced", 5_500, 1_000]], ids=str)
def test_one_measurement_in_a_process_of_its_own(spec: list[object]) -> None:
    row = measured("lorenz", 100, spec, "hybrid")
    assert "error" not in row
    assert row["seconds"] > 0


@linux
def test_what_a_measurement_dies_of_is_its_error() -> None:
    row = measured("lorenz", 100, ["Spaced", 5_500, 0], "hybrid")
    assert row == {"error": "the process ended with 1: ValueError: range() arg 3 must not be zero"}


def test_rows_that_break_the_promise() -> None:
    run = {"advanced": 10, "seconds": 1.0, "bytes": 100}
    found = {"advanced": 10, "taped": 10, "bytes": 100 + 2048, "digits": "1"}
    kept, broken = (memory.row_of(found, budget, run, found) for budget in (2048, 1024))
    assert (kept["share"], kept["forward"], memory.breaks(kept)) == (1.0, 2.0, False)
    assert memory.breaks(broken)
    assert memory.breaks(memory.row_of({**found, "digits": "2"}, 2048, run, found))


def test_candidates_are_schedules() -> None:
    kinds = [{type(schedule_of(spec)).__name__ for spec in kind} for kind in choosing.kinds(100_000)]
    assert kinds == [{"Plain"}, {"Spaced"}, {"Known"}, {"Known"}]


def test_every_kind_of_schedule_has_the_same_gradient() -> None:
    subject = PROGRAMS["lorenz"].make(200, ENGINE)
    steps = subject.forward().steps
    schedules: list[Schedule] = [schedule_of(spec) for kind in choosing.kinds(steps) for spec in kind[:12]]
    assert len({repr(subject.gradient(schedule)) for schedule in schedules}) == 1
