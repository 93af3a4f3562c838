"""The laws of gradients, for every differentiable program of the corpus on every engine."""

from __future__ import annotations

from random import Random

import pytest

from checkpoint.ad.tangent import match
from checkpoint.driver.engine import Engine
from checkpoint.functions import runs
from tests.support import laws
from tests.support.check import against_differences, agree, direction, dot
from tests.support.corpus import DIFFERENTIABLE, Entry, engine_name, usable_engines
from tests.support.same import difference
from tests.support.world import World

ENGINES = usable_engines()


def name_of(entry: Entry) -> str:
    return entry.name


pytestmark = [
    pytest.mark.parametrize("engine", ENGINES, ids=engine_name),
    pytest.mark.parametrize("entry", DIFFERENTIABLE, ids=name_of),
    pytest.mark.together("entry"),
]


@pytest.mark.engines_in_turn
def test_every_schedule_gives_the_same_bits(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    run = laws.run_of(entry, engine)
    bases = laws.share(laws.bases_of(run, Random(entry.name)), engine)
    laws.check_schedules(case, engine, entry.input, run, bases)


@pytest.mark.long
def test_every_base_gives_the_same_bits(entry: Entry, engine: Engine) -> None:
    laws.check_schedules(entry.case(engine), engine, entry.input, laws.run_of(entry, engine))


@pytest.mark.engines_in_turn
def test_gradients_through_a_cut_compose(entry: Entry, engine: Engine) -> None:
    case, random = entry.case(engine), Random(entry.name)
    run = laws.run_of(entry, engine)
    _, xbar = laws.gradient(case, engine, entry.input, run)
    cuts = laws.cuts(run.steps, random, every=2, more=6 if run.steps <= laws.LONG else 2)
    for cut in laws.share(cuts, engine):
        base = random.choice((1, 4, 30, 10_000) if run.steps <= laws.LONG else (30, 300, 10_000))
        laws.check_gradient_through_cut(case, engine, entry.input, run, xbar, cut, base)


def test_engines_agree_on_gradients(entry: Entry, engine: Engine) -> None:
    gradients = []
    for each in (engine, ENGINES[0]):
        case = entry.case(each)
        run = laws.run_of(entry, each)
        gradients.append(laws.gradient(case, each, entry.input, run)[1])
    assert difference(*gradients) is None


def test_stated_gradient(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    _, xbar = laws.gradient(case, engine, entry.input, laws.run_of(entry, engine))
    assert len(match(case.x, xbar, "cotangent")) > 0, "the gradient has the shape of x, and numbers"
    if "xbar" in entry.header:
        assert difference(xbar, entry.stated("xbar", engine)) is None


@pytest.mark.engines_in_turn
def test_forward_reverse_and_differences_agree(entry: Entry, engine: Engine) -> None:
    """One number in three ways: ybar . (J v), (ybar J) . v, and the slope of ybar . f along v."""
    case, random = entry.case(engine), Random(entry.name)
    run = laws.run_of(entry, engine)
    if "singular" in entry.header:
        pytest.skip(f"no differences here: {entry.header['singular']}")
    _, xbar = laws.gradient(case, engine, entry.input, run)
    for _ in range(3):
        v = direction(case.x, random)
        with World(entry.input) as world:
            y, ytan = runs.jvp_values(case.f, case.x, v, engine)
        if not entry.nests_reverse_mode:
            assert difference(y, run.value) is None
        value, terms = dot(run.value, case.ybar)
        agree(dot(y, case.ybar)[0], value, 1e-12, terms)
        assert (world.written, world.unread) == (run.written, run.unread)
        forward, size = dot(ytan, case.ybar)
        reverse, other = dot(v, xbar)
        agree(forward, reverse, 1e-10, max(size, other))
        against_differences(case, v, reverse, engine, entry.input)
