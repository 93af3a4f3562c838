"""Recursion over texts of any depth, without Python's stack.

A recursive pass is written as a generator that yields each of its recursive calls and is sent the
result: `value = yield self.expr(datum)`. `run` keeps the waiting calls in a list of its own, so depth
costs memory only and Python's recursion limit is never touched.

What always holds: an exception ends the whole run at once; no task may wait for it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")

# A call under way: it yields the calls that it makes, and returns a T.
Task = Generator[Any, Any, T]


def run(task: Task[T]) -> T:
    """The result of a task, with all the calls that it makes."""
    waiting: list[Task[Any]] = [task]
    result: Any = None
    while waiting:
        try:
            called = waiting[-1].send(result)
        except StopIteration as stop:
            waiting.pop()
            result = stop.value
        else:
            waiting.append(called)
            result = None
    return result  # type: ignore[no-any-return]
