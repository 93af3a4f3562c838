"""Workers that are threads of this process: values are shared, and C runs without Python's lock."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar, copy_context
from typing import Any

from checkpoint.errors import RunError
from checkpoint.workers.outcomes import Outcome, cores, one_of, outcome

_printed: ContextVar[io.StringIO | None] = ContextVar("checkpoint.workers.printed", default=None)


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
        return self._pool.submit(copy_context().run, _performed, self.size, job, given)

    def wait(self, tasks: Sequence[Future[Outcome]]) -> Future[Outcome]:
        return next(iter(wait(tasks, return_when=FIRST_COMPLETED).done))

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


def checked_size(size: int | None) -> int:
    """Return how many workers are meant."""
    if size is None:
        return cores()
    if type(size) is not int or size < 1:
        raise RunError(f"a number of workers is an int from 1 on, not {size!r}")
    return size


def _performed(size: int, job: Callable[..., Any], given: tuple[Any, ...]) -> Outcome:
    text = io.StringIO()
    _printed.set(text)
    with _apart, one_of(size):
        return outcome(text.getvalue, job, given)


class _Apart:
    """While jobs run, what they print is kept apart: sys.stdout writes where the context says."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._before = sys.stdout
                sys.stdout = _Divided(self._before)
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                sys.stdout, self._before = self._before, None


_apart = _Apart()


class _Divided(io.TextIOBase):
    """A stream that writes to the buffer of a job where one is running, else to another stream."""

    def __init__(self, other: Any) -> None:
        self._other = other

    def write(self, text: str) -> int:
        return int((_printed.get() or self._other).write(text))

    def flush(self) -> None:
        if _printed.get() is None:
            self._other.flush()
