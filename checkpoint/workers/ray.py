"""Workers of Ray: tasks of a cluster, or of a session on this machine. https://docs.ray.io

What travels are the bytes of `checkpoint.workers.remote`. Values that are put lie in Ray's object store,
where workers of one machine share them, and so do results, until they are taken.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from checkpoint.cores import cores
from checkpoint.durable import machine
from checkpoint.errors import RunError
from checkpoint.workers.listeners import reachable, refuse_new
from checkpoint.workers.outcomes import checked_size, one_of
from checkpoint.workers.protocol import ATTEMPTS, PATIENCE, WorkerLost
from checkpoint.workers.remote import answered, operands, result_of, share_libraries, written
from checkpoint.workers.travel import pickled

LOCAL = "127.0.0.1"


class Value:
    """Stands for a value that was put. ref: Ray's reference to its bytes."""

    def __init__(self, ref: Any) -> None:
        self.ref = ref


class Task:
    """Stands for a job. ref: Ray's reference to the bytes of its outcome."""

    def __init__(self, ref: Any) -> None:
        self.ref = ref


class Ray:
    """Workers of a cluster of Ray, or of a session of Ray on this machine.

    The session of this process is used if there is one. Whoever can reach the ports of a cluster can run code
    there and here, so a session that is begun here is on the loopback interface alone, without dashboard and
    usage reports, and is refused where anything of it listens elsewhere.

    Args:
        address: of a cluster, as `ray.init` takes it; None: the session of this process, or a new one.
        size: how many jobs run at the same time; None: as many as there are cores.
        cpus: how many cores each job has.
        anyway: use workers where runs may have other bits than here, too.
        patience: after how many seconds a segment of a long run may be lost that does not end, so that
            another worker does it, too; None: never. It is a hundred times as long as the segment took at
            first, at least.

    Raises:
        RunError: where Ray is not there, or cannot be used so.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        size: int | None = None,
        cpus: int = 1,
        anyway: bool = False,
        patience: float | None = PATIENCE,
    ) -> None:
        self.patience = patience
        if size is not None:
            checked_size(size)
        ray = self._ray = _imported()
        self._is_own = not ray.is_initialized()
        self._beside = 0  # jobs on the same machine; 0: as many as there is room for
        if not self._is_own and address is not None:
            raise RunError("this process has a session of Ray already: leave address= out to use it")
        if address is not None:
            ray.init(address=address, log_to_driver=False, logging_level="WARNING")
        elif self._is_own:
            self._beside = size or max(cores() // cpus, 1)
            _begin_here(ray, self._beside * cpus)
        self.size = size or max(int(ray.cluster_resources().get("CPU", 1)) // cpus, 1)
        self._cpus = cpus
        self._facts = None if anyway else machine.facts
        self._run = ray.remote(num_cpus=cpus, max_retries=ATTEMPTS - 1)(_performed)

    def put(self, value: Any) -> Value:
        return Value(self._ray.put(pickled(value)))

    def submit(self, job: Callable[..., Any], *given: Any) -> Task:
        of = operands(given, Value, Task, lambda each: str(each.ref.hex()))
        share = self._beside, self._cpus
        refs = [each.ref for each in of.values], [each.ref for each in of.tasks]
        return Task(self._run.remote(written(job, of.given), self._facts and self._facts(), share, *refs))

    def get(self, task: Task) -> Any:
        errors = self._ray.exceptions
        try:
            data = self._ray.get(task.ref)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError):
            raise WorkerLost(ATTEMPTS) from None
        return result_of(data)

    def wait(self, task: Task, seconds: float) -> bool:
        return bool(self._ray.wait([task.ref], timeout=seconds, fetch_local=False)[0])

    def cancel(self, task: Task) -> None:
        self._ray.cancel(task.ref)

    def close(self) -> None:
        if self._is_own:
            self._ray.shutdown()

    def __enter__(self) -> Ray:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _imported() -> Any:
    # A session that begins in this process then has the loopback interface as its own; read at the import.
    if "ray" not in sys.modules:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        return import_module("ray")
    except ImportError:
        raise RunError("Ray is not installed: pip install 'checkpoint-ad[ray]'") from None


def _begin_here(ray: Any, cpus: int) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": "WARNING"}
    before = reachable()
    ray.init(address="local", num_cpus=cpus, _node_ip_address=LOCAL, **options)
    refuse_new(before, "Ray", ray.shutdown, "; if `import ray` comes after these workers, it does not")


# In a worker


def _performed(
    call: bytes, facts: machine.Facts | None, share: tuple[int, int], values: list[Any], tasks: list[Any]
) -> bytes:
    """Do a job. share: how many run on this machine, 0 if it is full of them; how many cores each has."""
    get = import_module("ray").get
    beside, cpus = share
    size = beside or max(cores() // cpus, 1)
    share_libraries(size)
    with one_of(size):
        return answered(call, lambda key: get(values[key[0]]), lambda key: get(tasks[key[0]]), facts)
