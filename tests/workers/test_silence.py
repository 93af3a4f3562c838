"""Workers that hang: a process without a sign of life is taken for dead; others overtake a late one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint import RunError, mapped
from checkpoint.ad.values import Opaque
from checkpoint.driver.budget import Budget
from checkpoint.workers import Processes, Threads, handed
from checkpoint.workers.segment import Reversed
from tests.durable import subjects
from tests.durable.round_trips import steps_of
from tests.workers import jobs
from tests.workers.test_relay import gradient, often

F, X = subjects.loop, subjects.ARGUMENTS["loop"]


def test_a_process_that_is_stopped_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handed, "reversed_segment", partial(jobs.reversed_unless_stopped, str(tmp_path)))
    expected = gradient(F, X, "hybrid", Budget())
    with Processes(2, silence=3.0) as workers, often(max(1, steps_of(F, X) // 4)):
        task = workers.submit(jobs.stops_at_the_first_attempt, 1.0, str(tmp_path / "job"))
        assert gradient(F, X, "hybrid", Budget(), workers) == expected
        assert workers.get(task) == 1.0
    assert {path.name for path in tmp_path.iterdir()} == {"job", "stopped"}


@pytest.mark.long
def test_an_item_at_which_processes_stop_again_and_again_ends_the_call() -> None:
    text = "item 0 of mapped: the worker that ran it died, 3 times, 3 of them since it gave no sign of life"
    with Processes(1, silence=1.0) as workers, pytest.raises(RunError, match=text):
        mapped(jobs.stops, [1.0], workers=workers)


def test_a_process_that_waits_is_alive() -> None:
    with Processes(1, silence=1.0) as workers:
        assert mapped(jobs.waits, [1.0], workers=workers) == [1.0]


@pytest.mark.parametrize("silence", [0.5, float("nan"), "1", True])
def test_what_is_no_silence(silence: Any) -> None:
    with pytest.raises(RunError, match=r"silence is a number of seconds from 1.0 on, or None, not"):
        Processes(1, silence=silence)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a segment be late that takes longer than the patience, however long its first pass was."""
    monkeypatch.setattr(handed, "SLOWER", 0)


class Losing:
    """Workers that lose touch with some segments: their results are kept back until they are let go.

    lost: which of the segments, by when they are submitted. changed: whether their results have other bits.
    """

    patience = 0.2

    def __init__(self, workers: Threads, lost: set[int], changed: bool = False) -> None:
        self.workers, self.size, self.lost, self.changed = workers, 2, lost, changed
        self.count = 0
        self.found = threading.Event()

    def submit(self, job: Callable[..., Any], *given: Any) -> Any:
        self.count += 1
        if self.count not in self.lost:
            return self.workers.submit(job, *given)

        def late(*given: Any) -> Any:
            found = job(*given)
            assert self.found.wait(60)
            if not self.changed:
                return found
            numbers = [2.0 * number for number in found.cotangent.numbers]
            return Reversed(Opaque(tuple(numbers), found.cotangent.identity), "a machine far away")

        return self.workers.submit(late, *given)

    def wait(self, task: Future[Any], seconds: float) -> bool:
        if self.count >= max(self.lost) + 4:
            self.found.set()
        return bool(wait([task], seconds if seconds or not self.found.is_set() else 5.0).done)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.workers, name)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("lost", [{1}, {2}, {1, 4}])
def test_late_results_are_dropped(lost: set[int]) -> None:
    expected = gradient(F, X, "hybrid", Budget())
    with Threads(8) as threads, often(max(1, steps_of(F, X) // 7)):
        workers: Any = Losing(threads, lost)
        try:
            assert gradient(F, X, "hybrid", Budget(), workers) == expected
        finally:
            workers.found.set()
    assert workers.count > 7


@pytest.mark.usefixtures("at_once")
def test_late_results_with_other_bits_end_the_call() -> None:
    with Threads(8) as threads, often(max(1, steps_of(F, X) // 7)):
        workers: Any = Losing(threads, {1}, changed=True)
        found = gradient(F, X, "hybrid", Budget(), workers)
    assert found.startswith("RunError: the segment of the run from step ")
    assert " was reversed twice, with different bits: by process " in found
    assert found.rstrip().endswith(
        "by a machine far away. The gradient is in doubt: find out which of these is at fault"
    )


@pytest.mark.usefixtures("at_once")
def test_a_segment_that_never_ends_ends_the_call() -> None:
    with Threads(12) as threads, often(max(1, steps_of(F, X) // 7)):
        workers: Any = Losing(threads, set(range(1, 100)))
        try:
            found = gradient(F, X, "hybrid", Budget(), workers)
        finally:
            workers.found.set()
    assert "did not end within 0.8 s, nor did 2 attempts before: give the workers more patience=" in found
