"""Keeps apart what jobs print while several run in one process: sys.stdout writes where each job says."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_printed: ContextVar[io.StringIO | None] = ContextVar("checkpoint.workers.printed", default=None)


@contextmanager
def apart() -> Iterator[io.StringIO]:
    """Within a `with`, have what this thread prints go to the text that is given."""
    text = io.StringIO()
    token = _printed.set(text)
    try:
        with _apart:
            yield text
    finally:
        _printed.reset(token)


class _Apart:
    """While jobs run, sys.stdout is a stream that is divided among them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._before = sys.stdout
                sys.stdout = _Divided(self._before)
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                sys.stdout, self._before = self._before, None


_apart = _Apart()


class _Divided(io.TextIOBase):
    """A stream that writes to the buffer of a job where one is running, else to another stream."""

    def __init__(self, other: Any) -> None:
        self._other = other

    def write(self, text: str) -> int:
        return int((_printed.get() or self._other).write(text))

    def flush(self) -> None:
        if _printed.get() is None:
            self._other.flush()
