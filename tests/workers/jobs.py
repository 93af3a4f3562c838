"""Functions of a module, for workers that are processes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from checkpoint import config
from checkpoint.driver import memory
from checkpoint.workers.segment import reversed_segment


def halved(x: float) -> float:
    return x / 2.0


def announced(x: float) -> float:
    print(f"item {x}")
    if x < 0.0:
        raise ValueError(f"{x} is negative")
    return x


def ends_its_process(x: float) -> float:
    if x == 3.0:
        os._exit(1)
    return x


def identity_of(_: Any) -> int:
    return os.getpid()


def share_of_memory(_: Any) -> int:
    return memory.resolve(0.5)


class Unpicklable(Exception):
    """An error that does not survive pickling."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def fails_oddly(_: Any) -> None:
    raise Unpicklable(1, 2)


def added(x: float, before: Any) -> float:
    return x + (0.0 if before is None else float(before.value()))


def added_at_the_second_attempt(x: float, before: Any, mark: str) -> float:
    """End the process where `mark` is not yet a file."""
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return added(x, before)


def total(values: list[float], x: float) -> float:
    return sum(values) + x


def runs_for_ever() -> None:
    while True:
        time.sleep(1.0)


def reversed_at_the_second_attempt(marks: str, shared: Any, cut: Any, high: int, cotangent: Any) -> Any:
    """Reverse a segment, but end the process where that is tried for the first time, by files in `marks`."""
    mark = os.path.join(marks, str(high))
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return reversed_segment(shared, cut, high, cotangent)


def stops_at_the_first_attempt(x: float, mark: str) -> float:
    """Stop the process, which then gives no sign of life, where `mark` is not yet a file."""
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGSTOP)
    return x


def stops(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def waits(x: float) -> float:
    time.sleep(1.5)
    return x


def reversed_unless_stopped(marks: str, shared: Any, cut: Any, high: int, cotangent: Any) -> Any:
    """Reverse a segment, but stop one process, the first that tries to, by a file in `marks`."""
    with suppress(FileExistsError):
        open(os.path.join(marks, "stopped"), "x").close()
        os.kill(os.getpid(), signal.SIGSTOP)
    return reversed_segment(shared, cut, high, cotangent)


def never_reversed(*_: Any) -> None:
    os._exit(1)


def fails_oddly_as_a_segment(*_: Any) -> None:
    raise Unpicklable(1, 2)


def threads_there(_: Any) -> tuple[int, int]:
    """Return how many threads a BLAS has in this process, and a run."""
    found = import_module("threadpoolctl").threadpool_info()
    return max(each["num_threads"] for each in found if each["user_api"] == "blas"), config.threads()


def environment(name: str) -> str | None:
    return os.environ.get(name)
