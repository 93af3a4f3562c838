"""The measurements over arrays run, on small cases, and what they measure is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoint import Bisection, grad
from experiments.arrays import building, chains, elements, layers, overhead, peer, programs

ENGINE = "hybrid"


@pytest.mark.parametrize("operation", overhead.OPERATIONS)
def test_every_operation_of_the_overhead_table_runs(operation: str, tmp_path: Path) -> None:
    row = overhead.measured(operation, 3, ENGINE, 1, tmp_path)
    assert row["operation"] == operation


@pytest.mark.parametrize("chain", chains.CHAINS, ids=lambda chain: chain.__name__)
def test_chains_have_the_gradients_of_the_programs_by_hand(chain: Any) -> None:
    x, name = np.linspace(0.1, 0.9, 5), chain.__name__
    found = grad(chain, engine=ENGINE, schedule=Bisection(base=5))(x, 6)
    assert found == pytest.approx(chains.gradient_by_hand(name, x, 6), rel=1e-12)


def test_layers_have_the_gradient_of_the_program_by_hand() -> None:
    args = layers.problem(7, 3)
    for found, expected in zip(grad(layers.chain, engine=ENGINE)(*args), layers.by_hand(*args), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)


def test_arrays_that_are_built() -> None:
    row = building.measured(20, ENGINE, 1)
    assert set(row) == {"n", *building.COLUMNS}
    assert grad(building.build, engine=ENGINE)(0.3, 20) == pytest.approx(building.build(1.0, 20), rel=1e-12)


def test_programs_for_peers_are_the_same_over_numpy() -> None:
    args = programs.arguments(np)
    for name, program in peer.programs("numpy").items():
        assert program(args[name]) == next(f for f in programs.PROGRAMS if f.__name__ == name)(args[name])


@pytest.mark.parametrize("program", elements.PROGRAMS, ids=lambda program: program.__name__)
def test_elements_of_arrays_are_as_those_of_lists(program: Any) -> None:
    """The values and gradients are equal, and each is measured."""
    x = np.linspace(0.2, 1.0, 8)
    (value, gradient), (same, of_list) = (elements.gradient(program, given, 2) for given in (x, x.tolist()))
    assert float(value) == same
    assert gradient == pytest.approx(np.array(of_list), rel=1e-13)  # which adds up in another order
    assert set(elements.measured(program, 8, 2)) == {
        f"{what}, {kind}" for what in ("gradient", "Python") for kind in ("array", "list")
    }
