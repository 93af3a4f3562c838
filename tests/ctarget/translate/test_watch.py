"""When runs are sampled for translation, and how long their slices are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.effort import Pace
from checkpoint.ctarget.translate.watch import Watch
from tests.ctarget.translate.shared_objects import needs_c, new_translator

pytestmark = needs_c


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    yield from new_translator(tmp_path, monkeypatch)


def test_a_watch_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count calls: no more from Python than a run without a watch has slices."""
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    watch = Watch(policy.Account(), taped=False, waits=False)
    monkeypatch.setattr(policy, "THRESHOLD", 10**12)
    watch._due = 10**12
    slices: list[int] = []
    while sum(slices) < 10_000_000:
        slices.append(watch.slice)
        watch.sliced(None, watch.slice)
    assert slices[0] == policy.FIRST
    assert max(slices) == policy.SLICE
    assert len(slices) < 15


def test_a_run_begins_with_slices_at_the_pace_of_the_runs_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count slices: where runs have been fast, one of 10 ms has one or two, up to the next sample."""
    monkeypatch.setattr(policy.translator, "sample_interval", policy.SAMPLE_INTERVAL)
    account = policy.Account()
    account.pace.add(10**12, 1.0)
    account.due = account.steps + 5_000_000
    assert Watch(account, taped=False, waits=False).slice == 5_000_000
    account.rests_until = float("inf")
    assert Watch(account, taped=False, waits=False).slice > 100 * policy.SLICE
    assert Watch(policy.Account(), taped=False, waits=False).slice == policy.FIRST


def test_slices_get_short_where_nothing_is_found_and_then_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(policy.translator, "sample", lambda *a: policy.Found.NOWHERE)
    monkeypatch.setattr(policy.translator, "sample_interval", 0.0)
    account = policy.Account()
    account.steps = account.due
    watch = Watch(account, taped=True, waits=False)
    slices = []
    for _ in range(policy.MAX_PROBES + 1):
        watch.sliced(None, watch.slice)
        slices.append(watch.slice)
    assert min(slices) == policy.MIN_PROBE_STEPS
    assert policy.GAP <= slices[-1] < 2 * policy.GAP
    assert account.due > account.steps


def test_a_slow_run_is_sampled_soon_after_a_fast_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy.translator, "sample_interval", 0.0)
    account = policy.Account()
    account.gap, account.due = policy.GAP, 10**12
    watch = Watch(account, taped=False, waits=False)
    watch.sliced(None, watch.slice)
    assert account.due <= account.steps + 2 * policy.GAP


def test_a_slow_beginning_of_a_run_brings_no_sample_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count samples: a new run begins slowly, and what is due by its pace is not due by the clock."""
    samples: list[Any] = []

    def sample(*given: Any) -> policy.Found:
        samples.append(given)
        return policy.Found.NOTHING

    monkeypatch.setattr(policy.translator, "sample", sample)
    monkeypatch.setattr(policy.translator, "sample_interval", 3600.0)
    account = policy.Account()
    account.steps = account.due
    monkeypatch.setattr(Pace, "steps_in", lambda pace, seconds: 0)
    for _ in range(3):
        watch = Watch(account, taped=False, waits=False)
        for _ in range(5):
            watch.sliced(None, policy.GAP)
    assert len(samples) == 1


def test_samples_that_take_long_come_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind two that took ten times as long as most the next comes after ten times as long.

    Not behind one, which may have imported modules.
    """
    monkeypatch.setattr(policy.translator, "sample", lambda *a: policy.Found.NOTHING)
    monkeypatch.setattr("checkpoint.ctarget.translate.watch.perf_counter", iter(range(1_000)).__next__)
    monkeypatch.setattr(policy, "USUAL_SAMPLE", 0.1)  # of these clocks each takes a second
    account = policy.Account()
    account.steps = account.due
    watch = Watch(account, taped=False, waits=False)
    watch.sliced(None, policy.GAP)
    assert watch._interval() == pytest.approx(policy.translator.sample_interval * account.patience)
    account.steps, account.rests_until = account.due, 0.0
    watch.sliced(None, policy.GAP)
    assert account.sampling.seconds == 1
    assert watch._interval() == pytest.approx(policy.translator.sample_interval * account.patience * 10)


def test_the_short_slices_of_a_search_say_nothing_of_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the next sample is due as soon as in a slow run: such slices are mostly spent outside of units."""
    monkeypatch.setattr(policy.translator, "sample", lambda *a: policy.Found.NOWHERE)
    monkeypatch.setattr("checkpoint.ctarget.translate.watch.perf_counter", iter(range(1_000)).__next__)
    account = policy.Account()
    account.steps = account.due
    watch = Watch(account, taped=True, waits=True)
    watch.sliced(None, policy.SLICE)
    pace = account.pace.steps_in(1.0)
    assert pace == policy.SLICE // 2  # of two clocks, one second apart; before it was 0
    for _ in range(policy.MAX_PROBES):
        assert watch.slice <= policy.PROBE_STEPS
        watch.sliced(None, watch.slice)
    assert account.pace.steps_in(1.0) == pace
    watch.sliced(None, watch.slice)
    assert account.pace.steps_in(1.0) < pace
