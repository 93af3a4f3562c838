"""The experiment on journals at a small size: killed processes, the same bits, and what it says of them."""

from __future__ import annotations

import os

import pytest

from checkpoint.ctarget.library import reason
from experiments.journal import run

pytestmark = pytest.mark.skipif(reason() is not None or os.name != "posix", reason="needs engine c and fork")


def test_kills() -> None:
    found = run.kill_again_and_again(2, 8_000_000, 0.2)
    assert found["wrong"] == 0
    assert found["kills"] >= 2
    assert found["lost, most"] >= found["lost, median"] >= 0.0


def test_cost() -> None:
    found = run.cost(100_000, "64MiB", 1)
    assert found["ratio"] > 0.0
