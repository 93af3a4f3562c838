"""Runs beyond the memory of one worker: what is run again, and what each worker holds.

On the symbolic model (plans.py), in units of one worker's memory, on four workers; and counted on real runs.
"""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.driver.engine import Counts
from checkpoint.driver.spill.file import File
from checkpoint.durable import segments
from checkpoint.workers import Processes, Threads, parked, relay, segment
from tests.durable.round_trips import steps_of
from tests.workers.plans import Subject, alone, planned
from tests.workers.test_relay import Counting, often

MEMORY = 100_000


def of_all_states(times: float, bytes: int) -> Subject:
    """Return a run of steps that record as much as a state holds; its states take `times` the memory."""
    return Subject(int(times * MEMORY / bytes), bytes, bytes)


@pytest.mark.parametrize("state", [3000, 1000, 500])
@pytest.mark.parametrize("times", [0.5, 1, 2, 3.5])
def test_nothing_runs_more_than_twice(times: float, state: int) -> None:
    plan = planned(of_all_states(times, state), MEMORY, 4)
    assert plan.most <= 2
    assert plan.held <= MEMORY


@pytest.mark.parametrize("state", [3000, 1000, 500])
def test_ten_times_the_memory_takes_little_more_than_one_budget_of_four_times(state: int) -> None:
    subject = of_all_states(10, state)
    plan = planned(subject, MEMORY, 4)
    assert plan.steps <= 1.2 * alone(subject, 4 * MEMORY)
    assert plan.held <= MEMORY


@pytest.mark.parametrize(("times", "ratio"), [(1, 1.05), (3.5, 1.3), (10, 1.2)])
def test_states_as_far_apart_as_a_tape_is_long_outgrow_memory(times: float, ratio: float) -> None:
    """Here a segment whose tape fills half of the memory has one state."""
    subject = Subject(int(times * MEMORY / 1000 * (MEMORY / 2 / 1000)), 1000, 1000)
    plan = planned(subject, MEMORY, 4)
    assert plan.steps <= ratio * alone(subject, 4 * MEMORY)
    assert plan.held <= MEMORY


def test_small_states_leave_the_memory_to_tapes() -> None:
    """Here 10 steps fit beside as many states as there may be, and 5 into half of the memory."""
    plan = planned(Subject(1000, 80_000, 100), 1_000_000, 2)
    assert plan.segments < 120
    assert plan.most <= 2
    assert plan.held <= 1_000_000


def loop(x: Any) -> Any:
    for _ in range(200):
        x = np.sin(x) * 1.1
    return x.sum()


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[Counts]:
    """The counts of all sweeps of a gradient that is handed on."""
    found: list[Counts] = []

    def counted(*given: Any, **options: Any) -> Any:
        sweep = segment_sweep(*given, **options)
        found.append(sweep.counts)
        return sweep

    segment_sweep = segments.sweep_of
    monkeypatch.setattr(segment, "sweep_of", counted)
    monkeypatch.setattr(relay, "sweep_of", counted)
    return found


@pytest.mark.parametrize("times", [2, 3.5, 10])
def test_steps_of_a_real_run(times: float, counts: list[Counts]) -> None:
    x = np.linspace(0.1, 1.0, 20_000)
    expected = checkpoint.grad(loop)(x)
    memory = int(200 * x.nbytes / times)
    with often(steps_of(loop, x) // 200, seconds=0.0002), Threads(4) as threads:
        workers = Counting(threads)
        found = checkpoint.grad(loop, memory=memory, workers=workers)(x)
    assert found.tobytes() == expected.tobytes()
    assert workers.segments > 3
    again = sum(each.taped + each.advanced for each in counts)
    if times < 10:
        assert again == steps_of(loop, x)
    else:  # 1.05 to 1.16 times, by how long each segment happens to take; the model above has exact bounds
        assert again < 2.5 * steps_of(loop, x)


@pytest.mark.parametrize("others", [Threads, Processes])
def test_with_a_disk_nothing_runs_more_than_twice(
    others: Any, counts: list[Counts], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parked, "kind_of_files", lambda folder: "ext4")
    x = np.linspace(0.1, 1.0, 20_000)
    expected = checkpoint.grad(loop)(x)
    with often(steps_of(loop, x) // 200, seconds=0.0002), others(4) as workers:
        there = Counting(workers)
        memory = 200 * x.nbytes // 10
        found = checkpoint.grad(loop, memory=memory, spill=tmp_path, workers=there)(x)
    assert found.tobytes() == expected.tobytes()
    assert there.segments > 50
    if others is Threads:
        assert sum(each.taped for each in counts) == steps_of(loop, x)
        assert sum(each.advanced for each in counts) == 0


def fails_at_the_end(x: Any) -> Any:
    return loop(x) + math.log(x[0] * 0.0)


def test_a_run_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = []

    class Watched(File):
        def __init__(self, folder: Any) -> None:
            super().__init__(folder)
            files.append(self)

    monkeypatch.setattr(parked, "kind_of_files", lambda folder: "ext4")
    monkeypatch.setattr(parked, "File", Watched)
    x = np.linspace(0.1, 1.0, 20_000)
    steps = steps_of(loop, x)
    gradient = checkpoint.grad(fails_at_the_end, memory=200 * x.nbytes // 10, spill=tmp_path, workers=4)
    with often(steps // 200, seconds=0.0002), pytest.raises(ValueError, match="log"):
        gradient(x)
    assert [each._file.closed for each in files] == [True]


@pytest.mark.parametrize("fault", ["write_at", "read_at"])
def test_a_disk_that_fails_costs_steps(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(parked, "kind_of_files", lambda folder: "ext4")
    monkeypatch.setattr(File, fault, failing)
    x = np.linspace(0.1, 1.0, 20_000)
    expected = checkpoint.grad(loop)(x)
    with (
        often(steps_of(loop, x) // 200, seconds=0.0002),
        pytest.warns(
            checkpoint.SpillWarning, match=f"states cannot be spilled to .*{os.strerror(errno.EIO)}"
        ),
    ):
        found = checkpoint.grad(loop, memory=200 * x.nbytes // 10, spill=tmp_path, workers=4)(x)
    assert found.tobytes() == expected.tobytes()
