"""The laws of runs and gradients for programs that change lists and dictionaries, on every engine."""

from __future__ import annotations

from random import Random

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Plain
from checkpoint.functions import runs
from tests.engine_containers.programs import PROGRAMS
from tests.engine_containers.support import case
from tests.support import laws
from tests.support.check import against_differences, direction, dot
from tests.support.corpus import engine_name, usable_engines
from tests.support.same import same_bits

pytestmark = pytest.mark.engines_in_turn

ENGINES = usable_engines()
each_engine = pytest.mark.parametrize("engine", ENGINES, ids=engine_name)
each_program = pytest.mark.parametrize("name", PROGRAMS)


@each_engine
@each_program
def test_resume_equals_run_at_every_cut(name: str, engine: Engine) -> None:
    given, random = case(PROGRAMS[name], 0.7, engine), Random(name)
    run = laws.whole_run(given, engine, "")
    for cut in laws.share(laws.cuts(run.steps, random, every=run.steps), engine):
        laws.check_cut(given, engine, "", run, cut)
    for _ in laws.share(range(40), engine):
        first = random.randint(0, run.steps)
        laws.check_second_cut(given, engine, "", run, first, random.randint(0, run.steps - first))


@each_engine
@each_program
def test_gradients_do_not_depend_on_the_schedule(name: str, engine: Engine) -> None:
    given, random = case(PROGRAMS[name], 0.7, engine), Random(name)
    run = laws.whole_run(given, engine, "")
    xbar = laws.check_schedules(given, engine, "", run, laws.share(laws.BASES, engine))
    for cut in laws.share([0, run.steps, *random.sample(range(run.steps), 12)], engine):
        base = random.choice((1, 6, 31, 10_000))
        laws.check_gradient_through_cut(given, engine, "", run, xbar, cut, base)


@each_program
def test_engines_agree(name: str) -> None:
    found = []
    for engine in ENGINES:
        given = case(PROGRAMS[name], 0.7, engine)
        run = laws.whole_run(given, engine, "")
        found.append((run.value, run.steps, laws.gradient(given, engine, "", run)[1]))
    first = found[0]
    for value, steps, xbar in found[1:]:
        assert same_bits(value, first[0])
        assert steps == first[1]
        assert same_bits(xbar, first[2])


@each_engine
@each_program
def test_gradients_are_right(name: str, engine: Engine) -> None:
    given = case(PROGRAMS[name], 0.7, engine)
    v = direction(given.x, Random(name))
    _, xbar = runs.vjp_values(given.f, given.x, 1.0, engine, Plain())
    against_differences(given, v, dot(xbar, v)[0], engine)
    _, forward = runs.jvp_values(given.f, given.x, v, engine)
    assert abs(forward - dot(xbar, v)[0]) <= 1e-12 * abs(forward)
