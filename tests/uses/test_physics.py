"""Small simulations that write their arrays in place, as such code is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.uses.support import engines, gradients, is_gradient


def planets(start: Any, masses: Any, turns: int, dt: float) -> Any:
    """The orbits of bodies that attract one another, by the leapfrog rule; how far the first one got."""
    x, v = start["x"].copy(), start["v"].copy()
    n = len(masses)
    path = np.empty((turns + 1, 2))
    path[0] = x[0]
    for turn in range(turns):
        force = np.zeros((n, 2))
        for i in range(n):
            for j in range(i):
                d = x[j] - x[i]
                pull = masses[i] * masses[j] * d / (d @ d + 0.01) ** 1.5
                force[i] += pull
                force[j] -= pull
        v += dt * force / masses[:, None]
        x += dt * v
        path[turn + 1] = x[0]
    return np.sum(np.diff(path, axis=0) ** 2) + np.hypot(*(path[-1] - path[0]))


def bouncing(height: float, damping: float, n: int) -> Any:
    """A ball's heights, which bounces where it would fall through the floor; their weighted sum."""
    heights = np.zeros(n)
    y, v = height, 0.0
    for t in range(n):
        v -= 0.1
        y += 0.1 * v
        if y < 0.0:
            y, v = -y, -damping * v
        heights[t] = y
    weights = np.linspace(0.0, 1.0, n)
    return (weights * heights).sum()


def string(shape: Any, speed: Any, turns: int) -> Any:
    """A plucked string: two arrays that take turns, ends that do not move; its energy in the middle."""
    old = shape.copy()
    old[0] = old[-1] = 0.0
    new = old.copy()
    c = speed[1:-1] ** 2
    for _ in range(turns):
        following = np.zeros(len(shape))
        following[1:-1] = 2.0 * new[1:-1] - old[1:-1] + c * (new[2:] - 2.0 * new[1:-1] + new[:-2])
        old = new
        new = following
    n = len(shape)
    return ((new - old)[n // 4 : 3 * n // 4] ** 2).sum() / 2


def substances(u: Any, v: Any, turns: int, feed: float, kill: float) -> Any:
    """The patterns of Gray and Scott, on arrays with a border that is copied at every turn."""
    u, v = np.pad(u, 1, mode="wrap"), np.pad(v, 1, mode="wrap")
    for _ in range(turns):
        for a in (u, v):
            assert a.ndim == 2
        lu = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        lv = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * v[1:-1, 1:-1]
        inner_u, inner_v = u[1:-1, 1:-1].copy(), v[1:-1, 1:-1].copy()
        uvv = inner_u * inner_v**2
        u[1:-1, 1:-1] += 0.16 * lu - uvv + feed * (1.0 - inner_u)
        v[1:-1, 1:-1] += 0.08 * lv + uvv - (feed + kill) * inner_v
        u[0, :] = u[-2, :].copy()
        u[-1, :] = u[1, :].copy()
        u[:, 0] = u[:, -2].copy()
        u[:, -1] = u[:, 1].copy()
        v[0, :] = v[-2, :].copy()
        v[-1, :] = v[1, :].copy()
        v[:, 0] = v[:, -2].copy()
        v[:, -1] = v[:, 1].copy()
    return np.var(v[1:-1, 1:-1]) + np.mean(u)


@engines
def test_planets(engine: str) -> None:
    rng = np.random.default_rng(10)
    n, turns = (4, 20) if engine != "interp" else (3, 2)
    start = {"x": rng.normal(size=(n, 2)), "v": 0.3 * rng.normal(size=(n, 2))}
    masses = 0.5 + rng.random(n)
    args = (start, masses, turns, 0.02)
    _, (gradient, by_masses) = gradients(planets, *args, engine=engine, base=100, argnums=(0, 1))
    assert is_gradient(gradient, planets, *args)
    assert is_gradient(by_masses, lambda m: planets(start, m, turns, 0.02), masses)


@engines
def test_a_ball_that_bounces(engine: str) -> None:
    args = (1.0, 0.8, 100 if engine != "interp" else 30)
    _, (by_height, by_damping) = gradients(bouncing, *args, engine=engine, argnums=(0, 1))
    assert is_gradient(by_height, bouncing, *args)
    assert is_gradient(by_damping, lambda d: bouncing(args[0], d, args[2]), args[1])
    assert by_damping != 0.0


@engines
def test_a_string(engine: str) -> None:
    n, turns = (24, 30) if engine != "interp" else (8, 5)
    args = (np.sin(np.linspace(0.0, np.pi, n)) ** 3, np.linspace(0.4, 0.7, n), turns)
    _, (by_shape, by_speed) = gradients(string, *args, engine=engine, argnums=(0, 1))
    assert is_gradient(by_shape, string, *args)
    assert is_gradient(by_speed, lambda speed: string(args[0], speed, turns), args[1])
    assert by_shape[0] == by_speed[0] == 0.0


@engines
def test_substances_that_react_and_diffuse(engine: str) -> None:
    rng = np.random.default_rng(11)
    n, turns = (10, 20) if engine != "interp" else (4, 3)
    u, v = 0.5 + 0.1 * rng.random((n, n)), 0.25 + 0.1 * rng.random((n, n))
    args = (u, v, turns, 0.035, 0.06)
    _, (by_u, by_v, by_feed) = gradients(substances, *args, engine=engine, argnums=(0, 1, 3))
    assert is_gradient(by_u, substances, *args)
    assert is_gradient(by_v, lambda v: substances(u, v, *args[2:]), v)
    assert is_gradient(by_feed, lambda feed: substances(u, v, turns, feed, 0.06), 0.035)


def test_energy_that_is_kept_has_the_slope_of_its_start() -> None:
    """The energy of a free oscillator after many turns is that at the start, and so is its gradient."""

    def energy(state: Any, turns: int) -> Any:
        state = state.copy()
        c, s = np.cos(0.1), np.sin(0.1)
        for _ in range(turns):
            x, v = float(state[0]), float(state[1])
            state[0] = c * x + s * v
            state[1] = c * v - s * x
        return 0.5 * np.sum(state**2)

    state = np.array([0.6, -0.8])
    value, gradient = gradients(energy, state, 500, engine="hybrid", base=300)
    assert value == pytest.approx(0.5, rel=1e-12)
    assert gradient == pytest.approx(state, rel=1e-12)
