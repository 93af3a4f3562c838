"""Defines what a back end of workers does: four verbs, with which all else is written once.

    put(value)              give all workers a value, once; what stands for it is passed to jobs
    submit(job, *given)     have a worker call a function; of what stands for values it receives these, and
                            for a task a Later, whose `value()` waits for its result
    get(task)               return what the job returned, or raise what it raised
    cancel(task)            let a task that has not begun never begin

What always holds: a value that was put is there as long as what stands for it, or a task that was given it.
A job begins no later than those that were submitted after it, so it may wait for tasks of before. What it
prints is printed by `get`, so in the order in which results are taken. Where the worker that runs it dies
another one runs it again, while those that wait for it wait on; after ATTEMPTS deaths `get` raises
WorkerLost.
A back end that may lose touch with a worker that runs, behind a network that is gone, or stopped, has a
`patience`, and one verb more, `wait(task, seconds)`: whoever waits for a task may then have it done by
another worker, too.
Within a job a share of what is free (the default of `memory=`) is a share of this worker's part, and one run
uses the cores of this worker alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

ATTEMPTS = 3  # at a job whose worker dies
PATIENCE = 300.0  # seconds, of back ends that may lose touch with workers


class WorkerLost(Exception):
    """Workers died at a job.

    deaths: how many. is_sure: whether none of them ran another job at the time, or kept the result of one.
    silent: how many of them were taken for dead, since they gave no sign of life.
    """

    def __init__(self, deaths: int, is_sure: bool = True, silent: int = 0) -> None:
        whose = f", {silent} of them since it gave no sign of life" if silent else ""
        super().__init__(f"the worker that ran it died, {deaths} times{whose}")
        self.is_sure = is_sure


@runtime_checkable
class Workers(Protocol):
    """A back end. size: how many jobs run at the same time."""

    size: int

    def put(self, value: Any) -> Any:
        """Return what stands for a value in `submit`."""
        ...

    def submit(self, job: Callable[..., Any], *given: Any) -> Any:
        """Return the task of a job that a worker is to do: a function of a module, and its operands."""
        ...

    def get(self, task: Any) -> Any:
        """Return the result of a task, or raise its error; print what it printed."""
        ...

    def cancel(self, task: Any) -> None:
        """Give up a task; one that has begun may go on to its end."""
        ...

    def close(self) -> None:
        """End the workers, after what they have begun."""
        ...


class Patient(Workers, Protocol):
    """A back end that may lose touch with workers.

    patience: the seconds after which a job may be lost that has all it needs; None: none ever is.
    """

    patience: float | None

    def wait(self, task: Any, seconds: float) -> bool:
        """Return whether a task has ended, or ends within so many seconds."""
        ...
