"""The heat equation on a ring and on a plate, until the temperatures no longer change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.uses.support import engines, gradients, is_gradient


def heat_ring(u: Any, conductivity: Any, target: Any) -> Any:
    """Return the distance of a ring from the target once its temperature has settled."""
    u = u.copy()
    steps = 0
    while steps < 500:
        flow = np.roll(u, 1) - 2.0 * u + np.roll(u, -1)
        new = u + 0.2 * conductivity * flow
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
        if change < 1e-3:
            break
    return np.sum((u - target) ** 2) / u.size


def heat_plate(edges: Any, n: int, tolerance: float) -> Any:
    """Return the mean temperature of a plate between edges of given temperatures, by Jacobi's iteration."""
    top, right, bottom, left = edges["top"], edges["right"], edges["bottom"], edges["left"]
    u = np.zeros((n, n))
    u[0, :] = top
    u[-1, :] = bottom
    u[1:-1, 0] = left
    u[1:-1, -1] = right
    while True:
        inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        residual = np.linalg.norm(inner - u[1:-1, 1:-1])
        u[1:-1, 1:-1] = inner
        if residual < tolerance:
            return u.mean()


def heat_turns(n: int, turns: int) -> Any:
    """Return the ring's steps as a matrix, of constant conductivity."""
    ring = np.eye(n)
    step = ring + 0.2 * (np.roll(ring, 1, axis=0) - 2.0 * ring + np.roll(ring, -1, axis=0))
    return np.linalg.matrix_power(step, turns)


@engines
@pytest.mark.parametrize("n", [12])
def test_a_ring_settles(engine: str, n: int) -> None:
    rng = np.random.default_rng(1)
    u, conductivity = rng.normal(size=n), 0.8 + 0.4 * rng.random(n)
    target = np.zeros(n)
    args = (u, conductivity, target)
    value, (by_u, by_conductivity) = gradients(heat_ring, *args, engine=engine, argnums=(0, 1))
    assert value > 0.0
    assert is_gradient(by_u, heat_ring, *args)
    assert is_gradient(by_conductivity, lambda k: heat_ring(u, k, target), conductivity)


def test_the_gradient_of_a_ring_is_that_of_its_matrix() -> None:
    n = 30
    u, target = np.sin(np.arange(n)), np.zeros(n)
    _, gradient = gradients(heat_ring, u, 1.0, target, engine="hybrid")
    now, turns = u, 0
    while turns < 500:
        new = heat_turns(n, 1) @ now
        turns += 1
        change, now = np.max(np.abs(new - now)), new
        if change < 1e-3:
            break
    matrix = heat_turns(n, turns)
    assert gradient == pytest.approx(2.0 / n * matrix.T @ matrix @ u, abs=1e-12)


@engines
def test_a_plate_between_warm_edges(engine: str) -> None:
    n = 8 if engine != "interp" else 5
    rng = np.random.default_rng(2)
    edges = {"top": rng.random(n), "right": rng.random(n - 2), "bottom": rng.random(n), "left": 0.5}
    args = (edges, n, 1e-3)
    _, gradient = gradients(heat_plate, *args, engine=engine)
    assert is_gradient(gradient, heat_plate, *args)
    assert all(np.all(part >= 0.0) for part in gradient.values())
