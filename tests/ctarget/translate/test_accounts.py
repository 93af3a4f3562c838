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
from checkpoint.ctarget.translate.watch import Watch
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


def test_where_samples_are_inside_of_units_a_loop_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its values may be of other kinds than those of the units: then none of these is ever entered."""
    account, translator = policy.Account(), policy.Translator()
    sought: list[int] = []

    def sample(*_: Any) -> policy.Found:
        return policy.Found.INSIDE

    monkeypatch.setattr(policy, "translator", translator)
    monkeypatch.setattr(translator, "sample", sample)
    for _ in range(policy.MAX_SEARCHES + 2):
        watch = Watch(account, taped=False, waits=True)
        watch.sliced(None, 2 * policy.THRESHOLD)
        sought.append(watch._sought)
    assert sought == [policy.MAX_SOUGHT] * policy.MAX_SEARCHES + [0, 0]


def test_samples_inside_of_units_are_counted_for_the_runs_of_a_procedure() -> None:
    account, own = policy.Account(), policy.Account()
    own.inside = {"one": 0, "other": 0}
    for label in ("one", "other", "one"):
        assert not policy.Translator()._may_make(own, label, account, may_begin=True)
    assert account.skips == 3
