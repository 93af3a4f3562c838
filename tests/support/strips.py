"""Strips, many lanes at once in vectors (translate/strips): units that are made soon, counts of strips."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from checkpoint.ctarget.translate.effort import Effort
from checkpoint.ctarget.translate.strips import functions
from tests.support import translation

COUNT = ctypes.c_long(0)  # of strips that were run; units that count stay for as long as the process


def translate_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translate what runs a few hundred steps, however long that takes."""
    translation.translate_soon(monkeypatch)
    monkeypatch.setattr(Effort, "allows", lambda self, is_hot, expected=0.0, foreseen=0.0: True)


def counted(monkeypatch: pytest.MonkeyPatch) -> ctypes.c_long:
    """Return the number of strips that are run by units which are made from now on; it starts at 0."""
    call = functions.StripFunction.call

    def call_and_count(self: functions.StripFunction) -> str:
        add = f"*(long *){ctypes.addressof(COUNT):#x} += has_run(outcome)"
        return f"({{ const StripOutcome outcome = {call(self)}; {add}; outcome; }})"

    monkeypatch.setattr(functions.StripFunction, "call", call_and_count)
    COUNT.value = 0
    return COUNT


def until_in_strips(strips: Any) -> Iterator[int]:
    """Yield several times, until a run that followed was in strips: what is hot is found in a run or two."""
    for number in range(8):
        before = strips.value
        yield number
        if before < strips.value and number > 0:
            return
