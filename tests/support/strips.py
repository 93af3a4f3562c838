"""Strips, many lanes at once in vectors (translate/strips): units that are made soon, counts of strips."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from typing import Any

import pytest

from checkpoint.ctarget.translate.effort import Effort
from checkpoint.ctarget.translate.strips import functions
from tests.support import translation

# Units have the addresses of counters in their text. With the same addresses in all processes it is the same
# text, which is compiled once and then kept.
_ADDRESS = 0x200000000000


def _counters() -> int:
    """Return the address of memory for counters, which is _ADDRESS unless something else is there."""
    map_memory = ctypes.CDLL(None, use_errno=True).mmap
    map_memory.restype = ctypes.c_void_p
    map_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    access, kind = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    found = map_memory(_ADDRESS, mmap.PAGESIZE, access, kind, -1, 0)
    if found == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "no memory for counters")
    return int(found)


_AT = _counters()  # units that count stay for as long as the process
COUNT = ctypes.c_long.from_address(_AT)  # of strips that were run
SHARP = ctypes.c_long.from_address(_AT + 8)  # of strips that left cotangents out


def translate_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translate what runs a few hundred steps, however long that takes."""
    translation.translate_soon(monkeypatch)
    monkeypatch.setattr(Effort, "allows", lambda self, is_hot, expected=0.0, foreseen=0.0: True)


def counted(monkeypatch: pytest.MonkeyPatch) -> ctypes.c_long:
    """Return the number of strips that are run by units which are made from now on; it starts at 0."""
    call = functions.StripFunction.call

    def call_and_count(self: functions.StripFunction) -> str:
        return counting(call(self), COUNT)

    monkeypatch.setattr(functions.StripFunction, "call", call_and_count)
    COUNT.value = 0
    return COUNT


def counting(call: str, counter: ctypes.c_long) -> str:
    """Return the C of a call of strips that also counts it if they have run."""
    add = f"*(long *){ctypes.addressof(counter):#x} += has_run(outcome)"
    return f"({{ const StripOutcome outcome = {call}; {add}; outcome; }})"


def until_in_strips(strips: Any) -> Iterator[int]:
    """Yield several times, until a run that followed was in strips: what is hot is found in a run or two."""
    for number in range(8):
        before = strips.value
        yield number
        if before < strips.value and number > 0:
            return
