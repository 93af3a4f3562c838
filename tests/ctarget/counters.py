"""Shared by the tests of the counter of arrays' bytes: a counter, and work in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from checkpoint.ctarget import library

np = pytest.importorskip("numpy", reason="NumPy is not installed")

COUNTER = "checkpoint_counter"
UMATH = "numpy._core._multiarray_umath"


def handler_name(*array: object) -> str:
    """Return the name of the memory handler of the array, or of the current one without an array."""
    name: str = np._core.multiarray.get_handler_name(*array)
    return name


class Counter:
    """The functions of C on one counter."""

    def __init__(self) -> None:
        self._lib = library.runtime().lib
        self.memory = self._lib.ck_array_memory_begin()

    @property
    def exists(self) -> bool:
        return bool(self.memory != library.runtime().ffi.NULL)

    @property
    def live(self) -> int:
        return int(self._lib.ck_array_memory_live(self.memory))

    @property
    def peak(self) -> int:
        return int(self._lib.ck_array_memory_peak(self.memory))

    def suspend(self) -> None:
        self._lib.ck_array_memory_suspend(self.memory)

    def resume(self) -> None:
        self._lib.ck_array_memory_resume(self.memory)

    def end(self) -> None:
        self._lib.ck_array_memory_end(self.memory)


@contextmanager
def counting() -> Iterator[Counter]:
    """Yield a counter, and restore the earlier handler afterwards."""
    before = handler_name()
    counter = Counter()
    try:
        assert counter.exists
        yield counter
    finally:
        counter.end()
        assert handler_name() == before


def in_thread(work: Callable[[], object]) -> None:
    raised: list[BaseException] = []

    def body() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
