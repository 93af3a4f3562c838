"""The laws of runs and of gradients, for programs with tensors."""

from __future__ import annotations

from random import Random

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.functions import runs
from tests.arrays_vlad.support import FAILING, SUCCEEDING, direction, dot, name_of, slope
from tests.support import laws
from tests.support.corpus import Entry, engine_name, usable_engines
from tests.support.same import difference

ENGINES = usable_engines()

pytestmark = [
    pytest.mark.engines_in_turn,
    pytest.mark.parametrize("engine", ENGINES, ids=engine_name),
    pytest.mark.together("entry"),
]
every_success = pytest.mark.parametrize("entry", SUCCEEDING, ids=name_of)


@every_success
def test_every_cut(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    run = laws.whole_run(case, engine, "")
    random = Random(entry.name)
    for cut in laws.share(laws.cuts(run.steps, random), engine):
        laws.check_cut(case, engine, "", run, cut)
    for first in laws.share(laws.cuts(run.steps, random, every=5, more=5), engine):
        laws.check_second_cut(case, engine, "", run, first, random.randint(0, run.steps - first))
    laws.check_outside(case, engine, "", run)


@every_success
def test_engines_agree(entry: Entry, engine: Engine) -> None:
    found = []
    for each in (engine, ENGINES[ENGINES.index(engine) - 1]):
        case = entry.case(each)
        run = laws.whole_run(case, each, "")
        found.append((run.value, run.steps, laws.gradient(case, each, "", run)[1]))
    (value, steps, xbar), (other, others, otherbar) = found
    assert difference(value, other) is None
    assert steps == others
    assert difference(xbar, otherbar) is None


@every_success
def test_every_schedule_gives_the_same_bits(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    bases = laws.share((1, 2, 3, 7, 50), engine)
    laws.check_schedules(case, engine, "", laws.whole_run(case, engine, ""), bases)


@every_success
def test_gradients_through_a_cut_compose(entry: Entry, engine: Engine) -> None:
    case, random = entry.case(engine), Random(entry.name)
    run = laws.whole_run(case, engine, "")
    _, xbar = laws.gradient(case, engine, "", run)
    for cut in laws.share(laws.cuts(run.steps, random, every=2, more=8), engine):
        laws.check_gradient_through_cut(case, engine, "", run, xbar, cut, random.choice((1, 4, 10_000)))


@every_success
def test_forward_reverse_and_differences_agree(entry: Entry, engine: Engine) -> None:
    case, random = entry.case(engine), Random(entry.name)
    run = laws.whole_run(case, engine, "")
    _, xbar = laws.gradient(case, engine, "", run)
    for _ in laws.share(range(3), engine):
        v = direction(case.x, random)
        y, ytan = runs.jvp_values(case.f, case.x, v, engine)
        forward, reverse = dot(y, ytan, case.ybar), dot(case.x, v, xbar)
        assert forward == pytest.approx(reverse, rel=1e-9, abs=1e-12)
        assert slope(case, v, engine) == pytest.approx(reverse, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("entry", FAILING, ids=name_of)
def test_an_error_belongs_to_its_step(entry: Entry, engine: Engine) -> None:
    laws.check_failing(entry.case(engine), engine, "", entry.header["error"])
