"""Workers that are processes of this machine, each with a memory of its own.

Nothing listens on a network: a thread of the caller's talks to each worker over a pipe. A value that is `put`
is written once into memory that the workers share. A process that gives no sign of life any more is killed
(pulse.py), and its job is done by another one. Shared memory is freed with the caller, however that ends; it
stays in /dev/shm where Python's resource tracker, a process of the caller's session, is killed with it.
"""

from __future__ import annotations

import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import Any

from checkpoint import config
from checkpoint.driver.memory import written as written_size
from checkpoint.errors import RunError, WorkersError
from checkpoint.workers.outcomes import Outcome, checked_size, one_of
from checkpoint.workers.protocol import ATTEMPTS, WorkerLost
from checkpoint.workers.pulse import SILENCE, Life, Watch, beat, watched
from checkpoint.workers.remote import Token, answered, result_of, variables, written
from checkpoint.workers.travel import pickled

Task = Future[bytes]


class Held:
    """Stands for a value that was put, which is there as long as this is. token: its name and size there."""

    def __init__(self, data: bytes) -> None:
        memory = _shared(len(data))
        _bytes_of(memory)[: len(data)] = data
        self.token = Token((memory.name, len(data)), is_task=False)
        self.free = weakref.finalize(self, _free, memory)


class Processes:
    """Workers that are processes of this machine.

    For functions that spend their time in Python. Each worker starts a Python of its own, so a script needs
    `if __name__ == "__main__":` around what it runs, as for multiprocessing.

    Args:
        size: how many; None: one for each core that this process may use.
        silence: after how many seconds without a sign of life one is taken for dead that has a job, killed,
            and replaced; None: never. A process that computes, or whose interpreter runs, gives such signs.

    Raises:
        RunError: for a size below 1 or a silence that is no time, and where what a job is given cannot be
            pickled.

    Examples:
        >>> import checkpoint, math
        >>> with Processes(1) as workers:
        ...     checkpoint.mapped(math.sqrt, [1.0, 4.0], workers=workers)
        [1.0, 2.0]
    """

    def __init__(self, size: int | None = None, *, silence: float | None = SILENCE) -> None:
        self.size = checked_size(size)
        self._cores = config.cores_allowed()
        self._watch = None if silence is None else Watch(silence)
        self._pool = ThreadPoolExecutor(self.size, "checkpoint-process")
        self._own = threading.local()  # the worker of each thread of the pool
        self._begun: list[_Worker] = []
        self._killed = False
        self._lock = threading.Lock()  # of the two above

    def put(self, value: Any) -> Held:
        return Held(pickled(value, has_main=True))

    def submit(self, job: Callable[..., Any], *given: Any) -> Task:
        tasks = [each for each in given if isinstance(each, Future)]
        call = written(job, [_token_of(each, tasks) for each in given], has_main=True)
        return self._pool.submit(self._done, call, tasks, given)

    def get(self, task: Task) -> Any:
        return result_of(task.result())

    def cancel(self, task: Task) -> None:
        task.cancel()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        for worker in self._begun:
            worker.end()
        self._begun.clear()
        if self._watch is not None:
            self._watch.end()

    def _done(self, call: bytes, tasks: Sequence[Task], _: object) -> bytes:
        """Have a worker do a job, and another one if it dies; what the job is given is held meanwhile."""
        silent = 0
        for _attempt in range(ATTEMPTS):
            worker = self._worker()
            try:
                with watched(self._watch, worker.life):
                    return worker.done(call, tasks)
            except (EOFError, OSError):  # the other end of the pipe is no more
                worker.end()
                silent += worker.life.is_over
        raise WorkerLost(ATTEMPTS, silent=silent)

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None or not worker.is_there:
            with self._lock:
                if self._killed:
                    raise WorkerLost(1)
                worker = self._own.worker = _Worker(self.size, self._cores)
                self._begun.append(worker)
        return worker

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, Exception):  # Ctrl-C: jobs are not left to their end
            with self._lock:
                self._killed = True
                for worker in self._begun:
                    worker.kill()
        self.close()


class _Worker:
    """A process, as the thread of the caller's that talks to it sees it."""

    def __init__(self, size: int, cores: int) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        beats = context.RawValue("Q")
        self._process = context.Process(target=_serve, args=(theirs, size, cores, beats), daemon=True)
        with _environment(size, cores):
            self._process.start()
        self.life = Life(beats, self._process)
        theirs.close()
        self.is_there = True

    def done(self, call: bytes, tasks: Sequence[Task]) -> bytes:
        """Return the outcome of a job; EOFError or OSError where the process ends before.

        tasks: those whose outcomes the job may ask for.
        """
        self._pipe.send_bytes(call)
        while (asked := self._pipe.recv()) is not None:
            self._pipe.send_bytes(_outcome_of(tasks[asked]))
        return self._pipe.recv_bytes()

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """Have the process end, and release what it needed here."""
        self.is_there = False
        self._pipe.close()
        self._process.join()


_starting = threading.Lock()


@contextmanager
def _environment(size: int, cores: int) -> Iterator[None]:
    """Have a process that starts within a `with` find in its environment what its libraries may use.

    There a script of the caller's is imported before any job, and the libraries with it.
    """
    with _starting:
        added = variables(size, cores)
        os.environ.update(added)
        try:
            yield
        finally:
            for name in added:
                os.environ.pop(name, None)


def _outcome_of(task: Task) -> bytes:
    try:
        return task.result()
    except (WorkerLost, CancelledError) as error:
        return pickled(Outcome("", error=RunError(f"what this job waits for has failed: {error}")))


def _token_of(given: Any, tasks: Sequence[Task]) -> Any:
    if type(given) is Held:
        return given.token
    return Token(tasks.index(given), is_task=True) if isinstance(given, Future) else given


def _shared(size: int) -> SharedMemory:
    """Return new shared memory that has its pages: where there are none, a write would end this process."""
    try:
        memory = SharedMemory(create=True, size=size)
    except OSError as error:
        raise _no_room(size, error) from None
    reserve = getattr(os, "posix_fallocate", None)  # neither Windows nor macOS has it
    if reserve is not None:
        try:
            reserve(memory._fd, 0, size)  # type: ignore[attr-defined]  # of the class where there are files
        except OSError as error:
            _free(memory)
            raise _no_room(size, error) from None
    return memory


def _no_room(size: int, error: OSError) -> WorkersError:
    return WorkersError(
        f"the memory that processes share, /dev/shm on Linux, has no room for {written_size(size)} "
        f"({error.strerror}): let it be larger (docker run --shm-size), or use checkpoint.workers.Threads"
    )


def _free(memory: SharedMemory) -> None:
    memory.close()
    with suppress(FileNotFoundError):
        memory.unlink()


def _bytes_of(memory: SharedMemory) -> memoryview:
    assert memory.buf is not None, "closed"
    return memory.buf


# In a worker


def _serve(pipe: Connection, size: int, cores: int, beats: Any) -> None:
    """Do jobs until the pipe ends, which it does with the process at its other end.

    cores: that all of so many workers have.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's to handle
    beat(beats)

    def result(asked: int) -> bytes:
        pipe.send(asked)
        return pipe.recv_bytes()

    with one_of(size, cores), suppress(EOFError, OSError):
        while True:
            outcome = answered(pipe.recv_bytes(), _value, result, has_main=True)
            pipe.send(None)
            pipe.send_bytes(outcome)


def _value(key: tuple[str, int]) -> bytes:
    name, size = key
    memory = SharedMemory(name)
    try:
        return bytes(_bytes_of(memory)[:size])
    finally:
        memory.close()
