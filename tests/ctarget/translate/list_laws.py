"""States what always holds of programs along lists, translated: for test_walks.py and test_rebuilds.py.

In: the text of a program of one number. Engine c gives the steps and bits of hybrid, wherever its run is cut;
and gradients leave as many bytes as they have found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import checkpoint
from tests.ctarget.test_driver import swept
from tests.ctarget.test_engine import started
from tests.support.translation import translate_soon

X = 0.3


def assert_agrees(text: str, bases: Sequence[int], parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that translated code has hybrid's steps and gradients, and that cut runs have its value.

    bases: of bisection, beside the default schedule. parts: into how many the run is cut, about.
    """
    expected = _outcomes(checkpoint.read(text, engine="hybrid"), "hybrid", bases)
    translate_soon(monkeypatch)
    f = checkpoint.read(text, engine="c")
    assert _outcomes(f, "c", bases) == expected
    steps = checkpoint.primops(f, X, engine="c")
    for cut in {(steps * k // parts + 3 * k) % steps for k in range(parts + 1)}:
        assert checkpoint.resume(checkpoint.interrupt(f, X, cut, engine="c")) == f(X)


def _outcomes(f: Any, engine: str, bases: Sequence[int]) -> list[Any]:
    found: list[Any] = [checkpoint.primops(f, X, engine=engine)]
    for schedule in (None, *[checkpoint.Bisection(base=base) for base in bases]):
        found.append([y.hex() for y in checkpoint.vjp(f, X, 1.0, engine=engine, schedule=schedule)])
    return found


def assert_keeps_references(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that a gradient leaves the heap as large as the one before has, with all counts right."""
    translate_soon(monkeypatch)
    engine, start = started(text)
    for base in (10**6, 701, 97):
        swept(engine, start, checkpoint.Bisection(base=base))
        used = start.heap.bytes
        swept(engine, start, checkpoint.Bisection(base=base))
        assert start.heap.bytes == used
        start.heap.check()
