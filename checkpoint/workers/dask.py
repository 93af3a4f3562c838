"""Workers of Dask: those of a user's client, or of a cluster on this machine. https://distributed.dask.org

What travels are the bytes of `checkpoint.workers.remote`. Values that are put are there as tasks, which the
scheduler can have made again where workers die; larger ones are scattered to all workers. Results stay where
they were made, until they are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from logging import CRITICAL
from time import monotonic
from typing import Any
from uuid import uuid4

from checkpoint.durable import machine
from checkpoint.errors import RunError
from checkpoint.workers.listeners import reachable, refuse_new
from checkpoint.workers.outcomes import checked_size, one_of
from checkpoint.workers.protocol import ATTEMPTS, PATIENCE, WorkerLost
from checkpoint.workers.remote import answered, operands, result_of, share_libraries, written
from checkpoint.workers.travel import pickled

LOCAL = "127.0.0.1"
LOOK = 1.0  # seconds between looks at the workers
GONE = 60.0  # seconds after which a variable that is not there was removed, since its job was given up
LARGEST = 10**7  # bytes of a value that the scheduler keeps, so that it survives the workers that have it


class Value:
    """Stands for a value that was put. future: Dask's for its bytes."""

    def __init__(self, future: Any) -> None:
        self.future = future


class Task:
    """Stands for a job.

    future: Dask's for the bytes of its outcome. names: Dask's variables by which its job finds other tasks.
    """

    def __init__(self, future: Any, names: Sequence[str]) -> None:
        self.future = future
        self.names = names


class Dask:
    """Workers of a cluster of Dask, or of one on this machine.

    Whoever can reach the ports of a cluster can run code there and here, so a cluster that is begun here is
    on the loopback interface alone, without a dashboard, and is refused where anything of it listens
    elsewhere.

    Args:
        client: a `distributed.Client`, or the address of a scheduler; None: a new cluster on this machine.
        size: how many jobs run at the same time; None: as many as the workers have threads.
        anyway: use workers where runs may have other bits than here, too.
        patience: as of Ray; and for how many seconds the cluster may be without any workers, all of which
            have died or left, while a result is waited for.

    Raises:
        RunError: where Dask is not there, or the cluster has no workers.
    """

    def __init__(
        self,
        client: Any = None,
        *,
        size: int | None = None,
        anyway: bool = False,
        patience: float | None = PATIENCE,
    ) -> None:
        self.patience = patience
        if size is not None:
            checked_size(size)
        distributed = self._distributed = _imported()
        self._cluster: Any = None
        self._is_own = not isinstance(client, distributed.Client)
        if client is None:
            self._cluster = _begin_here(distributed, checked_size(size))
        self.client = distributed.Client(self._cluster or client) if self._is_own else client
        there = self.client.nthreads()
        if not there:
            raise RunError("the cluster of Dask has no workers yet: client.wait_for_workers(1) waits for one")
        self.size = size or sum(there.values())
        hosts: Counter[str] = Counter()
        for address, threads in there.items():
            hosts[address.rpartition(":")[0]] += threads
        self._share = max(hosts.values())
        self._facts = None if anyway else machine.facts

    def put(self, value: Any) -> Value:
        data = pickled(value)
        if len(data) > LARGEST:
            return Value(self.client.scatter(data, hash=False, broadcast=True))
        return Value(self.client.submit(_same, data, pure=False))

    def submit(self, job: Callable[..., Any], *given: Any) -> Task:
        of = operands(given, Value, Task, lambda each: str(each.future.key))
        call, facts = written(job, of.given), self._facts and self._facts()
        values, names = [each.future for each in of.values], [self._shown(task) for task in of.tasks]
        what = call, facts, self._share, values, names
        return Task(self.client.submit(_performed, *what, pure=False), names)

    def _shown(self, task: Task) -> str:
        """Return the name of a new variable by which a worker finds a task."""
        name = f"checkpoint-{uuid4().hex}"
        self._distributed.Variable(name, self.client).set(task.future)
        return name

    def get(self, task: Task) -> Any:
        try:
            data = self._result(task)
        except self._distributed.scheduler.KilledWorker as error:
            raise WorkerLost(error.allowed_failures + 1, is_sure=False) from None
        finally:
            self._hide(task)
        return result_of(data)

    def _result(self, task: Task) -> bytes:
        """Return the outcome of a job; RunError where the cluster has been without workers for too long."""
        since: float | None = None  # when it was first found so
        while not self.wait(task, LOOK):
            if self.client.nthreads():
                since = None
            elif since is None:
                since = monotonic()
            elif self.patience is not None and monotonic() - since > self.patience:
                raise RunError(
                    f"the cluster of Dask has had no workers for {self.patience:g} s, and jobs wait: "
                    f"start workers, or give it more patience="
                )
        data: bytes = task.future.result()
        return data

    def wait(self, task: Task, seconds: float) -> bool:
        with suppress(TimeoutError):
            self._distributed.wait(task.future, timeout=seconds)
        return bool(task.future.done())

    def cancel(self, task: Task) -> None:
        task.future.cancel()
        self._hide(task)

    def _hide(self, task: Task) -> None:
        for name in task.names:
            self._distributed.Variable(name, self.client).delete()
        task.names = ()

    def close(self) -> None:
        if self._is_own:
            self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _imported() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise RunError("Dask is not installed: pip install 'checkpoint-ad[dask]'") from None


def _begin_here(distributed: Any, size: int) -> Any:
    options = {"host": LOCAL, "dashboard_address": None, "memory_limit": None, "silence_logs": CRITICAL}
    before = reachable()
    with import_module("dask").config.set({"distributed.scheduler.allowed-failures": ATTEMPTS - 1}):
        cluster = distributed.LocalCluster(n_workers=size, threads_per_worker=1, **options)
    refuse_new(before, "Dask", cluster.close)
    return cluster


# In a worker


def _same(data: bytes) -> bytes:
    return data


def _performed(
    call: bytes, facts: machine.Facts | None, share: int, values: list[bytes], tasks: list[str]
) -> bytes:
    """Do a job. share: how many run on this machine."""
    share_libraries(share)

    def result(key: tuple[int, str]) -> bytes:
        distributed = import_module("distributed")
        with distributed.worker_client() as client:  # others may run here while this one waits
            found: bytes = distributed.Variable(tasks[key[0]], client).get(timeout=GONE).result()
        return found

    with one_of(share):
        return answered(call, lambda key: values[key[0]], result, facts)
