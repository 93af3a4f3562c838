"""Workers as users name them: `workers=`, a back end or a number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from checkpoint.errors import WorkersError
from checkpoint.workers.protocol import Workers
from checkpoint.workers.threads import Threads

WorkersOption = Workers | int | None


def check(workers: WorkersOption) -> None:
    """Raise WorkersError unless `workers` is a back end, a number, or None."""
    if workers is not None and type(workers) is not int and not isinstance(workers, Workers):
        raise WorkersError(
            f"workers is a number of threads, checkpoint.workers.Threads or Processes, or another back end, "
            f"not {workers!r}"
        )


@contextmanager
def running(workers: WorkersOption) -> Iterator[Workers | None]:
    """Yield workers, which end with the `with` if they are made here."""
    check(workers)
    if type(workers) is int:
        with Threads(workers) as made:
            yield made
    elif workers is None or isinstance(workers, Workers):
        yield workers
