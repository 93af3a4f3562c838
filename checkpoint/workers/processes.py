"""Workers that are processes of this machine, each with a memory of its own.

Nothing listens on a network. A value that is `put` is written once into memory that the workers share.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.shared_memory import SharedMemory
from typing import Any

from checkpoint.errors import RunError
from checkpoint.workers.outcomes import Outcome, one_of, outcome
from checkpoint.workers.protocol import WorkerLost
from checkpoint.workers.threads import checked_size
from checkpoint.workers.travel import pickled, unpickled

BLAS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Held:
    """Stands for a value that was put. name: of the shared memory. size: its bytes there."""

    name: str
    size: int


class Processes:
    """Workers that are processes of this machine.

    For functions that spend their time in Python. Each worker starts a Python of its own, so a script needs
    `if __name__ == "__main__":` around what it runs, as for multiprocessing.

    Args:
        size: how many; None: one for each core that this process may use.

    Raises:
        RunError: for a size below 1, and where what a job is given cannot be pickled.

    Examples:
        >>> import checkpoint, math
        >>> with Processes(1) as workers:
        ...     checkpoint.mapped(math.sqrt, [1.0, 4.0], workers=workers)
        [1.0, 2.0]
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = checked_size(size)
        self._pool: ProcessPoolExecutor | None = None
        self._held: list[SharedMemory] = []

    def put(self, value: Any) -> Held:
        data = pickled(value)
        memory = SharedMemory(create=True, size=len(data))
        _bytes_of(memory)[: len(data)] = data
        self._held.append(memory)
        return Held(memory.name, len(data))

    def submit(self, job: Callable[..., Any], *given: Any) -> Future[Outcome]:
        data = pickled(given)
        try:
            return self._running().submit(_performed, job, data)
        except BrokenProcessPool:
            self._end()
            return self._running().submit(_performed, job, data)

    def wait(self, tasks: Sequence[Future[Outcome]]) -> Future[Outcome]:
        return next(iter(wait(tasks, return_when=FIRST_COMPLETED).done))

    def get(self, task: Future[Outcome]) -> Any:
        try:
            found = task.result()
        except BrokenProcessPool as error:
            raise WorkerLost(str(error)) from None
        return found.taken()

    def cancel(self, task: Future[Outcome]) -> None:
        task.cancel()

    def close(self) -> None:
        self._end()
        for memory in self._held:
            memory.close()
            memory.unlink()
        self._held.clear()

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.size, get_context("spawn"), _begin, (self.size,))
        return self._pool

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bytes_of(memory: SharedMemory) -> memoryview:
    assert memory.buf is not None, "closed"
    return memory.buf


# In a worker


_share = ExitStack()  # what a worker is set to for as long as it lives


def _begin(size: int) -> None:
    """Set a new worker to its share of the machine."""
    _share.enter_context(one_of(size))
    if "numpy" not in sys.modules and "torch" not in sys.modules:
        for name in BLAS:
            os.environ.setdefault(name, "1")


def _performed(job: Callable[..., Any], data: bytes) -> Outcome:
    text = io.StringIO()
    with redirect_stdout(text):
        found = outcome(text.getvalue, _called, (job, data))
    return found if found.error is None else Outcome(found.text, error=_travelling(found.error))


def _called(job: Callable[..., Any], data: bytes) -> Any:
    given = unpickled(data)
    return job(*[_value_of(each.name, each.size) if type(each) is Held else each for each in given])


@lru_cache(16)
def _value_of(name: str, size: int) -> Any:
    """Return the value that was put under a name: one object for all jobs of this worker."""
    memory = SharedMemory(name)
    try:
        return unpickled(bytes(_bytes_of(memory)[:size]))
    finally:
        memory.close()


def _travelling(error: BaseException) -> BaseException:
    """Return an error that can be pickled: itself, or a RunError of its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        found = RunError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            found.add_note(note)
        return found
    return error
