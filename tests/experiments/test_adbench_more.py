"""Programs of the second table of experiments/adbench agree in all forms, and their derivatives are right."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
import pytest

import checkpoint
from experiments.adbench import grids, lstm, more, poles

STEP = 1e-6


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["--layers", "1", "--length", "4", "--points", "5", "--lookups", "3", "--visits", "2"]
    monkeypatch.setattr(sys, "argv", ["more", *small, "--repeats", "1"])
    monkeypatch.setattr(more, "jax_of", lambda: None)
    monkeypatch.setattr(more, "torch_of", lambda: None)
    more.main()
    assert capsys.readouterr().out.count("\n") == 6


def along(f: Any, x: Any, seed: int) -> tuple[float, float]:
    """Return the derivative of f at arrays along a random direction, by reverse mode and by differences."""
    rng = np.random.default_rng(seed)
    direction = [rng.normal(size=part.shape) for part in x]
    found = checkpoint.grad(f)(tuple(x))
    product = sum([float(np.sum(a * b)) for a, b in zip(found, direction, strict=True)])
    ends = [
        f(tuple([a + sign * STEP * b for a, b in zip(x, direction, strict=True)])) for sign in (1.0, -1.0)
    ]
    return product, (ends[0] - ends[1]) / (2.0 * STEP)


def test_the_gradient_of_an_lstm() -> None:
    main, extra, state, sequence = lstm.data(2, 6)
    product, difference = along(lambda x: lstm.loss(x[0], x[1], state, sequence), (main, extra), 0)
    assert product == pytest.approx(difference, rel=1e-7)


def test_the_gradient_of_lookups_on_grids() -> None:
    sections, grid, met = grids.data(9, 20)
    pairs, lists = grids.of_pairs(sections, grid, met), grids.of_lists(sections, grid, met)
    value = grids.total(*pairs)
    assert value == pytest.approx(grids.total_by_nuclides(sections, grid, met), rel=1e-13)
    assert value == pytest.approx(grids.total_in_loops(*lists), rel=1e-13)
    product, difference = along(lambda x: grids.total(*x, *pairs[2:]), pairs[:2], 1)
    assert product == pytest.approx(difference, rel=1e-6)
    by_arrays = checkpoint.grad(grids.total, (0, 1))(*pairs)
    in_loops = checkpoint.grad(grids.total_in_loops, (0, 1))(*lists)
    for one, other in zip(by_arrays, in_loops, strict=True):
        assert one.ravel() == pytest.approx(np.array(other), rel=1e-12)


def test_the_gradient_of_lookups_by_poles() -> None:
    model, visits = poles.data(3)
    arrays = functools.partial(poles.total, apply=poles.visited)
    (value, by_lanes), (same, by_arrays) = (
        checkpoint.value_and_grad(f)(model, visits) for f in (poles.total, arrays)
    )
    assert value == pytest.approx(same, rel=1e-12)
    for one, other in zip(by_lanes, by_arrays, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(other))))
    windows, amounts = model.windows, model.amounts
    product, difference = along(lambda x: arrays(poles.Model(model.poles, *x), visits), (windows, amounts), 2)
    assert product == pytest.approx(difference, rel=1e-6)


def test_a_pole_is_that_of_complex_arithmetic() -> None:
    place, whole, absorbed, fission = 0.3 + 0.2j, 1.0 - 2.0j, 0.5 + 0.25j, 3.0 + 1.0j
    root, phase = 0.7, 0.4
    term = -1j / (place - root) / root**2
    total = (whole * term * np.exp(-1j * phase)).real
    want = 5.0 * total + (absorbed * term).real + 2.0 * (fission * term).real
    pole = tuple([(each.real, each.imag) for each in (place, whole, absorbed, fission)])
    assert poles.visited(pole, root, np.cos(phase), np.sin(phase), 2.0) == pytest.approx(2.0 * want)
