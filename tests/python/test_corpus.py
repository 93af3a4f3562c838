"""The corpus of Python functions: every example does on every engine what it does in Python.

in Python        the same value or exception, and output; arguments are unchanged
cut anywhere     the parts take the steps of the whole, and give its value
differentiated   the same bits on every engine by every schedule; close to finite differences

Every twelfth example is run and cut on every engine, and differentiated on every engine and by every
schedule. The others are on the first engine alone: a third of all is cut, another differentiated by every
schedule. All examples are on every engine, with every combination of cuts and schedules, by `-m long`.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ad.graph import numbers
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Capsule
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.functions.python_functions import rest_of, result, run_of
from checkpoint.functions.run import Run
from tests.python.agreement import Outcome, outcome, same_outcomes, same_values
from tests.python.corpus import Example, examples
from tests.support.check import against_differences, direction, dot
from tests.support.corpus import Case, usable_engines
from tests.support.cuts import CutAt
from tests.support.same import difference
from tests.support.sampling import partly, side_by_side

pytestmark = pytest.mark.together("name")

EXAMPLES = examples()
FAILING = [name for name, example in EXAMPLES.items() if example.raises is not None]
SUCCEEDING = [name for name, example in EXAMPLES.items() if example.raises is None]
DIFFERENTIABLE = [name for name in SUCCEEDING if EXAMPLES[name].differentiable]
ENGINES = usable_engines()
EVERYWHERE = frozenset(list(EXAMPLES)[::12])
CUT = EVERYWHERE.union(list(EXAMPLES)[1::3])
DIFFERENTIATED = EVERYWHERE.union(list(EXAMPLES)[2::3])
LONG = 3_000  # steps; fewer cuts are made in longer runs


def natively(example: Example) -> Outcome:
    """Return what Python returns, raises and prints."""
    return outcome(lambda: example.function(*copy.deepcopy(example.args)))


def call_on(example: Example, name: str) -> Run:
    return run_of(example.function, example.args, {}, name)


def silently(action: Callable[[], Any]) -> Any:
    """Return the result of an action, without its output, which other tests check."""
    with redirect_stdout(io.StringIO()):
        return action()


def engines_of(name: str) -> list[Engine]:
    """Return the engines that run an example; without compiled code its translation costs half."""
    return ENGINES if name in EVERYWHERE else ENGINES[:1]


@cache
def steps_of(name: str, everywhere: bool = False) -> int:
    """Return the number of steps of an example's run, which is the same on its engines, or on all."""
    example = EXAMPLES[name]
    tried = ENGINES if everywhere else engines_of(name)
    steps = {engine.name: silently(call_on(example, engine.name).steps) for engine in tried}
    assert len(set(steps.values())) == 1, f"steps differ: {steps}"
    return int(steps[ENGINES[0].name])


def cuts_of(steps: int, random: Random) -> list[int]:
    """Return the first and last step, and a sample of those between."""
    if steps > LONG:
        return [random.randrange(1, steps)]
    return sorted({0, 1, steps, *[random.randint(0, steps) for _ in range(3)]})


def weights(value: Any) -> Any:
    """Return a cotangent of a value, always the same."""
    return direction(value, Random(3))


def test_every_engine_is_tried() -> None:
    assert {engine.name for engine in ENGINES} == {n for n, why in engines.available().items() if why is None}


@pytest.mark.parametrize("name", EXAMPLES)
def test_values_and_exceptions_are_those_of_python(name: str) -> None:
    check_values(name, engines_of(name))


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in EVERYWHERE])
def test_values_and_exceptions_are_those_of_python_on_every_engine(name: str) -> None:
    check_values(name, ENGINES)


def check_values(name: str, tried: Iterable[Engine]) -> None:
    example = EXAMPLES[name]
    want = natively(example)
    assert type(want.error) is (example.raises or type(None))
    for engine in tried:
        args = copy.deepcopy(example.args)

        def value(engine_name: str = engine.name, args: tuple[object, ...] = args) -> Any:
            call = run_of(example.function, args, {}, engine_name)
            return result(call.value(), call.engine)

        got = outcome(value)
        assert same_outcomes(want, got), f"{engine.name}: {got}; Python: {want}"
        assert same_values(args, example.args) or same_repr(args, example.args)


def same_repr(a: object, b: object) -> bool:
    """Compare arguments that compare by identity, such as functions."""
    return repr(a) == repr(b)


def in_two_parts(example: Example, name: str, cut: int) -> tuple[Outcome, list[Capsule]]:
    """Return what a run with a cut returns, raises and prints, and the capsule of the cut, if any."""
    capsules: list[Capsule] = []

    def parted() -> Any:
        capsules.append(call_on(example, name).interrupt(cut))
        rest = rest_of(capsules[0])
        return result(rest.value(), rest.engine)

    return outcome(parted), capsules


@pytest.mark.parametrize("name", [name for name in SUCCEEDING if name in CUT])
def test_a_run_may_be_cut_anywhere(name: str) -> None:
    check_cuts(name, side_by_side(name, engines_of(name), cuts_of(steps_of(name), Random(name))))


@pytest.mark.long
@pytest.mark.parametrize("name", SUCCEEDING)
def test_a_run_may_be_cut_anywhere_on_every_engine(name: str) -> None:
    check_cuts(name, product(ENGINES, cuts_of(steps_of(name, everywhere=True), Random(name))))


def check_cuts(name: str, cuts: Iterable[tuple[Engine, int]]) -> None:
    example = EXAMPLES[name]
    want, steps = natively(example), steps_of(name)
    for engine, cut in cuts:
        got, (z,) = in_two_parts(example, engine.name, cut)
        assert same_outcomes(want, got), f"{engine.name}, cut at {cut}: {got}; Python: {want}"
        assert z.steps == cut
        assert silently(rest_of(z).steps) == steps - cut


@pytest.mark.parametrize("name", FAILING)
def test_a_run_that_fails_fails_in_parts_too(name: str) -> None:
    example = EXAMPLES[name]
    want = natively(example)
    tried = engines_of(name)
    for engine in tried:  # this translates what it reaches, which the rest of a capsule cannot
        outcome(call_on(example, engine.name).value)
    for engine, cut in side_by_side(name, tried, (0, 1, 5, 25, 100_000)):
        got, _ = in_two_parts(example, engine.name, cut)
        assert same_outcomes(want, got), f"{engine.name}, cut at {cut}: {got}; Python: {want}"


def gradient(example: Example, name: str, schedule: Schedule) -> tuple[Run, Any, Any]:
    """Return the call, its value and the cotangent of its argument."""
    call = call_on(example, name)
    y, xbar = silently(lambda: call.vjp(weights, schedule))
    return call, y, xbar


def schedules_of(steps: int, random: Random) -> list[Schedule]:
    cut = CutAt(random.randrange(1, steps)) if steps > 1 else Plain()
    return [Plain(), Bisection(max(1, steps // 5)), cut]


def check_gradients(
    name: str, tried: list[Engine], ways: Iterable[tuple[Engine, Schedule]]
) -> tuple[Run, Any, Any]:
    """Check that engines and schedules agree to the last bit; return the result of plain reverse mode."""
    example = EXAMPLES[name]
    call, y, xbar = gradient(example, tried[-1].name, Plain())
    for engine, schedule in ways:
        _, again, other = gradient(example, engine.name, schedule)
        where = f"{engine.name}, {schedule}"
        assert difference(other, xbar) is None, f"{where}: {difference(other, xbar)}"
        assert difference(tangent_of(again, numbers(again)), tangent_of(y, numbers(y))) is None, where
    return call, y, xbar


@pytest.mark.parametrize("name", partly(DIFFERENTIABLE, DIFFERENTIATED))
def test_gradients(name: str) -> None:
    random = Random(name)
    tried = engines_of(name)
    ways = side_by_side(name, tried, schedules_of(steps_of(name), random))
    call, y, xbar = check_gradients(name, tried, ways)
    v = direction(call.argument, random)
    slope, size = dot(xbar, v)
    case = Case(call.u.car, call.argument, weights(y))
    against_differences(case, v, slope, call.engine, size=size)


@pytest.mark.long
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_by_every_schedule_on_every_engine(name: str) -> None:
    schedules = schedules_of(steps_of(name, everywhere=True), Random(name))
    check_gradients(name, ENGINES, product(ENGINES, schedules))
