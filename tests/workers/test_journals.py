"""The law of relays with journals: the caller killed at any moment, however often, the same bits come out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from functools import partial
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

import checkpoint
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection
from checkpoint.durable.journal import show
from checkpoint.workers import Processes, Threads, handed, processes
from tests.durable import round_trips, subjects
from tests.durable.child import GENERATORS, procedure_and_argument
from tests.durable.journal.disks import Disk, Fuse, Killed, Pieces, on
from tests.durable.journal.disks import often as durably
from tests.durable.journal.test_law import SUBJECTS, resumed
from tests.durable.round_trips import quietly, steps_of
from tests.workers import jobs, killed
from tests.workers.test_relay import ENGINES, often

ROOT = Path(__file__).resolve().parents[2]


def gradient(f: Any, x: Any, engine: str, schedule: Any, journal: Path | None, size: int | None) -> str:
    """Return all bits of a gradient that so many threads take; None: the caller alone."""
    with quietly():
        if size is None:
            return round_trips.gradient(f, x, engine, schedule, journal)
        with Threads(size) as workers:
            return round_trips.gradient(f, x, engine, schedule, journal, workers)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_killed_again_and_again(name: str, engine: str, tmp_path: Path) -> None:
    f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
    expected = gradient(f, x, engine, Budget(), None, None)
    random, steps = Random(name), max(1, steps_of(f, x) // 9)
    for schedule in (Budget(), Bisection(steps)):
        with durably(steps), often(steps):
            take = partial(gradient, f, x, engine, schedule, tmp_path / type(schedule).__name__, 2)
            found, processes = resumed(take, None, random, 15, 40)
        assert found == expected
        assert processes > 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("generator", GENERATORS)
def test_random_programs_whose_calls_have_any_workers(generator: str, engine: str, tmp_path: Path) -> None:
    """Each process has other workers than the one before, or none; its disk loses power."""
    ends = 0
    for seed in range(1 if generator == "objects" else 3):
        f, x = procedure_and_argument(generator, seed)
        random = Random(f"{generator} {seed}")
        expected = gradient(f, x, engine, Budget(), None, None)
        steps = max(1, steps_of(f, x) // 8)

        def call(
            f: Any = f, x: Any = x, random: Random = random, seed: int = seed, steps: int = steps
        ) -> str:
            size = random.choice((1, 2, 3, None))
            schedule = Budget() if size else Pieces(steps=steps)
            return gradient(f, x, engine, schedule, tmp_path / f"{seed}", size)

        with durably(steps), often(steps):
            found, processes = resumed(call, Disk(), random, 10, 25)
        assert found == expected, (generator, seed)
        ends += processes - 1
    assert ends > 1


def test_other_processes_go_on(tmp_path: Path) -> None:
    f, x = subjects.objects, subjects.ARGUMENTS["objects"]
    expected = gradient(f, x, "hybrid", Budget(), None, None)
    steps = max(1, steps_of(f, x) // 9)
    with durably(steps), often(steps), Processes(2) as workers, quietly():
        for operations in (60, 75, -1):
            try:
                with on(None, Fuse(operations)):
                    found = round_trips.gradient(f, x, "hybrid", Budget(), tmp_path, workers)
            except Killed:
                assert operations > 0
    assert found == expected
    assert show.report(tmp_path)[1].startswith("phase: finished")


def own_processes() -> set[int]:
    """Return the workers among the processes of this one."""
    found = psutil.Process().children()
    return {each.pid for each in found if any("spawn_main" in word for word in each.cmdline())}


@pytest.mark.parametrize("is_ended", [False, True])
def test_nothing_is_left_of_workers(is_ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each segment's first worker dies; the call succeeds, or is ended from without, as by Ctrl-C."""
    names = []

    class Named(SharedMemory):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            names.append(self.name)

    def ended(*_: Any) -> None:
        raise Killed

    (tmp_path / "attempts").mkdir()
    job = partial(jobs.reversed_at_the_second_attempt, str(tmp_path / "attempts"))
    monkeypatch.setattr(handed, "reversed_segment", job)
    monkeypatch.setattr(processes, "SharedMemory", Named)
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    steps, before, threads = max(1, steps_of(f, x) // 4), own_processes(), threading.active_count()
    ends: Any = nullcontext()
    if is_ended:
        ends = pytest.raises(Killed)
        monkeypatch.setattr(handed.Handed, "_take", ended)
    with durably(steps), often(steps), quietly(), ends, Processes(2) as workers:
        round_trips.gradient(f, x, "hybrid", Budget(), tmp_path / "journal", workers)
    del ends
    assert len(names) > 3
    assert own_processes() <= before
    assert threading.active_count() <= threads
    for name in names:
        with pytest.raises(FileNotFoundError):
            SharedMemory(name)


def test_what_is_finished_is_returned_at_once(tmp_path: Path) -> None:
    gradient = checkpoint.value_and_grad(subjects.loop, journal=tmp_path, workers=2)
    with often(20):
        assert gradient(0.7) == gradient(0.7) == checkpoint.value_and_grad(subjects.loop)(0.7)


def started(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.workers.killed", str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def ended_again_and_again(folder: Path, kills: int, seed: int) -> str:
    """Return what processes print that take one gradient and are killed so many times, but for the last."""
    random, printed = Random(seed), ""
    for attempt in range(kills + 1):
        process = started(folder)
        assert process.stdout is not None
        printed += process.stdout.readline()  # the gradient has begun
        if attempt < kills:
            time.sleep(random.uniform(0.05, 0.8))
            os.kill(process.pid, signal.SIGKILL)
        printed += process.communicate(timeout=300)[0]
    return printed


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.long)])
def test_kill_9(kills: int, tmp_path: Path) -> None:
    printed = ended_again_and_again(tmp_path, kills, 5)
    assert f"result {checkpoint.value_and_grad(killed.swing)(1.5, 0.7, killed.TURNS)!r}" in printed
    assert "after 0\n" in printed
