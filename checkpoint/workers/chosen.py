"""Workers as users name them: `workers=`, a back end or a number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeGuard

from checkpoint.errors import WorkersError
from checkpoint.workers.protocol import Workers
from checkpoint.workers.threads import Threads

WorkersOption = Workers | int | None


def check(workers: WorkersOption) -> None:
    """Raise WorkersError unless `workers` is a back end, a number, or None."""
    if workers is not None and type(workers) is not int and not _is_back_end(workers):
        raise WorkersError(
            f"workers is a number of threads, checkpoint.workers.Threads or Processes, or another back end, "
            f"not {workers!r}"
        )


def _is_back_end(workers: object) -> TypeGuard[Workers]:
    """Return whether an object has what a back end has; isinstance ignores what `__getattr__` gives."""
    return all(hasattr(workers, name) for name in _OF_BACK_ENDS)


_OF_BACK_ENDS = [name for name in (*Workers.__annotations__, *vars(Workers)) if not name.startswith("_")]


@contextmanager
def running(workers: WorkersOption) -> Iterator[Workers | None]:
    """Yield workers, which end with the `with` if they are made here."""
    check(workers)
    if type(workers) is int:
        with Threads(workers) as made:
            yield made
    elif workers is None or _is_back_end(workers):
        yield workers
