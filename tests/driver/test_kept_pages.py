"""Pages that tapes have left, which the process keeps, are within the budget of the next gradient."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint import engines
from tests.driver.kept_pages import MEMORY, SIZE

ROOT = Path(__file__).parents[2]
MIB = 1 << 20

pytestmark = [
    pytest.mark.skipif("c" not in engines.usable(), reason="engine c is missing"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident memory is that of Linux"),
]


def test_large_arrays_take_the_place_of_pages_that_tapes_have_left() -> None:
    environment = {**os.environ, "CHECKPOINT_JIT": "off"}
    command = [sys.executable, "-m", "tests.driver.kept_pages"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    kept, grown = map(int, done.stdout.split())
    assert kept > 32
    assert grown <= (MEMORY + 8 * SIZE) // MIB + 2  # its result is beside the budget
