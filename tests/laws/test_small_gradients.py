"""Small gradients equal ordinary ones: random functions give the same bits, errors and output by a plan.

A gradient is ordinary where its schedule is named; without that the first call is, and leaves a plan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from checkpoint import engines, value_and_grad
from tests.python.agreement import TooLong, natively, outcome, same_outcomes
from tests.python.generator import Program, program
from tests.support.digest import DIGEST
from tests.support.sampling import sample
from tests.support.small import taken

pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not available")

REAL = (
    DIGEST
    + """

def real(x, y, xs, n):
    return digest(main(x, y, xs, n))
"""
)
CALLS = 4  # of one function: the first is ordinary; others where it needs code that was not made before


def check(seed: int) -> int:
    """Check one function; return how many of its gradients were small."""
    written = program(Random(seed))
    whole = Program(written.text + REAL, written.args, written.may_refuse)
    f: Callable[..., Any] = whole.function().__globals__["real"]
    args = written.args
    try:
        natively(f, args)
    except TooLong:
        return 0
    want = outcome(lambda: value_and_grad(f, argnums=(0, 1, 2), schedule="budget")(*args))
    for _ in range(CALLS):
        got = outcome(lambda: value_and_grad(f, argnums=(0, 1, 2))(*args))
        assert same_outcomes(want, got), f"{got}; with a schedule {want}"
    # Of other arguments, by the same plan and by one that has not run them.
    others = (args[0] * 0.5, args[1] - 1.0, [*args[2], 0.25], args[3] + 1)
    try:
        natively(f, others)
    except TooLong:
        return taken(f, 4)
    take = partial(value_and_grad(f, argnums=2), *others)
    found = [outcome(take) for _ in range(3)]
    want = outcome(lambda: value_and_grad(f, argnums=2, schedule="budget")(*others))
    assert all(same_outcomes(want, each) for each in found), f"{found}; with a schedule {want}"
    return taken(f, 4)


@pytest.mark.parametrize("first", sample(range(0, 200, 40), every=3))
def test_random_functions(first: int) -> None:
    taken = [check(seed) for seed in range(first, first + 40)]
    assert sum(1 for each in taken if each) >= 8, taken
