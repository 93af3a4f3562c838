"""The laws of runs and gradients (docs/design/index.md), as checks of one case at one engine.

Each check runs the case in worlds of its own, so that it sees what the run read and wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import pytest

from checkpoint.ad.graph import numbers
from checkpoint.ad.values import Capsule, Pair
from checkpoint.api.schedules import SCHEDULES
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.support.corpus import Case, Entry, value_of
from tests.support.same import difference
from tests.support.sampling import THOROUGH
from tests.support.world import World

BASES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 17, 25, 33, 50, 75, 100, 300, 1000, 10_000)
LONG = 1_000  # steps
IN_PYTHON = ("interp", "hybrid")
SHARE = 1 if THOROUGH else 12
T = TypeVar("T")
CUTTER = "(lambda ((cons f l)) (lambda (x) (interrupt f x l)))"


@dataclass(frozen=True)
class Run:
    """A whole run: its value, its number of steps, what it wrote and what it left unread."""

    value: Any
    steps: int
    written: str
    unread: str


def whole_run(case: Case, engine: Engine, text: str) -> Run:
    """Return the run that the laws compare with; run and count agree about the world."""
    with World(text) as world:
        value = runs.call_values(case.f, case.x, engine)
    with World(text) as counting:
        steps = runs.primops_values(case.f, case.x, engine)
    assert (counting.written, counting.unread) == (world.written, world.unread)
    return Run(value, steps, world.written, world.unread)


_runs: dict[tuple[str, str], Run] = {}


def run_of(entry: Entry, engine: Engine) -> Run:
    """Return the whole run of a program of the corpus, which is made once for all tests of a process."""
    key = (entry.name, engine.name)
    if key not in _runs:
        _runs[key] = whole_run(entry.case(engine), engine, entry.input)
    return _runs[key]


def cuts(steps: int, random: Random, every: int = 80, more: int = 30) -> list[int]:
    """Return all numbers of steps up to `every`, the last two, and a sample between."""
    low = range(min(every, steps) + 1)
    high = range(every + 1, steps + 1)
    sample = high if len(high) <= more else random.sample(high, more)
    return sorted({*low, *sample, max(0, steps - 1), steps})


def share(values: Sequence[T], engine: Engine) -> Sequence[T]:
    """Return the values that an engine tries: one in SHARE for those in Python, where a run takes fifty times
    as long, and each of them others.
    """
    return values[IN_PYTHON.index(engine.name) % SHARE :: SHARE] if engine.name in IN_PYTHON else values


def check_cut(case: Case, engine: Engine, text: str, run: Run, cut: int) -> None:
    """Check that a run in two parts is the run, and that its capsule says how long each part is."""
    with World(text) as world:
        z = runs.interrupt_values(case.f, case.x, cut, engine)
        assert z.steps == cut
        unread = world.unread
        value = runs.call_values(runs.RESUME, z, engine)
    assert difference(value, run.value) is None
    assert (world.written, world.unread) == (run.written, run.unread)
    with World(unread):
        assert runs.primops_values(runs.RESUME, z, engine) == run.steps - cut


def check_second_cut(case: Case, engine: Engine, text: str, run: Run, first: int, second: int) -> None:
    """Check that a rest can be cut again, which is the same as one cut at the sum."""
    with World(text) as world:
        z = runs.interrupt_values(case.f, case.x, first, engine)
        later = runs.interrupt_values(runs.RESUME, z, second, engine)
        assert later.steps == first + second
        value = runs.call_values(runs.RESUME, later, engine)
    assert difference(value, run.value) is None
    assert world.written == run.written
    with World(text):
        at_once = runs.interrupt_values(case.f, case.x, first + second, engine)
    assert difference(later, at_once) is None


def check_outside(case: Case, engine: Engine, text: str, run: Run) -> None:
    """Check that numbers of steps that the run does not have are errors."""
    too_far = run.steps + 1
    messages = {
        -1: "a number of steps must be 0 or more, not -1",
        too_far: f"cannot interrupt after {too_far} steps: the run has {run.steps}",
    }
    for steps, message in messages.items():
        with pytest.raises(RunError) as caught, World(text):
            runs.interrupt_values(case.f, case.x, steps, engine)
        assert caught.value.message == message


def check_failing(case: Case, engine: Engine, text: str, message: str, limit: int = 2000) -> None:
    """Check that cuts before an error's step succeed and their rests fail, and from it on all fails."""
    with pytest.raises(RunError) as caught, World(text) as world:
        runs.call_values(case.f, case.x, engine)
    error = str(caught.value)
    assert caught.value.message == message
    assert caught.value.span is not None
    step = 0
    while (z := _cut_or_error(case, engine, text, step, error)) is not None:
        with pytest.raises(RunError) as rest, World(text) as halves:
            runs.interrupt_values(case.f, case.x, step, engine)
            runs.call_values(runs.RESUME, z, engine)
        assert str(rest.value) == error
        assert halves.written == world.written
        step += 1
        assert step < limit, "the run should have failed by now"
    assert step > 0, "a run of no steps cannot fail"
    for later in (step + 1, step + 2, 10 * step):
        assert _cut_or_error(case, engine, text, later, error) is None
    with pytest.raises(RunError) as counted, World(text):
        runs.primops_values(case.f, case.x, engine)
    assert str(counted.value) == error


def _cut_or_error(case: Case, engine: Engine, text: str, steps: int, error: str) -> Capsule | None:
    try:
        with World(text):
            return runs.interrupt_values(case.f, case.x, steps, engine)
    except RunError as caught:
        assert str(caught) == error
        return None


def gradient(
    case: Case, engine: Engine, text: str, run: Run, schedule: Schedule | None = None
) -> tuple[Any, Any]:
    """Return (y, xbar), by plain reverse mode by default; the world must not notice any recomputation."""
    with World(text) as world:
        y, xbar = runs.vjp_values(case.f, case.x, case.ybar, engine, schedule or Plain())
    assert difference(y, run.value) is None
    assert (world.written, world.unread) == (run.written, run.unread)
    return y, xbar


def bases_of(run: Run, random: Random) -> list[int]:
    """Return the base cases to bisect a run with: all of BASES for a short run, a sample for a long one."""
    return list(BASES) if run.steps <= LONG else [*random.sample(BASES[1:], 4), BASES[-1]]


def check_schedules(case: Case, engine: Engine, text: str, run: Run, bases: Iterable[int] = BASES) -> Any:
    """Check that the gradient is the same to the last bit, whatever was recomputed; return it."""
    _, xbar = gradient(case, engine, text, run)
    for schedule in (*SCHEDULES.values(), *map(Bisection, bases)):
        _, other = gradient(case, engine, text, run, schedule)
        assert difference(other, xbar) is None, str(schedule)
    return xbar


def check_gradient_through_cut(
    case: Case, engine: Engine, text: str, run: Run, xbar: Any, cut: int, base: int
) -> None:
    """Check that RESUME after INTERRUPT, differentiated one by one, compose to the gradient of the whole."""
    schedule = Bisection(base)
    cutter = runs.call_values(value_of(CUTTER, engine), Pair(case.f, float(cut)), engine)
    with World(text) as world:
        z = runs.interrupt_values(case.f, case.x, cut, engine)
        if not numbers(z):  # then y does not depend on x
            assert all(number == 0.0 for number in numbers(xbar))
            return
        y, zbar = runs.vjp_values(runs.RESUME, z, case.ybar, engine, schedule)
    assert difference(y, run.value) is None
    assert (world.written, world.unread) == (run.written, run.unread)
    with World(text):
        again, composed = runs.vjp_values(cutter, case.x, zbar, engine, schedule)
    assert again.steps == cut
    assert difference(composed, xbar) is None
