"""The hostile build: every allocation of a piece of work fails once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ad.graph import enter
from checkpoint.ad.values import Closure, Pair
from checkpoint.ctarget.library import built_with, reason

HOSTILE = reason() is None and "CK_HOSTILE" in built_with()
only_hostile = pytest.mark.skipif(not HOSTILE, reason="only the hostile build can be told to fail")


def every_allocation_fails_once(f: Closure, work: Callable[[Any, Any], Any]) -> None:
    """MemoryError, the heap in order, every Python object let go of; and at last what it is without failures.

    work: what is done with the engine and the start state of f at 0.7; its result.
    """
    engine: Any = engines.get("c")

    def outcome(failing: int) -> Any:
        start = engine.start(0, enter(Pair(f, 0.7)), 0)
        start.heap.fail_at(failing)
        try:
            return work(engine, start)
        finally:
            start.heap.fail_at(0)
            start.heap.check()

    expected = outcome(0)
    gc.collect()
    holders = sys.getrefcount(f.env), sys.getrefcount(f.lam)
    failing = 1
    while True:
        try:
            found = outcome(failing)
        except MemoryError:
            failing += 1
            gc.collect()
            assert (sys.getrefcount(f.env), sys.getrefcount(f.lam)) == holders
            continue
        assert found == expected
        break
    assert failing > 10
