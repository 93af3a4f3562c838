"""Recursion of any depth, without Python's stack.

A recursive pass is a generator that yields each of its recursive calls and is sent the result: `value = yield
self.expr(datum)`. `run` keeps the suspended calls in a list of its own, so that depth costs only memory and
Python's recursion limit does not apply.

What always holds: an exception ends the whole run at once; no task can catch it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")

# A suspended call: it yields the calls that it makes, and returns a T.
Task = Generator[Any, Any, T]


def run(task: Task[T]) -> T:
    """Return the result of a task and of all the calls that it makes."""
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
