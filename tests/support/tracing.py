"""Memory as tracemalloc counts it, where nothing else in this process is at work."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def traced() -> Iterator[None]:
    """Trace memory inside: compilations that earlier tests started in the background have ended before."""
    for thread in threading.enumerate():
        if thread.name == "checkpoint compiles":
            thread.join()
    gc.collect()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
