"""A budget bounds what a gradient adds where its arguments are many reals, which enter as copies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint import engines, grad
from checkpoint.errors import BudgetError
from tests.driver.entered_memory import of_rows, rows

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
needs_c = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is missing")


@needs_c
@pytest.mark.parametrize(
    ("name", "bound"), [("numbers", 4), ("constant numbers", 4), ("rows", 12), ("constant rows", 8)]
)
def test_copies_of_arguments_are_within_the_budget(name: str, bound: int) -> None:
    command = [sys.executable, "-m", "tests.driver.entered_memory", name, str(bound * MIB)]
    environment = {**os.environ, "CHECKPOINT_JIT": "off"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    peak, result = map(int, done.stdout.split())
    assert bound * MIB / 4 < peak - result <= bound * MIB


@pytest.mark.parametrize("engine", engines.usable())
def test_copies_larger_than_the_budget_are_refused_at_once(engine: str) -> None:
    data = rows(2_000)
    for by in (0, 1):
        with pytest.raises(BudgetError, match=r"at step 0 it shows") as error:
            grad(of_rows, by, engine=engine, memory=100_000)(data, 0.5)
        assert error.value.needed > 500_000
    assert grad(of_rows, 1, engine=engine, memory="16MiB")(data, 0.5) == grad(of_rows, 1)(data, 0.5)
