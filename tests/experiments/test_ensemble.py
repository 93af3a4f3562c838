"""The ensemble of estimates: what Newton's method finds, and the same on workers."""

from __future__ import annotations

import math
from random import Random

import pytest

import checkpoint
from experiments.ensemble import hares, run
from experiments.ensemble.estimate import Estimate
from experiments.ensemble.newton import minimum

STEPS = 8


def test_newton_finds_the_minimum_of_a_curved_valley() -> None:
    def valley(p: list[float]) -> float:
        return (1.0 - p[0]) ** 2 + 100.0 * (p[1] - p[0] * p[0]) ** 2

    found = minimum(checkpoint.value_and_grad(valley), lambda p, v: checkpoint.hvp(valley, p, v), [-1.2, 1.0])
    assert found.p == pytest.approx([1.0, 1.0], abs=1e-8)


def test_the_rates_are_those_that_others_have_found() -> None:
    """Carpenter 2018, Predator-Prey Population Dynamics, of the same data and another noise."""
    found = Estimate(STEPS).of(hares.REAL)
    rates = [math.exp(x) for x in found.p]
    assert rates == pytest.approx([0.545, 0.028, 0.80, 0.024, 34.0, 5.9], rel=0.1)


def test_a_bootstrap_on_workers_has_the_same_bits() -> None:
    estimate = Estimate(STEPS)
    series = [hares.simulated(hares.START, Random(seed), STEPS) for seed in range(3)]
    here = [estimate.of(each) for each in series]
    assert checkpoint.mapped(estimate.of, series, workers=2) == here
    low, high = run.spreads(here)[0]
    assert 0.3 < low <= high < 1.0


def test_diffrax_finds_the_same() -> None:
    pytest.importorskip("diffrax")
    from experiments.ensemble.peer import Peer  # noqa: PLC0415

    assert Peer(STEPS).of(hares.REAL).p == pytest.approx(Estimate(STEPS).of(hares.REAL).p, rel=1e-7)
