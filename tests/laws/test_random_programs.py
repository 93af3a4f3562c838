"""The laws of runs and gradients for random programs, on every engine."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.laws.random_programs import INPUT, POINTS, programs
from tests.support import laws
from tests.support.check import agree
from tests.support.corpus import Case, engine_name, usable_engines, value_of
from tests.support.same import same_bits
from tests.support.world import World

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

STEPS = 1500  # longer runs are left to the corpus

REPEATABLE = settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
MANY = settings(REPEATABLE, max_examples=4000, derandomize=False)


def check(text: str, x: float, engine: Engine) -> None:
    """Check all laws for one program."""
    note(text)
    case, random = Case(value_of(text, engine), x, 1.0), Random(text)
    try:
        run = laws.whole_run(case, engine, INPUT)
    except RunError as error:
        laws.check_failing(case, engine, INPUT, error.message, limit=STEPS)
        return
    if run.steps > STEPS:
        return
    for cut in laws.cuts(run.steps, random, every=8, more=6):
        laws.check_cut(case, engine, INPUT, run, cut)
    first = random.randint(0, run.steps)
    laws.check_second_cut(case, engine, INPUT, run, first, random.randint(0, run.steps - first))
    laws.check_outside(case, engine, INPUT, run)
    xbar = laws.check_schedules(case, engine, INPUT, run, (1, 4, 31))
    for cut in (0, first, run.steps):
        laws.check_gradient_through_cut(case, engine, INPUT, run, xbar, cut, random.choice((1, 6, 10_000)))
    check_forward(case, engine, run)


def check_forward(case: Case, engine: Engine, run: laws.Run) -> None:
    """Check that both modes agree where both are finite and no branch depends on the last bits."""
    with World(INPUT) as world:
        y, forward = runs.jvp_values(case.f, case.x, 1.0, engine)
    if same_bits(y, run.value):
        assert (world.written, world.unread) == (run.written, run.unread)
        reverse = laws.gradient(case, engine, INPUT, run)[1]
        if math.isfinite(forward) and math.isfinite(reverse):
            agree(forward, reverse, 1e-9, abs(y))


@given(text=programs(), x=POINTS)
@REPEATABLE
def test_laws(text: str, x: float, engine: Engine) -> None:
    check(text, x, engine)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(text=programs(size=5), x=POINTS)
@MANY
def test_laws_of_many(text: str, x: float, engine: Engine) -> None:
    check(text, x, engine)
