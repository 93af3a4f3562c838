"""Jobs that wait for others, values that are put: the verbs of back ends that `mapped` does not need."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import pytest

from checkpoint import RunError
from checkpoint.workers import Processes, Threads, Workers
from tests.workers import jobs


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as workers:
        yield workers


@pytest.fixture(params=["threads", "processes"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param == "processes":
        yield request.getfixturevalue("processes")
    else:
        with Threads(2) as made:
            yield made


def test_a_job_waits_for_the_task_that_it_is_given(workers: Workers) -> None:
    tasks = [workers.submit(jobs.added, 1.0, None)]
    for _ in range(9):
        tasks.append(workers.submit(jobs.added, 1.0, tasks[-1]))
    assert [workers.get(task) for task in tasks] == [1.0 + i for i in range(10)]


def test_a_job_that_waits_fails_with_what_it_waits_for(workers: Workers) -> None:
    first = workers.submit(jobs.announced, -1.0)
    second = workers.submit(jobs.added, 1.0, first)
    for task in (second, first):
        with pytest.raises(ValueError, match=r"-1.0 is negative"):
            workers.get(task)


def test_those_that_wait_for_a_job_wait_on_when_its_worker_dies(processes: Processes, tmp_path: Path) -> None:
    first = processes.submit(jobs.added_at_the_second_attempt, 1.0, None, str(tmp_path / "first"))
    second = processes.submit(jobs.added_at_the_second_attempt, 1.0, first, str(tmp_path / "second"))
    third = processes.submit(jobs.added, 1.0, second)
    assert processes.get(third) == 3.0


def test_a_job_fails_where_workers_died_at_what_it_waits_for(processes: Processes) -> None:
    lost = processes.submit(jobs.ends_its_process, 3.0)
    waits = processes.submit(jobs.added, 1.0, lost)
    with pytest.raises(RunError, match="what this job waits for has failed: the worker that ran it died, 3"):
        processes.get(waits)


def test_a_value_is_there_as_long_as_a_task_that_needs_it(workers: Workers) -> None:
    held = workers.put([1.0, 2.0])
    tasks = [workers.submit(jobs.total, held, float(i)) for i in range(6)]
    del held
    assert [workers.get(task) for task in tasks] == [3.0 + i for i in range(6)]


def test_a_value_is_released_with_what_stands_for_it(processes: Processes) -> None:
    held = processes.put([1.0])
    name, _ = held.token.key
    SharedMemory(name).close()
    del held
    gc.collect()
    with pytest.raises(FileNotFoundError):
        SharedMemory(name)


def test_ctrl_c_ends_what_runs() -> None:
    with pytest.raises(KeyboardInterrupt), Processes(1) as workers:
        workers.submit(jobs.runs_for_ever)
        raise KeyboardInterrupt
