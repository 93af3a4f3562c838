"""Results of many jobs, in the order of their items, while several run at the same time.

In: workers, a job, and what each call of it is given. Out: the results, one after the other. What always
holds: at most a few results for each worker are held; the first error, in that order, ends everything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from checkpoint.errors import RunError
from checkpoint.workers.protocol import WorkerLost, Workers

AHEAD = 2  # tasks for each worker that are submitted before their results are needed


def in_order(
    workers: Workers, job: Callable[..., Any], given: Sequence[tuple[Any, ...]], named: Callable[[int], str]
) -> Iterator[Any]:
    """Yield what a job returns for each of what it is given.

    named: returns what is said of the i-th in errors.
    """
    tasks: deque[Any] = deque()
    begun = 0
    try:
        for i in range(len(given)):
            while begun < min(i + AHEAD * workers.size, len(given)):
                tasks.append(workers.submit(job, *given[begun]))
                begun += 1
            try:
                value = workers.get(tasks.popleft())
            except WorkerLost as lost:
                if lost.is_sure:
                    raise RunError(f"{named(i)}: {lost}") from None
                _give_up(workers, tasks)
                begun = i + 1
                value = _alone(workers, job, given[i], named(i))
            yield value
    finally:
        _give_up(workers, tasks)


def _alone(workers: Workers, job: Callable[..., Any], given: tuple[Any, ...], name: str) -> Any:
    """Do a job again with no other beside it: where workers die again, it is known whose fault that is."""
    try:
        return workers.get(workers.submit(job, *given))
    except WorkerLost as lost:
        raise RunError(f"{name}: {lost}") from None


def _give_up(workers: Workers, tasks: deque[Any]) -> None:
    for task in tasks:
        workers.cancel(task)
    tasks.clear()
