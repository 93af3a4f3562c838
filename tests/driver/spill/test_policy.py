"""A budget with a disk, on the symbolic model: rules and bounds hold, and it is never slower than without."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from checkpoint.driver.budget import Budget
from checkpoint.driver.spill.transfers import Spill, Transfer
from tests.driver.model import Model

MEMORY = 4_000_000


def state(step: int) -> int:
    return 100_000 if step else 0


def followed(length: int, rate: float, spill: Path | None, **given: Any) -> Model:
    rate = rate if spill else 0.0
    model = Model(length, size=20_000, state=state, cost=0.005, rate=rate, **given)
    return model.follow(Budget(MEMORY, spill=spill))


@pytest.mark.parametrize("length", [150, 400, 2_000, 8_000])
@pytest.mark.parametrize("rate", [1e3, 2e4, 2e5, 2e6, 2e8])
def test_bounds_hold_and_it_is_never_slower(length: int, rate: float, tmp_path: Path) -> None:
    without = followed(length, rate, None)
    model = followed(length, rate, tmp_path)
    assert model.most_held <= MEMORY
    assert model.seconds <= 1.02 * without.seconds


def test_without_a_disk_nothing_moves(tmp_path: Path) -> None:
    model = followed(2_000, 0.0, tmp_path)
    assert model.actions == followed(2_000, 0.0, None).actions
    assert not any(isinstance(action, Transfer) for action in model.actions)


def test_a_fast_disk_spares_all_but_one_repetition(tmp_path: Path) -> None:
    model = followed(8_000, 2e6, tmp_path)
    assert model.counts.advanced < model.length
    assert model.counts.taped < 1.05 * model.length
    assert model.waited < 0.001 * model.seconds
    assert followed(8_000, 2e6, None).counts.advanced > 1.8 * model.length


def test_a_slow_disk_gets_as_much_as_it_has_time_for(tmp_path: Path) -> None:
    """Between two spilled states the disk has twice the time that it needs for one."""
    model = followed(20_000, 2e5, tmp_path)
    spilled = [action.step for action in model.actions if isinstance(action, Spill)]
    assert len(spilled) > 50
    assert len(set(spilled)) == len(spilled)
    gaps = [later - step for step, later in pairwise(sorted(spilled))]
    close = [gap for gap in gaps if gap * 0.005 < 2 * 100_000 / 2e5]
    assert len(close) <= 1  # where the tape of the beginning was released, behind which it had begun
    assert model.waited < 0.01 * model.seconds


@pytest.mark.parametrize("disk_ends", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("rate", [2e5, 2e6])
def test_a_disk_that_fails_leaves_the_bound(disk_ends: int, rate: float, tmp_path: Path) -> None:
    model = followed(5_000, rate, tmp_path, disk_ends=disk_ends)
    assert model.most_held <= MEMORY
    assert model.spills == disk_ends or rate < 1e6


def test_a_known_length(tmp_path: Path) -> None:
    model = Model(5_000, size=20_000, state=state, cost=0.005, rate=2e6)
    assert model.follow(Budget(MEMORY, length=4_000, spill=tmp_path)).most_held <= MEMORY
