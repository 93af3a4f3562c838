"""Workers that are threads of this process: values are shared, and C runs without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from importlib import import_module
from time import sleep
from typing import TYPE_CHECKING, Any

from checkpoint import config
from checkpoint.cores import cores
from checkpoint.errors import WorkersError
from checkpoint.workers.outcomes import Later, Outcome, checked_size, one_of, outcome

if TYPE_CHECKING:
    from concurrent.futures import Future

# Seconds for which a thread leaves Python's lock to others before it begins a job that will wait for one of
# theirs: what it has just done may be what they wait for.
YIELD = 0.0001


class Threads:
    """Workers that are threads of this process.

    Nothing is copied: arguments are shared, so functions must not change them. Runs on engine c take place at
    the same time as far as they are in C; code of Python's runs one thread at a time.

    Args:
        size: how many jobs run at the same time; None: one for each core that this process may use.
        blas: how many threads the BLAS of this process has while these workers are there, by threadpoolctl;
            None: as many as before, and then values have the same bits as without workers. The bits of
            products of arrays depend on that number, wherever they are computed.

    Raises:
        RunError: for a size below 1, and for more threads of a BLAS than there are cores.

    Examples:
        >>> import checkpoint
        >>> with Threads(2) as workers:
        ...     checkpoint.mapped(checkpoint.grad(lambda x: x * x), [1.0, 2.0, 3.0], workers=workers)
        [2.0, 4.0, 6.0]
    """

    def __init__(self, size: int | None = None, *, blas: int | None = None) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (few programs have workers)

        self.size = checked_size(size)
        self.cores = cores()
        self._limits = None if blas is None else _limited(blas, self.size)
        self._pool = ThreadPoolExecutor(self.size, "checkpoint")

    def put(self, value: Any) -> Any:
        return value

    def submit(self, job: Callable[..., Any], *given: Any) -> Future[Outcome]:
        from concurrent.futures import Future  # noqa: PLC0415  (it is loaded)

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
        if self._limits is not None:
            self._limits.restore_original_limits()
            self._limits = None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _limited(blas: int, size: int) -> Any:
    """Limit the threads of the BLAS libraries that are loaded; return what takes that back."""
    if type(blas) is not int or blas < 1:
        raise WorkersError(f"blas is a number of threads from 1 on, not {blas!r}")
    if blas * size > config.cores_allowed():
        raise WorkersError(
            f"{size} workers with a BLAS of {blas} threads each need {blas * size} cores, and "
            f"{config.cores_allowed()} may be used"
        )
    try:
        library = import_module("threadpoolctl")
    except ImportError:
        raise WorkersError(
            f"blas= needs threadpoolctl: pip install threadpoolctl, or set OPENBLAS_NUM_THREADS={blas} or "
            f"its kin before NumPy is imported"
        ) from None
    return library.threadpool_limits(limits=blas, user_api="blas")


_around: ContextVar[tuple[Threads, ...]] = ContextVar("checkpoint.workers.around", default=())


def _performed(workers: Threads, job: Callable[..., Any], given: tuple[Any, ...]) -> Outcome:
    if any(type(each) is Later for each in given):
        sleep(YIELD)
    _around.set((*_around.get(), workers))
    with one_of(workers.size, workers.cores):
        return outcome(job, given)
