"""The model of runs that are handed on, and that what it foresees can be measured."""

from __future__ import annotations

import pytest

from checkpoint.workers import Threads
from experiments.relay import kills, overlap, run
from experiments.relay.model import Segment, foreseen, limit


def test_one_worker_does_one_thing_after_the_other() -> None:
    segments = [Segment(1.0, 2.0, 4.0)] * 5
    assert foreseen(segments, 1).seconds == limit(segments, 1) == 5 * 7.0


def test_while_one_worker_reverses_the_other_tapes() -> None:
    """Three segments are handed on: both tape at first; the third is taped while the second is reversed."""
    segments = [Segment(1.0, 2.0, 3.0, 10, 100)] * 4
    found = foreseen(segments, 2, hand_over=0.5)
    last, second = 4.0 + 2.0 + 3.0, 9.0 + 0.5 + 3.0
    third = max(last + 2.0, second + 0.5) + 3.0
    assert found.seconds == third + 0.5 + 2.0 + 3.0
    assert (found.first, found.states, found.tapes) == (4.0, 30, 200)


@pytest.mark.parametrize("workers", [1, 2, 3, 10, 1000])
def test_no_number_of_workers_is_below_the_limit(workers: int) -> None:
    for tape, reverse in ((1.0, 1.0), (3.0, 1.0), (1.0, 3.0)):
        segments = [Segment(1.0, tape, reverse)] * 200
        seconds = foreseen(segments, workers).seconds
        assert limit(segments, workers) <= seconds < 1.05 * limit(segments, workers) + tape + reverse


def test_what_is_foreseen_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "FORWARD", 0.001)
    monkeypatch.setattr(run, "REVERSE", 0.001)
    rows = run.table(60, 2, 1)
    assert [row["workers"] for row in rows] == [1, 2]
    assert all(row["segments"] > 2 and row["seconds"] > 0.0 and row["foreseen"] > 0.0 for row in rows)


def test_runs_on_threads_are_measured_beside_the_default() -> None:
    with Threads(2) as threads:
        row = overlap.row_of(overlap.SUBJECTS[0], 10, 1, threads)
        layers = overlap.run(overlap.SUBJECTS[-1], 2, threads)
    assert row["segments"] > 1
    assert 0.0 < row["F"] < row["limit"] < row["handed on"]
    assert layers.bits == overlap.run(overlap.SUBJECTS[-1], 2, None).bits


@pytest.mark.long
def test_callers_can_be_killed() -> None:
    found = kills.kill_again_and_again(1, "processes", 1_000_000, 4.0)
    assert found["kills"] >= 1
    assert found["wrong"] == 0
