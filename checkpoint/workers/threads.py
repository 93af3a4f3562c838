"""Workers that are threads of this process: values are shared, and C runs without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any

from checkpoint.errors import WorkersError
from checkpoint.workers.outcomes import Later, Outcome, checked_size, one_of, outcome


class Threads:
    """Workers that are threads of this process.

    Nothing is copied: arguments are shared, so functions must not change them. Runs on engine c take place at
    the same time as far as they are in C; code of Python's runs one thread at a time.

    Args:
        size: how many jobs run at the same time; None: one for each core that this process may use.

    Raises:
        RunError: for a size below 1.

    Examples:
        >>> import checkpoint
        >>> with Threads(2) as workers:
        ...     checkpoint.mapped(checkpoint.grad(lambda x: x * x), [1.0, 2.0, 3.0], workers=workers)
        [2.0, 4.0, 6.0]
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = checked_size(size)
        self._pool = ThreadPoolExecutor(self.size, "checkpoint")

    def put(self, value: Any) -> Any:
        return value

    def submit(self, job: Callable[..., Any], *given: Any) -> Future[Outcome]:
        if any(each is self for each in _around.get()):
            raise WorkersError(
                "a job uses the workers that run it, and both would wait: give it others, or none"
            )
        received = tuple([Later(each.result) if isinstance(each, Future) else each for each in given])
        return self._pool.submit(copy_context().run, _performed, self, job, received)

    def get(self, task: Future[Outcome]) -> Any:
        return task.result().taken()

    def cancel(self, task: Future[Outcome]) -> None:
        task.cancel()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_around: ContextVar[tuple[Threads, ...]] = ContextVar("checkpoint.workers.around", default=())


def _performed(workers: Threads, job: Callable[..., Any], given: tuple[Any, ...]) -> Outcome:
    _around.set((*_around.get(), workers))
    with one_of(workers.size):
        return outcome(job, given)
