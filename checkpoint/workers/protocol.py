"""What a back end of workers does: five verbs, with which everything else is written once.

    put(value)              give all workers a value, once; what stands for it is passed to jobs
    submit(job, *given)     have a worker call a function; of what stands for values it receives these
    wait(tasks)             return one that has ended, as soon as there is one
    get(task)               return what the job returned, or raise what it raised
    cancel(task)            let a task that has not begun never begin

What always holds: what a job prints is printed by `get`, so in the order in which results are taken; a job
whose worker died raises WorkerLost there, and may be submitted again. Within a job a share of what is free
(the default of `memory=`) is a share of this worker's part, and one run uses the cores of this worker alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable


class WorkerLost(Exception):
    """A worker died before its job ended; it is not known whose fault that is."""


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

    def wait(self, tasks: Sequence[Any]) -> Any:
        """Return one of the tasks that has ended."""
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
