"""When something is translated: by the steps on the account of a procedure, and how long runs have taken."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from checkpoint import Bisection, Plain, grad, jvp, primops, vmap
from checkpoint.ctarget import library
from checkpoint.ctarget.translate import policy, translation
from checkpoint.ctarget.translate.effort import EXPECTED_LARGE, SHARE
from checkpoint.ctarget.translate.specialise import observe
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


def over_lanes(foreseen: float = 0.0) -> translation.Place:
    peer: Any = SimpleNamespace(
        procedure=SimpleNamespace(lam=SimpleNamespace(compiled={})),
        block=SimpleNamespace(label="loop.lanes"),
        address=0,
    )
    return translation.Place(peer, lambda: (peer, {}), True, is_loop_over_lanes=True, foreseen=foreseen)


def test_units_of_lanes_may_be_large_where_runs_are_long_or_will_be() -> None:
    translator, account = policy.Translator(), policy.Account()
    assert not translator._may_be_large(over_lanes(), account)
    assert translator._may_be_large(over_lanes(2 * EXPECTED_LARGE / SHARE), account)
    account.seconds = 2 * EXPECTED_LARGE / SHARE
    assert translator._may_be_large(over_lanes(), account)
    account.seconds, translator.effort.ran = 0.0, 2 * EXPECTED_LARGE / SHARE
    assert translator._may_be_large(over_lanes(), account)
    assert not translator._may_be_large(over_lanes()._replace(is_loop_over_lanes=False), account)


def test_small_units_of_lanes_wait_for_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of a lane alone pays so little that its unit is not compiled where a larger one may follow."""
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    translator, account, made = policy.Translator(), policy.Account(), []

    def of_standing(_: Any, how: translation.How, deeper: Any) -> translation.Translation:
        unit: Any = SimpleNamespace(
            is_cut=not how.is_large, headers=[SimpleNamespace(block=None)], tapes=True
        )
        made.append(translation.Translation(unit, {}, how.is_large))
        return made[-1]

    monkeypatch.setattr(translation, "of_standing", of_standing)
    monkeypatch.setattr(policy, "_register", lambda *_: None)
    place = over_lanes()
    assert translator._translation(place, account, may_begin=True, taped=True) is None
    assert translator._translation(place, account, may_begin=True, taped=True) is made[0]
    assert not made[0].lacks_tape
    assert not made[0].begin(True, SimpleNamespace())  # type: ignore[arg-type]  # it needs no compiler
    translator.effort.ran = 2 * EXPECTED_LARGE / SHARE
    assert translator._translation(place, account, may_begin=True, taped=False) is made[1]
    assert [each.is_large for each in made] == [False, True]
    assert account.units == [made[1]]


def test_a_sample_sees_how_many_lanes_have_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    seen: list[tuple[int, int]] = []

    def sample(held: Any, *_: Any) -> policy.Found:
        if translation.loop_over_lanes(held) is not None:
            seen.append(observe.lanes_seen(held))
        return policy.Found.NOTHING

    monkeypatch.setattr(policy.translator, "sample", sample)
    vmap(lambda x: turns(x, 2_000), engine="c")(np.linspace(0.0, 1e-3, 5_000))
    assert seen
    assert all(begun + left == 5_000 for begun, left in seen)
    assert [begun for begun, _ in seen] == sorted([begun for begun, _ in seen])
    assert len(set(seen)) > 1


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


def test_a_search_ends_where_the_run_enters_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample alone had made it leave the unit. Of units that it cannot enter so many are tried."""
    tried = iter([None, False, None, True])
    searching = _search(monkeypatch, lambda _: next(tried))
    assert [searching() for _ in range(4)] == [2_999, 2_998, 2_997, 0]
    searching = _search(monkeypatch, refusals := Mock(return_value=False))
    assert [searching() for _ in range(policy.MAX_SOUGHT)] == list(range(policy.MAX_SOUGHT))[::-1]
    assert refusals.call_count == policy.MAX_PROBES


def test_a_run_enters_units_whose_kinds_its_values_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over reals has a unit; the same loop over duals cannot enter that."""
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    translator, found = policy.translator, list[bool | None]()
    is_entered = translator.is_entered

    def noted(held: Any) -> bool | None:
        found.append(is_entered(held))
        return found[-1]

    grad(scaled, engine="c")(0.3)
    monkeypatch.setattr(translator, "sample", lambda *_: policy.Found.INSIDE)
    monkeypatch.setattr(translator, "is_entered", noted)
    account = policy.account_of(run_of(scaled, (0.3,), {}, "c").u.car.lam)
    account.searches = account.gap = 0
    grad(scaled, engine="c")(0.3)
    assert True in found
    assert False not in found
    found.clear()
    account.searches = account.gap = 0
    jvp(scaled, 0.3, 1.0, engine="c")
    assert False in found


def scaled(x: Any) -> Any:
    for _ in range(400_000):
        x = x * 0.5 + 0.25
    return x


def _search(monkeypatch: pytest.MonkeyPatch, is_entered: Any) -> Callable[[], int]:
    """Begin a search for a loop, and return what does one block of it, and returns how many are left."""
    translator = policy.Translator()
    monkeypatch.setattr(policy, "translator", translator)
    monkeypatch.setattr(translator, "sample", lambda *_: policy.Found.INSIDE)
    monkeypatch.setattr(translator, "seek", lambda *_: policy.Found.NOWHERE)
    monkeypatch.setattr(translator, "is_entered", is_entered)
    watch = Watch(policy.Account(), taped=False, waits=True)
    watch.sliced(None, 2 * policy.THRESHOLD)

    def searching() -> int:
        watch.sliced(None, 1)
        return watch._sought

    return searching


def test_samples_inside_of_units_are_counted_for_the_runs_of_a_procedure() -> None:
    account, own = policy.Account(), policy.Account()
    own.inside = {("one", False): 0, ("other", True): 0}
    for inside in (("one", False), ("other", True), ("one", False)):
        assert not policy.Translator()._may_make(own, inside, account, may_begin=True)
    assert policy.Translator()._may_make(own, ("one", True), account, may_begin=True)
    assert account.skips == 3
