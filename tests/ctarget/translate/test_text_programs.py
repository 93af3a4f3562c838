"""Whole programs with their hot code translated: values, gradients and failures, bit for bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import checkpoint
from checkpoint.ctarget.translate.emit import text
from checkpoint.ctarget.translate.units.graph import Unit
from tests.ctarget.translate.programs import PROGRAMS
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]


def outcome(f: Callable[[float, float], float], engine: str) -> list[str]:
    """Return the value and gradient, or the failure."""
    try:
        value, gradient = checkpoint.value_and_grad(f, argnums=(0, 1), engine=engine)(1.0, 1.1)
    except ValueError as error:
        return [repr(error)]
    return [each.hex() for each in (value, *gradient)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_bit_for_bit(f: Callable[[float, float], float], monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def spy(unit: Unit, *forms: str, lines: bool) -> str:
        written.append(source(unit, *forms))  # as where a debugger is to find them
        return written[-1]

    source = text.source
    monkeypatch.setattr(text, "source", spy)
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    assert outcome(f, "c") == outcome(f, "hybrid")
    assert written
