"""Strips run in short segments of schedules, too: a lack of steps or room says nothing of the next one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler]

LANES = 16_384  # their tape does not fit in the budget
LANES_OF_STRIP = 64  # at most


def grows(x: float, n: float) -> float:
    while n > 0.0:
        x = x * 0.5 + 0.75 if x > 1.0 else x * 1.5 + 0.1
        n = n - 1.0
    return x


def total(xs: Any, ns: Any) -> Any:
    return np.sum(checkpoint.vmap(grows)(xs, ns))


def test_short_segments_run_in_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    strips = counted(monkeypatch)
    rng = np.random.default_rng(0)
    args = rng.random(LANES) * 2.0, rng.integers(300, 400, LANES).astype(float)
    gradient = checkpoint.value_and_grad(total, engine="c")
    for _ in until_in_strips(strips):
        want = gradient(*args)
    before = strips.value
    found = checkpoint.value_and_grad(total, engine="c", memory="8MiB")(*args)
    assert found[0] == want[0]
    assert np.array_equal(found[1], want[1])
    # All lanes are run, and taped again; some of each segment one by one.
    assert strips.value - before > LANES // LANES_OF_STRIP // 2
