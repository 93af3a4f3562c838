"""Handles that engine c uses again (arrays/handles.h)."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from checkpoint import grad
from checkpoint.ad.accumulators import Accumulator
from checkpoint.ad.arrays import Array, Discrete, Memory
from checkpoint.ctarget import library

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

CLASSES = (Array, Discrete, Memory, Accumulator)


def turns(x: Any, count: int) -> Any:
    for _ in range(count):
        x = np.where(x > 0.0, x * 0.5 + x, x)
    return np.sum(x)


def test_classes_keep_their_counts_of_references() -> None:
    """Each instance refers to its class, also one that waits to be used again: of those there are so many."""
    gradient = grad(turns, engine="c")
    kept = [(Array(None, Memory()), Discrete(None, Memory()), Accumulator(None)) for _ in range(600)]
    for _ in range(3):  # the first calls keep a plan
        gradient(np.ones(3), 400)
    del kept
    gc.collect()
    before = [sys.getrefcount(cls) for cls in CLASSES]
    for _ in range(20):
        gradient(np.ones(3), 400)
    gc.collect()
    assert [sys.getrefcount(cls) for cls in CLASSES] == before


def test_what_a_handle_held_is_released() -> None:
    grad(turns, engine="c")(np.ones(3), 5)

    class Owner:
        """Something that can be watched."""

    owner = Owner()
    gone = weakref.ref(owner)
    handles = [Array(None, Memory(owner)) for _ in range(1000)]
    del owner
    assert gone() is not None
    del handles
    assert gone() is None


def test_handles_on_a_cycle_are_collected() -> None:
    grad(turns, engine="c")(np.ones(3), 5)
    for _ in range(300):
        memory = Memory()
        memory.owner = [Array(memory, memory)]
        del memory
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is Memory and type(each.owner) is list]
    assert grad(turns, engine="c")(np.ones(3), 2).tolist() == [2.25, 2.25, 2.25]
