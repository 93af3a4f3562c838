"""The steps that sweeps count on the account of a procedure, which decide when it is translated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, Plain, grad, primops
from checkpoint.ctarget import library
from checkpoint.ctarget.translate import policy
from checkpoint.functions.python_functions import run_of

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))


def turns(x: Any, count: int) -> Any:
    for _ in range(count):
        x = x * 0.5 + x
    return np.sum(x)


@pytest.mark.parametrize("schedule", [Plain(), Bisection()], ids=str)
def test_reversals_in_python_count_no_steps(schedule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reversal that calls Python ends a call of C: the call's bound is not what was done in it."""
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    args = np.ones(3), 5
    account = policy.account_of(run_of(turns, args, {}, "c").u.car.lam)
    steps = int(primops(lambda a: turns(*a), args, engine="c"))
    before = account.steps
    for _ in range(10):
        grad(turns, engine="c", schedule=schedule)(*args)
    assert 0 < account.steps - before <= 10 * steps
