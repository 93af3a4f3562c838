"""Functions of a module, for workers that are processes."""

from __future__ import annotations

import os
from typing import Any

from checkpoint.driver import memory


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
