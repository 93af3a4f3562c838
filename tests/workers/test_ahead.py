"""Segments that are taped ahead, on the symbolic model: what fits is taped once, and budgets hold."""

from __future__ import annotations

import pytest

from checkpoint.driver.budget import Budget
from checkpoint.workers.ahead import TapedAhead
from tests.driver.model import Model
from tests.driver.test_budget import STATE, TAPE


def followed(length: int, schedule: Budget | TapedAhead) -> Model:
    model = Model(length, size=TAPE, state=lambda step: STATE, cotangent=lambda step: STATE)
    return model.follow(schedule)


@pytest.mark.parametrize("length", [0, 1, 500, 5_000])
def test_what_fits_is_taped_at_once(length: int) -> None:
    memory = TAPE * length + 4 * STATE
    model = followed(length, TapedAhead(Budget(memory)))
    assert (model.counts.advanced, model.counts.taped) == (0, length)
    assert model.most_held <= memory


@pytest.mark.parametrize("memory", [20_000, 50_000, 100_000])
def test_what_does_not_fit_is_reversed_as_its_budget_has_it(memory: int) -> None:
    ahead, alone = followed(30_000, TapedAhead(Budget(memory))), followed(30_000, Budget(memory))
    assert ahead.most_held <= memory
    assert ahead.counts.advanced == alone.counts.advanced
    assert ahead.counts.taped - alone.counts.taped <= memory / TAPE
