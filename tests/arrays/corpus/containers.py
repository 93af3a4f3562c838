"""Arrays in lists, tuples, dictionaries, dataclasses and other objects; closures over arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from tests.arrays.corpus import Example, filled

SCALE = np.array([1.0, -2.0, 0.5])
TABLE: dict[str, Any] = {"shift": np.array([0.1, 0.2, 0.3]), "count": 2}


def network(weights: list[Any], x: Any) -> Any:
    """Layers from a list of weights."""
    for w in weights[:-1]:
        x = np.tanh(w @ x)
    return np.sum((weights[-1] @ x) ** 2)


def network_of_pairs(layers: list[tuple[Any, Any]], x: Any) -> Any:
    """Layers of weights and biases."""
    for w, b in layers:
        x = np.maximum(w @ x + b, 0.1 * (w @ x + b))
    return x


def parameters(p: dict[str, Any], x: Any) -> Any:
    """A dictionary of arrays and floats."""
    hidden = np.tanh(x @ p["w"] + p["b"])
    return p["scale"] * hidden.sum()


def sgd(p: dict[str, Any], x: Any) -> dict[str, Any]:
    """A new dictionary for each step."""
    for _ in range(3):
        error = x @ p["w"] - p["b"]
        p = {"w": p["w"] - 0.1 * (x.T @ error), "b": p["b"] + 0.1 * error}
    return p


@dataclass
class Particles:
    position: Any
    velocity: Any
    mass: float
    name: str = "particles"

    def energy(self) -> Any:
        """The kinetic energy."""
        return 0.5 * self.mass * np.sum(self.velocity**2)

    def moved(self, dt: float) -> Particles:
        """After a time step."""
        force = -self.position
        velocity = self.velocity + dt * force / self.mass
        return replace(self, position=self.position + dt * velocity, velocity=velocity)


def swarm(p: Particles) -> Any:
    """A dataclass of arrays, with methods."""
    for _ in range(3):
        p = p.moved(0.1)
    return p.energy(), p


class State(NamedTuple):
    mean: Any
    covariance: Any


def kalman(state: State, zs: Any) -> State:
    """A filter whose state is a named tuple."""
    f, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    for z in zs:
        mean = f @ state.mean
        p = f @ state.covariance @ f.T + 0.01 * np.eye(2)
        s = h @ p @ h.T + 0.1
        k = p @ h.T @ np.linalg.inv(s)
        state = State(mean + k @ (z - h @ mean), (np.eye(2) - k @ h) @ p)
    return state


@dataclass(frozen=True)
class Adam:
    rate: float
    m: Any
    v: Any
    t: int = 0

    def step(self, x: Any, g: Any) -> tuple[Any, Adam]:
        """A step, and the optimizer after it."""
        t = self.t + 1
        m = 0.9 * self.m + 0.1 * g
        v = 0.99 * self.v + 0.01 * g * g
        x = x - self.rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
        return x, Adam(self.rate, m, v, t)


def adam(x: Any) -> Any:
    """Steps of an optimizer on a quadratic function."""
    optimizer = Adam(0.1, np.zeros_like(x), np.zeros_like(x))
    for _ in range(4):
        x, optimizer = optimizer.step(x, 2.0 * x + SCALE)
    return x


def closure(x: Any, y: Any) -> Any:
    """A function over an array of the enclosing one."""

    def loss(a: Any) -> Any:
        return np.sum((a * x - y) ** 2)

    return loss(1.0) + loss(SCALE)


def from_globals(x: Any) -> Any:
    """Arrays of the module are constants."""
    return x * SCALE + TABLE["shift"] * TABLE["count"]


def composed(x: Any) -> Any:
    """Functions in a list."""
    functions: list[Callable[..., Any]] = [np.sin, lambda v: v * v, np.cumsum, partial(np.power, 2.0)]
    return reduce(lambda value, f: f(value), functions, x)


def passed_function(x: Any) -> Any:
    """A function is handed to another that calls it."""

    def euler(f: Callable[[Any, float], Any], y: Any, steps: int) -> Any:
        for i in range(steps):
            y = y + 0.1 * f(y, 0.1 * i)
        return y

    return euler(lambda y, t: np.cos(y) - t, x, 4)


def midpoint_grid(x: Any) -> Any:
    """A tuple, a list and a dictionary come out."""
    rows = [x[i] * x[i + 1] for i in range(len(x) - 1)]
    return rows, (x, {"first": x[0], "all": np.array(rows), "n": len(rows)})


def memory_of_steps(x: Any) -> Any:
    """A dictionary that is filled, keys are tuples."""
    table = {(0, 0): x}
    for i in range(3):
        table[i + 1, 0] = np.sin(table[i, 0]) + table[0, 0]
    return sum(table.values()), sorted(table)


def replaced_in_list(ws: list[Any]) -> list[Any]:
    """The elements of a list are replaced."""
    new = list(ws)
    for i, w in enumerate(ws):
        new[i] = w - 0.5 * w**2
    new.append(np.ones(2) * new[0].sum())
    return new


def equal_items(x: Any) -> Any:
    """Elements and arrays as items of lists, tuples and dictionaries, which are compared by their truth."""
    found = [e * 3.0 if e in (1.5, 2.0) else -e for e in x]
    items = [x[0], x[1], x[0]]
    places: Any = np.array([3, 1, 2])
    print(items.index(x[1]), items.count(x[0]), [x[1]] == [1.5], {"a": x[1]} == {"a": 1.5}, (x, 1) == (x, 1))
    print(places[0] in (3,), (places.argmax(), 0) == (0, 0), x[1:2] in [1.5], x in [x], 1.5 in [x[1]])
    items.remove(1.5)
    return found, items


def ambiguous_items(x: Any) -> Any:
    """An array of several elements has no truth, inside of a list either."""
    return 1.0 in [x]


def deep_copied(weights: dict[str, Any], x: Any) -> Any:
    """Copies of arrays that came in, alone and in containers, which are changed in place."""
    own, row = copy.deepcopy(weights), copy.deepcopy(x)
    row[0] = row[1] * 2.0
    counts, again = copy.deepcopy([np.arange(3), row]), copy.copy(x)
    again *= 3.0
    counts[0][1] = 7
    row[1] = again[0]
    for _ in range(2):
        for name in own:
            own[name] -= 0.1 * own[name] ** 2
    return own["w"] * counts[1][0], own["b"].sum() * counts[0], counts[1], row * x, weights["w"]


EXAMPLES = [
    Example(deep_copied, ({"w": filled(3), "b": filled(2)}, filled(3))),
    Example(equal_items, (np.array([0.25, 1.5]),), differentiable=False),
    Example(ambiguous_items, (filled(3),), raises=ValueError),
    Example(network, ([filled(3, 2), filled(4, 3), filled(2, 4)], filled(2))),
    Example(network_of_pairs, ([(filled(3, 2), filled(3)), (filled(2, 3), filled(2))], filled(2))),
    Example(parameters, ({"w": filled(2, 3), "b": filled(3), "scale": 1.5, "n": 3}, filled(4, 2))),
    Example(sgd, ({"w": filled(2), "b": filled(3)}, filled(3, 2))),
    Example(swarm, (Particles(filled(3, 2), filled(3, 2) + 1.0, 2.0),)),
    Example(kalman, (State(filled(2), np.eye(2)), [0.5, 0.7, 1.0])),
    Example(adam, (filled(3),)),
    Example(closure, (filled(3), filled(3) + 1.0)),
    Example(from_globals, (filled(3),)),
    Example(composed, (filled(3),)),
    Example(passed_function, (filled(3),)),
    Example(midpoint_grid, (filled(4),)),
    Example(memory_of_steps, (filled(2),)),
    Example(replaced_in_list, ([filled(2), filled(3) + 1.0],)),
]
