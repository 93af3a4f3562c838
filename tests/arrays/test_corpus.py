"""The corpus of functions of arrays: every example does on every engine what it does in Python.

in Python        value or exception, and what is printed; arguments stay as they were
cut anywhere     the parts take the steps of the whole, and give its value
differentiated   the same bits on every engine by every schedule; near differences; twice, too

Each example is run on every engine. Every second one is cut everywhere, the others are differentiated by
every schedule: all of it, on all engines, is tried by `-m long`.
"""

from __future__ import annotations

from functools import cache, partial
from random import Random

import pytest

from checkpoint import engines
from tests.arrays.agreement import (
    ENGINES,
    check_cuts,
    check_failure,
    check_gradients,
    check_second,
    check_steps,
    check_value,
)
from tests.arrays.corpus import examples
from tests.support.sampling import partly, sample, side_by_side

pytestmark = pytest.mark.together("name")

EXAMPLES = examples()
FAILING = [name for name, example in EXAMPLES.items() if example.raises is not None]
SUCCEEDING = [name for name, example in EXAMPLES.items() if example.raises is None]
DIFFERENTIABLE = [name for name in SUCCEEDING if EXAMPLES[name].differentiable]


@cache
def steps_of(name: str) -> int:
    """Return the length of an example's run, which is checked once to be the same on all engines."""
    return check_steps(EXAMPLES[name])


def test_every_engine_is_tried() -> None:
    assert set(ENGINES) == {name for name, why_not in engines.available().items() if why_not is None}


@pytest.mark.parametrize("name", EXAMPLES)
def test_values_and_exceptions_are_those_of_python(name: str) -> None:
    check_value(EXAMPLES[name])


@pytest.mark.parametrize("name", sample(SUCCEEDING))
def test_a_run_may_be_cut_anywhere(name: str) -> None:
    steps = steps_of(name)
    check_cuts(EXAMPLES[name], steps, Random(name), pairs=partial(side_by_side, name))


@pytest.mark.parametrize("name", FAILING)
def test_a_run_that_fails_fails_in_parts_and_on_tapes_too(name: str) -> None:
    check_failure(EXAMPLES[name])


@pytest.mark.parametrize("name", partly(DIFFERENTIABLE, frozenset(SUCCEEDING[1::2])))
def test_gradients(name: str) -> None:
    steps = steps_of(name)
    check_gradients(EXAMPLES[name], steps, Random(name), pairs=partial(side_by_side, name))


@pytest.mark.long
@pytest.mark.parametrize("name", SUCCEEDING)
def test_all_combinations(name: str) -> None:
    steps = steps_of(name)
    check_cuts(EXAMPLES[name], steps, Random(name))
    if name in DIFFERENTIABLE:
        check_gradients(EXAMPLES[name], steps, Random(name))


@pytest.mark.parametrize("name", sample(DIFFERENTIABLE, 4))
def test_second_derivatives(name: str) -> None:
    check_second(EXAMPLES[name], steps_of(name))
