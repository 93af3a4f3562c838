"""When something is translated: by the steps on the account of a procedure, and how long runs have taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, Plain, grad, primops
from checkpoint.ctarget import library
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.effort import EXPECTED_LARGE, SHARE
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


def test_units_of_lanes_are_enlarged_where_runs_are_long() -> None:
    """One that was cut is made once more, when its first form is there and runs have taken long enough."""

    def made(is_cut: bool, is_large: bool, pending: bool) -> Any:
        return SimpleNamespace(unit=SimpleNamespace(is_cut=is_cut), is_large=is_large, pending=pending)

    translator = policy.Translator()
    cut = made(is_cut=True, is_large=False, pending=False)
    assert not translator._may_enlarge(cut)
    translator.effort.ran = 2 * EXPECTED_LARGE / SHARE
    assert translator._may_enlarge(cut)
    for other in (made(False, False, False), made(True, True, False), made(True, False, True)):
        assert not translator._may_enlarge(other)
