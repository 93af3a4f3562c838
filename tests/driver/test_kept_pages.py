"""Memory that is free, but that only the same use can have at once, is within the budget of a gradient."""

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


def test_arrays_and_tapes_take_the_place_of_memory_that_the_other_has_left() -> None:
    environment = {**os.environ, "CHECKPOINT_JIT": "off"}
    command = [sys.executable, "-m", "tests.driver.kept_pages"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    kept, grown, grown_by_tape = map(int, done.stdout.split())
    assert kept > 32
    assert grown <= (MEMORY + 8 * SIZE) // MIB + 2  # its result is beside the budget
    assert grown_by_tape <= MEMORY // MIB
