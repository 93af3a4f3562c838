"""The measurements of budgets over arrays run, on small cases, and their programs have right gradients."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from checkpoint import engines, grad
from experiments.tensors import budget

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are those of Linux")


@linux
@pytest.mark.parametrize(
    ("program", "each"), [(name, False) for name in budget.PROGRAMS] + [("blocks", True)]
)
def test_a_small_case_of_each_program(program: str, each: bool) -> None:
    row = budget.measure("numpy", program, 24, each, budget.SMALL[program])
    assert row["growth"] >= 0
    assert (row["results"] == 0) == each
    assert row["held"] <= 24 * budget.MIB
    assert budget.line({"library": "numpy", "program": program, "budget": 24, "each": each, **row})


@pytest.mark.parametrize("program", ["chain", "tree", "views"])
@pytest.mark.parametrize("engine", engines.available())
def test_gradients_are_differences(program: str, engine: str) -> None:
    f: Any = budget.PROGRAMS[program]
    size = budget.SMALL[program]
    x, along = np.linspace(0.2, 0.9, 20), np.linspace(-1.0, 1.0, 20)
    step = 1e-6
    difference = (f(x + step * along, size) - f(x - step * along, size)) / (2.0 * step)
    assert np.sum(grad(f, engine=engine)(x, size) * along) == pytest.approx(difference, rel=1e-6)
