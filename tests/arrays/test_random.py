"""Random functions of arrays do on every engine what they do in Python, and have the right derivatives.

A program may be refused for reading an array that was changed through another name; then all engines refuse
it. If it has no derivative at the point, it is not compared with differences.
"""

from __future__ import annotations

import copy
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

from checkpoint.errors import RunError
from tests.arrays.agreement import (
    ENGINES,
    check_cuts,
    check_gradients,
    check_second,
    check_steps,
    check_value,
    natively,
    quietly,
    value_on,
)
from tests.arrays.corpus import Example
from tests.arrays.generator import Program, programs
from tests.python.agreement import outcome

REPEATABLE = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
MANY = settings(REPEATABLE, max_examples=3000, derandomize=False)
REFUSED = ("changed through another name", "came in as an argument")


def is_refused(example: Example) -> bool:
    """Return whether all engines refuse a program, after checking that all or none do."""
    found = []
    for name in ENGINES:
        with quietly():
            error = outcome(lambda: value_on(example, name)).error  # noqa: B023
        found.append(isinstance(error, RunError) and any(said in str(error) for said in REFUSED))
    assert len(set(found)) == 1, f"some engines refuse it: {found}"
    return found[0]


def is_tame(example: Example) -> bool:
    """Return whether all numbers are small and change little near the arguments: no ties, no jumps."""

    def numbers(by: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        rng = np.random.default_rng(9)
        moved = [arg + by * rng.normal(size=np.shape(arg)) for arg in copy.deepcopy(example.args)]  # type: ignore[operator, call-overload]
        value = example.function(*moved)
        parts = value if isinstance(value, tuple) else (value,)
        flat = [part for one in parts for part in (one if isinstance(one, list) else [one])]
        arrays = [part["t"] if isinstance(part, dict) else part for part in flat]
        return np.concatenate([np.ravel(part).astype(float) for part in arrays])

    with quietly():
        here, there, back = numbers(0.0), numbers(1e-4), numbers(-1e-4)
    small = np.all(np.abs(here) < 1e2) and np.all(np.abs(there - back) < 1e-2)
    return bool(small and np.all(np.abs(there - 2.0 * here + back) < 1e-4))


def agrees(program: Program) -> None:
    """Check all laws for one program."""
    note(program.text)
    example = Example(program.function(), program.args)
    if is_refused(example):
        return
    native = natively(example)
    if native.error is not None:
        check_value(Example(example.function, example.args, raises=type(native.error)))
        return
    check_value(example)
    steps, random = check_steps(example), Random(3)
    check_cuts(example, steps, random, most=30)
    single = "float32" in program.text
    tame = not single and is_tame(example)
    check_gradients(example, steps, random, differences=tame, most=200)
    check_second(example, steps, differences=False)


@given(program=programs())
@REPEATABLE
def test_agrees(program: Program) -> None:
    agrees(program)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(program=programs(fuel=25))
@MANY
def test_many_agree(program: Program) -> None:
    agrees(program)
