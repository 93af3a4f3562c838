"""Blocks that have run often enough run as emitted functions, whatever ran before, and not step by step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import engines
from checkpoint.driver.effects import Effects
from checkpoint.functions.python_functions import run_of
from checkpoint.interp.hybrid.parts import Part

STEP = 0.01


def of_numbers(x: float) -> float:
    """Use reals, integers and a branch; an integer is read only through a copy, which lives on."""
    v = total = 0.0
    for i in range(400):
        force = x * math.sin(1.5 * STEP * i)
        if v > 0.0:
            force -= x
        else:
            force += x
        v += STEP * force
        total += STEP * abs(v)
    return total


def of_arrays(x: Any) -> Any:
    """Use arrays beside integers."""
    total = np.zeros(3)
    for i in range(400):
        total = total + np.sin(x) * i
        total[i % 3] = x[0]
    return np.sum(total)


@pytest.mark.parametrize(("function", "x"), [(of_numbers, 1.5), (of_arrays, np.ones(3))])
def test_few_parts_on_a_tape_after_a_plain_run(function: Callable[[Any], Any], x: Any) -> None:
    engine: Any = engines.get("hybrid")
    run_of(function, (x,), {}, "hybrid").value()
    call = run_of(function, (x,), {}, "hybrid")
    recording = engine.tape(engine.start(0, call.u, 0), None, Effects())
    step_by_step = sum(count for what, count in recording.tape.runs if isinstance(what, Part))
    assert step_by_step < 40
