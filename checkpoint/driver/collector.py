"""Python's cyclic garbage collector, while a tape is written or read.

A tape only grows, then only shrinks, and holds no cycle; the collector would walk all of it, again and again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Within, the collector does not run; afterwards it does if it did before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
